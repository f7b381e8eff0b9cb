"""What advice says, and what its fixes make of it."""

from __future__ import annotations

import ast

import pytest

from tests.fixtures import CLEAN, FLAGGED, Fixture, name_of
from torchdev_lint.applying.apply import fix_source
from torchdev_lint.config.settings import Settings
from torchdev_lint.linter import lint
from torchdev_lint.rules import BY_DEFAULT, EVERY_RULE
from torchdev_lint.source.source import Source, read_source

CODE = "TDL902"
SETTINGS = Settings(rules=(CODE,))


@pytest.mark.parametrize("program", [f for f in FLAGGED if f.code == CODE], ids=name_of)
def test_a_fix_leaves_nothing_to_say(program: Fixture) -> None:
    source = read_source(str(program.main))
    result = fix_source(source, SETTINGS, unsafe=True)
    ast.parse(result.source.data)
    assert not result.findings
    again = fix_source(result.source, SETTINGS, unsafe=True)
    assert again.source.data == result.source.data


@pytest.mark.parametrize("program", [f for f in CLEAN if f.code == CODE], ids=name_of)
def test_a_clean_program_is_not_touched(program: Fixture) -> None:
    source = read_source(str(program.main))
    assert fix_source(source, SETTINGS, unsafe=True).source.data == source.data


def test_it_is_asked_for_alone() -> None:
    assert CODE not in (*BY_DEFAULT.rules, *EVERY_RULE.rules)


@pytest.mark.parametrize(
    ("device", "is_safe"),
    [("torch.device('cpu', 0)", True), ("device", False), ("x.device", True)],
)
def test_what_is_certainly_a_device(device: str, is_safe: bool) -> None:
    text = f"""\
import torch

def make(device):
    x = torch.zeros(2)
    return x, torch.ones(3).to({device})
"""
    source = Source.from_text(text, "program.py")
    (finding,) = lint(source, source.parse(), SETTINGS)
    assert finding.fix is not None
    assert (finding.fix.applicability == "safe") == is_safe
