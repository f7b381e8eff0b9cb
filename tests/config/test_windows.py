"""The command on Windows, as far as paths go: `tests/windows.py` is the machine."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.command import CLEAN, DISCARDED, Result
from tests.config.conftest import Lint
from tests.windows import Windows
from torchdev_lint import cli

HERE = "C:\\work\\project"


@pytest.fixture
def windows(tmp_path: Path) -> Windows:
    return Windows(tmp_path, HERE)


@pytest.fixture
def lint(
    windows: Windows, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Lint:
    """Run the command on the machine, in this process."""

    def run(*arguments: str) -> Result:
        with monkeypatch.context() as patch:
            windows.turn_on(patch)
            code = cli.main(arguments)
        printed = capsys.readouterr()
        return Result(code, printed.out, printed.err)

    return run


def flagged(result: Result) -> list[str]:
    """The files with findings."""
    assert result.err == ""
    return re.findall(r"^(.+):\d+:\d+: TDL001 ", result.out, re.MULTILINE)


def once(*arguments: str) -> tuple[str, ...]:
    """The arguments of a run that keeps nothing."""
    return (*arguments, "--no-cache", "--jobs=1")


def test_settings_are_those_of_the_nearest_file(windows: Windows, lint: Lint) -> None:
    windows.write("pyproject.toml", "[tool.torchdev-lint]\nignore = ['TDL001']\n")
    windows.write("a.py", DISCARDED)
    windows.write("inner\\torchdev-lint.toml", "extend = '../pyproject.toml'\nselect = ['TDL']\n")
    windows.write("inner\\deep\\b.py", DISCARDED)
    windows.write("D:\\other\\c.py", DISCARDED)
    assert flagged(lint(*once())) == ["inner\\deep\\b.py"]
    assert flagged(lint(*once("inner/deep"))) == ["inner\\deep\\b.py"]
    assert flagged(lint(*once("a.py", "D:/other"))) == ["D:\\other\\c.py"]
    shown = lint("--show-settings", "inner\\deep\\b.py").out
    assert 'select = ["TDL"]  # inner\\torchdev-lint.toml:2\n' in shown


PROJECT = """
[tool.torchdev-lint]
extend-exclude = ["src/generated/", "*_pb2.py"]
per-file-ignores = { "src/tests/" = ["TDL001"], "tools/*.py" = ["TDL001"] }
host-only = ["scripts/"]
"""


@pytest.mark.parametrize("place", [".", "C:\\work\\project", "c:/WORK/Project/"])
def test_patterns_are_about_paths_however_these_are_written(
    windows: Windows, lint: Lint, place: str
) -> None:
    windows.write("pyproject.toml", PROJECT)
    left_out = ["src\\generated\\a.py", "src\\x_pb2.py", "src\\tests\\deep\\a.py", "tools\\a.py"]
    for name in [*left_out, "scripts\\a.py", "build\\lib\\a.py", "src\\seen.py"]:
        windows.write(name, DISCARDED)
    (found,) = flagged(lint(*once(place)))
    assert found.endswith("src\\seen.py")


@pytest.mark.parametrize("pattern", ["src/a.py", "src\\a.py", "src\\"])
@pytest.mark.parametrize(
    "named", ["src\\a.py", "C:/work/project/src/a.py", "c:\\WORK\\project\\src"]
)
def test_patterns_of_the_command_line(
    windows: Windows, lint: Lint, pattern: str, named: str
) -> None:
    windows.write("src\\a.py", DISCARDED)
    assert flagged(lint(*once(named)))
    assert not flagged(lint(*once(named, "--per-file-ignores", f"{pattern}:TDL001")))
    exclude = ("--extend-exclude", pattern, "--force-exclude", "--quiet")
    assert not flagged(lint(*once(named, *exclude)))


def test_gitignore_is_read(windows: Windows, lint: Lint) -> None:
    windows.write(".git\\HEAD", "")
    windows.write(".gitignore", "/gen/\nsrc/*_old.py\r\n")
    for name in ("gen\\a.py", "src\\b_old.py", "src\\gen\\c.py"):
        windows.write(name, DISCARDED)
    assert flagged(lint(*once())) == ["src\\gen\\c.py"]
    assert flagged(lint(*once("src/"))) == ["src\\gen\\c.py"]


@pytest.mark.parametrize(
    "comment",
    ["# noqa: TDL001", "# torchdev-lint: ignore[TDL001] so it is", "# ruff: ignore[TDL001]"],
)
def test_comments_silence_where_lines_end_as_on_windows(
    windows: Windows, lint: Lint, comment: str
) -> None:
    text = DISCARDED.replace('("cuda")', f'("cuda")  {comment}').replace("\n", "\r\n")
    windows.write("a.py", text)
    assert flagged(lint(*once())) == []


def test_fixes_and_comments_are_written(windows: Windows, lint: Lint) -> None:
    text = DISCARDED.replace("\n", "\r\n")
    windows.write("src\\a.py", text)
    windows.write("src\\b.py", text)
    assert lint(*once("--diff", "src\\a.py")).out.startswith("--- a/src/a.py\n+++ b/src/a.py\n")
    whole = lint(*once("--diff", f"{HERE}\\src\\a.py")).out
    assert whole.startswith("--- a/src/a.py\n+++ b/src/a.py\n")
    windows.write("D:\\b.py", text)
    elsewhere = lint(*once("--diff", "D:\\b.py")).out
    assert elsewhere.startswith("--- a/D:/b.py\n+++ b/D:/b.py\n")
    assert lint(*once("--fix", "src\\a.py")).code == 0
    assert windows.read("src\\a.py") == text.replace("images.to", "images = images.to")
    assert lint(*once("--add-noqa", "SRC\\B.py")).code == 0
    assert windows.read("src\\b.py") == text.replace('("cuda")', '("cuda")  # noqa: TDL001')
    assert flagged(lint(*once("src"))) == []


def test_a_baseline_has_the_same_names_on_all_systems(windows: Windows, lint: Lint) -> None:
    windows.write("src\\a.py", DISCARDED)
    assert lint(*once("--write-baseline", "old.json")).code == 0
    assert list(json.loads(windows.read("old.json"))["findings"]) == ["src/a.py"]
    assert flagged(lint(*once("--baseline", "old.json", "c:\\WORK\\project\\src"))) == []


def places(windows: Windows, lint: Lint, format: str) -> Any:
    """What a format says of a file below the current folder and of one on another drive."""
    windows.write("my src\\a.py", DISCARDED)
    windows.write("D:\\b.py", DISCARDED)
    done = lint(*once("my src/a.py", "D:\\b.py", "--output-format", format))
    assert done.code == 1
    return done.out if format == "github" else json.loads(done.out)


def test_sarif_has_uris(windows: Windows, lint: Lint) -> None:
    run = places(windows, lint, "sarif")["runs"][0]
    found = [result["locations"][0]["physicalLocation"] for result in run["results"]]
    assert [place["artifactLocation"] for place in found] == [
        {"uri": "my%20src/a.py", "uriBaseId": "SRCROOT"},
        {"uri": "file:///D:/b.py"},
    ]
    assert run["originalUriBaseIds"] == {"SRCROOT": {"uri": "file:///C:/work/project/"}}


def test_json_has_absolute_names(windows: Windows, lint: Lint) -> None:
    names = [each["filename"] for each in places(windows, lint, "json")]
    assert names == [f"{HERE}\\my src\\a.py", "D:\\b.py"]


def test_github_has_names_that_are_escaped(windows: Windows, lint: Lint) -> None:
    names = re.findall(
        r"^::error title=[^,]*,file=([^,]*),line=4,", places(windows, lint, "github"), re.M
    )
    assert names == ["C%3A\\work\\project\\my src\\a.py", "D%3A\\b.py"]


def test_gitlab_has_slashes(windows: Windows, lint: Lint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI_PROJECT_DIR", "c:/WORK")
    elements = places(windows, lint, "gitlab")
    assert elements[0]["location"]["path"] == "project/my src/a.py"


def test_results_are_kept_and_told_again(windows: Windows, lint: Lint) -> None:
    def kept() -> dict[str, int]:
        files = Path(windows.real("C:\\kept")).rglob("*.json")
        return {file.name: file.stat().st_mtime_ns for file in files}

    windows.write("pyproject.toml", "")
    windows.write("src\\a.py", DISCARDED)
    run = ("src\\a.py", "--jobs=1", "--cache-dir", "C:\\kept")
    first, names = lint(*run), kept()
    assert names
    assert not [name for name in names if re.search(r'[<>:"/\\|?*]|[. ]$', name)]
    assert lint(*run) == first
    assert kept() == names
    windows.write("src\\a.py", CLEAN)
    assert lint(*run).code == 0


def test_a_place_may_begin_with_a_drive(windows: Windows, lint: Lint) -> None:
    windows.write("src\\a.py", DISCARDED)
    done = lint("why", f"{HERE}\\src\\a.py:4:1")
    assert done.code == 0
    assert "`images` at 4:1 is a tensor on the CPU" in done.out


TRACEBACK = """\
Traceback (most recent call last):
  File "C:\\work\\project\\src\\a.py", line 6, in <module>
    print(images + torch.zeros(3, device="cuda"))
  File "C:\\Program Files\\Python312\\Lib\\contextlib.py", line 81, in inner
    return func(*args, **kwds)
RuntimeError: Expected all tensors to be on the same device, but found two devices
"""


def test_tracebacks_of_windows_are_explained(windows: Windows, lint: Lint) -> None:
    windows.write("src\\a.py", f'{DISCARDED}print(images + torch.zeros(3, device="cuda"))\n')
    windows.write("C:\\Program Files\\Python312\\Lib\\contextlib.py", "\n" * 100)
    windows.write("error.log", TRACEBACK)
    done = lint("explain-error", "error.log")
    assert done.code == 0
    assert "The cause is at src\\a.py:4:1 (TDL001)" in done.out
