"""Random generators that are on another device than what is drawn with them."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.generators import GENERATOR, GENERATOR_ARGUMENT
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.frame import innermost_of
from torchdev_lint.placement.domain.values import NONE, Instance, Place, Value, alternatives
from torchdev_lint.placement.facts.draws import Draw
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.scopes import FUNCTIONS, parameter_names, root_name

_APART = frozenset({Place.HOST, Place.ACCELERATOR})


def note_draw(
    run: Run, node: ast.AST, place: Place, arguments: Arguments, by_default: bool = False
) -> None:
    """Note that a call draws in one place with a generator that is certainly in another.

    Args:
        place: where it draws.
        by_default: whether that is only the default device.
    """
    if GENERATOR_ARGUMENT not in arguments.keywords or place not in _APART or not run.supposing:
        return
    value, given = arguments.keywords[GENERATOR_ARGUMENT]
    other = _place_of(run, value)
    if other in _APART and other is not place and isinstance(node, ast.Call):
        generator = given if isinstance(given, ast.expr) else None
        draw = Draw(node, generator, other is Place.HOST, by_default, run.frame.scope)
        if not run.is_elsewhere:
            run.note(draw)
        elif run.crossing is not None and _is_told_where(node, run.frame.node):
            caller = innermost_of(run.frames, run.main)
            site = run.site(run.frame.file, node)
            run.note(replace(draw, node=run.crossing, scope=caller.scope, elsewhere=site))


def _is_told_where(draw: ast.Call, function: ast.AST) -> bool:
    """Whether the caller of a function says where it draws, by what it gives it or has made of it.

    Else the file of the function tells it.
    """
    told = {root_name(device) for device in by_keyword(draw, "device")}
    return isinstance(function, FUNCTIONS) and not told.isdisjoint(parameter_names(function))


def note_order(
    run: Run, node: ast.Call, arguments: Arguments, position: int = -1, later: bool = False
) -> None:
    """Note that an order is drawn on the default device by a generator that is on another.

    Args:
        position: where the generator may be given.
        later: whether the order is drawn later on, when the default may be another again.
    """
    settings = run.env.settings
    place = Place.ACCELERATOR if settings.brought else settings.default
    if place not in _APART or not run.supposing:
        return
    lasts = settings.lasts or settings.brought or not run.file.default_changes
    if arguments.open_ended or arguments.any_keyword or (later and not lasts):
        return
    value = arguments.get(position, GENERATOR_ARGUMENT)
    given = arguments.node(position, GENERATOR_ARGUMENT)
    is_given = value is not None and value != NONE
    other = _place_of(run, value) if value is not None and is_given else Place.HOST
    if other in _APART and other is not place:
        generator = given if is_given and isinstance(given, ast.expr) else None
        on_host = other is Place.HOST
        run.note(Draw(node, generator, on_host, True, run.frame.scope, settings.brought))


def _place_of(run: Run, value: Value) -> Place | None:
    """Where a generator is, whichever of several it is; None where that isn't known."""
    places = {
        run.obj(option).place
        if isinstance(option, Instance) and option.library == GENERATOR
        else None
        for option in alternatives(value)
    }
    return places.pop() if len(places) == 1 else None
