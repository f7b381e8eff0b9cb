"""Whether an expression is plain data, as files of settings hold it: never a tensor."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.plain_data import PLAIN_METHODS, PLAIN_READERS, PLAIN_WRAPPERS
from torchdev_lint.placement.domain.kind import Kind
from torchdev_lint.placement.evidence.class_attributes import assigned_in
from torchdev_lint.placement.evidence.made_of import Placed, made_of
from torchdev_lint.project.seen import in_one_moment
from torchdev_lint.proof.grounds import Grounds
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.private import class_around

_MOST_STEPS = 8
"""Over how many variables, attributes, arguments and results data is followed."""
_WRITTEN_OUT = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.JoinedStr)
"""Expressions that are no tensors themselves."""


class _Data(Kind):
    """What is known of an expression."""

    READ = "plain data that is read, at least by one caller"
    WRITTEN = "plain data that is written out"
    NOTHING = "that is not known"


def is_plain_data(of: Placed) -> bool:
    """Return whether an expression is read from a file of settings, or written out, or a part."""
    return _known_of(of, _MOST_STEPS) is not _Data.NOTHING


def is_read_as_data(of: Placed) -> bool:
    """Return whether it is plain data that code reads, whoever of the project gives it."""
    return _known_of(of, _MOST_STEPS) is _Data.READ


@in_one_moment
def _known_of(of: Placed, steps: int) -> _Data:
    """What is known of an expression.

    Args:
        steps: over how much it is followed.
    """
    file, node = of
    while True:
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and _gives_part(node):
            assert isinstance(node.func, ast.Attribute)
            node = node.func.value
        elif isinstance(node, ast.Call) and dotted(node.func) in PLAIN_WRAPPERS and node.args:
            node = node.args[0]
        else:
            break
    if isinstance(node, _WRITTEN_OUT):
        return _Data.WRITTEN
    if isinstance(node, ast.Call):
        if file.syntax.derived(Grounds).values.library(node.func) in PLAIN_READERS:
            return _Data.READ
    if not steps:
        return _Data.NOTHING
    inner = Placed(file, node)
    given = _kept(inner) if isinstance(node, ast.Attribute) else made_of(inner)
    found = {_known_of(each, steps - 1) for each in given}
    if not found or _Data.NOTHING in found:
        return _Data.NOTHING
    return _Data.READ if _Data.READ in found else _Data.WRITTEN


def _gives_part(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in PLAIN_METHODS


def _kept(of: Placed) -> list[Placed]:
    """What the class at hand gives an attribute of its object."""
    file, node = of
    owner = class_around(node, file.syntax)
    if owner is None or not isinstance(node, ast.Attribute) or dotted(node.value) != "self":
        return []
    return list(assigned_in(file, owner, node.attr))
