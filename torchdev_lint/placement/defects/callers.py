"""Who calls the functions of a file, and with what."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchdev_lint.catalog.factories import CONVERTERS
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.joins import choice, leaves
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Bundle,
    Function,
    Instance,
    Loader,
    Partial,
    Place,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.facts.events import Called, LeftToCallers, MixedReturn
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import names_in
from torchdev_lint.syntax.scopes import FUNCTIONS

_DEPTH = 2
"""How deep objects are looked into that hold others."""


def note_called(run: Run, function: ast.AST, arguments: Arguments) -> None:
    """Note for a call whether it gives a function tensors, and from where.

    Where it gives one on the host, the others are there as well, or the arguments are not in one
    place, as they are supposed to be otherwise: what they meet is found by following the call.

    Args:
        function: the function that is called.
    """
    given = [list(leaves(value)) for value in arguments.values()]
    places = {tensor.place for each in given for tensor in _tensors_in(each)}
    beside = any(_is_on_host(each) or _is_host_module(run, each) for each in given)
    with_host = beside or places == {Place.HOST} or run.serves_host
    on_device = Place.ACCELERATOR in places and not with_host
    run.note(Called(function, _caller(run), with_host, on_device))


def _caller(run: Run) -> ast.AST | None:
    """The function of the file that calls another one at hand; the entry point, if none does."""
    frame = run.frame
    is_own = isinstance(frame.node, FUNCTIONS) and frame.file is run.main
    return frame.node if is_own else run.entry


def _tensors_in(parts: list[Value]) -> list[Tensor | Bundle]:
    return [part for part in parts if isinstance(part, (Tensor, Bundle))]


def _is_on_host(parts: list[Value]) -> bool:
    """Whether an argument is on the host on all paths, and may be more than a number.

    Where one path has brought it there, others whose values are not known agree with that.

    Args:
        parts: what it may be, or hold.
    """
    tensors = _tensors_in(parts)
    made_by = [tensor.origin for tensor in tensors]
    was_brought = any(made is None or made.kind is OriginKind.BROUGHT for made in made_by)
    if (UNKNOWN in parts and not was_brought) or any(t.place is not Place.HOST for t in tensors):
        return False
    return any(tensor.scalar is not True for tensor in tensors)


def _is_host_module(run: Run, parts: list[Value]) -> bool:
    """Whether an argument is a module that is on the host on all paths."""
    objs = [run.obj(part) if isinstance(part, Instance) else None for part in parts]
    return bool(objs) and all(o is not None and o.module and o.place is Place.HOST for o in objs)


def note_returned(
    run: Run, function: ast.AST, given: Arguments, place: Place, value: Value
) -> None:
    """Note it if an entry point gives what is on the host, or that or another, by the path.

    Where a function may be given no tensor at all, it may well be that it makes one only then. What
    is called for a model has that one's device in any case.

    Args:
        function: the entry point.
        given: its arguments.
        place: where tensors live that come in with them.
        value: what it gives.
    """
    if getattr(function, "name", "") == "forward" and _holds_host(run, value):
        run.note(LeftToCallers(function))
    on_device = place is Place.ACCELERATOR
    if on_device or any(map(_is_given, given.values())):
        for origin in _made_beside(value, place):
            run.note(MixedReturn(origin, function, on_device))


def _holds_host(run: Run, value: Value, depth: int = _DEPTH) -> bool:
    """Whether a value may be something on the host, or have it as a part or attribute."""
    for part in leaves(value):
        if isinstance(part, (Tensor, Bundle)):
            if part.place is Place.HOST:
                return True
        elif isinstance(part, Instance):
            obj = run.obj(part)
            if obj.module and obj.place is Place.HOST:
                return True
            if depth and any(_holds_host(run, each, depth - 1) for each in obj.attrs.values()):
                return True
        elif isinstance(part, Mapping):
            if any(_holds_host(run, each, depth) for each in part.held()):
                return True
        elif isinstance(part, (Loader, Function, Partial)):
            return True
    return False


def _is_given(value: Value) -> bool:
    """Whether an argument is a tensor in any case."""
    options = alternatives(value)
    return all(isinstance(o, Tensor) and o.place is Place.GIVEN for o in options)


def _made_beside(value: Value, place: Place) -> Iterator[Origin]:
    """Yield what made tensors on the host of which other paths give one that is elsewhere.

    What a model has moved itself on those paths was left where it is on purpose, as it seems. (A
    function that brings things to its argument's device means all of them.)

    Args:
        place: where that is, an accelerator or where the arguments are.
    """
    options = alternatives(value)
    for part in _parts(options):
        yield from _made_beside(part, place)
    tensors = [option for option in options if isinstance(option, Tensor)]
    on_device = place is Place.ACCELERATOR
    if any(t.place is place and not (on_device and t.moved_from) for t in tensors):
        for tensor in tensors:
            if tensor.place is Place.HOST and _is_made_here(tensor):
                assert tensor.origin is not None
                yield tensor.origin


def _parts(options: Iterable[Value]) -> Iterator[Value]:
    """Yield what stands at each position of tuples and lists, and under each key of dicts."""
    under: dict[object, list[Value]] = {}
    for option in options:
        if isinstance(option, Sequence):
            yield from option.items or ()
        elif isinstance(option, Mapping):
            for key, item in option.items:
                under.setdefault(key, []).append(item)
    yield from map(choice, under.values())


def _is_made_here(tensor: Tensor) -> bool:
    """Whether a factory has made a tensor with dimensions that is more than a stand-in.

    One that converts data is called for what is no tensor yet: its caller may have none. Numbers
    that are written out come from nobody.
    """
    origin = tensor.origin
    if origin is None or origin.kind is not OriginKind.FACTORY or origin.holder is not None:
        return False
    data = getattr(origin.node, "args", ())
    if origin.label.rpartition(".")[2] in CONVERTERS and any(map(names_in, data)):
        return False
    return tensor.scalar is False and origin.count != 0
