"""Rewriting one call: with libcst, where it isn't written as most calls are."""

from __future__ import annotations

import ast

from torchdev_lint.change import CannotEdit
from torchdev_lint.source.source import Source, SourceError

_MOST_NESTED = 100
_SHORT = 200
"""How many characters a call may have that is rewritten without libcst: it can't be nested deep."""


def with_argument(text: str, argument: str) -> str:
    """Return the text of a call with one more argument, in the formatting it has.

    Args:
        text: the call, exactly as it is written.
        argument: what to add behind the last argument, such as `device=x.device`.

    Raises:
        CannotEdit: the text is no call, can't be written as it was read, or is too deep for libcst.
    """
    plain = _on_one_line(text, argument) if len(text) < _SHORT else None
    if plain is not None:
        return plain
    try:
        # Its parser recurses without minding the stack, and takes a time that grows with depth.
        if not _is_deep(Source.from_text(f"({text})", "").parse(), _MOST_NESTED):
            # Imported late: that takes longer than to lint a small file.
            from torchdev_lint.applying.formatted_call import with_argument as in_its_formatting

            return in_its_formatting(text, argument)
    except SourceError as error:
        raise CannotEdit(f"it is no expression: {error}") from None
    except RecursionError:  # what is a list for Python, `a and b and c`, is nested for libcst
        pass
    raise CannotEdit("it is nested too deeply")


def _on_one_line(text: str, argument: str) -> str | None:
    """The call with one more argument, if it is on one line in the common formatting.

    That is most calls, and libcst takes fifteen times as long for one.
    """
    if not text.isascii() or "\n" in text or "\r" in text:
        return None
    try:
        call = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    if not isinstance(call, ast.Call) or call.end_col_offset != len(text):
        return None
    for keyword in call.keywords:
        start = keyword.col_offset + len(keyword.arg or "")
        if keyword.arg is None or text[start : keyword.value.col_offset] != "=":
            return None
    parts = [*call.args, *(keyword.value for keyword in call.keywords)]
    end = max((part.end_col_offset or 0 for part in parts), default=len(text) - 1)
    if end != len(text) - 1 or any(isinstance(part, ast.GeneratorExp) for part in parts):
        return None
    if not parts and not text.endswith("()"):
        return None
    return f"{text[:-1]}{', ' if parts else ''}{argument})"


def _is_deep(tree: ast.AST, limit: int) -> bool:
    """Whether nodes of a tree are nested deeper than a limit."""
    level = [tree]
    for _ in range(limit):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True
