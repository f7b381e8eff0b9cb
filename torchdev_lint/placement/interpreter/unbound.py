"""Variables and attributes that are not there where code reads them: that raises everywhere."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.builtins import THERE
from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.placement.defects.mistaken import is_plain_without
from torchdev_lint.placement.domain.values import Instance, Value
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.lacking import lacks, lacks_until_set
from torchdev_lint.placement.run import Run, is_its_own
from torchdev_lint.syntax.scopes import FUNCTIONS


def holds_nothing(run: Run, name: str) -> bool:
    """Return whether a function reads a variable that only others have, or nobody.

    Args:
        name: a variable of which nothing is known.
    """
    frame = run.frame
    if name in frame.env.names or name in DEVICE_NAMES or not isinstance(frame.node, FUNCTIONS):
        return False
    context, tree = context_of(frame.file), run.module.node
    if name in context.global_names or name in THERE:
        return False
    if any(name in context.names_of(scope.node) for scope in (frame, *frame.closure)):
        return False
    return not context.binds_out_of_sight(tree)


def is_not_bound_yet(run: Run, name: str) -> bool:
    """Return whether a function reads a variable of its own before anything binds it.

    A round of a loop may have bound it for the next one.

    Args:
        name: a variable of which nothing is known.
    """
    frame = run.frame
    if frame.changing or name in frame.env.names or name in frame.cells:
        return False
    if name in frame.bound_by_rounds:
        return False
    return is_its_own(frame, name)


def is_left_to_script(run: Run, name: str) -> bool:
    """Return whether a function reads what only the script of its file has, which doesn't use it.

    Whoever else calls it has imported the file, in which the variable is not there then.

    Args:
        name: a variable that the function doesn't bind.
    """
    frame, module = run.frame, run.module
    if name in frame.env.names or not isinstance(frame.node, FUNCTIONS) or len(run.frames) < 2:
        return False
    context = context_of(frame.file)
    script = context.script_of(module.node)
    if name not in script.variables or context.binds_out_of_sight(module.node):
        return False
    entered = run.frames[1]
    used = entered.file is frame.file and script.uses(entered.scope.partition(".")[0])
    return not used and name not in context.global_names


def has_no(run: Run, owner: Value, node: ast.Attribute) -> bool:
    """Return whether something certainly doesn't have an attribute that code reads.

    Args:
        owner: what the attribute is read from.
        node: the expression.
    """
    name = node.attr
    if is_plain_without(run, owner, node):
        return True
    if not isinstance(owner, Instance) or owner.cls is None or owner.cls.lookup(name) is not None:
        return False
    if name in run.obj(owner).attrs:
        return False
    frame = run.frame
    is_built = owner == frame.bound and getattr(frame.node, "name", "") == "__init__"
    return lacks(owner.cls, name) or (is_built and lacks_until_set(owner.cls, name, frame.node))
