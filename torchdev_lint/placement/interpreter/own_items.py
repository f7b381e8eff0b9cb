"""Items of objects whose classes say themselves what these are, by `__getitem__`."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.ecosystem import DATA_BASES
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import Function, Instance, Value
from torchdev_lint.placement.python.coming import come_from
from torchdev_lint.placement.python.functions import call_unwritten
from torchdev_lint.placement.python.object_attributes import bind_method
from torchdev_lint.placement.run import Run
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
    made = run.made(node, OriginKind.LOADED, short(node.value))
    return come_from(run, value, made, _is_kept)


def _is_data_set(info: ClassInfo) -> bool:
    """Whether a class is one of data sets, by what it inherits from."""
    return any(name.rpartition(".")[2] in DATA_BASES for name in info.library_bases())


def _is_kept(origin: Origin) -> bool:
    """Whether an object has kept something for longer than the code at hand knows of it."""
    return origin.holder is not None and not origin.holder.followed
