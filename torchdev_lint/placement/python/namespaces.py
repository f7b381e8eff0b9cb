"""What modules hold, asked for by names that only settings tell: `models.__dict__[args.arch]`."""

from __future__ import annotations

from torchdev_lint.catalog.ecosystem import ANY_OF_PROJECT, any_model_of
from torchdev_lint.placement.domain.containers import Mapping
from torchdev_lint.placement.domain.imported import ProjectModule
from torchdev_lint.placement.domain.values import Library, Value
from torchdev_lint.placement.evidence.plain_models import builds_plain_models


def any_member_of(module: Value | None) -> Library | None:
    """Return what stands for any member of a module, None if nothing is known of them together.

    Args:
        module: a module of a library or of the project; anything else has no members like that.
    """
    if isinstance(module, Library) and (model := any_model_of(module.name)) is not None:
        return Library(model)
    if isinstance(module, ProjectModule) and builds_plain_models(module.path):
        return Library(ANY_OF_PROJECT)
    return None


def namespace_of(module: Value | None) -> Mapping | None:
    """Return the dict of a module, None if nothing is known of its members together.

    Args:
        module: as above.
    """
    member = any_member_of(module)
    return None if member is None else Mapping((), member)
