"""Run programs before and after they are fixed, at length.

    python -m tests.fuzz.run_programs [--count 50000] [--first 0] [--record FILE] [PATH...]

Programs are made at random (`tests/fuzz/programs`); every eighth is a file under PATH, the
fixtures if none is given, in which what names mean was changed (`tests/fuzz/scopes.py`). Each is
run on the CPU before and after safe fixes; one in five is plain and gets unsafe fixes, one in ten
is run on the simulated accelerator as well. Files are run in processes of their own, and not as
`__main__` unless they are fixtures. They come in chunks of a thousand, each from a seed of its own,
which `tests/fuzz/record.py` keeps a record of. Prints what failed and ends with 1 if anything did.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path

from tests.command import FIXTURES

from .accelerator import Accelerator
from .files import files_under
from .programs.author import Author
from .record import run_chunks
from .running import compare, compare_file
from .scopes import disturbed

_LARGEST = 30_000
_SECONDS = 20
_CHUNK = 1_000
_COUNTED = (
    "programs", "plain", "files", "with findings", "with fixes", "fixed, and run on the CPU",
    "mended on the accelerator", "failed",
)  # fmt: skip


def main() -> int:
    """Run until enough programs were compared."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run_programs")
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--count", type=int, default=50_000, help="how many, in thousands")
    parser.add_argument("--first", type=int, default=0, help="the first chunk's seed")
    parser.add_argument("--record", type=Path, help="where to note what came of each chunk")
    parser.add_argument("--keep", type=Path, help="where to store programs that fail")
    options = parser.parse_args()
    files = [file.resolve() for file in files_under(options.paths or [FIXTURES], _LARGEST)]
    accelerator = Accelerator()

    def run(seed: int) -> dict[str, int | float]:
        session = _Session(seed, files, options.keep, accelerator)
        for number in range(1, _CHUNK + 1):
            session.step(number)
        return dict(session.counts)

    seeds = range(options.first, options.first + options.count // _CHUNK)
    total = run_chunks(seeds, options.record, run)
    accelerator.close()
    print(", ".join(f"{name}: {count}" for name, count in total.items()))
    return 1 if total["failed"] else 0


class _Session:
    """A chunk of a long run.

    Args:
        seed: what its programs are made from.
        files: the files to change.
        keep: where to store programs that fail.
        accelerator: where some programs are run as well.
    """

    def __init__(
        self, seed: int, files: list[Path], keep: Path | None, accelerator: Accelerator
    ) -> None:
        self._seed = seed
        self._chance = random.Random(seed)
        self._files = files
        self._keep = keep
        self._accelerator = accelerator
        self.counts = Counter(dict.fromkeys(_COUNTED, 0))

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
        there = self._accelerator.run if number % 10 < 1 else None
        try:
            compared = compare(text, plain, there)
        except Exception:  # which is what is looked for
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
        print(f"seed {self._seed}, number {number}:\n{failure}")
        if self._keep:
            self._keep.mkdir(parents=True, exist_ok=True)
            (self._keep / f"{self._seed}_{number}.py").write_text(text, encoding="utf-8")


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
