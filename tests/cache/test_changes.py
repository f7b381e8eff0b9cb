"""What a result rests on has changed: the next run finds out anew."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cache.projects import (
    MAIN,
    MAKES_A_NUMBER,
    MAKES_ON_CPU,
    entries,
    finds_out,
    project_in,
    run,
)

FOUND = "main.py:9:20: TDL002"
MAKES_IT_ITSELF = MAIN.replace(
    "from helper import make\n", "def make(n):\n    return torch.ones(n) + 1\n"
)
SETS_DEFAULT = "import torch\nimport main\n\ntorch.set_default_device('cuda')\nmain.Net()\n"


def finds(project: Path) -> bool:
    """Whether there is a finding in `main.py`; with and without a cache it is the same."""
    found, expected = run(project, "main.py"), run(project, "--no-cache", "main.py")
    assert found == expected
    return ": TDL002" in found.out


def test_the_file_itself(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    assert finds(project)
    (project / "main.py").write_text(MAIN.replace("make(3)", "make(3).to(x)"))
    assert not finds(project)
    (project / "main.py").write_text("\n" + MAIN)
    assert "main.py:10:20: TDL002" in run(project).out


def test_a_file_that_is_imported(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    assert finds(project)
    (project / "helper.py").write_text(MAKES_A_NUMBER)
    assert not finds(project)
    (project / "helper.py").write_text("make = (\n")
    assert not finds(project)
    (project / "helper.py").write_text(MAKES_ON_CPU)
    assert finds(project)


def test_a_file_that_is_imported_by_that(tmp_path: Path) -> None:
    files = {"main.py": MAIN, "helper.py": "from deep import make\n", "deep.py": MAKES_ON_CPU}
    project = project_in(tmp_path, files)
    assert finds(project)
    (project / "deep.py").write_text(MAKES_A_NUMBER)
    assert not finds(project)


def test_a_change_that_leaves_size_and_time(tmp_path: Path) -> None:
    """Whoever sets the time back can't do so with the one at which that was done."""
    project = project_in(tmp_path)
    assert finds(project)
    before = os.stat(project / "helper.py")
    (project / "helper.py").write_text(MAKES_ON_CPU.replace("n) + 1\n", "x)    \n"))
    os.utime(project / "helper.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert os.stat(project / "helper.py").st_size == before.st_size
    (project / "helper.py").write_text(MAKES_A_NUMBER.ljust(before.st_size, "\n"))
    os.utime(project / "helper.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert not finds(project)


def appear(project: Path) -> None:
    (project / "helper.py").write_text(MAKES_ON_CPU)


def appear_as_a_package(project: Path) -> None:
    (project / "helper").mkdir()
    (project / "helper" / "__init__.py").write_text(MAKES_ON_CPU)


def appear_in_sources(project: Path) -> None:
    (project / "src").mkdir()
    (project / "src" / "helper.py").write_text(MAKES_ON_CPU)


@pytest.mark.parametrize("change", [appear, appear_as_a_package, appear_in_sources])
def test_what_was_looked_for_appears(tmp_path: Path, change: Callable[[Path], None]) -> None:
    project = project_in(tmp_path, {"main.py": MAIN})
    assert not finds(project)
    change(project)
    assert finds(project)


def test_a_file_goes_and_comes_back(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    assert finds(project)
    (project / "helper.py").rename(project / "other.py")
    assert not finds(project)
    (project / "other.py").rename(project / "helper.py")
    assert finds(project)


def test_a_file_is_hidden_by_a_package(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    (project / "helper").mkdir()
    assert finds(project)
    (project / "helper" / "__init__.py").write_text(MAKES_A_NUMBER)
    assert not finds(project)
    (project / "helper" / "__init__.py").unlink()
    assert finds(project)


def test_a_folder_becomes_a_package(tmp_path: Path) -> None:
    """A file of a package imports what lies beside the package, and only then what beside it."""
    files = {"pkg/main.py": MAIN, "pkg/helper.py": MAKES_A_NUMBER, "helper.py": MAKES_ON_CPU}
    project = project_in(tmp_path, files)
    name = "pkg/main.py"
    assert run(project, name).code == 0
    (project / "pkg" / "__init__.py").touch()
    assert ": TDL002" in run(project, name).out
    (project / "pkg" / "__init__.py").unlink()
    assert run(project, name).code == 0


def test_a_root_appears(tmp_path: Path) -> None:
    """What lies above a root is not of the project."""
    above = tmp_path / "above"
    project = above / "project"
    project.mkdir(parents=True)
    (above / "helper.py").write_text(MAKES_ON_CPU)
    (project / "main.py").write_text(MAIN)
    assert ": TDL002" in run(project, "main.py").out
    (project / "setup.py").touch()
    assert run(project, "main.py").code == 0


def test_a_program_above_it_appears(tmp_path: Path) -> None:
    """Where nothing marks the root, a program is enough to let the project begin beside it."""
    parts = project_in(tmp_path / "parts", {"main.py": MAKES_IT_ITSELF})
    (parts / "pyproject.toml").unlink()
    assert finds(parts)
    program = tmp_path / "train.py"
    program.write_text(SETS_DEFAULT.replace("import main", "from parts import main"))
    assert not finds(parts)
    program.write_text(program.read_text().replace("torch.set_default", "print; torch.no"))
    assert finds(parts)
    program.write_text(SETS_DEFAULT.replace("import main", "import maine as main"))
    assert finds(parts)


def test_a_program_beside_it_sets_another_default(tmp_path: Path) -> None:
    project = project_in(tmp_path, {"main.py": MAKES_IT_ITSELF})
    assert finds(project)
    (project / "train.py").write_text(SETS_DEFAULT)
    assert not finds(project)
    (project / "train.py").write_text(SETS_DEFAULT.replace("torch.set_default", "print; torch.no"))
    assert finds(project)


def test_what_has_nothing_to_do_with_it_changes_nothing(tmp_path: Path) -> None:
    project = project_in(tmp_path, {"main.py": MAIN, "helper.py": MAKES_A_NUMBER})
    run(project)
    (project / "notes.txt").write_text("notes")
    (project / "unrelated.py").write_text("print()\n")
    (project / "outputs").mkdir()
    assert not finds_out(project, "main.py")


def test_a_file_that_was_only_touched_is_known(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    run(project)
    for name in "main.py", "helper.py":
        os.utime(project / name, (1, 1))
        data = (project / name).read_bytes()
        (project / name).unlink()
        (project / name).write_bytes(data)
    assert not finds_out(project)


def test_a_project_that_moves_takes_its_cache_along(tmp_path: Path) -> None:
    project = project_in(tmp_path / "before")
    cold = run(project)
    shutil.copytree(project, tmp_path / "after")
    assert len(entries(tmp_path / "after")) == 2
    assert not finds_out(tmp_path / "after")
    assert run(tmp_path / "after") == cold
