"""How fast the linter is, on files you have.

    python tests/benchmark/speed.py FOLDER [--torchfix COMMAND] [--lines N]

FOLDER holds an unpacked or installed package, `site-packages/transformers` for example. Its
`modeling_*.py` files (or all Python files, where there are none) are copied, up to N lines of
them, and each tool runs over the copies in one process and without a cache. flake8 and
torchdev-lint come from the environment that runs the script. TorchFix may need one of its own:
name its command. At the end `cost.py`, which also runs by itself, compares linting with parsing,
file by file.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

_PREFERRED = "modeling_*.py"
_OURS = [sys.executable, "-m", "torchdev_lint", "--jobs=1", "--no-cache", "--exit-zero"]

# flake8 loads every plugin that is installed, and runs it whatever is selected: without one is
# measured by hiding the package.
_FLAKE8 = """
import importlib.metadata as metadata, sys
hidden = sys.argv.pop(1).split(",")
every = metadata.distributions
metadata.distributions = lambda **k: (d for d in every(**k) if d.metadata["Name"] not in hidden)
from flake8.main.cli import main
sys.exit(main())
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run took, in CPU time: that doesn't depend on what else the machine does."""

    seconds: float
    megabytes: float


def main() -> None:
    """Measure, and print the figures and their ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--torchfix", default=shutil.which("torchfix"), metavar="COMMAND")
    parser.add_argument("--lines", type=int, default=100_000, help="how much to lint, at most")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each; the best counts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        lines, folders = _copies(options.folder, Path(scratch), options.lines)
        if not lines:
            parser.error(f"no Python files in {options.folder}")
        _compare(lines, folders, options.torchfix, options.repeat)
    _tell_cost(options.folder, options.lines)


def _compare(lines: int, folders: dict[int, Path], torchfix: str | None, repeat: int) -> None:
    files = len(list(folders[1].iterdir()))
    print(f"{files} files, {lines:,} lines; one process, no cache; best of {repeat}")
    print(f"{'':28}{'CPU s':>10}{'lines/s':>12}{'peak MB':>10}")

    def measure(name: str, command: list[str], runs: int = repeat, scale: int = 1) -> Cost:
        cost = min((_run(command) for _ in range(runs)), key=lambda cost: cost.seconds)
        speed = scale * lines / cost.seconds
        print(f"{name:28}{cost.seconds:10.2f}{speed:12,.0f}{cost.megabytes:10.0f}", flush=True)
        return cost

    ours = {
        scale: measure(f"torchdev-lint, {scale}x", [*_OURS, str(folder)], scale=scale)
        for scale, folder in folders.items()
    }
    plain = measure("flake8", _flake8(folders[1], "torchdev-lint", "torchfix", "TorchFix"))
    plugin = measure("flake8 with torchdev-lint", _flake8(folders[1], "torchfix", "TorchFix"))
    print()
    if torchfix:
        theirs = measure("TorchFix", [torchfix, "--jobs=1", str(folders[1])], runs=1)
        ratio = theirs.seconds / ours[1].seconds
        print(f"\ntorchdev-lint has {ratio:.1f} times the throughput of TorchFix")
    else:
        print("TorchFix is not installed")
    print(f"flake8 with the plugin takes {plugin.seconds / plain.seconds:.2f} times plain flake8")
    for scale in (2, 4):
        growth = ours[scale].seconds / ours[1].seconds
        print(f"{scale} times the input takes {growth:.2f} times as long")
    print(f"peak memory {max(cost.megabytes for cost in ours.values()):.0f} MB")


def _tell_cost(source: Path, lines: int) -> None:
    """Compare linting with parsing, in a process in which neither has happened yet."""
    print(flush=True)
    options = [f"--pattern={_pattern(source)}", f"--lines={lines}", str(source)]
    subprocess.run([sys.executable, str(Path(__file__).with_name("cost.py")), *options], check=True)


def _copies(source: Path, scratch: Path, limit: int) -> tuple[int, dict[int, Path]]:
    """Make folders with the files once, twice and four times; return the lines in the first."""
    folders = {scale: scratch / f"{scale}x" for scale in (1, 2, 4)}
    for folder in folders.values():
        folder.mkdir()
    lines = 0
    for path in sorted(source.rglob(_pattern(source))):
        data = path.read_bytes()
        if lines and lines + data.count(b"\n") > limit:
            break
        lines += data.count(b"\n")
        for scale, folder in folders.items():
            for number in range(scale):
                name = "_".join(path.relative_to(source).parts)
                (folder / f"copy{number}_{name}").write_bytes(data)
    return lines, folders


def _pattern(source: Path) -> str:
    return _PREFERRED if any(source.rglob(_PREFERRED)) else "*.py"


def _flake8(folder: Path, *hidden: str) -> list[str]:
    options = ["--isolated", "--jobs=1", "--exit-zero", str(folder)]
    return [sys.executable, "-c", _FLAKE8, ",".join(hidden), *options]


def _run(command: list[str]) -> Cost:
    """Run a command and return its time and memory.

    Raises:
        SystemExit: the command failed.
    """
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "TORCHDEV_LINT_NO_CACHE": "1"},  # flake8 has no option for it
    )
    assert process.stderr is not None
    complaints = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{command[:4]} failed:\n{complaints}")
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit)


if __name__ == "__main__":
    main()
