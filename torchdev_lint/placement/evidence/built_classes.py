"""Of which classes of a project what an expression builds is, also by way of functions."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.modules import FLUENT_METHODS, HANDS_OUT_PARTS
from torchdev_lint.placement.evidence.class_attributes import Owner, defined
from torchdev_lint.placement.evidence.made_of import Placed, made_of
from torchdev_lint.project.seen import in_one_moment

_MOST_STEPS = 16
"""How many expressions are gone through from what is built back to what builds it."""


@in_one_moment
def classes_built(of: Placed) -> tuple[Owner, ...]:
    """Return the classes of which what an expression gives may be, each with its file.

    Nothing where the code of the project doesn't tell all of them.

    Args:
        of: the expression, such as the call of a class, or of a function that calls one.
    """
    pending, found = [of], dict[ast.ClassDef, Owner]()
    for _ in range(_MOST_STEPS):
        if not pending:
            break
        each = pending.pop()
        behind = defined(each.file, each.node.func) if isinstance(each.node, ast.Call) else None
        if behind is not None and isinstance(behind[1], ast.ClassDef):
            found[behind[1]] = behind[0], behind[1]
            continue
        given = _called_on(each) or made_of(each)
        if not given:
            return ()
        pending += given
    return () if pending else tuple(found.values())


def _called_on(of: Placed) -> list[Placed]:
    """The module that gives itself back: `model.eval()`."""
    function = of.node.func if isinstance(of.node, ast.Call) else None
    if not isinstance(function, ast.Attribute) or function.attr in HANDS_OUT_PARTS:
        return []
    return [Placed(of.file, function.value)] if function.attr in FLUENT_METHODS else []
