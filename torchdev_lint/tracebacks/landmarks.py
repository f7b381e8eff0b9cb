"""By what two values are known to have something in common: where the ways back from both meet."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchdev_lint.known.known import Nature
from torchdev_lint.known.trail import Step, trail_to
from torchdev_lint.syntax.names import path_of
from torchdev_lint.tracebacks.files import AnalysedFile

_EVERYWHERE = frozenset({Nature.MODULE, Nature.DEVICE, Nature.CODE})
"""What many values lead back to that have nothing else in common."""


def landmarks(file: AnalysedFile, steps: Sequence[Step], about_places: bool) -> set[object]:
    """Return what a way goes by: places, bindings of variables, attributes and elements.

    Args:
        file: where it goes.
        steps: the way.
        about_places: whether a move leaves nothing of what a value was before; else it is gone
            back further.
    """
    found: set[object] = set()
    for step in steps:
        node = step.node
        if step.known.nature not in _EVERYWHERE:
            found.add(step.known.span)
            found |= _variables(file, node)
        if not about_places and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            found |= landmarks(file, trail_to(file.knowledge, node.func.value).steps, True)
    return found


def _variables(file: AnalysedFile, node: ast.AST) -> set[object]:
    """The bindings of a variable, or the attribute or element of one, that a node reads."""
    syntax = file.knowledge.syntax
    if isinstance(node, ast.Name):
        return set(file.knowledge.bindings.reaching(node.id, node) - {None})
    path = path_of(node) if isinstance(node, (ast.Attribute, ast.Subscript)) else None
    if path is None:
        return set()
    method = syntax.method(node) if path.startswith("self.") else None
    return {(path, method[1] if method else syntax.scope(node))}
