"""Reading the arguments of the command and its subcommands."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, NoReturn

from torchdev_lint.source.shown import shown

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


class Parser(argparse.ArgumentParser):
    """A parser that doesn't keep it to itself when its help can't be written.

    What it says of the arguments it is given is fit to be shown.
    """

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the arguments, and exit with 2."""
        super().error(shown(message))

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        (file or sys.stderr).write(message)
