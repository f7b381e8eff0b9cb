"""Where the state of a module meets what the module is given."""

from __future__ import annotations

import ast

from torchdev_lint.placement.defects.meetings import find_meeting, places_of
from torchdev_lint.placement.defects.modules import module_meeting
from torchdev_lint.placement.defects.numbers import find_numbered_module
from torchdev_lint.placement.defects.rebuilt import note_use
from torchdev_lint.placement.defects.telling import note_meeting
from torchdev_lint.placement.defects.views import note_view
from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.heap import CONTAINED, Obj, is_left, number_of, put_back_by
from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import ARGUMENT, ITEM, Place
from torchdev_lint.placement.python.moving import registered_in
from torchdev_lint.placement.python.put_back import is_applied_by_name
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import short


def meet_module(run: Run, obj: Obj, operands: list[Operand], node: ast.Call) -> None:
    """Record it if what a module is given is elsewhere than its state.

    Args:
        obj: the module.
        operands: what it is given.
        node: its call.
    """
    if obj.place is Place.ACCELERATOR:
        if (number := number_as_whole(run, obj)) is not None and not run.moods.lasting:
            find_numbered_module(run, number, node, operands)
        find_meeting(run, short(node.func), node, operands, Policy.STRICT, module=node.func)
        if certain_partner(operands) is not None:
            note_use(run, obj, node)
    elif put_back_by(obj) or (obj.place is Place.HOST and obj.origin is not None):
        meet_host_module(run, obj, operands, node)


def number_as_whole(run: Run, obj: Obj) -> Origin | None:
    """Return what put a module on one of several accelerators, if all its parts are there."""
    number = number_of(obj)
    if number is None or not obj.attrs:
        return number
    parts = list(map(run.obj, registered_in(obj))) if obj.attrs.keys() == {CONTAINED} else []
    stateful = [part for part in parts if part.stateful is not False]
    are_with_it = all(number_of(part) == number and not part.attrs for part in stateful)
    return number if stateful and are_with_it else None


def meet_added(run: Run, obj: Obj, operands: list[Operand], node: ast.Call) -> None:
    """Record it if a part of a library's model was exchanged after the model was moved."""
    for part in registered_in(obj):
        added = run.obj(part)
        if is_left(added) and added.stateful is True:
            meet_host_module(run, added, operands, node)


def meet_host_module(run: Run, obj: Obj, operands: list[Operand], node: ast.Call) -> None:
    """Record it if a module that was left on the host is applied to accelerator values."""
    assert obj.origin is not None
    partner = certain_partner(operands)
    is_given = partner is None and is_left(obj) and not run.serves_host
    if is_given:
        partner = given_partner(operands)
    if partner is None:
        return
    if put_back_by(obj) and not is_applied_by_name(run, obj.origin, _applied(run, node)):
        return
    meeting = module_meeting(run, obj.origin, node, partner.node, is_given)
    meeting = replace(meeting, perhaps=obj.place is not Place.HOST)
    if note_meeting(run, meeting, node) and not run.is_elsewhere:
        note_view(run, node)


def _applied(run: Run, node: ast.Call) -> ast.Call:
    """The call of the whole module whose code is at hand, or that of a layer itself."""
    return node if run.applied is None else run.applied[0]


def certain_partner(operands: list[Operand]) -> Operand | None:
    """Return the first operand that is certainly on the accelerator.

    The first of all is a tensor, since a layer takes it.
    """
    if operands and operands[0].value in (ARGUMENT, ITEM):
        return operands[0]
    return _first_at(Place.ACCELERATOR, operands)


def given_partner(operands: list[Operand]) -> Operand | None:
    """Return the first operand that is certainly where the function at hand got its tensors."""
    return _first_at(Place.GIVEN, operands)


def _first_at(place: Place, operands: list[Operand]) -> Operand | None:
    for operand in operands:
        if places_of(operand) == {place}:
            return operand
    return None
