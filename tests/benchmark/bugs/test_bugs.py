"""The index of real bugs is sound, and its scorer counts what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.benchmark.bugs.__main__ import answered, told
from tests.benchmark.bugs.cases import INDEX, LATER, Case, of_half, read
from tests.benchmark.bugs.report import Answer, table
from tests.benchmark.bugs.statements import extents, innermost
from tests.benchmark.bugs.trees import tree
from tests.command import DISCARDED

_LINTER = [sys.executable, "-m", "torchdev_lint"]


def _case(
    lines: tuple[int, ...], mended: tuple[int, ...] = (), *, code: str = "TDL001", kind: str = ""
) -> Case:
    return Case("a/b", "f" * 40, "0" * 40, "src/x.py", lines, mended, code, kind, "yes", "high", "")


def _commit(history: Path, **files: str) -> str:
    for name, text in files.items():
        path = history / name.replace("__", "/").replace("_py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    git = ["git", "-C", str(history), "-c", "user.name=n", "-c", "user.email=e"]
    if not (history / ".git").exists():
        subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "files"], check=True)
    done = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_indexes_have_enough_cases() -> None:
    cases, later = read(), read(LATER)
    assert len(cases) >= 100
    assert len({case.repository for case in cases}) >= 25
    assert len(later) >= 60
    assert len({case.repository for case in later} - {case.repository for case in cases}) >= 30


@pytest.mark.parametrize("index", [INDEX, LATER], ids=lambda index: str(index.name))
def test_index_has_facts_only(index: Path) -> None:
    cases = read(index)
    assert len({(case.parent, case.path, case.lines) for case in cases}) == len(cases)
    for case in cases:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+", case.repository)
        assert re.fullmatch(r"[0-9a-f]{40}", case.fix)
        assert re.fullmatch(r"[0-9a-f]{40}", case.parent)
        assert re.fullmatch(r"TDL\d{3}", case.code)
        assert case.lines
        assert all(line > 0 for line in (*case.lines, *case.mended))
        assert case.one_file in {"yes", "maybe", "no"}
        assert case.confidence in {"high", "medium"}
        assert len(case.why) < 100
        if case.code == "TDL002":
            assert case.kind in {"forward", "method", "function"}


def test_repositories_are_in_one_half() -> None:
    cases = read()
    tune, kept = (of_half(cases, half) for half in ("tune", "kept"))
    assert len(tune) + len(kept) == len(of_half(cases, None))
    assert not {case.repository for case in tune} & {case.repository for case in kept}
    assert min(len(tune), len(kept)) > len(cases) / 3


def test_tree_is_as_it_stood_at_the_commit(tmp_path: Path) -> None:
    history = tmp_path / "mirror" / "a+b"
    first = _commit(history, src__x_py="old = 1\n", data="no code\n")
    _commit(history, src__x_py="new = 1\n")
    folder = tree(tmp_path / "mirror", tmp_path / "out", "a/b", first)
    assert folder is not None
    assert [path.name for path in folder.rglob("*") if path.is_file()] == ["x.py"]
    assert (folder / "src" / "x.py").read_text() == "old = 1\n"


def test_what_is_not_at_hand_has_no_tree(tmp_path: Path) -> None:
    history = tmp_path / "mirror" / "a+b"
    _commit(history, x_py="")
    assert tree(tmp_path / "mirror", tmp_path / "out", "a/b", "1" * 40) is None
    assert tree(tmp_path / "mirror", tmp_path / "out", "c/d", "1" * 40) is None


def test_finding_counts_where_the_bug_is(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "x.py").write_text(DISCARDED)
    (tmp_path / "json.py").write_text("raise SystemExit('a module of the tree was imported')\n")
    cases = [_case((4,)), _case((5,)), _case((5,), (4,)), _case((4,), code="TDL013")]
    answers = answered(tmp_path, cases, _LINTER)
    assert [(answer.found, answer.exact) for answer in answers] == [
        (True, True),
        (False, False),
        (True, True),
        (True, False),
    ]


def test_file_that_cannot_be_linted_is_told_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "x.py").write_text("print 'an older Python'\n")
    (tmp_path / "y.py").write_text(DISCARDED)
    cases = [_case((1,)), replace(_case((4,)), path="y.py")]
    assert [answer.found for answer in answered(tmp_path, cases, _LINTER)] == [False, True]
    assert "x.py" in capsys.readouterr().err


def test_line_stands_for_its_innermost_statement() -> None:
    statements = extents(b"def f(\n    x,\n):\n    y = g(\n        x,\n    )\n    return y\n")
    assert innermost(statements, 2) == range(1, 4)
    assert innermost(statements, 5) == range(4, 7)
    assert innermost(statements, 9) == range(9, 10)


def test_table_sums_up() -> None:
    outside = _case((1,), code="TDL002", kind="method")
    later = _case((1,), code="TDL999")
    lines = table([Answer(outside, frozenset({"TDL016"})), Answer(later, frozenset())]).splitlines()
    counts = {line[:24].strip(): line[24:].split() for line in lines}
    assert counts["TDL002 method"] == ["1", "1", "1", "100%"]
    assert counts["TDL999"] == ["1", "0", "0", "0%"]
    assert counts["FAIR, rules there are"] == ["1", "1", "1", "100%"]
    assert counts["all"] == ["2", "1", "1", "50%"]
    assert counts["WIDER"][-1] == "-"


def test_miss_is_told_in_a_line() -> None:
    said = told(_case((3, 4), code="TDL002", kind="method"))
    assert said.startswith("missed TDL002 method a/b@000000000000 src/x.py:3,4 (high, yes)")
