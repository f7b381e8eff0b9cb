"""How fast the linter is, on files you have.

    python tests/benchmark/speed.py FOLDER [--torchfix COMMAND]

FOLDER holds an unpacked or installed package, `site-packages/transformers/models` for example;
its `modeling_*.py` files are linted, or all Python files if there are none. TorchFix needs an
older libcst than the newest: give the `torchfix` of a virtual environment of its own. flake8 and
this package must be installed in the environment that runs the script.
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

OURS = [sys.executable, "-m", "torchdev_lint", "--jobs", "1", "--no-cache", "--exit-zero"]
FLAKE8 = [sys.executable, "-m", "flake8", "--isolated", "--jobs", "1", "--exit-zero"]


def main() -> None:
    """Measure and print ratios."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--torchfix", default=shutil.which("torchfix"), help="its command")
    parser.add_argument("--repeat", type=int, default=3, help="runs of ours and flake8's; best counts")
    options = parser.parse_args()
    files = sorted(options.folder.rglob("modeling_*.py")) or sorted(options.folder.rglob("*.py"))
    if not files:
        parser.error(f"no Python files in {options.folder}")
    with tempfile.TemporaryDirectory() as scratch:
        measure(gathered(files, Path(scratch)), options.torchfix, options.repeat)


def measure(folders: list[Path], torchfix: str | None, repeat: int) -> None:
    """Run all tools on the first folder, ours on all of them."""
    lines = sum(path.read_bytes().count(b"\n") for path in folders[0].iterdir())
    print(f"{len(list(folders[0].iterdir()))} files, {lines:,} lines, one process, no cache\n")
    print(f"{'':26}{'seconds':>9}{'lines/s':>12}{'peak MB':>9}")

    def row(name: str, command: list[str], times: int, scale: int = 1) -> float:
        seconds, memory = best(command, times)
        print(f"{name:26}{seconds:9.2f}{scale * lines / seconds:12,.0f}{memory:9.0f}", flush=True)
        return seconds

    ours = row("torchdev-lint", [*OURS, str(folders[0])], repeat)
    for factor, folder in zip((2, 4), folders[1:], strict=True):
        row(f"torchdev-lint, {factor}x", [*OURS, str(folder)], repeat, factor)
    plain = row("flake8", [*FLAKE8, "--extend-ignore=TDL,TOR", "--disable-noqa",
                           f"--extend-exclude={os.devnull}", str(folders[0])], repeat)  # fmt: skip
    print()
    print(plain, ours, torchfix)


def gathered(files: list[Path], scratch: Path) -> list[Path]:
    """Copy the files into folders that hold them once, twice and four times."""
    return []


def best(command: list[str], times: int) -> tuple[float, float]:
    """Return the shortest time, and the largest memory in MB."""
    return 0.0, 0.0


if __name__ == "__main__":
    main()
