"""What a loop gets of objects whose classes say that themselves, by `__iter__` and `__next__`."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.isomorphism import parts_of, rebuilt
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.values import (
    Bundle,
    Choice,
    Function,
    Instance,
    Place,
    Tensor,
    Value,
)
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import short

_ITER, _NEXT = "__iter__", "__next__"


def own_iterator(run: Run, base: Instance, node: ast.AST) -> Value | None:
    """Return what goes through an object; None unless its class is in sight, and says so.

    Args:
        node: what asks for that.
    """
    return _called(run, base, _ITER, node)


def own_next(run: Run, iterator: Instance, node: ast.AST) -> Value | None:
    """Return what an iterator gives next; None unless its class is in sight.

    Args:
        node: what asks for that.
    """
    value = _called(run, iterator, _NEXT, node)
    return None if value is None else coming_from(run, iterator, value, node)


def coming_from(run: Run, base: Instance, value: Value, node: ast.AST) -> Value:
    """Return what an object gives: what another file makes on the host comes from the loop.

    Args:
        value: one of what it gives.
        node: what asks for that.
    """
    is_here = base.cls is None or base.cls.file is run.main
    return value if is_here or run.is_elsewhere else _as_batch(run, value, node)


def _called(run: Run, base: Instance, name: str, node: ast.AST) -> Value | None:
    method = base.cls.lookup(name) if base.cls else None
    if not isinstance(method, Function) or run.obj(base).module:
        return None
    bound = replace(method, bound=base)
    return run.call_unwritten(run, bound, Arguments([]), node)


def _as_batch(run: Run, value: Value, node: ast.AST, key: object = None) -> Value:
    """What an iterator gives, where it is on the host: it comes from where that is asked for.

    Args:
        key: which part of it it is.
    """
    if isinstance(value, (Tensor, Bundle)):
        if value.place is not Place.HOST or Mood.DOUBT in run.moods:
            return value
        if value.origin is not None and (value.origin.holder or value.origin.file is run.main):
            return value
        made = run.made(node, OriginKind.BATCH, short(node))
        return replace(value, origin=replace(made, key=key, iterated=True), entered=None)
    if isinstance(value, (Choice, Sequence, Mapping)):
        parts = parts_of(value)
        return rebuilt(value, [_as_batch(run, p, node, (key, i)) for i, p in enumerate(parts)])
    return value
