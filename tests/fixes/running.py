"""Running programs in this process, before and after they are fixed."""

from __future__ import annotations

import contextlib
import io
import warnings
from dataclasses import dataclass

import torch

from tests.applying.fixing import fixed


@dataclass(frozen=True, slots=True)
class Ran:
    """What a program did.

    Args:
        printed: its output.
        error: the exception that left it, empty if none did.
    """

    printed: str
    error: str


def does_the_same(text: str) -> bool:
    """Whether a program that runs, and has findings, does the same after its safe fixes."""
    before, result = ran(text), fixed(text)
    assert not before.error
    assert result.before, "there is nothing to fix"
    return ran(result.source.text) == before


def ran(text: str, as_main: bool = True) -> Ran:
    """Run a program; random numbers are the same each time.

    Args:
        as_main: whether it is a program, and not an imported module.
    """
    printed, error = io.StringIO(), ""
    name = "__main__" if as_main else "module"
    torch.manual_seed(0)
    try:
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # asked is what it prints
            exec(compile(text, "program.py", "exec"), {"__name__": name})
    except (Exception, SystemExit) as caught:
        error = f"{type(caught).__name__}: {caught}"
    return Ran(printed.getvalue(), error)
