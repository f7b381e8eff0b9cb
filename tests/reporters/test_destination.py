"""Where findings go, how a run ends, and what is left of it when it is interrupted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.command import DISCARDED, ROOT
from tests.reporters.conftest import Run
from torchdev_lint.config.formats import OUTPUT_FORMATS
from torchdev_lint.report import FileReport
from torchdev_lint.reporters.choice import NAMES
from torchdev_lint.runner import check_files


def test_the_formats_are_those_that_can_be_set() -> None:
    assert set(OUTPUT_FORMATS) == NAMES


@pytest.mark.parametrize("name", OUTPUT_FORMATS)
def test_exit_codes(run: Run, name: str) -> None:
    assert run("--output-format", name, "clean.py").code == 0
    assert run("--output-format", name, "net.py").code == 1
    assert run("--output-format", name, "--exit-zero", "net.py").code == 0
    assert run("--output-format", name, "broken.py").code == 2
    assert run("--output-format", name, "--exit-zero", "no.py").code == 2


class TestOutputFile:
    @pytest.mark.parametrize("name", OUTPUT_FORMATS)
    def test_it_holds_what_would_be_written(self, run: Run, folder: Path, name: str) -> None:
        expected = run("--output-format", name, "--color", "never", ".")
        result = run("--output-format", name, "-o", "out/deep/report", ".")
        assert (result.code, result.out, result.err) == (expected.code, "", expected.err)
        assert (folder / "out/deep/report").read_text(encoding="utf-8") == expected.out

    def test_an_older_one_is_replaced(self, run: Run, folder: Path) -> None:
        (folder / "report.json").write_text("x" * 10_000)
        run("--output-format", "json", "--output-file", "report.json", "clean.py")
        assert (folder / "report.json").read_text() == "[]\n"

    def test_one_that_cannot_be_written(self, run: Run, folder: Path) -> None:
        (folder / "taken").mkdir()
        result = run("--output-file", "taken", ".")
        assert (result.code, result.out) == (2, "")
        assert result.err.startswith("torchdev-lint: error: cannot write taken: ")

    def test_what_was_fixed_is_said_beside_it(self, run: Run, folder: Path) -> None:
        result = run("--fix", "--output-file", "report.txt", "moved.py")
        assert result.out == "Found 2 findings (2 fixed, 0 remaining).\n"
        assert (folder / "report.txt").read_text() == result.out

    def test_a_patch_goes_there_too(self, run: Run, folder: Path) -> None:
        expected = run("--diff", "moved.py")
        result = run("--diff", "--output-file", "a.patch", "moved.py")
        assert (result.code, result.out, result.err) == (1, "", expected.err)
        assert (folder / "a.patch").read_text() == expected.out


class TestExitNonZeroOnFix:
    def test_fixed(self, run: Run) -> None:
        assert run("--fix", "--exit-non-zero-on-fix", "moved.py").code == 1

    def test_nothing_to_fix(self, run: Run) -> None:
        assert run("--fix", "--exit-non-zero-on-fix", "clean.py").code == 0

    def test_exit_zero_wins(self, run: Run) -> None:
        assert run("--fix", "--exit-non-zero-on-fix", "--exit-zero", "moved.py").code == 0


def interrupted(*_: object, **__: object) -> Iterator[FileReport]:
    """Reports of a run that is interrupted before any file was done."""
    raise KeyboardInterrupt
    yield


@pytest.mark.parametrize("after", [0, 2, 3])
@pytest.mark.parametrize("name", ["json", "jsonl", "sarif", "gitlab", "junit", "rdjson"])
def test_an_interrupted_run_leaves_a_whole_document(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str, after: int
) -> None:
    def some(*arguments: object) -> Iterator[FileReport]:
        for number, report in enumerate(check_files(*arguments)):  # type: ignore[arg-type]  # as it was called
            if number == after:
                raise KeyboardInterrupt
            yield report

    monkeypatch.setattr("torchdev_lint.linting.check_files", some)
    result = run("--output-format", name, ".")
    assert (result.code, result.err.splitlines()[-1]) == (130, "torchdev-lint: interrupted")
    found = {
        "json": lambda: len(json.loads(result.out)),
        "jsonl": lambda: len([json.loads(line) for line in result.out.splitlines()]),
        "sarif": lambda: len(json.loads(result.out)["runs"][0]["results"]),
        "gitlab": lambda: len(json.loads(result.out)),
        "junit": lambda: len(list(ElementTree.fromstring(result.out).iter("failure"))),
        "rdjson": lambda: len(json.loads(result.out)["diagnostics"]),
    }[name]()
    errors = 0 if name == "junit" else 1
    assert found == {0: 0, 2: errors, 3: errors + 2}[after]


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals differ")
def test_it_is_whole_in_a_pipe_that_is_read_slowly(tmp_path: Path) -> None:
    """The end of a SARIF log, which has the pages of rules, is more than a pipe takes at once."""
    program = (
        "import signal, sys, torchdev_lint.linting as linting\n"
        "from torchdev_lint.cli import main\n"
        "check = linting.check_files\n"
        "def some(*arguments):\n"
        "    yield from check(*arguments)\n"
        "    raise KeyboardInterrupt\n"
        "linting.check_files = some\n"
        "sys.exit(main(sys.argv[1:]))\n"
    )
    (tmp_path / "a.py").write_text(DISCARDED)
    run = subprocess.Popen(
        [sys.executable, "-c", program, "--no-cache", "--output-format", "sarif", "a.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": ""},
        stdout=subprocess.PIPE,
    )
    assert run.stdout is not None
    parts = []
    while part := os.read(run.stdout.fileno(), 16_384):
        parts.append(part)
        time.sleep(0.01)
    assert run.wait() == 130
    text = b"".join(parts)
    assert len(text) > 65_536
    json.loads(text)


def test_an_interrupted_run_has_no_total(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torchdev_lint.linting.check_files", interrupted)
    assert run(".").out == ""
