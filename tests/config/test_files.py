"""Which file of settings holds for which file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.config.conftest import Lint
from tests.config.projects import DISCARDED, found, write

OFF = 'ignore = ["TDL001"]\n'
SECTION = "[tool.torchdev-lint]\n"
ALL = ["a.py", "pkg/b.py", "pkg/deep/c.py"]


@pytest.fixture(autouse=True)
def tree(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(ALL, DISCARDED))


def test_nothing_is_set(lint: Lint) -> None:
    assert found(lint()) == ALL


@pytest.mark.parametrize(
    ("name", "text"), [("pyproject.toml", SECTION + OFF), ("torchdev-lint.toml", OFF)]
)
@pytest.mark.parametrize("folder", ["", "pkg/", "pkg/deep/"])
def test_it_holds_in_its_folder_and_below(
    tmp_path: Path, lint: Lint, folder: str, name: str, text: str
) -> None:
    write(tmp_path, {folder + name: text})
    assert found(lint()) == [path for path in ALL if not path.startswith(folder)]
    for path in ALL:  # also where the file is named, and where the run is started
        assert found(lint(path)) == [path] * (not path.startswith(folder))


def test_the_nearest_one_holds_alone(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"pyproject.toml": SECTION + OFF, "pkg/torchdev-lint.toml": "jobs = 2\n"})
    assert found(lint()) == ["pkg/b.py", "pkg/deep/c.py"]


def test_a_file_of_its_own_wins_over_the_one_of_the_project(tmp_path: Path, lint: Lint) -> None:
    write(tmp_path, {"pyproject.toml": SECTION + OFF, "torchdev-lint.toml": ""})
    assert found(lint()) == ALL


@pytest.mark.parametrize("text", ["[project]\nname = 'x'\n", "[tool.ruff]\n", "not TOML at all"])
def test_a_project_file_without_our_section_says_nothing(
    tmp_path: Path, lint: Lint, text: str
) -> None:
    write(tmp_path, {"pyproject.toml": SECTION + OFF, "pkg/pyproject.toml": text})
    assert found(lint()) == []


class TestExtend:
    def test_what_is_not_said_is_taken_from_there(self, tmp_path: Path, lint: Lint) -> None:
        extends = 'extend = "../pyproject.toml"\n'
        write(tmp_path, {"pyproject.toml": SECTION + OFF, "pkg/torchdev-lint.toml": extends})
        assert found(lint()) == []

    def test_what_is_said_wins(self, tmp_path: Path, lint: Lint) -> None:
        write(
            tmp_path,
            {
                "base.toml": OFF,
                "torchdev-lint.toml": 'extend = "base.toml"\n',
                "pkg/torchdev-lint.toml": 'extend = "../base.toml"\nselect = ["TDL001"]\n',
            },
        )
        assert found(lint()) == ["pkg/b.py", "pkg/deep/c.py"]

    def test_lists_that_extend_come_together(self, tmp_path: Path, lint: Lint) -> None:
        base = 'extend-exclude = ["../a.py"]\nextend-per-file-ignores = {"b.py" = ["TDL"]}'
        extends = 'extend = "conf/base.toml"\nextend-exclude = ["deep/"]\n'
        write(tmp_path, {"conf/base.toml": base, "torchdev-lint.toml": extends})
        assert found(lint()) == ["a.py"]  # patterns don't lead upwards

    @pytest.mark.parametrize(
        ("base", "message"),
        [
            ("torchdev-lint.toml", "torchdev-lint.toml is extended in a circle"),
            ("other.toml", "torchdev-lint.toml is extended in a circle"),
            ("nowhere.toml", "nowhere.toml: cannot be read: No such file or directory"),
            ("pyproject.toml", "pyproject.toml has no `[tool.torchdev-lint]`"),
        ],
    )
    def test_what_cannot_be_extended(
        self, tmp_path: Path, lint: Lint, base: str, message: str
    ) -> None:
        write(
            tmp_path,
            {
                "torchdev-lint.toml": f'# first\nextend = "{base}"\n',
                "other.toml": 'extend = "torchdev-lint.toml"\n',
                "pyproject.toml": "",
            },
        )
        result = lint()
        assert (result.code, result.out) == (2, "")
        (line,) = result.err.splitlines()
        place = "other.toml:1" if base == "other.toml" else "torchdev-lint.toml:2"
        assert line == f"{place}: error: `extend`: {message}"


class TestCommandLine:
    def test_isolated(self, tmp_path: Path, lint: Lint) -> None:
        write(tmp_path, {"torchdev-lint.toml": OFF})
        assert found(lint("--isolated")) == ALL

    def test_a_file_that_is_named_holds_for_all(self, tmp_path: Path, lint: Lint) -> None:
        write(tmp_path, {"conf/x.toml": 'exclude = ["pkg/deep/"]\n', "pkg/torchdev-lint.toml": OFF})
        assert found(lint("--config", "conf/x.toml")) == ["a.py", "pkg/b.py"]

    @pytest.mark.parametrize("pair", ['ignore=["TDL001"]', "ignore = ['TDL']", "severity={}"])
    def test_one_setting(self, tmp_path: Path, lint: Lint, pair: str) -> None:
        write(tmp_path, {"torchdev-lint.toml": 'select = ["TDL0"]\n'})
        assert found(lint("--config", pair)) == ALL * ("severity" in pair)

    def test_a_text_needs_no_quotes(self, lint: Lint) -> None:
        assert lint("--config", "output-format=json", "a.py").out.startswith("[")

    def test_options_win_over_it_and_it_over_files(self, tmp_path: Path, lint: Lint) -> None:
        write(tmp_path, {"torchdev-lint.toml": 'select = ["TDL002"]\n'})
        assert found(lint("--config", 'select=["TDL001"]')) == ALL
        assert found(lint("--config", 'select=["TDL001"]', "--select", "TDL002")) == []

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--config", "nowhere.toml"], "nowhere.toml: error: cannot be read"),
            (["--config", "selct=[]"], "`selct`: there is no such setting; did you mean `select`?"),
            (["--config", "jobs=many"], "--config: error: `jobs`: must be a number above 0, not"),
            (["--config", "select=[1"], "error: `--config select=[1`: not valid TOML"),
            (["--config", "x.toml", "--config", "y.toml"], "error: `--config` names two files"),
            (["--config", "x.toml", "--isolated"], "error: `--config` names a file, and"),
        ],
    )  # fmt: skip
    def test_what_makes_no_sense(self, lint: Lint, arguments: list[str], message: str) -> None:
        result = lint(*arguments)
        assert (result.code, result.out) == (2, "")
        (line,) = result.err.splitlines()
        assert message in line
