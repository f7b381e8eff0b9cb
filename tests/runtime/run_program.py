"""Run one program as if its machine had an accelerator, and say how it ended.

    python -m tests.runtime.run_program [--device auto|real|simulated] [--allow-mixing] FILE

The last line of the output is a JSON object: `outcome` (`passes` or `raises`), the exception's
`type` and the first line of its `message`, `device`, `torch` and `seconds`. With `--allow-mixing`
mixing devices doesn't raise, and `meetings` lists what CUDA would have refused: the `operation`,
the program's `place` (file and line), the `message`, and under `created` where the program made the
host tensor: a list of places for each value it was computed from, the innermost first, then those
that called it.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import runpy
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import torch

from tests.fixtures import files_of

from . import simulated

Choice = Literal["auto", "real", "simulated"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a program ended.

    Args:
        outcome: whether an exception left the program.
        type: the exception's class name, empty if there was none.
        message: the first line of its text.
        device: the name of the accelerator.
        torch: torch's version.
        seconds: how long the program ran.
        meetings: what CUDA would have refused, where mixing was allowed.
    """

    outcome: Literal["passes", "raises"]
    type: str
    message: str
    device: str
    torch: str
    seconds: float
    meetings: tuple[simulated.Meeting, ...] = ()

    def as_json(self) -> str:
        """Return the outcome as one line."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, line: str) -> Outcome:
        """Read what `as_json` wrote."""
        fields: dict[str, Any] = json.loads(line)
        meetings = tuple(map(_meeting, fields.pop("meetings")))
        return cls(**fields, meetings=meetings)


def _meeting(fields: dict[str, Any]) -> simulated.Meeting:
    place = fields.pop("place")
    created = tuple(tuple(simulated.Place(*p) for p in chain) for chain in fields.pop("created"))
    return simulated.Meeting(
        **fields, place=None if place is None else simulated.Place(*place), created=created
    )


def real_accelerator() -> str | None:
    """Return the name of this machine's accelerator, None if there is none."""
    if torch.cuda.is_available():
        return torch.cuda.get_device_name()
    if torch.accelerator.is_available():
        return str(torch.accelerator.current_accelerator())
    return None


def accelerator_type() -> str:
    """Return `cuda`, `xpu` or `mps`: what programs on this machine name in `torch.device`."""
    if torch.cuda.is_available():
        return "cuda"
    return torch.accelerator.current_accelerator().type  # type: ignore[union-attr]  # there is one


def prepare(
    choice: Choice, program: str, allow_mixing: bool
) -> tuple[str, simulated.Watcher | None]:
    """Make sure that there is an accelerator.

    Args:
        choice: which kind.
        program: the absolute path of the file that will run.
        allow_mixing: don't raise where devices mix; only the simulated kind can do that.

    Raises:
        SystemExit: the accelerator asked for can't be had.
    """
    name = None if choice == "simulated" else real_accelerator()
    if choice == "real" and name is None:
        sys.exit("there is no real accelerator on this machine")
    if allow_mixing and name is not None:
        if choice == "real":
            sys.exit("only the simulated accelerator can allow mixing")
        name = None
    if name is not None:
        return name, None
    folder = Path(program).parent
    files = {str(path): path.relative_to(folder).as_posix() for path in files_of(Path(program))}
    return simulated.NAME, simulated.install(files, allow_mixing)


def run(program: str, device: str, watcher: simulated.Watcher | None) -> Outcome:
    """Run a program as `__main__` in this process.

    Args:
        program: its absolute path.
        device: what the accelerator is called.
        watcher: what knows of meetings, if anything does.
    """
    kind, text = "", ""
    sys.dont_write_bytecode = True  # of a project's modules
    start = time.perf_counter()
    sys.argv = [program]
    sys.path.insert(0, os.path.dirname(program))
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as error:
        if error.code not in (None, 0):
            kind, text = "SystemExit", str(error.code)
    except BaseException as error:
        traceback.print_exc()
        kind = type(error).__name__
        text = str(error)
    return Outcome(
        outcome="raises" if kind else "passes",
        type=kind,
        message=text.splitlines()[0] if text else "",
        device=device,
        torch=torch.__version__,
        seconds=round(time.perf_counter() - start, 3),
        meetings=tuple(dict.fromkeys(watcher.meetings)) if watcher else (),
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit code is 0 whatever the program did."""
    parser = argparse.ArgumentParser(prog="python -m tests.runtime.run_program")
    parser.add_argument("--device", choices=("auto", "real", "simulated"), default="auto")
    parser.add_argument("--allow-mixing", action="store_true")
    parser.add_argument("file")
    options = parser.parse_args(arguments)
    program = os.path.abspath(options.file)
    device, watcher = prepare(options.device, program, options.allow_mixing)
    outcome = run(program, device, watcher)
    sys.stdout.flush()
    sys.stderr.flush()
    print(outcome.as_json())
    return 0


if __name__ == "__main__":
    sys.exit(main())
