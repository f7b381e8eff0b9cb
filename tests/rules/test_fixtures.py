"""Every fixture has the findings that its `# expect:` markers promise, and no others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.command import FIXTURES
from tests.fixtures import ALL, PROJECTS, Fixture, fixtures_in, name_of
from torchdev_lint.config.settings import Settings
from torchdev_lint.finding import Finding
from torchdev_lint.linter import lint
from torchdev_lint.report import Task
from torchdev_lint.rules import EVERY_RULE, OWN_RULES
from torchdev_lint.rules.wording import MOST
from torchdev_lint.runner import check_files
from torchdev_lint.source.discovery import discover
from torchdev_lint.source.source import read_source

FEWEST = {"TDL001": (15, 20), "TDL002": (15, 20), "TDL003": (15, 20), "TDL004": (15, 20),
          "TDL005": (8, 10), "TDL006": (10, 12), "TDL007": (10, 12), "TDL011": (10, 12),
          "TDL013": (10, 12), "TDL008": (10, 12), "TDL009": (10, 12), "TDL010": (10, 12),
          "TDL014": (10, 12), "TDL016": (20, 25), "TDL101": (10, 12), "TDL102": (10, 12),
          "TDL905": (10, 12), "TDL901": (10, 12), "TDL902": (10, 12), "TDL903": (10, 12),
          "TDL904": (10, 12), "TDL906": (10, 12)}  # fmt: skip
"""How many flagged and clean programs each rule has at least."""


ADVICE = {rule.code for rule in OWN_RULES if rule.advice}
"""Rules about what works as it is: other programs have no word of what these say."""


def found_in(path: Path) -> list[Finding]:
    source = read_source(str(path))
    advice = ADVICE & set(path.relative_to(FIXTURES).parts)
    settings = Settings(rules=(*EVERY_RULE.rules, *advice))
    return lint(source, source.parse(), settings)


def assert_as_expected(fixture: Fixture, path: Path, findings: Sequence[Finding]) -> None:
    """Compare what was found in a file of a fixture with its markers."""
    lines = fixture.expected[path].items()
    expected = Counter((number, code) for number, codes in lines for code in codes)
    messages = "\n".join(f"{f.span.line}: {f.code} {f.message}" for f in findings)
    assert Counter((f.span.line, f.code) for f in findings) == expected, f"{path}\n{messages}"
    assert not [f.message for f in findings if len(f.message) > MOST]


@pytest.mark.parametrize("fixture", ALL, ids=name_of)
def test_findings_are_where_they_are_expected(fixture: Fixture) -> None:
    for path in fixture.files:
        findings = found_in(path)
        assert_as_expected(fixture, path, findings)
        assert len({(f.code, f.span) for f in findings}) == len(findings), "one is told twice"


@pytest.mark.parametrize("project", PROJECTS, ids=name_of)
def test_a_project_as_a_whole_has_the_findings_of_its_files(project: Fixture) -> None:
    targets, problems = discover([str(project.root)])
    assert {Path(target.path) for target in targets} == set(project.files)
    assert not problems
    for report in check_files([Task(target, EVERY_RULE) for target in targets], jobs=1):
        assert not report.problem
        assert_as_expected(project, Path(report.path), report.findings)


@pytest.mark.parametrize("fixture", ALL, ids=name_of)
def test_the_name_says_what_is_expected(fixture: Fixture) -> None:
    expected = {
        code for lines in fixture.expected.values() for codes in lines.values() for code in codes
    }
    kind = fixture.root.name.partition("_")[0]
    assert kind in ("project", "flagged" if expected else "clean")
    assert not expected or fixture.code in expected


@pytest.mark.parametrize("project", PROJECTS, ids=name_of)
def test_a_project_has_several_files(project: Fixture) -> None:
    """And the one that is run says how that ends."""
    assert len(project.files) > 1
    declared = [path for path in project.files if "# runtime:" in path.read_text("utf-8")]
    assert declared == [project.main]


@pytest.mark.parametrize("code", FEWEST)
def test_there_are_enough(code: str) -> None:
    there = fixtures_in(FIXTURES / code)
    flagged = sum(fixture.flagged for fixture in there)
    assert flagged >= FEWEST[code][0]
    assert len(there) - flagged >= FEWEST[code][1]
