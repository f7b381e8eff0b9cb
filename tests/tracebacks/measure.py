"""How well the tracebacks of the fixtures are explained.

    python -m tests.tracebacks.measure [--every N]

runs the fixtures that fail, all or every Nth, on the simulated accelerator, has each traceback
explained, and compares with the lines that are marked.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tests.fixtures import FLAGGED, Fixture
from tests.runtime.outcomes import Runner
from torchdev_lint.tracebacks.explaining import NotExplained, explain

_STANDS_IN = (f"tests{os.sep}runtime{os.sep}", "<frozen ")
"""Where the frames are that a real accelerator doesn't have: PyTorch's kernels are no Python."""

CERTAIN, LIKELY = "the marked line, for certain", "the marked line, as the most likely one"
WRONG, UNLIKELY = "another line, for certain", "another line, as the most likely one"
NOTHING, REFUSED = "no finding leads there", "not taken for a device error"


@dataclass(slots=True)
class Measure:
    """What came of some fixtures.

    Args:
        counts: how many ended in each way.
        missed: those that did not end at the marked line, with how they ended.
    """

    counts: Counter[str] = field(default_factory=Counter)
    missed: dict[str, str] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """How many of them end at the marked line, in hundredths."""
        return 100 * (self.counts[CERTAIN] + self.counts[LIKELY]) / max(1, self.counts.total())


def traceback_of(program: Fixture, runner: Runner) -> str:
    """Return the traceback with which a program ends, as a machine with a GPU would show it."""
    kept: list[str] = []
    is_ours = False
    for line in runner.run(program.main).printed.splitlines():
        if line.startswith('  File "'):
            is_ours = any(part in line for part in _STANDS_IN)
        elif not line.startswith("    "):
            is_ours = False
        if not is_ours:
            kept.append(line)
    return "\n".join(kept)


def failing(programs: Iterable[Fixture] = FLAGGED) -> list[Fixture]:
    """Return the programs that raise what is wrong with them."""
    return [p for p in programs if p.declaration.on(real=False).kind == "fails"]


def outcome(program: Fixture, traceback: str) -> str:
    """Return how the explanation of a traceback ends."""
    try:
        explanation = explain(traceback)
    except NotExplained:
        return REFUSED
    marked = {(path.resolve(), line) for path, lines in program.expected.items() for line in lines}
    said = [
        (Path(suspect.file.absolute).resolve(), suspect.finding.span.line)
        for suspect in explanation.suspects
    ]
    if not said:
        return NOTHING
    if explanation.certain:
        return CERTAIN if marked.issuperset(said) else WRONG
    return LIKELY if said[0] in marked else UNLIKELY


def measured(programs: Iterable[Fixture]) -> Measure:
    """Run programs, each with nothing around it, and have their tracebacks explained."""
    measure = Measure()
    runner = Runner("simulated")
    try:
        for program in programs:
            with tempfile.TemporaryDirectory() as folder:
                alone = program.copied_to(Path(folder).resolve())
                ended = outcome(alone, traceback_of(alone, runner))
            measure.counts[ended] += 1
            if ended not in {CERTAIN, LIKELY}:
                measure.missed[program.name] = ended
    finally:
        runner.close()
    return measure


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m tests.tracebacks.measure")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    measure = measured(failing()[:: parser.parse_args(arguments).every])
    for ended, count in measure.counts.most_common():
        print(f"{count:5} {ended}")
    for name, ended in measure.missed.items():
        print(f"      {name}: {ended}")
    print(f"{measure.share:.1f} % end at the marked line")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
