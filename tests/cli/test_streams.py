"""Standard streams that are closed or full: the exit code says it, and nothing breaks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import CLEAN, DISCARDED, ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="the streams are closed by a POSIX shell"),
    pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full"),
]
COMMAND = {
    "clean": "good.py",
    "findings": ".",
    "json": ". --output-format json",
    "several processes": "--jobs 2 .",
    "a problem": "nowhere good.py",
    "bad usage": "--nonsense",
    "help": "--help",
    "version": "--version",
    "a page": "--explain TDL001",
    "a difference": "--diff .",
    "a difference in standard input": "--diff -",
    "fixing standard input": "--fix -",
}
SAYS_SOMETHING = set(COMMAND) - {"clean", "a problem", "bad usage"}
FAILS = {"a problem", "bad usage"}
FOUND = {"findings", "json", "several processes", "a difference", "a difference in standard input"}


def run(folder: Path, what: str, redirection: str, unbuffered: str) -> tuple[int, str, str]:
    """Run the command in a shell, and return its exit code and what it wrote."""
    (folder / "bad.py").write_text(DISCARDED)
    (folder / "good.py").write_text(CLEAN)
    done = subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -m torchdev_lint {COMMAND[what]} {redirection}"],
        cwd=folder,
        input=DISCARDED,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered},
        timeout=120,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert "internal error" not in done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("what", COMMAND)
@pytest.mark.parametrize(
    ("redirection", "reason"), [(">&-", "Bad file descriptor"), (">/dev/full", "No space left")]
)
def test_standard_output(
    tmp_path: Path, what: str, redirection: str, reason: str, unbuffered: str
) -> None:
    code, _, err = run(tmp_path, what, redirection, unbuffered)
    assert code == (2 if what in SAYS_SOMETHING | FAILS else 0)
    complaint = f"torchdev-lint: error: cannot write: {reason}"
    assert err.count(complaint) == (what in SAYS_SOMETHING)


@pytest.mark.parametrize("what", COMMAND)
@pytest.mark.parametrize("redirection", ["2>&-", "2>/dev/full"])
def test_standard_error(tmp_path: Path, what: str, redirection: str) -> None:
    code, out, _ = run(tmp_path, what, redirection, "")
    assert code == (2 if what in FAILS else what in FOUND)
    assert bool(out) == (what in SAYS_SOMETHING)
    assert "error:" not in out


@pytest.mark.parametrize("what", COMMAND)
def test_standard_input(tmp_path: Path, what: str) -> None:
    code, out, err = run(tmp_path, what, "<&-", "")
    reads = COMMAND[what].endswith(" -")
    assert code == (2 if what in FAILS or reads else what in FOUND)
    assert err.startswith("stdin: error: cannot be read: ") == reads
    assert bool(out) == (what in SAYS_SOMETHING and not reads)


@pytest.mark.parametrize("what", COMMAND)
@pytest.mark.parametrize("redirection", [">&- 2>&- <&-", ">/dev/full 2>/dev/full"])
def test_all_of_them(tmp_path: Path, what: str, redirection: str) -> None:
    code, _, _ = run(tmp_path, what, redirection, "")
    reads = COMMAND[what].endswith(" -") and "<&-" in redirection
    assert code == (2 if what in SAYS_SOMETHING | FAILS or reads else 0)
