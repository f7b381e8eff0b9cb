"""Which methods of classes are called with what is on the host."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.joins import leaves
from torchdev_lint.placement.domain.values import Instance, Tensor, Value
from torchdev_lint.placement.evidence.host_code import (
    asks_for_device,
    puts_itself_on_host,
    serves_host,
)
from torchdev_lint.placement.run import Run
from torchdev_lint.project.users import makes_samples


def is_called_for_samples(
    run: Run, instance: Instance, method: ast.FunctionDef | ast.AsyncFunctionDef, is_entry: bool
) -> bool:
    """Return whether a method works where samples are made, or where it puts its module.

    A module without state that lies in a folder for data sets transforms samples, unless it asks
    a tensor for its device, or tells a factory one.

    Args:
        instance: the object.
        method: the method.
        is_entry: whether it is what a framework calls a module for.
    """
    hooks, path = run.file.data_hooks, run.file.path
    if not run.obj(instance).module:
        return serves_host(method, hooks, path, is_method=True)
    if not is_entry:
        return method.name in hooks or puts_itself_on_host(method)
    return bool(path) and makes_samples(path) and _transforms(run, instance, method)


def _transforms(
    run: Run, instance: Instance, method: ast.FunctionDef | ast.AsyncFunctionDef
) -> bool:
    """Whether a module has nothing to be moved, and does not ask where anything is."""
    held = run.obj(instance).attrs.values()
    return not asks_for_device(method) and not any(_has_state(run, each) for each in held)


def _has_state(run: Run, value: Value) -> bool:
    """Whether a value is a parameter or buffer, or a module that may have some."""
    for part in leaves(value):
        if isinstance(part, Tensor) and part.registered:
            return True
        if isinstance(part, Instance):
            obj = run.obj(part)
            if obj.module and obj.stateful is not False:
                return True
    return False
