"""Rules that give advice are asked for alone, and their fixes settle what they say."""

from __future__ import annotations

import ast

import pytest

from tests.fixtures import CLEAN, FLAGGED, Fixture, name_of
from torchdev_lint.applying.apply import fix_source
from torchdev_lint.config.settings import Settings
from torchdev_lint.rules import BY_DEFAULT, EVERY_RULE, OWN_RULES
from torchdev_lint.source.source import read_source

ADVICE = sorted(rule.code for rule in OWN_RULES if rule.advice)
WITHOUT_FIX = "TDL904"


def settings_of(program: Fixture) -> Settings:
    return Settings(rules=(program.code,))


@pytest.mark.parametrize("code", ADVICE)
def test_it_is_asked_for_alone(code: str) -> None:
    assert code not in (*BY_DEFAULT.rules, *EVERY_RULE.rules)


@pytest.mark.parametrize("program", [f for f in FLAGGED if f.code in ADVICE], ids=name_of)
def test_a_fix_is_made_once_but_for_what_a_condition_leads_to(program: Fixture) -> None:
    settings = settings_of(program)
    result = fix_source(read_source(str(program.main)), settings, unsafe=True)
    ast.parse(result.source.data)
    is_left = program.code == WITHOUT_FIX or "behind" in program.main.stem
    assert bool(result.findings) == is_left
    again = fix_source(result.source, settings, unsafe=True)
    assert again.source.data == result.source.data


@pytest.mark.parametrize("program", [f for f in CLEAN if f.code in ADVICE], ids=name_of)
def test_a_clean_program_is_not_touched(program: Fixture) -> None:
    source = read_source(str(program.main))
    fixed = fix_source(source, settings_of(program), unsafe=True)
    assert fixed.source.data == source.data
