"""Reading the arguments of the command and its subcommands."""

from __future__ import annotations

import argparse
import functools
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from torchdev_lint.config.problem import closest
from torchdev_lint.source.shown import shown

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class Parser(argparse.ArgumentParser):
    """A parser that doesn't keep it to itself when its help can't be written.

    What it says of the arguments it is given is fit to be shown.
    """

    def __init__(self, **options: Any) -> None:
        # For each option a formatter is made, and the standard one asks for the terminal's width.
        narrow = functools.partial(argparse.HelpFormatter, width=80)
        super().__init__(formatter_class=narrow, **options)

    def format_help(self) -> str:
        """Return the help, as wide as the terminal."""
        self.formatter_class = argparse.HelpFormatter
        return super().format_help()

    def format_usage(self) -> str:
        """Return the usage, as wide as the terminal."""
        self.formatter_class = argparse.HelpFormatter
        return super().format_usage()

    def parse_args(  # type: ignore[override]  # a namespace of one's own is given to none of ours
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Read the arguments; of an option that there isn't, say which one may be meant."""
        options, unknown = self.parse_known_args(args, namespace)
        if unknown:
            name = unknown[0].partition("=")[0]
            hint = closest(name, list(self._option_string_actions)) if name[:1] == "-" else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return options

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the arguments, and exit with 2."""
        super().error(shown(message))

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        (file or sys.stderr).write(message)
