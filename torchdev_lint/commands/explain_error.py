"""`torchdev-lint explain-error [FILE|-]`: what caused a device error, and what to change."""

from __future__ import annotations

import codecs
import sys
from collections.abc import Sequence

from torchdev_lint.parser import Parser
from torchdev_lint.source.discovery import STDIN
from torchdev_lint.source.problem import Problem
from torchdev_lint.source.source import SourceError, is_notebook, read_bytes, unreadable
from torchdev_lint.tracebacks.notebooks import errors_in

_BOMS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
"""How text begins that says how it is encoded; PowerShell writes UTF-16."""


def run(arguments: Sequence[str]) -> int:
    """Run the subcommand and return its exit code."""
    parser = Parser(
        prog="torchdev-lint explain-error",
        description="Say what caused a device error: paste its traceback, or name a log that has "
        "it. The first device error in it is explained, by the files that it names; a notebook "
        "keeps those of when it was run.",
        epilog="exit codes: 0 explained, for certain or by a few candidates; 1 there is nothing to "
        "say about it; 2 wrong usage, no traceback of a device error, or its files aren't here",
        allow_abbrev=False,
    )
    parser.add_argument("file", nargs="?", default=STDIN, metavar="FILE",
        help="what holds the traceback, a log or a notebook (default: standard input)")  # fmt: skip
    name: str = parser.parse_args(arguments).file
    notebook = name if is_notebook(name) else None
    try:
        text = errors_in(read_bytes(name)) if notebook else _read(name)
    except SourceError as error:
        print(Problem(name, error.message), file=sys.stderr)
        return 2
    # Imported late: whoever pastes something else needn't wait.
    from torchdev_lint.commands.explanation_text import as_text
    from torchdev_lint.tracebacks.explaining import NotExplained, explain

    try:
        explanation = explain(text, notebook)
    except NotExplained as error:
        print(Problem("stdin" if name == STDIN else name, error.message), file=sys.stderr)
        return 2
    sys.stdout.write(as_text(explanation))
    return 0 if explanation.suspects or explanation.leads else 1


def _read(name: str) -> str:
    """Read the text, in whatever encoding: what can't be decoded is no part of a traceback.

    Raises:
        SourceError: it can't be read.
    """
    if name != STDIN:
        return _decoded(read_bytes(name))
    if sys.stdin.isatty():
        print("Paste the traceback, then press Ctrl-D (Ctrl-Z and Enter on Windows).",
            file=sys.stderr)  # fmt: skip
    try:
        return _decoded(sys.stdin.buffer.read())
    except OSError as error:
        raise SourceError(unreadable(error)) from None


def _decoded(data: bytes) -> str:
    bom = next((bom for bom in _BOMS if data.startswith(bom)), b"")
    return data[len(bom) :].decode(_BOMS.get(bom, "utf-8"), "replace")
