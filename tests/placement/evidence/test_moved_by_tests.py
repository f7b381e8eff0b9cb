"""Modules that a file of tests defines, and its tests use."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchdev_lint.linter import lint
from torchdev_lint.rules import EVERY_RULE
from torchdev_lint.source.source import read_source

NET = """\
import pytest
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x) + torch.zeros(2)

def test_another_one():
    net = Other().to("cuda")
    assert net(torch.ones(2, 2, device="cuda")).shape == (2, 2)

class Other(nn.Linear):
    def __init__(self):
        super().__init__(2, 2)

"""
ASKED = """\
@pytest.fixture
def net():
    return Net()

@pytest.fixture
def trained(net):
    return net

def test_shape(trained):
    {use}
"""
IN_A_CLASS = """\
class TestNet:
    def setup_method(self):
        self.net = Net()

    def test_shape(self):
        {use}
"""
BUILT = """\
def build():
    return Net()

NET = build()

def test_shape():
    {use}
"""


def codes_in(folder: Path, name: str, text: str) -> list[str]:
    """What is found in a file of tests."""
    (folder / ".git").mkdir()
    (folder / name).write_text(text, "utf-8")
    source = read_source(str(folder / name))
    return [finding.code for finding in lint(source, source.parse(), EVERY_RULE)]


@pytest.mark.parametrize("name", ["test_net.py", "net_test.py"])
@pytest.mark.parametrize(
    ("tests", "use"),
    [
        pytest.param("def test_shape():\n    {use}\n", "Net()(torch.ones(2, 2))", id="by itself"),
        pytest.param(ASKED, "trained(torch.ones(2, 2))", id="by fixtures"),
        pytest.param(IN_A_CLASS, "self.net(torch.ones(2, 2))", id="in a class"),
        pytest.param(BUILT, "NET(torch.ones(2, 2))", id="by a helper, once"),
    ],
)
def test_a_module_that_no_test_moves_is_on_the_cpu(
    name: str, tests: str, use: str, tmp_path: Path
) -> None:
    assert codes_in(tmp_path, name, NET + tests.format(use=use)) == []


@pytest.mark.parametrize(
    ("tests", "use"),
    [
        pytest.param("def test_shape():\n    {use}\n", "Net().cuda()", id="by itself"),
        pytest.param(ASKED, "trained.to(torch.device(0))", id="by fixtures"),
        pytest.param(IN_A_CLASS, "run(self.net, device=0)", id="in a class"),
        pytest.param(BUILT, "fit(NET, accelerator='gpu')", id="by a helper, once"),
    ],
)
def test_a_module_that_a_test_may_move_is_not(tests: str, use: str, tmp_path: Path) -> None:
    text = NET + tests.format(use=use)
    assert codes_in(tmp_path, "test_net.py", text) == ["TDL002"]


def test_a_module_that_no_test_builds_is_for_others(tmp_path: Path) -> None:
    assert codes_in(tmp_path, "test_net.py", NET) == ["TDL002"]


def test_a_module_of_another_file_is_for_others(tmp_path: Path) -> None:
    text = NET + ASKED.format(use="trained(torch.ones(2, 2))")
    assert codes_in(tmp_path, "nets.py", text) == ["TDL002"]
