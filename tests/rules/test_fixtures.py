"""Every fixture has the findings that its `# expect:` markers promise, and no others."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.command import FIXTURES
from tests.runtime.outcomes import expected_lines
from torchdev_lint.linter import lint
from torchdev_lint.rules import ALL_RULES
from torchdev_lint.source.source import read_source

PROGRAMS = sorted(FIXTURES.glob("*/*.py"))

FEWEST = {"TDL001": (15, 20), "TDL002": (15, 20), "TDL003": (15, 20), "TDL004": (15, 20),
          "TDL005": (8, 10)}  # fmt: skip
"""How many flagged and clean programs each rule has at least."""


def fixture_name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


@pytest.mark.parametrize("program", PROGRAMS, ids=fixture_name)
def test_findings_are_where_they_are_expected(program: Path) -> None:
    source = read_source(str(program))
    findings = lint(source, source.parse(), ALL_RULES)
    expected = Counter(
        (n, code) for n, codes in expected_lines(source.text).items() for code in codes
    )
    messages = "\n".join(f"{f.span.line}: {f.code} {f.message}" for f in findings)
    assert Counter((f.span.line, f.code) for f in findings) == expected, messages


@pytest.mark.parametrize("program", PROGRAMS, ids=fixture_name)
def test_a_finding_is_reported_once(program: Path) -> None:
    source = read_source(str(program))
    findings = lint(source, source.parse(), ALL_RULES)
    assert len({(f.code, f.span) for f in findings}) == len(findings)


@pytest.mark.parametrize("program", PROGRAMS, ids=fixture_name)
def test_the_name_says_what_is_expected(program: Path) -> None:
    expected = {c for codes in expected_lines(program.read_text("utf-8")).values() for c in codes}
    if program.name.startswith("flagged_"):
        assert program.parent.name in expected
    else:
        assert program.name.startswith("clean_")
        assert not expected


@pytest.mark.parametrize("code", FEWEST)
def test_there_are_enough(code: str) -> None:
    kinds = Counter(path.name.split("_")[0] for path in (FIXTURES / code).glob("*.py"))
    flagged, clean = FEWEST[code]
    assert kinds["flagged"] >= flagged
    assert kinds["clean"] >= clean
