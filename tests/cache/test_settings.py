"""What else decides what is found: the version, what it stands on, and what is asked for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from tests.cache.projects import HERE, MAIN, MAKES_ON_CPU, entries, finds_out, project_in, run
from tests.command import CLEAN, DISCARDED, ROOT
from torchdev_lint.cache import tool
from torchdev_lint.cache.record import as_json, report_from
from torchdev_lint.change import Fix, Replace
from torchdev_lint.finding import Finding, Related, Revealed, Skip
from torchdev_lint.report import FileReport
from torchdev_lint.source.cells import Cell
from torchdev_lint.source.problem import Problem
from torchdev_lint.source.span import Span

RESETTLED = "import torch\n\n\ndef f():\n    x = torch.ones(3)\n    x.cuda()\n    return x + 1\n"


@pytest.mark.parametrize(
    "settings",
    [
        ["--select", "TDL001"],
        ["--select", "TDL002,TDL003"],
        ["--ignore", "TDL00"],
        ["--unsafe-fixes"],
        ["--unsafe-fixes", "--output-format", "json"],
        ["--output-format", "json", "--select", "TDL001"],
        ["--show-skipped"],
        ["--unfixable", "TDL001", "--config", 'severity={TDL002="warning"}'],
        ["--exit-zero", "-q"],
    ],
    ids=" ".join,
)
def test_each_setting_has_its_own_output(tmp_path: Path, settings: list[str]) -> None:
    files = {"main.py": MAIN, "helper.py": MAKES_ON_CPU, "b.py": DISCARDED, "c.py": RESETTLED}
    project = project_in(tmp_path, files)
    run(project)
    for _ in "cold", "warm":
        assert run(project, *settings, ".") == run(project, "--no-cache", *settings, ".")
    assert run(project) == run(project, "--no-cache", ".")


def test_wrong_codes_are_told_with_a_cache_as_well(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    first = run(project, "--select", "XYZ")
    run(project)
    assert run(project, "--select", "XYZ") == first
    assert first.code == 2


def test_the_fix_is_made_whatever_is_known(tmp_path: Path) -> None:
    project = project_in(tmp_path, {"a.py": DISCARDED, "b.py": CLEAN})
    run(project)
    diff = run(project, "--diff", ".")
    assert diff == run(project, "--no-cache", "--diff", ".")
    assert "+images = images.to" in diff.out
    assert run(project, "--fix", ".").code == 0
    assert "images = images.to" in (project / "a.py").read_text()
    assert run(project).code == 0
    assert run(project, "--fix", "-", stdin=DISCARDED.encode()).out.count("images = images") == 1
    assert run(project, "--fix", "-", stdin=CLEAN.encode()).out == CLEAN
    assert run(project, "--fix", "-", stdin=CLEAN.encode()).out == CLEAN


def test_what_cannot_be_read_is_not_kept(tmp_path: Path) -> None:
    """Another run may be able to."""
    project = project_in(tmp_path, {"ok.py": CLEAN})
    (project / "gone.py").symlink_to("nowhere.py")
    assert run(project).code == 2
    (project / "nowhere.py").write_text(CLEAN)
    assert run(project).code == 0


@pytest.mark.parametrize("data", [b"import torch\n(\n", b"import torch\n\xff\n", b"import torch\0"])
def test_errors_of_syntax_are_kept(tmp_path: Path, data: bytes) -> None:
    project = project_in(tmp_path, {})
    (project / "a.py").write_bytes(data)
    cold = run(project)
    assert cold.code == 2
    assert not finds_out(project)
    assert run(project) == cold


def other_version(folder: Path) -> Path:
    """A copy of the package with other words in a message."""
    shutil.copytree(
        ROOT / "torchdev_lint", folder / "torchdev_lint",
        ignore=shutil.ignore_patterns("__pycache__"),
    )  # fmt: skip
    rule = folder / "torchdev_lint" / "rules" / "discarded_move.py"
    rule.write_text(rule.read_text().replace("the result of", "what comes of"))
    return folder


def test_another_version_finds_out_itself(tmp_path: Path) -> None:
    project = project_in(tmp_path / "project", {"a.py": DISCARDED})
    other = other_version(tmp_path / "other")

    def found(package: Path) -> str:
        return subprocess.run(
            [sys.executable, "-m", "torchdev_lint", "."],
            cwd=project, capture_output=True, text=True, check=False,
            env={**os.environ, **HERE, "PYTHONPATH": str(package)},
        ).stdout  # fmt: skip

    for _ in "cold", "warm":
        assert "the result of" in found(ROOT)
        assert "what comes of" in found(other)
    assert len(entries(project)) == 2


def test_libraries_are_part_of_the_version(monkeypatch: pytest.MonkeyPatch) -> None:
    version = tool.version.__wrapped__
    before = version()
    assert version() == before
    monkeypatch.setattr(tool, "_installed", lambda name: f"{name}: ['{name}-99.dist-info']")
    assert version() != before
    monkeypatch.undo()
    monkeypatch.setattr(sys, "version", "4.0")
    assert version() != before


def test_a_library_is_known_by_its_release() -> None:
    assert "libcst-" in tool._installed("libcst")
    assert tool._installed("there_is_none") == "there_is_none: none"


def test_all_of_a_report_is_kept(tmp_path: Path) -> None:
    """A field that is added has to be given a value here, and be kept."""
    first, second = Span(1, 2, 3, 4), Span(5, 6, 7, 8)
    finding = Finding(
        "TDL001",
        "name",
        "message\ud800\n",
        first,
        (Related("there", second, str(tmp_path / "x.py")), Related("here", first)),
        "scope",
        Fix("mend it", "unsafe", ()),
        assumes="Net",
        if_shown=True,
        given=True,
        severity="warning",
    )
    report = FileReport(
        "a.py",
        (finding,),
        {1: "line"},
        Problem("a.py", "wrong", 3, None, cell=2),
        ((Replace(second, "text"),),),
        skipped=(Skip(second, "f", "too much"),),
        warnings=(Problem("a.py", "no such rule", 4, 5, severity="warning"),),
        revealed=(Revealed(first, "f", "x", "a tensor on the CPU"),),
        cells=(Cell(1, 2, 3, 4),),
    )
    assert report_from(as_json(report, str), "a.py", str) == report
    # What is known once it is known which fixes hold, once it was fixed, once some is left aside.
    left_out = {"unsafe_fix", "repairs", "held"}
    for whole in finding, report:
        for field in fields(whole):
            if field.name not in left_out:
                assert getattr(whole, field.name) not in (field.default, (), {}), field.name
