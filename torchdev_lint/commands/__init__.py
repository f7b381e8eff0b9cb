"""The subcommands: what the command does besides linting, one file each.

What is linted is named without a subcommand, so a file called like one is written `./why`.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from typing import TypeAlias, cast

from torchdev_lint.config.problem import closest
from torchdev_lint.records import replace
from torchdev_lint.source.problem import Problem

Command: TypeAlias = "Callable[[Sequence[str]], int]"
"""Takes the arguments behind its name, and returns the exit code."""

SUBCOMMANDS = {
    "explain-error": "say what caused the device error whose traceback it is given",
    "server": "serve an editor, by the language server protocol",
    "why": "say what is known of the values on a line, and where that comes from",
}
"""What the subcommands are called, and what they do."""


def listed() -> str:
    """Return the subcommands in one line, for the help."""
    return "; ".join(f"{name} ({what})" for name, what in SUBCOMMANDS.items())


def with_hint(problem: Problem, paths: Sequence[str]) -> Problem:
    """Say which subcommand may be meant where the first path is neither file nor folder.

    Args:
        problem: what is wrong with a path.
        paths: those of the command line.
    """
    if problem.path != paths[0] or os.path.lexists(problem.path):
        return problem
    return replace(problem, message=problem.message + closest(problem.path, list(SUBCOMMANDS)))


def subcommand(arguments: Sequence[str]) -> Command | None:
    """Return the subcommand that a command line begins with, None if files are to be linted."""
    name = arguments[0] if arguments else ""
    if name not in SUBCOMMANDS:
        return None
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    return cast("Command", module.run)
