"""`torchdev-lint server`: a language server for editors, over standard input and output."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence

from torchdev_lint.exit_codes import CLEAN, FAILED, FOUND
from torchdev_lint.parser import Parser

_NEEDS = "pygls"


def run(arguments: Sequence[str]) -> int:
    """Run the subcommand and return its exit code."""
    parser = Parser(
        prog="torchdev-lint server",
        description="Serve an editor by the language server protocol, over standard input and "
        "output. It needs the extra torchdev-lint[lsp].",
        allow_abbrev=False,
    )
    parser.add_argument("--stdio", action="store_true",
        help="use standard input and output, as is always done")  # fmt: skip
    parser.parse_args(arguments)
    if importlib.util.find_spec(_NEEDS) is None:
        print(
            f"torchdev-lint: error: `server` needs {_NEEDS}: pip install 'torchdev-lint[lsp]'",
            file=sys.stderr,
        )
        return FAILED
    from torchdev_lint.server.connection import serve

    return CLEAN if serve() else FOUND
