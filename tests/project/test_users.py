"""Which files of a project name something."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from torchdev_lint.project import users
from torchdev_lint.project.users import Users, files_that_name

PROJECT = {
    "pyproject.toml": "",
    "package/models/net.py": "class Net: ...\nclass Other: ...\n",
    "package/models/again.py": "from .net import Net\n",
    "package/models/longer.py": "from .net import Network, My_Net, Net2\n",
    "package/train.py": "import package.models.net as net\nnet.Net()\n",
    "package/data.py": "# nothing of the kind\n",
    "scripts/run.py": 'model = "package.models.net.Net"\n',
    "scripts/other.py": "Other()\n",
    "scripts/notes.txt": "Net\n",
    "build/lib/package/train.py": "Net()\n",
    "env/pyvenv.cfg": "",
    "env/package.py": "Net()\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def found(project: Path, *names: str, of: str = "package/models/net.py") -> list[str]:
    result = files_that_name(str(project / of), names)
    assert result.complete
    return [Path(file).relative_to(project).as_posix() for file in result.files]


def test_those_that_name_it_are_found_the_nearest_first(project: Path) -> None:
    expected = ["package/models/again.py", "package/train.py", "scripts/run.py"]
    for _ in range(6):  # its words are kept after a while
        assert found(project, "Net") == expected
    assert found(project, "Other", "Net") == [*expected[:2], "scripts/other.py", "scripts/run.py"]
    assert found(project, "Missing") == []
    assert found(project) == []


def test_what_was_changed_is_searched_again(project: Path) -> None:
    for _ in range(6):
        assert "package/data.py" not in found(project, "Net")
    (project / "package/data.py").write_text("Net()\n")
    (project / "package/new.py").write_text("Net()\n")
    (project / "package/train.py").unlink()
    assert found(project, "Net") == [
        "package/models/again.py",
        "package/data.py",
        "package/new.py",
        "scripts/run.py",
    ]


def test_what_cannot_be_read_names_nothing(project: Path) -> None:
    (project / "scripts/link.py").symlink_to(project / "package/train.py")
    (project / "scripts/folder").symlink_to(project)
    (project / "scripts/named.py").mkdir()
    os.mkfifo(project / "scripts/pipe.py")
    (project / "scripts/bytes.py").write_bytes(b"\xff\xfe\0 Net\n")
    assert found(project, "Net")[2:] == ["scripts/bytes.py", "scripts/run.py"]


def test_without_a_root_the_project_is_what_lies_beside_the_package(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    for name in ("package/__init__.py", "package/net.py", "use.py", "../above.py"):
        (inside / name).parent.mkdir(parents=True, exist_ok=True)
        (inside / name).write_text("Net\n")
    assert found(inside, "Net", of="package/net.py") == ["package/__init__.py", "use.py"]


def test_without_a_root_less_is_searched(tmp_path: Path) -> None:
    """A script in somebody's home doesn't have all of that searched."""
    for number in range(users.WITHOUT_ROOT.files + 5):
        (tmp_path / f"a{number:03}.py").write_text("Net\n")
    result = files_that_name(str(tmp_path / "net.py"), ["Net"])
    assert not result.complete
    assert len(result.files) == users.WITHOUT_ROOT.files
    (tmp_path / "pyproject.toml").touch()
    assert files_that_name(str(tmp_path / "net.py"), ["Net"]).complete


@pytest.mark.parametrize("bound", [{"files": 1}, {"size": 50}, {"folders": 1}])
def test_a_search_ends(
    project: Path, monkeypatch: pytest.MonkeyPatch, bound: dict[str, int]
) -> None:
    """What is beyond the bounds is not searched, and the answer says that it isn't all."""
    monkeypatch.setattr(users, "IN_A_PROJECT", users.IN_A_PROJECT._replace(**bound))
    result = files_that_name(str(project / "package/models/net.py"), ["Net"])
    assert result == Users((str(project / "package/models/again.py"),), complete=False)
