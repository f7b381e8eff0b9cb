"""Several runs at the same time, and runs that are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cache.projects import HERE, MAIN, MAKES_ON_CPU, cached, finds_out, project_in, run
from tests.command import ROOT

pytestmark = pytest.mark.slow

FILES = {
    "helper.py": MAKES_ON_CPU,
    **{f"main{number}.py": MAIN + "#" * number for number in range(40)},
}


def start(project: Path, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "torchdev_lint", *arguments, "."],
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT), **HERE},
    )


def test_runs_at_the_same_time(tmp_path: Path) -> None:
    project = project_in(tmp_path, FILES)
    expected = run(project, "--no-cache")
    for _ in "cold", "warm":
        for done in [start(project, "--jobs", "2") for _ in range(3)]:
            out, err = done.communicate(timeout=300)
            assert (done.returncode, out.decode(), err.decode()) == (
                expected.code, expected.out, expected.err
            )  # fmt: skip
    assert not list((project / ".torchdev_lint_cache").glob("v*/*.tmp"))
    assert not finds_out(project)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="only on POSIX")
def test_runs_that_are_killed(tmp_path: Path) -> None:
    project = project_in(tmp_path, FILES)
    expected = run(project, "--no-cache")
    for entries in 1, 10, 25:
        process = start(project, "--jobs", "1", "--timeout", "0")
        limit = time.monotonic() + 120
        while len(cached(project)) < entries and process.poll() is None:
            assert time.monotonic() < limit
            time.sleep(0.002)
        process.kill()
        process.communicate()
    assert run(project) == expected
    assert not finds_out(project)
