"""What a loop gets of objects whose classes say that themselves, by `__iter__` and `__next__`."""

from __future__ import annotations

import ast
from functools import partial

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import Function, Instance, Value
from torchdev_lint.placement.python.coming import come_from
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
    if is_here or run.is_elsewhere:
        return value
    made = replace(run.made(node, OriginKind.BATCH, short(node)), iterated=True)
    return come_from(run, value, made, partial(_is_kept_or_made_here, run))


def _called(run: Run, base: Instance, name: str, node: ast.AST) -> Value | None:
    method = base.cls.lookup(name) if base.cls else None
    if not isinstance(method, Function) or run.obj(base).module:
        return None
    bound = replace(method, bound=base)
    return run.call_unwritten(run, bound, Arguments([]), node)


def _is_kept_or_made_here(run: Run, origin: Origin) -> bool:
    """Whether something comes from an object that keeps it, or from the file at hand."""
    return origin.holder is not None or origin.file is run.main
