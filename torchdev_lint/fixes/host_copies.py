"""Bringing tensors to the CPU where arrays are made of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.change import Applicability, Change, Fix, Insert, Replace
from torchdev_lint.fixes.displays import free_name
from torchdev_lint.fixes.losses import added_in_place, is_learned_from
from torchdev_lint.placement.facts.conversions import Conversion
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.placement.facts.numbered import Split
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.names import names_in, path_of, short
from torchdev_lint.syntax.scopes import FUNCTIONS, parameter_names

_ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.List, ast.Tuple)
"""Expressions to which a method can be appended as they stand."""
_OUT_OF_GRAPH = frozenset(
    {"detach", "data", "argmax", "argmin", "argsort", "long", "int", "bool", "byte", "cpu", "numel"}
)
"""Members of a tensor that give one without gradients."""


def brought_to_host(facts: Facts, conversion: Conversion) -> Fix | None:
    """Return the fix that moves tensors to the CPU right where arrays are made of them.

    Where one may need gradients it is taken out of the graph first: none goes through an array. So
    it is no mend of losses from which a program learns. Lengths that are handed to another function
    may be needed there on the accelerator as well.
    """
    if is_learned_from(facts, conversion):
        return added_in_place(facts, conversion)
    whole = all(part.is_whole for part in conversion.parts)
    lists = (part.node for part in conversion.parts if part.is_list)
    if (
        facts.syntax.in_string(conversion.node)
        or not whole
        or any(_may_differ(facts, n) for n in lists)
    ):
        return None
    steps: dict[str, None] = {}
    changes: list[Change] = []
    for part in conversion.parts:
        needs_graph = part.gradients and not _is_out_of_graph(facts, part.node)
        step = ".detach().cpu()" if needs_graph else ".cpu()"
        steps[f"`{step}`"] = None
        if part.is_list:
            changes += _all_moved(facts, part.node, step)
        else:
            changes += _moved(facts, conversion.node, part.node, step)
    is_handed_on = conversion.elsewhere is not None and not conversion.makes_array
    applicability: Applicability = "unsafe" if is_handed_on else "safe"
    return Fix(f"Add {' and '.join(steps)}", applicability, tuple(changes))


def _may_differ(facts: Facts, node: ast.expr) -> bool:
    """Whether a list is what a function is called with, and other calls may give one of numbers."""
    function = facts.syntax.scope(node)
    if not isinstance(node, ast.Name) or not isinstance(function, FUNCTIONS):
        return False
    if node.id not in parameter_names(function):
        return False
    return len(facts.derived(Proof).values.values(node.id, node)) != 1


def partner_brought_to_host(facts: Facts, meeting: Meeting) -> Fix | None:
    """Return the fix that moves to the CPU what meets there, on the accelerator, what was moved.

    Where a model is called with what was moved to the CPU, that move is to go. What was moved to
    the device that an object remembers goes to where that part of the object is which it meets.
    """
    node, partner = meeting.node, meeting.partner_node
    if facts.syntax.in_string(node) or meeting.elsewhere is not None:
        return None
    if (fix := _of_remembered(facts, meeting)) is not None:
        return fix
    if meeting.module_call or _is_written_to(node, partner):
        return _without_move(facts, meeting)
    if not isinstance(partner, ast.expr) or isinstance(partner, (ast.Tuple, ast.Slice)):
        return None
    changes = tuple(_appended(facts, partner, ".cpu()"))
    return Fix(f"Move `{meeting.partner_text}` to the CPU as well", "safe", changes)


def _of_remembered(facts: Facts, meeting: Meeting) -> Fix | None:
    """Move to a part of an object what meets that, and goes to the device the object remembers."""
    move, part = meeting.origin.node, path_of(meeting.partner_node)
    if not isinstance(move, ast.Call) or move.keywords or len(move.args) != 1 or part is None:
        return None
    device = path_of(move.args[0])
    if device is None or not isinstance(move.args[0], ast.Attribute):
        return None
    if device.rpartition(".")[0] != part.rpartition(".")[0]:
        return None
    there = Replace(facts.span(move.args[0]), f"{part}.device")
    return Fix(f"Move it to where `{meeting.partner_text}` is", "safe", (there,))


def followed_by_second(facts: Facts, split: Split) -> Fix | None:
    """Return the fix that moves the second of two values to the accelerator of the first one.

    Of a module, that is the one which it was moved to.
    """
    first, second = split.operands
    if facts.syntax.in_string(split.node) or not isinstance(second, ast.expr):
        return None
    if split.is_call:
        changes = tuple(_appended(facts, second, f'.to("{split.other.label}")'))
        return Fix(f"Move `{short(second)}` to `{split.other.label}`", "unsafe", changes)
    if not isinstance(first, ast.Name) or _is_written_to(split.node, second):
        return None
    changes = tuple(_appended(facts, second, f".to({first.id}.device)"))
    return Fix(f"Move `{short(second)}` to where `{first.id}` is", "unsafe", changes)


def _is_written_to(node: ast.AST, partner: ast.AST) -> bool:
    """Whether an operation writes into one of its operands, which has to stay what it is."""
    if isinstance(node, ast.AugAssign):
        return node.target is partner
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return node.value is partner
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value is partner and node.func.attr.endswith("_")
    return False


def _without_move(facts: Facts, meeting: Meeting) -> Fix | None:
    """Leave a value where it was before a move to the CPU, if nothing else gets to see that."""
    move = meeting.host_node
    if move is not meeting.origin.node or not isinstance(move, ast.Call):
        return None
    if not isinstance(move.func, ast.Attribute) or move.func.attr == "type":
        return None
    rest = facts.span(move).behind(facts.span(move.func.value))
    return Fix(f"Don't move `{short(move.func.value)}` to the CPU", "unsafe", (Replace(rest, ""),))


def _is_out_of_graph(facts: Facts, node: ast.expr, deep: bool = True) -> bool:
    """Whether a tensor certainly needs no gradients, as it is written or where it is assigned."""
    inner: ast.AST = node
    while isinstance(inner, (ast.Call, ast.Attribute, ast.Subscript)):
        if isinstance(inner, ast.Attribute) and inner.attr in _OUT_OF_GRAPH:
            return True
        inner = inner.func if isinstance(inner, ast.Call) else inner.value
    if isinstance(inner, ast.Compare):
        return True
    if not isinstance(inner, ast.Name) or not deep:
        return False
    values = facts.derived(Proof).values.values(inner.id, inner)
    return bool(values) and all(_is_out_of_graph(facts, v, deep=False) for v in values)


def _moved(facts: Facts, taker: ast.expr, node: ast.expr, step: str) -> Iterator[Change]:
    """Yield what puts a step behind a tensor: before `.numpy`, or after an argument."""
    function = taker.func if isinstance(taker, ast.Call) else None
    if isinstance(function, ast.Attribute) and function.value is node:
        end = facts.span(function)
        start = end.end_column - len(function.attr)
        yield Insert(end.end_line, start, f"{step.removeprefix('.')}.")
        return
    yield from _appended(facts, node, step)


def _appended(facts: Facts, node: ast.expr, step: str) -> Iterator[Change]:
    """Yield what calls a method of what an expression gives."""
    span = facts.span(node)
    is_whole = isinstance(node, _ATOMS)
    if not is_whole:
        yield Insert(span.line, span.column, "(")
    yield Insert(span.end_line, span.end_column, f"{'' if is_whole else ')'}{step}")


def _all_moved(facts: Facts, node: ast.expr, step: str) -> Iterator[Change]:
    """Yield what makes a list of moved tensors of a list of tensors."""
    span, name = facts.span(node), free_name(names_in(node))
    is_whole = isinstance(node, _ATOMS)
    opening, closing = ("", "") if is_whole else ("(", ")")
    yield Insert(span.line, span.column, f"[{name}{step} for {name} in {opening}")
    yield Insert(span.end_line, span.end_column, f"{closing}]")
