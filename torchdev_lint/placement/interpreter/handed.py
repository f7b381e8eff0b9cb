"""Calls of what a function was given, or keeps since it was built, judged by who has given it."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.arguments import Arguments, Operand
from torchdev_lint.placement.domain.imported import ProjectModule
from torchdev_lint.placement.domain.joins import leaves
from torchdev_lint.placement.domain.values import (
    Bundle,
    ClassValue,
    Function,
    Instance,
    Place,
    Tensor,
)
from torchdev_lint.placement.evidence.classes import is_module
from torchdev_lint.placement.evidence.handed_modules import module_handed
from torchdev_lint.placement.python import functions
from torchdev_lint.placement.python.moving import move_object
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.calls import applied
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk

_Source = tuple[str, ast.FunctionDef | ast.AsyncFunctionDef, str]
"""The name of what is called, its code, and the parameter that gets a module."""


def module_in_call(run: Run, arguments: Arguments, node: ast.Call) -> Instance | None:
    """Return the module that a call out of sight applies to what is on the host.

    Nobody is asked but where that would be a defect.
    """
    if run.is_elsewhere or not run.supposing or not any(map(_is_on_host, arguments.operands())):
        return None
    source = _source_of(run, applied(node))
    if source is None:
        return None
    definition = module_handed(run.file.path, *source)
    if definition is None:
        return None
    value = run.member(run, ProjectModule(definition.path, definition.name), definition.name)
    if not isinstance(value, ClassValue) or not is_module(value.info):
        return None
    module = functions.unbuilt(run, value.info, node)
    assert isinstance(module, Instance)
    move_object(run, module, Place.ACCELERATOR)
    return module


def _is_on_host(operand: Operand) -> bool:
    return any(
        isinstance(leaf, (Tensor, Bundle)) and leaf.place is Place.HOST
        for leaf in leaves(operand.value)
    )


def _source_of(run: Run, node: ast.expr) -> _Source | None:
    """Where what an expression names comes from: a parameter of the function, or of `__init__`."""
    frame = run.frame
    if isinstance(node, ast.Name):
        function = frame.node
        if frame.owner is not None or not isinstance(function, FUNCTIONS) or len(run.frames) != 2:
            return None
        if run.file.first_stores(function).get(node.id) is not None:
            return None
        return (function.name, function, node.id) if _has(function, node.id) else None
    path = dotted(node) or ""
    if frame.owner is None or not path.startswith("self.") or path.count(".") != 1:
        return None
    init = frame.owner.namespace.get("__init__")
    if not isinstance(init, Function) or not isinstance(init.node, FUNCTIONS):
        return None
    given = _kept(frame.owner.node, path)
    if given is None or not _has(init.node, given.id) or given not in set(walk(init.node)):
        return None
    return frame.owner.name, init.node, given.id


def _has(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> bool:
    return any(parameter.arg == name for parameter in parameters_of(function))


def _kept(cls: ast.AST, path: str) -> ast.Name | None:
    """The variable that an attribute is given, if nothing else ever is; perhaps moved."""
    values = [
        node.value
        for node in walk(cls)
        if isinstance(node, ast.Assign) and any(dotted(t) == path for t in node.targets)
    ]
    given = values[0] if len(values) == 1 else None
    while isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute):
        given = given.func.value
    return given if isinstance(given, ast.Name) else None
