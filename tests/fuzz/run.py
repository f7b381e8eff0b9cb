"""Fix mutated copies of real files, in memory, and check what must hold for any file.

    python -m tests.fuzz.run [--count 20000] [--seed 0] [--keep FOLDER] PATH...

Prints what failed and how the files were, and ends with 1 if anything failed. The files under PATH
are only read; those that have findings show most. Copies that are no Python any more must be
refused in peace, and don't count towards `--count`.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from torchdev_lint.source.source import mentions_torch

from .checks import check_fixes
from .mutations import mutated

_LARGEST = 60_000
_REPORT_EVERY = 1_000


def main() -> int:
    """Run until enough copies were checked."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run")
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=20_000, help="how many files that parse")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="where to store files that fail")
    options = parser.parse_args()
    files = _files(options.paths)
    if not files:
        parser.error("no Python file under these paths mentions torch")
    chance = random.Random(options.seed)
    counts: Counter[str] = Counter()
    started = time.monotonic()
    number = 0
    while counts["Python"] + counts["failed"] < options.count:
        number += 1
        path = chance.choice(files)
        data = mutated(path.read_text("utf-8", "replace"), chance)
        unsafe = chance.random() < 0.5
        try:
            checked = check_fixes(data, unsafe)
        except Exception:
            counts["failed"] += 1
            print(f"{path} (number {number}, seed {options.seed}, unsafe {unsafe})")
            traceback.print_exc()
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{options.seed}_{number}.py").write_bytes(data)
            continue
        if not checked.python:
            counts["no Python"] += 1
            continue
        counts["Python"] += 1
        counts["with findings"] += checked.findings > 0
        counts["with fixes applied"] += checked.fixed > 0
        counts["findings"] += checked.findings
        counts["findings fixed"] += checked.fixed
        if counts["Python"] % _REPORT_EVERY == 0:
            print(f"{time.monotonic() - started:.0f} s: {_line(counts)}", flush=True)
    print(f"{len(files)} seeds, {number} copies in {time.monotonic() - started:.0f} s")
    print(_line(counts))
    return 1 if counts["failed"] else 0


def _line(counts: Counter[str]) -> str:
    return ", ".join(f"{name}: {count}" for name, count in counts.items())


def _files(paths: list[Path]) -> list[Path]:
    found = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*.py"))]
    return [
        file
        for file in sorted(found)
        if file.stat().st_size < _LARGEST and mentions_torch(file.read_bytes())
    ]


if __name__ == "__main__":
    sys.exit(main())
