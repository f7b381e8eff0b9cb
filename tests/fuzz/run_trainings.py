"""Hold what the linter says of programs that train against what becomes of them.

    python -m tests.fuzz.run_trainings [--count 1000] [--first 0] [--keep FOLDER]

Programs are put together from what people write (`tests/fuzz/trainings`), right or wrong, and run
on the simulated accelerator. Of one that runs nothing may be said that fails; one that fails for
its places is better told of. Prints which are not as they should be, and ends with 1 if anything
is said that is not so.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

from .accelerator import Accelerator
from .claims import Outcome, outcome, told
from .trainings.author import Author


def main() -> int:
    """Run until enough programs were made."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run_trainings")
    parser.add_argument("--count", type=int, default=1000, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    parser.add_argument("--keep", type=Path, help="where to store those to be looked at")
    options = parser.parse_args()
    accelerator, counts = Accelerator(), Counter[str]()
    for number in range(options.first, options.first + options.count):
        text = Author(random.Random(number)).program()
        done = accelerator.run(text)
        came = outcome(done)
        said = told(text, came)
        counts[f"{came.value}, {'told' if said else 'silent'}"] += 1
        if (came is Outcome.RUNS and said) or (came is Outcome.FAILS and not said):
            print(f"number {number} {came.value}: {done.error[:100]} {said}", flush=True)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"{number}.py").write_text(text, encoding="utf-8")
    accelerator.close()
    print(", ".join(f"{name}: {count}" for name, count in sorted(counts.items())))
    return 1 if counts[f"{Outcome.RUNS.value}, told"] else 0


if __name__ == "__main__":
    sys.exit(main())
