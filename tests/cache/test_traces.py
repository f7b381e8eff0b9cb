"""A trace holds while what was looked at is as it was, and no longer."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cache.projects import MAIN, MAKES_ON_CPU, project_in
from torchdev_lint.cache.disk import Disk
from torchdev_lint.cache.trace import Trace, trace_of
from torchdev_lint.linter import lint
from torchdev_lint.project import roots
from torchdev_lint.project import seen as seen_module
from torchdev_lint.project.roots import folders_up
from torchdev_lint.project.seen import watching
from torchdev_lint.project.users import files_that_name
from torchdev_lint.rules import BY_DEFAULT
from torchdev_lint.source.source import read_source


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have states trusted at once."""
    monkeypatch.setattr(seen_module, "_SETTLED", -1)


def traced(look: Callable[[], object]) -> Trace:
    with watching() as seen:
        look()
    trace = trace_of(seen.whole())
    assert trace is not None
    return trace


def lint_main(project: Path) -> Callable[[], object]:
    source = read_source(str(project / "main.py"))
    return lambda: lint(source, source.parse(), BY_DEFAULT)


@pytest.mark.usefixtures("settled")
def test_what_nobody_has_written_is_untouched(tmp_path: Path) -> None:
    project = project_in(tmp_path, {"main.py": MAIN, "helper.py": MAKES_ON_CPU})
    trace = traced(lint_main(project))
    assert trace.is_untouched(Disk())
    (project / "helper.py").touch()
    assert not trace.is_untouched(Disk())
    renewed = trace.renewed(Disk())
    assert renewed is not None
    assert renewed.is_untouched(Disk())


def test_a_state_is_not_trusted_at_once(tmp_path: Path) -> None:
    """What is written twice in a moment may have one time."""
    project = project_in(tmp_path)
    trace = traced(lint_main(project))
    assert trace.states == ""
    assert not trace.is_untouched(Disk())
    renewed = trace.renewed(Disk())
    assert renewed is not None
    assert renewed.contents == trace.contents


@pytest.mark.usefixtures("settled")
def test_a_link_is_looked_at_each_time(tmp_path: Path) -> None:
    """Where it leads may change without its folder."""
    project = project_in(tmp_path / "project", {"main.py": MAIN})
    elsewhere = project_in(tmp_path / "elsewhere", {"__init__.py": MAKES_ON_CPU})
    try:
        os.symlink(elsewhere, project / "helper", target_is_directory=True)
    except OSError:
        pytest.skip("no links here")
    trace = traced(lint_main(project))
    elsewhere.rename(tmp_path / "gone")
    assert not trace.is_untouched(Disk())
    assert trace.renewed(Disk()) is None


@pytest.mark.usefixtures("settled")
def test_who_else_names_something(tmp_path: Path) -> None:
    files = {"net.py": "class Net: ...\n", "a/train.py": "Net()\n", "b/other.py": "print()\n"}
    project = project_in(tmp_path, files)
    trace = traced(lambda: files_that_name(str(project / "net.py"), ["Net"]))
    assert trace.is_untouched(Disk())
    (project / "b" / "other.py").write_text("print(1)\n")
    assert not trace.is_untouched(Disk())
    assert trace.renewed(Disk()) is not None
    (project / "b" / "other.py").write_text("Net()\n")
    assert trace.renewed(Disk()) is None
    (project / "b" / "other.py").unlink()
    assert trace.renewed(Disk()) is not None
    (project / "c").mkdir()
    assert not trace.is_untouched(Disk())
    (project / "c" / "new.py").write_text("import Net\n")
    assert trace.renewed(Disk()) is None


@pytest.mark.usefixtures("settled")
def test_where_a_project_begins_that_nothing_marks(tmp_path: Path) -> None:
    """It is looked for in the folders above, so that those have to be the test's own."""
    folder = tmp_path.joinpath(*("deep" for _ in range(roots._MOST_LEVELS)))
    folder.mkdir(parents=True)
    for name, text in ("run.py", "import nets.net\n"), ("nets/net.py", ""), ("nets/other.py", ""):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    trace = traced(lambda: folders_up(str(folder / "nets")))
    (folder / "nets" / "other.py").write_text("import os\n")
    assert trace.renewed(Disk()) is not None
    (folder / "run.py").write_text("import nest.net\n")
    assert trace.renewed(Disk()) is None
    (folder / "nets" / "other.py").write_text("import run\n")
    assert trace.renewed(Disk()) is not None


def test_what_changes_meanwhile_has_none(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    with watching() as seen:
        lint_main(project)()
        (project / "helper.py").write_text("make = None\n")
        lint_main(project)()
    assert trace_of(seen.whole()) is None
