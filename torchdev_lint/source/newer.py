"""Syntax that only newer versions of Python have, told by the line at which an older one stops."""

from __future__ import annotations

import re
import sys

_SINCE = (
    (re.compile(r"\s*except\s*\*"), "`except*`", (3, 11)),
    (re.compile(r"\s*type\s+[^\W\d]\w*\s*(\[.*)?="), "a `type` statement", (3, 12)),
    (re.compile(r"\s*(async\s+)?def\s+\w+\s*\["), "a function with type parameters", (3, 12)),
    (re.compile(r"\s*class\s+\w+\s*\["), "a class with type parameters", (3, 12)),
    (re.compile(r""".*(?<!\w)(t|[rR]t|t[rR])["']"""), "a t-string", (3, 14)),
    (re.compile(r"\s*lazy\s+(import|from)\s"), "a lazy import", (3, 15)),
)
"""What such a line looks like, what it holds, and which version was the first to have it."""

Version = tuple[int, int]


def newer_syntax(line: str, running: Version = sys.version_info[:2]) -> str:
    """Say which version of Python a line needs that can't be parsed, as the end of a sentence.

    Args:
        line: the line at which the parser stopped.
        running: the version that parses.

    Returns:
        Nothing where no newer version is known to take it.
    """
    for pattern, what, first in _SINCE:
        if running < first and pattern.match(line):
            needs, has = ".".join(map(str, first)), ".".join(map(str, running))
            return f"; {what} needs Python {needs}, and torchdev-lint runs on {has} here"
    return ""
