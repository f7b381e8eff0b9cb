"""What the cache costs and what it gives, on a package you have.

    python tests/benchmark/cache.py FOLDER [--repeat N]

FOLDER holds an unpacked or installed package, `site-packages/transformers` for example. It is
copied, and linted as a whole in one process: without a cache, with an empty one, and with a full
one; then with one whose files were all written anew, with nothing else in them. CPU time counts,
which doesn't depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_LINT = [sys.executable, "-m", "torchdev_lint", "--jobs=1", "--timeout=0", "--exit-zero"]
_SETTLED = 3
"""After how many seconds the time of a change is trusted, and a little more."""


def main() -> None:
    """Measure, and print the figures and their ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repeat", type=int, default=1, help="cold runs of each; the best counts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        project, cache = Path(scratch, "project"), Path(scratch, "cache")
        shutil.copytree(options.folder, project)
        (project / "pyproject.toml").touch()
        time.sleep(_SETTLED)
        _measure(project, cache, options.repeat)


def _measure(project: Path, cache: Path, repeat: int) -> None:
    files = sum(1 for _ in project.rglob("*.py"))
    print(f"{files} files; one process", flush=True)
    keeping = [f"--cache-dir={cache}", str(project)]
    without, cold = [], []
    for _ in range(repeat):
        without.append(_seconds("--no-cache", str(project)))
        shutil.rmtree(cache, ignore_errors=True)
        cold.append(_seconds(*keeping))
    _tell("no cache", min(without), min(without))
    _tell("cold cache", min(cold), min(without))
    _tell("warm cache", min(_seconds(*keeping) for _ in range(5)), min(without))
    for path in project.rglob("*.py"):
        path.touch()
    time.sleep(_SETTLED)
    _tell("all files touched", _seconds(*keeping), min(without))
    size = sum(path.stat().st_size for path in cache.rglob("*.json"))
    print(f"the cache has {size / 1e6:.1f} MB in {sum(1 for _ in cache.rglob('*.json'))} files")


def _tell(what: str, seconds: float, without: float) -> None:
    print(
        f"{what:20}{seconds:10.2f} s {seconds / without:8.3f} of no cache, "
        f"1 in {without / seconds:.0f}",
        flush=True,
    )


def _seconds(*arguments: str) -> float:
    """Lint, and return the CPU time that took.

    Raises:
        SystemExit: the command failed.
    """
    process = subprocess.Popen([*_LINT, *arguments], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 2):  # 2: files that can't be parsed
        sys.exit(f"linting {arguments[-1]} failed")
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
