"""The comments of a file, and the lines that each can be about."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable

from torchdev_lint.records import dataclass
from torchdev_lint.source.source import Source

_BETWEEN = (tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
"""What stands between statements, or within one without being a part of it."""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment.

    Args:
        line: its line, counted from 1.
        column: the character at which it begins, counted from 0.
        text: the comment, with its `#`.
        statement: the lines of the statement that it stands in; none if it stands between two.
        next: the lines of the statement behind it.
    """

    line: int
    column: int
    text: str
    statement: range
    next: range


def lines_of(text: str) -> list[str]:
    """Return the lines of a file with their ends, as flake8 reads them."""
    return list(io.StringIO(text, newline=None))


def tokens_of(source: Source) -> list[tokenize.TokenInfo]:
    """Return the tokens of a file; none if it isn't Python."""
    return _tokens_in(source.text) or _tokens_in(source.program)


def _tokens_in(text: str) -> list[tokenize.TokenInfo]:
    rest = iter(lines_of(text))
    try:
        return list(tokenize.generate_tokens(lambda: next(rest)))
    except (tokenize.TokenError, SyntaxError):
        return []


def comments_in(tokens: Iterable[tokenize.TokenInfo]) -> list[Comment]:
    """Return the comments of a file, in order.

    Of a statement with a block, such as `with`, the lines are those of its head.
    """
    found: list[Comment] = []
    first, inside, before = 0, list[tokenize.TokenInfo](), list[tokenize.TokenInfo]()
    for token in tokens:
        if token.type == tokenize.NEWLINE:
            lines = range(first, token.end[0] + 1)
            found += [Comment(*c.start, c.string, range(0), lines) for c in before]
            found += [Comment(*c.start, c.string, lines, lines) for c in inside]
            first, inside, before = 0, [], []
        elif token.type == tokenize.COMMENT:
            (inside if first else before).append(token)
        elif token.type not in _BETWEEN:
            first = first or token.start[0]
    found += [Comment(*c.start, c.string, range(0), range(0)) for c in (*before, *inside)]
    return found


def groups_in(tokens: Iterable[tokenize.TokenInfo]) -> list[range]:
    """Return which lines flake8 takes together when it looks for a comment, in order.

    Lines that belong to one string or are joined by a backslash share one comment; lines joined
    by brackets don't.
    """
    groups: list[range] = []
    first = last = 0
    for token in tokens:
        if token.type in (tokenize.ENDMARKER, tokenize.DEDENT):
            continue
        first = min(first or token.start[0], token.start[0])
        last = max(last, token.end[0])
        if token.type in (tokenize.NL, tokenize.NEWLINE):
            groups.append(range(first, last + 1))
            first = last = 0
    return groups
