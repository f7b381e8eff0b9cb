"""Items of objects whose classes say themselves what these are, by `__getitem__`."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.ecosystem import DATA_BASES
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.isomorphism import parts_of, rebuilt
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import (
    Bundle,
    Choice,
    Function,
    Instance,
    Place,
    Tensor,
    Value,
)
from torchdev_lint.placement.python.attributes import bind_method
from torchdev_lint.placement.python.functions import call_unwritten
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import short

_GETTER = "__getitem__"


def own_item(run: Run, base: Value, index: Value, node: ast.Subscript) -> Value | None:
    """Return what a subscript of an object gives; None unless its class is in sight, and says so.

    A sample of a data set comes from the subscript: it is there that it can be moved.

    Args:
        base: the object.
        node: the subscript.
    """
    if not isinstance(base, Instance) or base.cls is None:
        return None
    getter = base.cls.lookup(_GETTER)
    if not isinstance(getter, Function):
        return None
    arguments = Arguments([(index, node.slice)])
    value = call_unwritten(run, bind_method(getter, base), arguments, site=node)
    is_here = getter.file is run.main
    if run.is_elsewhere or (is_here and not _is_data_set(base.cls)):
        return value
    return _picked(run, value, node)


def _is_data_set(info: ClassInfo) -> bool:
    """Whether a class is one of data sets, by what it inherits from."""
    return any(name.rpartition(".")[2] in DATA_BASES for name in info.library_bases())


def _picked(run: Run, value: Value, node: ast.Subscript, key: object = None) -> Value:
    """What is picked, where it is on the host: it comes from the subscript.

    Args:
        key: which part of what is picked it is.
    """
    if isinstance(value, (Tensor, Bundle)):
        if value.place is not Place.HOST or Mood.DOUBT in run.moods or _is_kept(value.origin):
            return value
        made = run.made(node, OriginKind.LOADED, short(node.value))
        return replace(value, origin=replace(made, key=key), entered=None)
    if isinstance(value, (Choice, Sequence, Mapping)):
        parts = parts_of(value)
        return rebuilt(value, [_picked(run, p, node, (key, i)) for i, p in enumerate(parts)])
    return value


def _is_kept(origin: Origin | None) -> bool:
    """Whether an object has kept something for longer than the code at hand knows of it."""
    holder = None if origin is None else origin.holder
    return holder is not None and not holder.followed
