"""Notes where a plain container is told to move, which it has no method for."""

from __future__ import annotations

import ast
from collections.abc import Sequence as Several

from torchdev_lint.catalog.methods import MOVES, TENSOR_METHODS
from torchdev_lint.placement.defects.failing import note_failing
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.values import Bundle, Method, Value
from torchdev_lint.placement.facts.containers import ContainerMove
from torchdev_lint.placement.run import Run

_PLAIN = frozenset({SequenceKind.LIST, SequenceKind.TUPLE, SequenceKind.SET})
"""Sequences that are of Python's own types."""
_TYPES = (list, tuple, set)
"""These types."""


def note_move(run: Run, node: ast.Call, functions: Several[Value]) -> None:
    """Note that a container is told to move, if it certainly is one.

    Args:
        node: a call.
        functions: what its function may be.
    """
    function = node.func
    if not (isinstance(function, ast.Attribute) and function.attr in MOVES):
        return
    bound = [option.bound for option in functions if isinstance(option, Method)]
    containers = tuple(v for v in bound if isinstance(v, (Sequence, Mapping)) and _kind(v))
    if containers and len(containers) == len(functions):
        kinds = {_kind(container) for container in containers}
        kind = kinds.pop() if len(kinds) == 1 else ""
        run.note(ContainerMove(node, function.value, containers, kind, run.frame.scope))
        note_failing(run, node)


def lacks(container: Sequence, method: str) -> bool:
    """Whether a list or tuple is asked for a method of tensors, which raises on every machine.

    Moves are another matter: each of them is told.
    """
    if not _kind(container) or method in MOVES:
        return False
    return method in TENSOR_METHODS and not any(hasattr(kind, method) for kind in _TYPES)


def _kind(container: Sequence | Mapping) -> str:
    """What the type of a container is called; empty if it is none of Python's own.

    What a loader puts together of samples that are tuples is a list.
    """
    if isinstance(container, Mapping):
        return "dict"
    if container.kind not in _PLAIN:
        return ""
    return "list" if any(map(_is_of_batch, container.items or ())) else container.kind.value


def _is_of_batch(value: Value) -> bool:
    origin = value.origin if isinstance(value, Bundle) else None
    return origin is not None and origin.kind is OriginKind.BATCH
