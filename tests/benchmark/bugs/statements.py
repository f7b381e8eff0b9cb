"""The statements of a file, to tell whether two lines belong together."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Sequence


def extents(source: bytes) -> list[range]:
    """Return the lines of all statements of a module; of one with a body, those of its head.

    Nothing for a module that this version of Python can't parse.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd escapes in other people's strings
        try:
            module = ast.parse(source)
        except (SyntaxError, ValueError):
            return []
    return [_extent(node) for node in ast.walk(module) if isinstance(node, ast.stmt)]


def innermost(statements: Iterable[range], line: int) -> range:
    """Return the lines of the smallest statement around a line, or just the line."""
    return min((one for one in statements if line in one), key=len, default=range(line, line + 1))


def _extent(node: ast.stmt) -> range:
    body: Sequence[ast.stmt] = getattr(node, "body", ())
    last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
    return range(node.lineno, max(node.lineno, last) + 1)
