"""How forms are written: one after the other, with holes."""

from __future__ import annotations

import re

HOLE = re.compile(r"^( *)\$(\w+)$|\$(\w+)", re.MULTILINE)


def forms(text: str) -> tuple[str, ...]:
    """Return the forms in a text, which a line of two hyphens parts."""
    return tuple(form.strip("\n") for form in re.split(r"^--\n", text, flags=re.MULTILINE))


def holes(form: str) -> list[str]:
    """Return the kinds of forms that one has holes for."""
    return [block or word for _, block, word in HOLE.findall(form)]
