"""Standard streams that are closed or full: the exit code says it, and nothing breaks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryFile

import pytest

from tests.command import CLEAN, DISCARDED, ROOT
from tests.forked import CAN_FORK, Streams, forks

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
SAYS_SOMETHING = set(COMMAND) - {"bad usage"}
FAILS = {"a problem", "bad usage"}
FOUND = {"findings", "json", "several processes", "a difference", "a difference in standard input"}
STARTED = "findings"
"""The command that a shell starts in each case, so that Python itself finds the streams so."""


def run(folder: Path, what: str, redirection: str, unbuffered: str = "") -> tuple[int, str, str]:
    """Run a command with redirected streams, and return its exit code and what it wrote.

    Args:
        folder: where to run it.
        what: which command.
        redirection: what comes behind it in a shell: `>&-` or `>/dev/full`, with a number or `<`.
        unbuffered: whether Python is told to keep nothing in buffers.
    """
    (folder / "bad.py").write_text(DISCARDED)
    (folder / "good.py").write_text(CLEAN)
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered}
    with TemporaryFile() as stdin, TemporaryFile() as stdout, TemporaryFile() as stderr:
        stdin.write(DISCARDED.encode())
        stdin.seek(0)
        files = [stdin.fileno(), stdout.fileno(), stderr.fileno()]
        if unbuffered or what == STARTED or not CAN_FORK:
            shell = f"exec {sys.executable} -m torchdev_lint {COMMAND[what]} {redirection}"
            code = subprocess.run(
                ["sh", "-c", shell],
                cwd=folder, env=env, stdin=stdin, stdout=stdout, stderr=stderr,
                timeout=120, check=False,
            ).returncode  # fmt: skip
        else:
            with open("/dev/full", "rb+", buffering=0) as full:
                streams = redirected(redirection, files, full.fileno())
                forks().start(["torchdev_lint", *COMMAND[what].split()], folder, env, streams)
            code = forks().end(120)
        stdout.seek(0)
        stderr.seek(0)
        out, err = stdout.read().decode(), stderr.read().decode()
    assert "Traceback" not in err
    assert "Exception ignored" not in err
    assert "internal error" not in err
    return code, out, err


def redirected(redirection: str, files: list[int], full: int) -> Streams:
    """Return the streams that a shell would leave."""
    streams: list[int | None] = [*files]
    for word in redirection.split():
        number = int(word[0]) if word[0].isdecimal() else "<>".index(word[0])
        streams[number] = None if word.endswith("&-") else full
    stdin, stdout, stderr = streams
    return stdin, stdout, stderr


@pytest.mark.parametrize("what", COMMAND)
@pytest.mark.parametrize(
    ("redirection", "reason", "unbuffered"),
    [
        (">&-", "Bad file descriptor", ""),
        (">/dev/full", "No space left", ""),
        (">/dev/full", "No space left", "1"),
    ],
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
    code, out, _ = run(tmp_path, what, redirection)
    assert code == (2 if what in FAILS else what in FOUND)
    assert bool(out) == (what in SAYS_SOMETHING)
    assert "error:" not in out


@pytest.mark.parametrize("what", COMMAND)
def test_standard_input(tmp_path: Path, what: str) -> None:
    code, out, err = run(tmp_path, what, "<&-")
    reads = COMMAND[what].endswith(" -")
    assert code == (2 if what in FAILS or reads else what in FOUND)
    assert err.startswith("stdin: error: cannot be read: ") == reads
    assert bool(out) == (what in SAYS_SOMETHING and not reads)


@pytest.mark.parametrize("what", COMMAND)
@pytest.mark.parametrize("redirection", [">&- 2>&- <&-", ">/dev/full 2>/dev/full"])
def test_all_of_them(tmp_path: Path, what: str, redirection: str) -> None:
    code, _, _ = run(tmp_path, what, redirection)
    reads = COMMAND[what].endswith(" -") and "<&-" in redirection
    assert code == (2 if what in SAYS_SOMETHING | FAILS or reads else 0)


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("what", COMMAND)
def test_a_reader_that_has_left(tmp_path: Path, what: str, unbuffered: str) -> None:
    """`| head` has got what it wants, which is no failure; the exit code says what was found."""
    (tmp_path / "bad.py").write_text(DISCARDED)
    (tmp_path / "good.py").write_text(CLEAN)
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "wb", buffering=0) as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "torchdev_lint", *COMMAND[what].split()],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": unbuffered},
            input=DISCARDED.encode(),
            stdout=stdout,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
        )
    assert done.returncode == (2 if what in FAILS else what in FOUND)
    assert b"Traceback" not in done.stderr
    assert b"Exception ignored" not in done.stderr
    assert b"cannot write" not in done.stderr
