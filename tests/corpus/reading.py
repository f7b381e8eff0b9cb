"""Linting a release as its user would: in its folder, by the command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.command import ROOT
from torchdev_lint.source.discovery import discover

from .record import Finding, Reading
from .releases import Release

PROBLEM = "error"
"""Stands in the place of a code where a file could not be linted."""

_PROBLEM = re.compile(r"(?P<file>.+?)(?::(?P<line>\d+))?(?::\d+)?: error: ")
_NOT_ABOUT_A_FILE = "torchdev-lint: error: "
_ENDED = (0, 2)
"""Exit codes: all went well, or some files could not be linted."""


class CommandFailed(Exception):
    """The command ended in a way that says nothing about the release."""


def read_release(release: Release, jobs: int) -> Reading:
    """Lint a release.

    Args:
        release: where it is.
        jobs: how many processes to use.

    Raises:
        CommandFailed: there is no telling what was found.
    """
    options = ["--output-format=json", "--exit-zero", f"--jobs={jobs}", os.curdir]
    done = subprocess.run(
        [sys.executable, "-m", "torchdev_lint", *options],
        cwd=release.path,
        # What lies in that folder must not be imported in the place of the linter's own modules.
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONSAFEPATH": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode not in _ENDED or _NOT_ABOUT_A_FILE in done.stderr:
        raise CommandFailed(f"{release.name} {release.version}: {done.stderr}")
    root = release.path.resolve()
    findings = [
        Finding(_below(root, row["filename"]), row["location"]["row"], row["code"])
        for row in json.loads(done.stdout)
        if row["noqa_row"] is not None  # else a problem, which stderr tells in words
    ]
    findings += _problems(done.stderr)
    files, lines = _size(release.path)
    return Reading(release.name, release.version, files, lines, tuple(sorted(findings)))


def _below(root: Path, filename: str) -> str:
    return Path(filename).relative_to(root).as_posix()


def _problems(complaints: str) -> list[Finding]:
    """Read the lines about files that could not be linted."""
    matches = [_PROBLEM.match(line) for line in complaints.splitlines()]
    return [
        Finding(Path(match["file"]).as_posix(), int(match["line"] or 0), PROBLEM)
        for match in matches
        if match is not None
    ]


def _size(folder: Path) -> tuple[int, int]:
    targets, _ = discover([str(folder)])
    paths = [Path(target.path) for target in targets]
    return len(paths), sum(path.read_bytes().count(b"\n") for path in paths if path.is_file())
