"""What the command line says of what is left aside.

All else is imported late: whoever wants the version, or help, gets it at once.
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from torchdev_lint.config.command_line import keep_apart

if TYPE_CHECKING:
    from torchdev_lint.sifting.sieve import Sieve


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to a parser."""
    add = parser.add_argument_group("code that has findings already").add_argument
    add("--write-baseline", metavar="FILE",
        help="write down what is found, to be left aside from now on, and exit")  # fmt: skip
    add("--baseline", metavar="FILE",
        help="leave aside, and don't fix, what this file says was found before")  # fmt: skip
    add("--since", metavar="REVISION",
        help="report only what is about lines changed in git since then")  # fmt: skip


def check_options(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """End with a message where options don't go together."""
    from torchdev_lint.source.discovery import STDIN

    if options.since is not None and STDIN in options.paths:
        parser.error("--since does not go with -, of which git knows nothing")
    if options.add_noqa:
        keep_apart(parser, options, "--add-noqa", ("fix", "diff"))
    if options.write_baseline is not None:
        keep_apart(parser, options, "--write-baseline", ("fix", "diff", "add_noqa", "since"))


def sieve_for(options: argparse.Namespace) -> Sieve:
    """Return what findings are left aside by.

    Raises:
        SettingsProblem: that can't be told.
    """
    from torchdev_lint.sifting.sieve import Sieve

    # Imported late: most runs report all that is found.
    baseline = changes = None
    if options.baseline is not None and options.write_baseline is None:
        from torchdev_lint.sifting.baseline import read_baseline
        from torchdev_lint.source.shown import from_here

        path = os.path.abspath(options.baseline)
        baseline = read_baseline(path, from_here(path))
    if options.since is not None:
        from torchdev_lint.sifting.changes import changes_since

        changes = changes_since(options.since)
    return Sieve(baseline, changes)
