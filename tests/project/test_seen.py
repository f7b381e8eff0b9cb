"""Whoever keeps a result knows what was looked at, also where it had been looked at before."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchdev_lint.linter import lint
from torchdev_lint.project.files import parsed_file
from torchdev_lint.project.seen import Seen, watching
from torchdev_lint.rules import BY_DEFAULT
from torchdev_lint.source.source import read_source

MAIN = """\
import torch
from helper import make
from absent import other

class Net(torch.nn.Module):
    def forward(self, x):
        return x + make(3)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "main.py").write_text(MAIN)
    (tmp_path / "helper.py").write_text("from deep import make\n")
    (tmp_path / "deep.py").write_text(
        "import torch\n\ndef make(n):\n    return torch.ones(n) + 1\n"
    )
    (tmp_path / "again.py").write_text(MAIN)
    (tmp_path / "other.py").write_text("print('unrelated')\n")
    return tmp_path


def seen_for(path: Path) -> Seen:
    source = read_source(str(path))
    with watching() as seen:
        assert [finding.code for finding in lint(source, source.parse(), BY_DEFAULT)] == ["TDL002"]
    return seen.whole()


def read(seen: Seen) -> set[str]:
    return {Path(path).name for path in seen.files}


def test_files_and_names_are_noted(project: Path) -> None:
    seen = seen_for(project / "main.py")
    assert read(seen) >= {"helper.py", "deep.py"}
    assert seen.names >= {"helper", "absent", "deep"}
    assert str(project) in seen.folders
    assert not seen.torn


def test_files_around_count_where_something_is_found(project: Path) -> None:
    seen = seen_for(project / "main.py")
    assert "other.py" in read(seen)
    assert seen.listed == {str(project)}


def test_what_is_remembered_was_seen_again(project: Path) -> None:
    first, second = seen_for(project / "main.py"), seen_for(project / "again.py")
    assert first.files == second.files
    assert first.names - {"main"} == second.names - {"again"}


def test_a_file_that_changes_meanwhile_is_noticed(project: Path) -> None:
    with watching() as seen:
        parsed_file(str(project / "deep.py"))
        (project / "deep.py").write_text("import torch\n")
        parsed_file(str(project / "deep.py"))
    assert seen.torn


def test_what_cannot_be_read_is_noted(project: Path) -> None:
    gone, wrong = project / "gone.py", project / "wrong.py"
    wrong.write_bytes(b"\xff\xff")
    with watching() as seen:
        assert parsed_file(str(gone)) is None
        assert parsed_file(str(wrong)) is None
    assert seen.files[str(gone)].digest == b""
    assert seen.files[str(wrong)].digest != b""
