"""Data loaders that are classes of the project: what puts their batches together."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.values import UNKNOWN, Function, Loader, Place, Value
from torchdev_lint.placement.evidence.classes import is_loader
from torchdev_lint.placement.evidence.devices import mentions_devices
from torchdev_lint.placement.libraries.torch_data import make_loader
from torchdev_lint.placement.python.frames import frame_for
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk

_COLLATE = "collate_fn"


def loader_of_class(run: Run, info: ClassInfo, arguments: Arguments) -> Value | None:
    """Evaluate the construction of a class of the file; None if it is no data loader."""
    if not any(map(is_loader, info.library_bases())):
        return None
    if any(mentions_devices(parent.node) for parent in info.lineage()):
        return Loader(UNKNOWN)
    return make_loader(run, _with_own_collate(run, info, arguments))


def _with_own_collate(run: Run, info: ClassInfo, arguments: Arguments) -> Arguments:
    """What a loader is built with, and the function by which its class has batches made."""
    init = info.lookup("__init__")
    if not (isinstance(init, Function) and isinstance(init.node, FUNCTIONS)):
        return arguments
    given = {parameter.arg for parameter in parameters_of(init.node)}
    told = [*_told(init.node)]
    if len(told) != 1 or _COLLATE in arguments.keywords:
        return arguments
    function = _function(run, info, init, told[0], given)
    if function is None:
        return arguments
    keywords = {**arguments.keywords, _COLLATE: (function, told[0])}
    return replace(arguments, keywords=keywords)


def _told(init: ast.AST) -> Iterator[ast.expr]:
    """What a constructor sets for its `collate_fn`, or hands to that of its base."""
    for node in walk(init):
        if isinstance(node, ast.Assign):
            target = node.targets[0]
            if isinstance(target, ast.Attribute) and target.attr == _COLLATE:
                yield node.value
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "__init__":
            yield from (keyword.value for keyword in node.keywords if keyword.arg == _COLLATE)


def _function(
    run: Run, info: ClassInfo, init: Function, node: ast.expr, given: set[str]
) -> Function | None:
    """The function that an expression of a constructor names, if that is none of its arguments."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        method = info.lookup(node.attr) if node.value.id == "self" else None
        if not isinstance(method, Function):
            return None
        return replace(method, bound=run.allocate(Obj(Place.UNKNOWN), info))
    if not isinstance(node, ast.Name) or node.id in given:
        return None
    run.frames.append(frame_for(run, init, in_forward=False))
    try:
        value = run.evaluate(node)
    finally:
        run.frames.pop()
    return value if isinstance(value, Function) else None
