"""What operations on several tensors give."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from itertools import product
from math import prod

from torchdev_lint.placement.defects.copies import note_computed
from torchdev_lint.placement.defects.hard_coded import named_result
from torchdev_lint.placement.defects.meetings import expand, find_meeting, may_be_number, place_of
from torchdev_lint.placement.defects.numbers import common_number
from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import (
    ARGUMENT,
    ITEM,
    UNKNOWN,
    Bundle,
    Const,
    Place,
    Scalar,
    Tensor,
    Unknown,
    Value,
    alternatives,
    without_none,
)
from torchdev_lint.placement.facts.events import BesideGiven
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace

MAX_COMBINATIONS = 8
"""How many combinations of what operands may be an operation is evaluated for."""


def operate(
    run: Run,
    name: str,
    node: ast.AST,
    operands: list[Operand],
    policy: Policy,
    in_place: bool = False,
) -> Value:
    """Evaluate an operation: record a meeting, and return the result.

    Args:
        name: what the operation is called in a message.
        node: its expression.
        policy: what it asks of where its operands live.
        in_place: whether the first operand is written to.
    """
    flat = list(expand(operands))
    note_computed(run, node, flat)
    find_meeting(run, name, node, flat, policy, in_place)
    _note_beside_given(run, flat)
    choices = [without_none(alternatives(operand.value)) for operand in flat]
    rows = _rows(choices)
    if rows is None:
        return _coarse_result(choices)
    abroad = run.is_elsewhere
    if in_place:
        return choice([_written(row[0], _result(row, policy, abroad)) for row in rows])
    results: list[Value] = [_result(row, policy, abroad) for row in rows] if flat else [UNKNOWN]
    if len(results) > 1 and _is_contradicted(results, choices):
        results = _nowhere(results)
    return choice(results)


def _rows(choices: list[tuple[Value, ...]]) -> Iterable[tuple[Value, ...]] | None:
    """The combinations of what operands may be; None where they are too many.

    Operands that may be the same things come from one variable, most of them: `x.sin()` beside
    `x.cos()`. So they are one and the same, before there would be too many.
    """
    if prod(map(len, choices)) <= MAX_COMBINATIONS:
        return product(*choices)
    kinds = list(dict.fromkeys(choices))
    if prod(map(len, kinds)) > MAX_COMBINATIONS:
        return None
    places = [kinds.index(options) for options in choices]
    return [tuple(row[place] for place in places) for row in product(*kinds)]


def _is_contradicted(results: list[Value], choices: list[tuple[Value, ...]]) -> bool:
    """Whether what is somewhere, but nobody knows where, has met what may be in two places.

    It can't be in both of them, so that one path raises there, and nobody knows which: neither of
    the results is certain to come about.
    """
    places = {value.place for value in results if isinstance(value, Tensor)}
    if Place.HOST not in places or places.isdisjoint({Place.ACCELERATOR, Place.GIVEN}):
        return False
    return any(map(_is_somewhere, choices))


def _is_somewhere(options: tuple[Value, ...]) -> bool:
    """Whether something is a tensor of which nobody knows where it is, on the host at the most.

    A number meets any other.
    """
    if not all(isinstance(option, (Tensor, Unknown)) for option in options):
        return False
    tensors = [option for option in options if isinstance(option, Tensor)]
    places = {tensor.place for tensor in tensors}
    if len(tensors) < len(options):
        places.add(Place.UNKNOWN)
    return (
        bool(tensors)
        and Place.UNKNOWN in places
        and places <= {Place.HOST, Place.UNKNOWN}
        and all(tensor.scalar is not True for tensor in tensors)
    )


def _nowhere(results: list[Value]) -> list[Value]:
    """The same tensors, none of them anywhere for certain."""
    return [
        Tensor(Place.UNKNOWN, value.scalar, axes=value.axes) if isinstance(value, Tensor) else value
        for value in results
    ]


def _written(target: Value, result: Value) -> Value:
    """What is in a tensor that was written to: it has the dimensions that it had."""
    if isinstance(target, Tensor) and isinstance(result, Tensor) and target.scalar is not None:
        return replace(result, scalar=target.scalar, axes=target.axes)
    return result


def _may_have_failed(row: tuple[Value, ...]) -> bool:
    """Whether a tensor on the host has met one that may live anywhere."""
    shaped = {
        value.place
        for value in row
        if isinstance(value, (Tensor, Bundle)) and value.scalar is False
    }
    return shaped == {Place.HOST, Place.UNKNOWN}


def _note_beside_given(run: Run, operands: list[Operand]) -> None:
    """Note what is made on the host beside what has come there from elsewhere, and may be there.

    A number is taken wherever the other one lives.
    """
    if len(operands) < 2 or run.moods.lasting:
        return
    hosts = [
        option
        for operand in operands
        for option in alternatives(operand.value)
        if isinstance(option, (Tensor, Bundle)) and option.place is Place.HOST
    ]
    if any(host.entered is not None and host.scalar is not True for host in hosts):
        for host in hosts:
            if host.entered is None and host.origin is not None:
                run.note(BesideGiven(host.origin))


def _coarse_result(choices: list[tuple[Value, ...]]) -> Value:
    for place in (Place.ACCELERATOR, Place.GIVEN):
        if any(all(place_of(option) is place for option in options) for options in choices):
            return Tensor(place)
    return UNKNOWN


def _result(row: tuple[Value, ...], policy: Policy, abroad: bool) -> Value:
    """What an operation gives of some operands.

    What another file makes on the host meets there what it is given. Where that lives is not known,
    so neither is what comes of it, if anything does: in that file it is told.

    Args:
        abroad: whether the operation stands in another file.
    """
    if abroad and _may_have_failed(row):
        return Tensor(Place.UNKNOWN, False)
    tensors = [v for v in row if isinstance(v, (Tensor, Bundle)) and not may_be_number(v)]
    foreign = any(not isinstance(value, (Tensor, Bundle, Const, Scalar)) for value in row)
    if any(map(_was_made_before, tensors)):
        # Where it is is where this gives something, if it gives anything at all.
        tensors = [value for value in tensors if not _may_be_anywhere(value)]
    if not tensors:
        return ITEM if {ARGUMENT, ITEM}.intersection(row) else UNKNOWN
    scalar = _scalar(tensors, foreign) if policy in (Policy.ELEMENTWISE, Policy.CHECKED) else None
    hosts = [value for value in tensors if value.place is Place.HOST]
    places = {value.place for value in tensors}
    if Place.NAMED in places:
        return named_result(tensors, scalar)
    axes = _axes(row) if policy is Policy.ELEMENTWISE else None
    for place in (Place.ACCELERATOR, Place.GIVEN):
        if place in places:
            if any(map(_was_put_on_host, hosts)):
                return UNKNOWN
            return Tensor(place, scalar, common_number(tensors), axes=axes)
    certain = [value for value in hosts if value.scalar is False]
    if certain or (hosts and len(hosts) == len(tensors) and not foreign):
        # What was made on the host for something that was brought there is there with it. That
        # goes for what has dimensions: a number is taken wherever the other one lives.
        # It is what the code at hand has made that can be mended there, not what it was given.
        brought = (value for value in hosts if _was_brought(value) and value.scalar is not True)
        own = (value for value in certain or hosts if value.entered is None)
        source = next(brought, next(own, (certain or hosts)[0]))
        origin = source.origin if len(tensors) == 1 else _with_more(source.origin)
        return Tensor(Place.HOST, scalar, origin, entered=source.entered, axes=axes)
    return Tensor(Place.UNKNOWN, scalar, axes=axes)


def _with_more(origin: Origin | None) -> Origin | None:
    """The origin of what is computed of several: of how many elements, that isn't known."""
    return replace(origin, count=None) if origin is not None and origin.count == 0 else origin


