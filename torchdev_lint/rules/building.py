"""Which modules a function builds for what it is given."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.builtins import CONSTRUCTING
from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.facts.events import OwnState
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.rules.callers import Callers
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS


def builds_for_given(facts: Facts, meeting: Meeting) -> bool:
    """Return whether a function builds a module for what it is given, or for the device it takes.

    That is one which it applies itself, or has a function of the file apply that does no more. What
    is trained or loaded is a model, which may well be meant for the CPU.
    """
    origin = meeting.origin
    if origin.kind is not OriginKind.MODULE:
        return False
    if facts.find(OwnState, origin.identity) is not None:
        return False
    function = facts.syntax.scope(origin.node)
    if not isinstance(function, FUNCTIONS) or not _only_applies(facts, meeting, function):
        return False
    if meeting.given is not None:
        return facts.concluded(Callers).may_bring_device(meeting.given)
    return not DEVICE_NAMES.isdisjoint(parameter.arg for parameter in parameters_of(function))


def _only_applies(facts: Facts, meeting: Meeting, function: ast.AST) -> bool:
    """Whether a module is applied by the function that builds it, or by one that trains nothing.

    What is applied in another file is told of where it is built: a constructor keeps it for others.
    """
    applying = facts.syntax.scope(meeting.node)
    if meeting.node is meeting.origin.node and getattr(function, "name", "") in CONSTRUCTING:
        return False
    if applying is function:
        return True
    is_handed = isinstance(applying, FUNCTIONS) and meeting.given is function
    return is_handed and not context_of(meeting.origin.file).computes_gradients(applying)
