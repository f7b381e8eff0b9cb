"""Each rule's own examples are its first tests, and its page is up to date."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from tests.command import FIXTURES, ROOT
from torchdev_lint import rule_docs
from torchdev_lint.config.settings import Settings
from torchdev_lint.linter import lint
from torchdev_lint.rules import ALL_RULES, EVERY_RULE
from torchdev_lint.rules.base import Rule
from torchdev_lint.source.source import Source


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have no project around, whose files might do anything with what an example defines."""
    monkeypatch.chdir(tmp_path)


def codes(text: str, rule: Rule) -> list[str]:
    """What all rules say of a text; those that give advice only of their own."""
    asked = tuple(each.code for each in ALL_RULES if each is rule or not each.advice)
    source = Source.from_text(text, "a.py")
    return [f.code for f in lint(source, ast.parse(text), Settings(rules=asked))]


IN_CODE = [rule for rule in ALL_RULES if rule.code in EVERY_RULE.rules]
"""Rules whose findings are about what programs do."""


def rule_name(rule: Rule) -> str:
    return rule.code


by_rule = pytest.mark.parametrize("rule", ALL_RULES, ids=rule_name)


@by_rule
def test_the_bad_example_has_one_finding(rule: Rule) -> None:
    assert codes(rule.bad, rule) == [rule.code]


@by_rule
def test_the_good_example_has_none(rule: Rule) -> None:
    assert codes(rule.good, rule) == []


@by_rule
def test_it_says_what_it_is(rule: Rule) -> None:
    assert re.fullmatch(r"TDL\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", rule.name)
    assert rule.summary.endswith(".")
    assert "\n" not in rule.summary
    assert rule.reason.strip()
    assert rule.fix_safety.strip()
    assert rule.opt_in == rule.code.startswith("TDL9")


@pytest.mark.parametrize("rule", IN_CODE, ids=rule_name)
def test_it_has_fixtures_of_both_kinds(rule: Rule) -> None:
    assert list((FIXTURES / rule.code).glob("flagged_*.py"))
    assert list((FIXTURES / rule.code).glob("clean_*.py"))


def test_codes_and_names_are_unique() -> None:
    assert len({rule.code for rule in ALL_RULES}) == len(ALL_RULES)
    assert len({rule.name for rule in ALL_RULES}) == len(ALL_RULES)


def test_the_pages_are_up_to_date() -> None:
    folder = ROOT / "docs" / "rules"
    written = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert written == rule_docs.pages(), "run `python -m torchdev_lint.rule_docs`"


def test_the_pages_can_be_written(tmp_path: Path) -> None:
    rule_docs.main(str(tmp_path / "docs"))
    assert {path.name for path in (tmp_path / "docs").iterdir()} == set(rule_docs.pages())


def test_the_readme_lists_the_rules() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert rule_docs.table(ALL_RULES, "docs/rules/") in readme
