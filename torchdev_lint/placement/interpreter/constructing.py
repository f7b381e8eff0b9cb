"""Calls of classes: which objects are built at once, and which when something of them is asked."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    ClassValue,
    Instance,
    Place,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.classes import is_module
from torchdev_lint.placement.libraries.own_loaders import loader_of_class
from torchdev_lint.placement.python import functions
from torchdev_lint.placement.python.moving import move_object
from torchdev_lint.placement.python.unbuilt import unbuilt
from torchdev_lint.placement.run import Run


def construct(run: Run, value: ClassValue, arguments: Arguments, node: ast.Call) -> Value:
    """Build an object of a class, or a module of which only the class and settings are known."""
    if _is_part(run, value.info) or _is_built_when_asked(run, value.info, arguments):
        if functions.is_misbuilt(run, value.info, arguments, node):
            return UNKNOWN
        return unbuilt(run, value.info, arguments, node)
    loader = loader_of_class(run, value.info, arguments)
    return loader or functions.construct(run, value.info, arguments, node)


def restore(run: Run, info: ClassInfo, node: ast.Call) -> Value:
    """Make a module as a class method of a library does that reads it from a file.

    What its constructor is given stands in the file; so may where the module lives.
    """
    build = functions.construct if info.file is run.main else unbuilt
    model = build(run, info, Arguments(open_ended=True, any_keyword=True), node)
    if isinstance(model, Instance):
        move_object(run, model, Place.UNKNOWN, by_code=False)
    return model


def _is_part(run: Run, info: ClassInfo) -> bool:
    """Whether a class of another file gives a module of the file at hand a part, while it is built.

    Most such parts are only handed what lives where they do: what they do with it is no matter.
    """
    return info.file is not run.main and run.builds_module and is_module(info)


def _is_built_when_asked(run: Run, info: ClassInfo, arguments: Arguments) -> bool:
    """Whether a class of another file is called by code there, or read for what that hands over.

    Whether the module matters, and what it is made of, is asked later, if it isn't given modules:
    most models have far more parts than what is done with them asks for.
    """
    if not (run.reads_ahead or run.is_elsewhere) or run.frame.in_forward:
        return False
    if info.file is run.main or not is_module(info):
        return False
    every = (option for value in arguments.values() for option in alternatives(value))
    return not any(isinstance(option, Instance) and run.obj(option).module for option in every)
