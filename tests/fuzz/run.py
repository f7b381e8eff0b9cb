"""Fix mutated copies of real files, in memory, and check what must hold for any file.

    python -m tests.fuzz.run [--count 20000] [--seed 0] [--keep FOLDER] PATH...

Prints what failed, and ends with 1 if anything did. The files under PATH are only read.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from torchdev_lint.source import mentions_torch

from .checks import check_fixes
from .mutations import mutated

_LARGEST = 60_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run")
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="where to store files that fail")
    options = parser.parse_args()
    files = _files(options.paths)
    chance = random.Random(options.seed)
    counts: Counter[str] = Counter()
    started = time.monotonic()
    for number in range(options.count):
        path = chance.choice(files)
        data = mutated(path.read_text("utf-8", "replace"), chance)
        unsafe = chance.random() < 0.5
        try:
            fixed = check_fixes(data, unsafe)
        except Exception:
            counts["failed"] += 1
            print(f"{path} (number {number}, seed {options.seed}, unsafe {unsafe})")
            traceback.print_exc()
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{options.seed}_{number}.py").write_bytes(data)
            continue
        counts["no Python" if fixed < 0 else "fixed" if fixed else "nothing to fix"] += 1
        counts["findings fixed"] += max(fixed, 0)
    print(f"{options.count} files in {time.monotonic() - started:.0f} s: {dict(counts)}")
    return 1 if counts["failed"] else 0


def _files(paths: list[Path]) -> list[Path]:
    found = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*.py"))]
    return [
        file
        for file in sorted(found)
        if file.stat().st_size < _LARGEST and mentions_torch(file.read_bytes())
    ]


if __name__ == "__main__":
    sys.exit(main())
