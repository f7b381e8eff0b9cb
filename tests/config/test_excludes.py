"""Which files are left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.conftest import Lint
from tests.config.projects import DISCARDED, found, write

FILES = ["a.py", "build/b.py", "gen/c.py", "pkg/d_pb2.py", "pkg/gen/e.py"]
LEFT = [path for path in FILES if "build" not in path]


@pytest.fixture(autouse=True)
def tree(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(FILES, DISCARDED))


def listed(lint: Lint, *arguments: str) -> list[str]:
    result = lint("--show-files", *arguments)
    assert result.err == ""
    return result.out.splitlines()


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("", LEFT),
        ("exclude = []", FILES),
        ('exclude = ["gen/"]', ["a.py", "build/b.py", "pkg/d_pb2.py"]),
        ('extend-exclude = ["gen"]', ["a.py", "pkg/d_pb2.py"]),
        ('extend-exclude = ["/gen"]', ["a.py", "pkg/d_pb2.py", "pkg/gen/e.py"]),
        ('extend-exclude = ["pkg/gen"]', ["a.py", "gen/c.py", "pkg/d_pb2.py"]),
        ('extend-exclude = ["*_pb2.py"]', ["a.py", "gen/c.py", "pkg/gen/e.py"]),
        ('extend-exclude = ["**/gen/*.py"]', ["a.py", "pkg/d_pb2.py"]),
        ('extend-exclude = ["gen/", "!pkg/gen/"]', ["a.py", "pkg/d_pb2.py", "pkg/gen/e.py"]),
        ('extend-exclude = ["!build/"]', FILES),
        ('extend-exclude = ["./gen/"]', ["a.py", "pkg/d_pb2.py"]),
    ],
)
def test_patterns(tmp_path: Path, lint: Lint, settings: str, expected: list[str]) -> None:
    write(tmp_path, {"torchdev-lint.toml": settings})
    assert sorted(listed(lint)) == expected
    assert sorted(found(lint())) == expected


def test_each_folder_has_its_own(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"pkg/torchdev-lint.toml": 'exclude = ["gen"]'})
    assert listed(lint) == ["a.py", "gen/c.py", "pkg/d_pb2.py"]


def test_on_the_command_line(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"torchdev-lint.toml": 'exclude = ["pkg"]'})
    assert listed(lint, "--extend-exclude", "gen,build") == ["a.py"]
    assert listed(lint, "--exclude", "gen") == ["a.py", "build/b.py", "pkg/d_pb2.py"]


class TestNamed:
    def test_what_is_named_is_linted(self, tmp_path: Path, lint: Lint) -> None:
        write(tmp_path, {"torchdev-lint.toml": 'exclude = ["gen"]'})
        assert listed(lint, "gen/c.py", "pkg/gen") == ["gen/c.py", "pkg/gen/e.py"]

    @pytest.mark.parametrize(
        "path", ["gen/c.py", "gen", "./pkg/gen/e.py", "build/b.py", "pkg/gen/"]
    )
    def test_unless_that_is_forced(self, tmp_path: Path, lint: Lint, path: str) -> None:
        write(tmp_path, {"torchdev-lint.toml": 'extend-exclude = ["gen"]\nforce-exclude = true\n'})
        assert listed(lint, path, "a.py") == ["a.py"]
        assert path.removeprefix("./").rstrip("/") in listed(lint, "--no-force-exclude", path)[0]

    def test_a_folder_above_the_project_has_any_name(
        self, tmp_path: Path, lint: Lint, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path / "build")
        assert listed(lint, "--force-exclude", "b.py") == ["b.py"]

    def test_standard_input_by_its_name(self, lint: Lint) -> None:
        assert listed(lint, "--force-exclude", "-", "--stdin-filename", "build/b.py") == []
        assert listed(lint, "-", "--stdin-filename", "build/b.py") == ["-"]


def test_what_git_ignores(tmp_path: Path, lint: Lint) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path, {".gitignore": "pkg\n"})
    assert listed(lint) == ["a.py", "gen/c.py"]
    write(tmp_path, {"torchdev-lint.toml": "respect-gitignore = false"})
    assert listed(lint) == LEFT
    assert listed(lint, "--respect-gitignore") == ["a.py", "gen/c.py"]
