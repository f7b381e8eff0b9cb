"""Fix programs made at random, in memory, and check what must hold for any file.

    python -m tests.fuzz.run [--files 20000] [--first 0] [--record FILE] [--keep FOLDER] PATH...

Half of them are mutated copies of the files under PATH, which are only read (those that have
findings show most), half are written by the grammar of all statements, expressions and patterns.
They come in chunks of a thousand, each from a seed of its own. What came of a chunk is a line of
the record; chunks that are in it already are not run again, so that a run goes on where it was
stopped. Prints what failed and how the files were, and ends with 1 if anything failed.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

from .checks import Checked, check_fixes
from .files import files_under
from .grammar import Writer
from .mutations import mutated
from .record import run_chunks

_LARGEST = 60_000
_CHUNK = 1_000
_LIMIT = 10
"""How many seconds of computing a file may take with all that is checked about it."""


class TooLong(Exception):
    """A file took longer than any may."""


def main() -> int:
    """Run until enough chunks were checked."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run")
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--files", type=int, default=20_000, help="how many, in thousands")
    parser.add_argument("--first", type=int, default=0, help="the first chunk's seed")
    parser.add_argument("--record", type=Path, help="where to note what came of each chunk")
    parser.add_argument("--keep", type=Path, help="where to store files that fail")
    options = parser.parse_args()
    files = files_under(options.paths, _LARGEST)
    originals = [file.read_text("utf-8", "replace") for file in files]
    if not originals:
        parser.error("no Python file under these paths mentions torch")
    total = run_chunks(
        range(options.first, options.first + options.files // _CHUNK),
        options.record,
        lambda seed: _run_chunk(seed, originals, options.keep),
    )
    print(", ".join(f"{name}: {count}" for name, count in total.items()))
    return 1 if total["failed"] else 0


def program(seed: int, number: int, originals: list[str]) -> tuple[bytes, bool]:
    """Return a program of a chunk, and whether to apply unsafe fixes to it.

    Args:
        seed: the chunk's.
        number: which of the chunk's, counted from 0.
        originals: the texts to mutate.
    """
    chance = random.Random(f"{seed}:{number}")
    unsafe = chance.random() < 0.5
    if chance.random() < 0.5:
        return mutated(chance.choice(originals), chance), unsafe
    return Writer(chance).program().encode(), unsafe


def _run_chunk(seed: int, originals: list[str], keep: Path | None) -> dict[str, int | float]:
    counts = Counter(files=0, python=0, findings=0, fixed=0, edits=0, failed=0)
    slowest = 0.0
    for number in range(_CHUNK):
        data, unsafe = program(seed, number, originals)
        counts["files"] += 1
        began = time.process_time()
        try:
            with _limited():
                checked = check_fixes(data, unsafe)
        except (Exception, TooLong):
            counts["failed"] += 1
            print(f"seed {seed}, number {number}, unsafe {unsafe}")
            traceback.print_exc()
            if keep:
                keep.mkdir(parents=True, exist_ok=True)
                (keep / f"{seed}_{number}.py").write_bytes(data)
            continue
        slowest = max(slowest, time.process_time() - began)
        _count(counts, checked)
    return {**counts, "slowest": round(slowest, 2)}


def _count(counts: Counter[str], checked: Checked) -> None:
    counts["python"] += checked.python
    counts["findings"] += checked.findings
    counts["fixed"] += checked.fixed
    counts["edits"] += checked.edits


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """End what takes longer than any file may, counting the time that it really computes."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TooLong(f"more than {_LIMIT} s")

    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, _LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


if __name__ == "__main__":
    sys.exit(main())
