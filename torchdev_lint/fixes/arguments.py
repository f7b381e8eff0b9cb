"""Taking an argument out of a call, or a method out of a chain."""

from __future__ import annotations

import ast
import re

from torchdev_lint.change import Fix, Replace
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.source.span import Span


def without_argument(facts: Facts, call: ast.Call, name: str) -> Fix | None:
    """Return the fix that leaves an argument out, None where it can't be cut out of the text.

    It is a safe one: rules ask for it where the argument can do nothing but harm.

    Args:
        call: the call.
        name: the argument's, which is given by that.
    """
    keywords = [keyword for keyword in call.keywords if keyword.arg == name]
    if len(keywords) != 1 or facts.syntax.in_string(call):
        return None
    whole, piece = facts.text(call), re.escape(facts.text(keywords[0]))
    found = list(re.finditer(rf",\s*{piece}(?=\s*[,)])|(?<=\(){piece}(,\s*)?(?=\S)", whole))
    if len(found) != 1:
        return None
    cut = _stretch(facts.span(call), whole, *found[0].span())
    return Fix(f"Leave out `{facts.text(keywords[0])}`", "safe", (Replace(cut, ""),))


def without_method(facts: Facts, call: ast.Call) -> Fix | None:
    """Return the fix that keeps what a method is called on in place of what it gives.

    It is a safe one: rules ask for it where the method fails on what it is called on.
    """
    function = call.func
    if not isinstance(function, ast.Attribute) or facts.syntax.in_string(call):
        return None
    whole = facts.text(call)
    found = re.search(rf"\s*\.\s*{function.attr}\s*\(\s*\)$", whole)
    if found is None:
        return None
    cut = _stretch(facts.span(call), whole, *found.span())
    return Fix(f"Leave out `.{function.attr}()`", "safe", (Replace(cut, ""),))


def _stretch(whole: Span, text: str, start: int, end: int) -> Span:
    """Where a part of a text is that stands at a place.

    Args:
        start: the part's first character in the text.
        end: the one behind its last.
    """
    return Span(*_position(whole, text[:start]), *_position(whole, text[:end]))


def _position(whole: Span, before: str) -> tuple[int, int]:
    lines = before.split("\n")
    column = len(lines[-1]) + (whole.column if len(lines) == 1 else 0)
    return whole.line + len(lines) - 1, column
