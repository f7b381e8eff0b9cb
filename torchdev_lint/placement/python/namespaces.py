"""What modules and objects hold, by names that only settings tell: `models.__dict__[args.arch]`."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.ecosystem import any_model_of
from torchdev_lint.placement.domain.containers import Mapping
from torchdev_lint.placement.domain.imported import AnyMember, ProjectMember, ProjectModule
from torchdev_lint.placement.domain.joins import MAX_ALTERNATIVES, choice
from torchdev_lint.placement.domain.values import (
    MISSING,
    WIDENED,
    ClassValue,
    Function,
    Instance,
    Library,
    Value,
)
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.plain_models import builds_plain_models
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.namespaces import is_left_as_it_is

ANY_OF_PROJECT = "project.any_model"
"""Stands for whatever a file of the project builds models with, of which a setting tells one."""


def any_member_of(module: Value | None) -> Library | AnyMember | None:
    """Return what stands for any member of a module, None if nothing is known of them together.

    Args:
        module: a module of a library or of the project; anything else has no members like that.
    """
    if isinstance(module, Library) and (model := any_model_of(module.name)) is not None:
        return Library(model)
    if isinstance(module, ProjectModule) and module.path.endswith(".py"):
        return AnyMember(module)
    return None  # a folder has only modules


def namespace_of(module: Value | None) -> Mapping | None:
    """Return the dict of a module, None if nothing is known of its members together.

    Args:
        module: as above.
    """
    member = any_member_of(module)
    return None if member is None else Mapping((), member)


def give_namespace(run: Run, instance: Instance, node: ast.expr) -> None:
    """Forget what an object keeps whose dict is handed to code, but where that only reads it.

    Args:
        instance: the object.
        node: the expression that gives its dict.
    """
    in_view = run.frame.file is run.main
    if not (in_view and is_left_as_it_is(node, run.facts.syntax)):
        forget_attributes(run, instance)


def forget_attributes(run: Run, instance: Instance) -> None:
    """Forget what an object keeps, whatever that is called."""
    obj = run.obj(instance)
    run.update(instance, obj.with_attributes(dict.fromkeys(obj.attrs, WIDENED)))


def one_of(values: list[Value]) -> Value:
    """Return one of some values, also of more functions and classes than alternatives are kept.

    Args:
        values: at least one.
    """
    one = choice(values)
    if len(values) <= MAX_ALTERNATIVES or one != WIDENED:
        return one
    builders = [value for value in values if value != MISSING]
    is_plain = all(map(_builds_plain_model, builders))
    return Library(ANY_OF_PROJECT) if is_plain else one


def _builds_plain_model(value: Value) -> bool:
    """Whether something is of a file that builds models which move nothing."""
    if isinstance(value, ProjectMember):
        return builds_plain_models(value.module.path)
    if isinstance(value, ClassValue):
        return builds_plain_models(context_of(value.info.file).path)
    if not isinstance(value, Function) or value.bound is not None or value.is_nested:
        return False
    return builds_plain_models(context_of(value.file).path)
