"""What single rules are told, by files of settings and by the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.conftest import Lint

PROGRAM = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(3)

    def forward(self, x):
        return x * self.scale


print(Net().cuda()(torch.ones(3, device="cuda")))
"""
LOADS = """\
import torch
from torch import nn


def load(model: nn.Module, path: str) -> None:
    model.load_state_dict(torch.load(path))
"""
BUFFER = 'self.register_buffer("scale", torch.ones(3))'


@pytest.fixture(autouse=True)
def program(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PROGRAM)


def fixed(lint: Lint, *arguments: str) -> str:
    assert lint("--fix", "--unsafe-fixes", "--quiet", *arguments).err == ""
    return Path("a.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("rule", ["TDL006", "unregistered-tensor"])
def test_buffers_are_saved_where_that_is_told(lint: Lint, rule: str) -> None:
    Path("torchdev-lint.toml").write_text(f"[rule-options.{rule}]\npersistent = true\n")
    assert BUFFER in fixed(lint)


def test_buffers_are_not_saved_otherwise(lint: Lint) -> None:
    assert "torch.ones(3), persistent=False)" in fixed(lint)


def test_a_fix_by_which_buffers_are_saved_is_unsafe(lint: Lint) -> None:
    assert lint("--fix", "--quiet", "--config", "rule-options.TDL006.persistent=true").code == 1
    assert BUFFER not in Path("a.py").read_text(encoding="utf-8")


def test_where_checkpoints_are_read_to(lint: Lint) -> None:
    Path("a.py").write_text(LOADS, encoding="utf-8")
    text = fixed(lint, "--config", "rule-options.TDL101.map-location='\"meta\"'")
    assert 'torch.load(path, map_location="meta")' in text


def test_the_place_that_counts_for_more_wins(lint: Lint) -> None:
    Path("torchdev-lint.toml").write_text("rule-options.TDL006.persistent = true\n")
    text = fixed(lint, "--config", "rule-options.unregistered-tensor.persistent=false")
    assert "persistent=False" in text


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("TDL06.persistent = true", "no rule is called 'TDL06'; did you mean `TDL006`?"),
        ("TDL0.persistent = true", "'TDL0' means several rules"),
        ("TDL006.persist = 1", "TDL006 has no option 'persist'; did you mean `persistent`?"),
        ("TDL001.any = 1", "TDL001 has no option 'any'"),
        ("TDL006.persistent = 3", "'persistent' of TDL006 must be true or false, not a number"),
        ("TDL101.map-location = true", "'map-location' of TDL101 must be a string, not true or"),
    ],
)
@pytest.mark.parametrize("cache", ["--no-cache", "--cache-dir=kept"])
def test_what_can_not_be_told(lint: Lint, settings: str, expected: str, cache: str) -> None:
    assert lint("a.py", cache=cache).code == 1
    Path("torchdev-lint.toml").write_text(f"[rule-options]\n{settings}\n")
    result = lint("a.py", cache=cache)
    assert result.code == 2
    assert result.out == ""
    assert result.err.count("\n") == 1
    assert f"torchdev-lint.toml:1: error: `rule-options`: {expected}" in result.err
