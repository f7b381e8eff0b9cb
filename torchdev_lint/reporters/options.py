"""What the command line says of how findings are written."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterator
from typing import TextIO

from torchdev_lint.config.command_line import keep_apart
from torchdev_lint.config.formats import OUTPUT_FORMATS
from torchdev_lint.config.problem import closest
from torchdev_lint.reporters import Output
from torchdev_lint.reporters.choice import COUNTED, resolved
from torchdev_lint.reporters.style import style_for


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to a parser."""
    group = parser.add_argument_group("output")
    add = group.add_argument
    add("--output-format", type=_format, metavar="FORMAT",
        help=f"how to write findings: {', '.join(OUTPUT_FORMATS)} "
        "(default: text, which is full on a terminal and concise elsewhere)")  # fmt: skip
    add("-o", "--output-file", metavar="FILE", help="where to write findings (default: stdout)")
    add("--statistics", action="store_true",
        help="say how many findings each rule has, and list none")  # fmt: skip
    add("-q", "--quiet", action="store_true",
        help="say what was found, and nothing that sums up")  # fmt: skip
    add("--color", choices=("auto", "always", "never"), default="auto",
        help="when to use colours (default: on terminals; env: NO_COLOR, FORCE_COLOR)")  # fmt: skip


def _format(text: str) -> str:
    if text not in OUTPUT_FORMATS:
        hint = closest(text, list(OUTPUT_FORMATS))
        raise argparse.ArgumentTypeError(f"there is no format {text!r}{hint}")
    return text


def check_options(parser: argparse.ArgumentParser, options: argparse.Namespace) -> None:
    """End with a message where options don't go together."""
    if options.statistics and resolved(options.output_format, False) not in COUNTED:
        parser.error(f"--statistics cannot be written as {options.output_format}")
    if options.statistics:
        keep_apart(parser, options, "--statistics", ("diff",))


def format_of(options: argparse.Namespace, stream: TextIO) -> str:
    """Return the format in which findings are written to a stream."""
    return resolved(options.output_format, stream.isatty())


def output_to(stream: TextIO, options: argparse.Namespace, nameless: str) -> Output:
    """Return what formats are told.

    Args:
        stream: where findings go.
        options: the command line.
        nameless: the path that stands for standard input where that has no name.
    """
    style = style_for(stream, options.color, os.environ)
    return Output(stream, options.unsafe_fixes, options.quiet, style, nameless)


@contextlib.contextmanager
def opened(path: str | None, otherwise: TextIO) -> Iterator[TextIO]:
    """Open the file that findings go to.

    It is opened before anything is linted, so that one that can't be written costs no time. An
    existing one is written in its place: it may be a pipe or a device.

    Args:
        path: the file; None: there is none.
        otherwise: where findings go then.

    Raises:
        OSError: it can't be written.
    """
    if path is None:
        yield otherwise
        return
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
        yield stream