def _was_made_before(value: Tensor | Bundle) -> bool:
    """Whether it is a tensor with dimensions that was made on the host, and not by a `forward`."""
    if not isinstance(value, Tensor) or value.place is not Place.HOST or value.scalar is not False:
        return False
    if value.origin is None or value.origin.in_forward:
        return False
    return value.origin.kind is OriginKind.FACTORY


def _may_be_anywhere(value: Tensor | Bundle) -> bool:
    """Whether it is something that is only taken to be on the accelerator as a whole."""
    return isinstance(value, Bundle) and value.place.is_device and not value.stays


def _was_put_on_host(value: Tensor | Bundle) -> bool:
    """Whether the code itself moved a value to the CPU: what it meets there is there as well.

    So the module at hand lives on the CPU, against what is assumed of modules.
    """
    return _was_brought(value) and value.scalar is not True


def _was_brought(value: Tensor | Bundle) -> bool:
    return value.origin is None or value.origin.kind is OriginKind.BROUGHT


def _axes(row: tuple[Value, ...]) -> int | None:
    """How many axes there are in what elementwise operations give: those of the one with most."""
    most = 0
    for value in row:
        if isinstance(value, Tensor) and (value.axes is not None or value.scalar is True):
            most = max(most, value.axes or 0)
        elif not isinstance(value, (Const, Scalar)):
            return None
    return most or None


def _scalar(tensors: list[Tensor | Bundle], foreign: bool) -> bool | None:
    ranks = [value.scalar for value in tensors]
    if False in ranks:
        return False
    return True if not foreign and all(ranks) else None
