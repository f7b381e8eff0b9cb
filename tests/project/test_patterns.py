"""What projects are made of: bases that call what others fill in, mixins, settings, factories."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_imports import lines, write

TRAINERS = """
class Trainer:
    def __init__(self, model, loader, device="cuda"):
        self.device = device
        self.model = model.to(device)
        self.loader = loader

    def fit(self):
        for images, labels in self.loader:
            self.step(images.to(self.device), labels.to(self.device)).backward()

    def step(self, images, labels):
        raise NotImplementedError
"""
TRAIN = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from trainers import Trainer


class Weighted(Trainer):
    def step(self, images, labels):
        weight = torch.ones(2{device})
        return nn.functional.cross_entropy(self.model(images), labels, weight)


loader = DataLoader(TensorDataset(torch.randn(8, 4), torch.zeros(8).long()), batch_size=4)
Weighted(nn.Linear(4, 2), loader).fit()
"""


def test_a_base_calls_what_a_subclass_fills_in(tmp_path: Path) -> None:
    """What the step makes meets what the loop of the base has moved."""
    write(tmp_path, {"trainers.py": TRAINERS, "main.py": TRAIN.format(device="")})
    assert [line for _, line in lines(tmp_path)] == [10]
    write(tmp_path, {"main.py": TRAIN.format(device=", device=self.device")})
    assert lines(tmp_path) == []


MIXINS = """
import torch


class MaskMixin:
    def mask(self, n):
        return torch.ones(n)


class DeviceMixin:
    def mask(self, n):
        return torch.ones(n, device=self.weight.device)
"""
BASE = """
import torch
from torch import nn


class Base(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.linear = nn.Linear(n, n)
        self.weight = nn.Parameter(torch.ones(n))

    def positions(self, n):
        return torch.arange(n)

    def forward(self, x):
        return self.linear(x)
"""
NET = """
import torch
from base import Base
from mixins import DeviceMixin, MaskMixin


class Net({bases}):
    def __init__(self):
        super().__init__(4)

    def positions(self, n):
        return super().positions(n) * 2

    def forward(self, x):
        x = super().forward(x)
        return x {added}
"""


@pytest.mark.parametrize(
    ("bases", "added", "expected"),
    [
        ("MaskMixin, Base", "+ self.mask(4)", [("TDL002", 16)]),
        ("DeviceMixin, Base", "+ self.mask(4)", []),
        ("DeviceMixin, MaskMixin, Base", "+ self.mask(4)", []),
        ("Base", "+ self.positions(4)", [("TDL002", 12)]),
        ("Base", "+ self.weight", []),
        ("Base", "+ torch.ones(4)", [("TDL002", 16)]),
    ],
)
def test_mixins_and_super(
    tmp_path: Path, bases: str, added: str, expected: list[tuple[str, int]]
) -> None:
    main = NET.format(bases=bases, added=added)
    write(tmp_path, {"main.py": main, "base.py": BASE, "mixins.py": MIXINS})
    assert lines(tmp_path) == expected


SETTINGS = """
import argparse
from dataclasses import dataclass
import torch


@dataclass
class Config:
    device: str = "cuda"
    host: str = "cpu"


class Settings:
    where = "cuda"
    here = "cpu"


def parsed():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda")
    return parser.parse_args()


DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
HOST = torch.device("cpu")
"""
USE = """
import torch
from torch import nn
from settings import DEVICE, HOST, Config, Settings, parsed


def main(config: Config):
    args = parsed()
    model = nn.Linear(4, 4).to({device})
    return model(torch.ones(4, 4))
"""


@pytest.mark.parametrize(
    ("device", "accelerator"),
    [
        ("Config().device", True),
        ("Config().host", False),
        ("Config(device='cpu').device", False),
        ("config.device", True),
        ("Settings.where", True),
        ("Settings.here", False),
        ("args.device", True),
        ("DEVICE", True),
        ("HOST", False),
    ],
)
def test_settings_hold_a_device(tmp_path: Path, device: str, accelerator: bool) -> None:
    write(tmp_path, {"main.py": USE.format(device=device), "settings.py": SETTINGS})
    assert lines(tmp_path) == ([("TDL005", 10)] if accelerator else [])


FACTORIES = """
from torch import nn


class First(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(x)


class Second(First):
    pass


class Moving(First):
    def forward(self, x):
        return super().forward(x.to("cuda"))


def build(name):
    if name == "first":
        return First()
    if name == "second":
        return Second()
    if name == "moving":
        return Moving()
    raise ValueError(name)


def either(name):
    net = First() if name == "first" else Second()
    return net.eval()
"""
BUILT = """
import torch
import factories


def main(name):
    net = factories.{build}.cuda()
    return net(torch.ones(4, 4))
"""


@pytest.mark.parametrize(
    ("build", "found"),
    [
        ("build('first')", True),
        ("build('second')", True),
        ("build('moving')", False),
        ("either(name)", True),
        ("getattr(factories, name)()", False),
    ],
)
def test_factories(tmp_path: Path, build: str, found: bool) -> None:
    """What is built is known where its name is, or where all that it may be is alike."""
    main = BUILT.format(build=build).replace("factories.getattr", "getattr")
    write(tmp_path, {"main.py": main, "factories.py": FACTORIES})
    assert lines(tmp_path) == ([("TDL005", 8)] if found else [])
