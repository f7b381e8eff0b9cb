"""Functions that data sets and loaders apply to samples: whether these may put them on a device."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchdev_lint.catalog.builtins import FILLING
from torchdev_lint.catalog.factories import ACCELERATOR_LEGACY
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.values import Function, Instance, Value, alternatives
from torchdev_lint.placement.domain.weight import Holder
from torchdev_lint.placement.evidence.devices import mentions_devices
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.python.code_behind import class_of, code_behind
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.scopes import FUNCTIONS, root_name

MOVING_TRANSFORM = "torchvision.transforms.Lambda"
"""The library's name of a transform, or a chain of them, that calls a function that may move."""

_DEEPEST = 3
_BUILT = (ast.Dict, ast.List, ast.Set, ast.DictComp, ast.ListComp, ast.SetComp)
"""Containers that the code at hand has built itself."""


def may_move(run: Run, value: Value) -> bool:
    """Whether something that is called with samples, or holds what is, may move them."""
    return any(_moves(run, part) for part in _parts(value))


def _parts(value: Value, depth: int = _DEEPEST) -> Iterator[Value]:
    for option in alternatives(value):
        if isinstance(option, Holder) and depth:
            for held in option.held():
                yield from _parts(held, depth - 1)
        else:
            yield option


def _moves(run: Run, value: Value) -> bool:
    if isinstance(value, Function):
        return brings(run, value.node, value.closure, class_of(value))
    if not isinstance(value, Instance) or run.obj(value).module:
        return False
    lineage = value.cls.lineage() if value.cls else ()
    return value.library == MOVING_TRANSFORM or any(
        brings(run, info.node, info.closure) for info in lineage
    )


def brings(
    run: Run, scope: ast.AST, closure: tuple[Frame, ...], cls: ClassInfo | None = None
) -> bool:
    """Whether code may put something on a device: by itself, or by what it reads from around it.

    Args:
        scope: a function or class.
        closure: the frames around it.
        cls: that of the object whose method it is, if it is one.
    """
    behind = code_behind(run, scope, closure, cls)
    return any(map(mentions_devices, behind.code)) or not behind.libraries.isdisjoint(
        ACCELERATOR_LEGACY
    )


def may_bring_samples(run: Run, info: ClassInfo) -> bool:
    """Whether the code of a data set may put its samples on a device.

    What it has for others, which reads what it keeps and leaves that as it is, says nothing of it.
    """
    if not any(brings(run, each.node, each.closure) for each in info.lineage()):
        return False
    return any(
        brings(run, part, each.closure)
        for each in info.lineage()
        for part in (*each.node.body, *each.node.decorator_list)
        if not (isinstance(part, FUNCTIONS) and _is_for_others(info, each, part))
    )


def _is_for_others(
    info: ClassInfo, owner: ClassInfo, method: ast.FunctionDef | ast.AsyncFunctionDef
) -> bool:
    """Whether a method is called by no other of its class, and changes nothing that this keeps."""
    context = context_of(owner.file)
    if method.name.startswith("__") or context.own_attributes(method)[1]:
        return False
    if context.hands_itself_over(method) or _changes_kept(context.nodes_in(method)):
        return False
    return not any(
        method.name in context_of(each.file).own_attributes(other)[0]
        for each in info.lineage()
        for other in each.methods().values()
        if other is not method
    )


def _changes_kept(nodes: Iterable[ast.AST]) -> bool:
    """Whether code sets a part of something, or puts something into it, that it has not built."""
    nodes = list(nodes)
    built = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, _BUILT)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return any(root_name(node) not in built for node in nodes if _changes(node))


def _changes(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return not isinstance(node.ctx, ast.Load) or node.attr in FILLING
    return isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)
