"""Run programs before and after they are fixed, at length.

    python -m tests.fuzz.run_programs [--count 50000] [--seed 0] [--keep FOLDER] [PATH...]

Programs are made at random (`tests/fuzz/programs`); every eighth is a file under PATH, the
fixtures if none is given, in which what names mean was changed (`tests/fuzz/scopes.py`). Each is
run on the CPU before and after safe fixes; one in five is plain and gets unsafe fixes, one in ten
is run on the simulated accelerator as well. Files are run in processes of their own, and not as
`__main__` unless they are fixtures. Prints what failed and ends with 1 if anything did.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from tests.command import FIXTURES

from .accelerator import Accelerator
from .files import files_under
from .programs.author import Author
from .running import compare, compare_file
from .scopes import disturbed

_LARGEST = 30_000
_SECONDS = 20
_REPORT_EVERY = 1_000


def main() -> int:
    """Run until enough programs were compared."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run_programs")
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--count", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="where to store programs that fail")
    options = parser.parse_args()
    chance = random.Random(options.seed)
    files = [file.resolve() for file in files_under(options.paths or [FIXTURES], _LARGEST)]
    session = _Session(chance, files, options.keep)
    started = time.monotonic()
    for number in range(1, options.count + 1):
        session.step(number)
        if number % _REPORT_EVERY == 0 or number == options.count:
            print(f"{time.monotonic() - started:.0f} s: {session.line()}", flush=True)
    session.accelerator.close()
    return 1 if session.counts["failed"] else 0


class _Session:
    """A long run.

    Args:
        chance: what to draw from.
        files: the files to change.
        keep: where to store programs that fail.
    """

    def __init__(self, chance: random.Random, files: list[Path], keep: Path | None) -> None:
        self._chance = chance
        self._files = files
        self._keep = keep
        self.accelerator = Accelerator()
        self.counts: Counter[str] = Counter()

    def step(self, number: int) -> None:
        """Make a program, and compare what it does."""
        if number % 8 == 0:
            path = self._chance.choice(self._files)
            text = disturbed(path.read_text("utf-8", "replace"), self._chance)
            self.counts["files"] += 1
            self._count(_in_child(text, FIXTURES in path.parents), text, number)
            return
        plain = number % 5 == 0
        text = Author(self._chance, plain).program()
        self.counts["plain" if plain else "programs"] += 1
        there = self.accelerator.run if number % 10 < 1 else None
        try:
            compared = compare(text, plain, there)
        except Exception:
            self._count(traceback.format_exc(), text, number)
            return
        self.counts["with findings"] += compared.found > 0
        self.counts["with fixes"] += compared.fixed > 0
        self.counts["fixed, and run on the CPU"] += compared.runs
        self.counts["mended on the accelerator"] += compared.mended

    def _count(self, failure: str, text: str, number: int) -> None:
        if not failure:
            return
        self.counts["failed"] += 1
        print(f"number {number}:\n{failure}")
        if self._keep:
            self._keep.mkdir(parents=True, exist_ok=True)
            (self._keep / f"{number}.py").write_text(text, encoding="utf-8")

    def line(self) -> str:
        """Return the counts so far."""
        return ", ".join(f"{name}: {count}" for name, count in self.counts.items())


def _in_child(text: str, as_main: bool) -> str:
    """Compare a file in a process of its own, and return how that failed, if it did."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile("w+") as output:
        pid = os.fork()
        if pid == 0:
            signal.alarm(_SECONDS)  # whatever runs longer is left out
            code = 1
            try:
                os.chdir(folder)
                compare_file(text, as_main)
                code = 0
            except AssertionError:
                traceback.print_exc(file=output)
                output.flush()
                code = 2
            finally:
                os._exit(code)
        _, status = os.waitpid(pid, 0)
        output.seek(0)
        return output.read() if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 2 else ""


if __name__ == "__main__":
    sys.exit(main())
