"""Saying where to put what is loaded."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchdev_lint.catalog.devices import HOST_TYPE
from torchdev_lint.change import AddArgument, Fix, Replace, applicability
from torchdev_lint.fixes.devices import device_named
from torchdev_lint.fixes.styles import is_usable
from torchdev_lint.placement.evidence.destinations import Destination, Use
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.source.span import Span
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import dotted, path_of
from torchdev_lint.syntax.scopes import Syntax
from torchdev_lint.syntax.walking import walk


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
    named = _as_beside(facts, call) or device_named(facts, call)
    device = place or named or f'"{HOST_TYPE}"'
    argument = f"map_location={device}"
    is_state = all(each.use is Use.STATE and each.elsewhere is None for each in found)
    sureness = applicability(is_state)  # of other files, not all may be in sight
    return Fix(f"Add `{argument}`", sureness, (AddArgument(facts.span(call), argument),))


def _as_beside(facts: Facts, call: ast.Call) -> str:
    """Where another call in the same function puts what it reads, in the same way."""
    function, reader = facts.syntax.scope(call), dotted(call.func)
    for other, device in facts.derived(_Mapped).in_function.get(function, ()):
        text = facts.text(device)
        is_name = path_of(device) is not None and facts.derived(Proof).is_bound(text, call)
        if dotted(other.func) == reader and is_name and is_usable(facts, device, call):
            return text
    return ""


class _Mapped:
    """The calls that say by name where they put what they read, and where that is.

    Args:
        syntax: the file.
    """

    def __init__(self, syntax: Syntax) -> None:
        self.in_function: dict[ast.AST, list[tuple[ast.Call, ast.expr]]] = {}
        for node in walk(syntax.tree):
            if isinstance(node, ast.Call):
                for device in by_keyword(node, "map_location"):
                    told = self.in_function.setdefault(syntax.scope(node), [])
                    told.append((node, device))


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
