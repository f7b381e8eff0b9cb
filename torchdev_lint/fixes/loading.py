"""Saying where to put what is loaded."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchdev_lint.catalog.devices import HOST_TYPE
from torchdev_lint.change import AddArgument, Fix, Replace, applicability
from torchdev_lint.fixes.devices import device_named
from torchdev_lint.placement.evidence.destinations import Destination, Use
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.source.span import Span


def mapped(
    facts: Facts, call: ast.Call, found: Sequence[Destination], place: str = ""
) -> Fix | None:
    """Have a call put what it reads on the device in sight, or else on the host.

    What `load_state_dict` takes is copied to where the parameters are, so that either is right.
    Anything else may be used where it is.

    Args:
        facts: what is known of the file.
        call: the call that reads.
        found: where its value goes to.
        place: what the user wants there; empty if nothing is told.
    """
    if facts.syntax.in_string(call):
        return None
    misplaced = _misplaced(facts, call)
    if misplaced is not None:
        return misplaced
    device = place or device_named(facts, call) or repr(HOST_TYPE).replace("'", '"')
    argument = f"map_location={device}"
    sureness = applicability(all(each.use is Use.STATE for each in found))
    return Fix(f"Add `{argument}`", sureness, (AddArgument(facts.span(call), argument),))


def _misplaced(facts: Facts, call: ast.Call) -> Fix | None:
    """The fix for a `map_location` that stands behind the wrong bracket."""
    outer = facts.syntax.parent(call)
    if not isinstance(outer, ast.Call) or outer.args != [call] or len(outer.keywords) != 1:
        return None
    keyword = outer.keywords[0]
    if keyword.arg != "map_location":
        return None
    inner, whole = facts.span(call), facts.span(outer)
    if inner.line != whole.end_line:
        return None
    rest = Span(inner.end_line, inner.end_column - 1, whole.end_line, whole.end_column)
    argument = f"map_location={facts.text(keyword.value)}"
    change = Replace(rest, f", {argument}))")
    return Fix(f"Give `{argument}` to the call inside", applicability(True), (change,))
