"""Functions that modules call whenever they are called: hooks.

Those that stand in a function are called by nobody in sight. What the module computes with is where
it is, and so is what its hooks are given.
"""

from __future__ import annotations

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Function,
    Instance,
    Place,
    Value,
    alternatives,
)
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.scopes import FUNCTIONS


def note_hook(run: Run, module: Value, arguments: Arguments) -> None:
    """Note a function that is defined where it is handed to a module as its hook.

    A module that was built on the CPU, and may stay there, calls it with what is there.
    """
    if run.is_elsewhere:
        return
    if isinstance(module, Instance) and run.obj(module).place is Place.HOST:
        if not run.builds_module:
            return
    for hook in alternatives(arguments.get(0, "hook") or UNKNOWN):
        if isinstance(hook, Function) and hook.is_nested and isinstance(hook.node, FUNCTIONS):
            if hook.bound is None and hook.closure[0].node is run.frame.node:
                run.hooks.append(hook)


def hooked_module(run: Run) -> Value:
    """Return what a hook is called with first: a module that is where its arguments are."""
    return run.allocate(Obj(Place.GIVEN, module=True, stateful=True), None)
