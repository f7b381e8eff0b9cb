"""Bringing tensors to the CPU where arrays are made of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.change import Change, Fix, Insert
from torchdev_lint.placement.facts.events import Conversion
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.names import names_in

_ATOMS = (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.List, ast.Tuple)
"""Expressions to which a method can be appended as they stand."""
_OUT_OF_GRAPH = frozenset(
    {"detach", "data", "argmax", "argmin", "argsort", "long", "int", "bool", "byte", "cpu", "numel"}
)
"""Members of a tensor that give one without gradients."""


def brought_to_host(facts: Facts, conversion: Conversion) -> Fix | None:
    """Return the fix that moves tensors to the CPU right where arrays are made of them.

    Where one may need gradients it is taken out of the graph first: none goes through an array.
    """
    if facts.syntax.in_string(conversion.node):
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
    return Fix(f"Add {' and '.join(steps)}", "safe", tuple(changes))


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


def _moved(facts: Facts, call: ast.Call, node: ast.expr, step: str) -> Iterator[Change]:
    """Yield what puts a step behind a tensor: before `.numpy`, or after an argument."""
    if isinstance(call.func, ast.Attribute) and call.func.value is node:
        end = facts.span(call.func)
        start = end.end_column - len(call.func.attr)
        yield Insert(end.end_line, start, f"{step.removeprefix('.')}.")
        return
    span = facts.span(node)
    is_whole = isinstance(node, _ATOMS)
    if not is_whole:
        yield Insert(span.line, span.column, "(")
    yield Insert(span.end_line, span.end_column, f"{'' if is_whole else ')'}{step}")


def _all_moved(facts: Facts, node: ast.expr, step: str) -> Iterator[Change]:
    """Yield what makes a list of moved tensors of a list of tensors."""
    span, name = facts.span(node), _free_name(node)
    is_whole = isinstance(node, _ATOMS)
    opening, closing = ("", "") if is_whole else ("(", ")")
    yield Insert(span.line, span.column, f"[{name}{step} for {name} in {opening}")
    yield Insert(span.end_line, span.end_column, f"{closing}]")


def _free_name(node: ast.expr) -> str:
    """A variable for the elements of a list that its own expression doesn't use."""
    taken = names_in(node)
    return next(name for name in ("t", "tensor", "element", "each_tensor") if name not in taken)
