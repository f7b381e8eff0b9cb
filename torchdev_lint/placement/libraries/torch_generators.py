"""torch.Generator: where random numbers come from, which are drawn on its device only."""

from __future__ import annotations

from torchdev_lint.catalog.generators import DEFAULT_MAKERS, GENERATOR, METHODS
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.values import Place, Value
from torchdev_lint.placement.libraries.registry import Call, handles
from torchdev_lint.placement.python.devices import place_of


@handles(GENERATOR)
def _generator(call: Call) -> Value:
    """One that is told no device is on the CPU, whatever the default device is."""
    value = call.get(0, "device")
    place: Place | None = Place.HOST
    if value is not None:
        place = place_of(call.run, value, call.arguments.node(0, "device"))
    elif call.arguments.open_ended or call.arguments.any_keyword:
        place = None
    if Mood.DOUBT in call.run.moods:
        place = None
    return call.run.allocate(Obj(place or Place.UNKNOWN), None, GENERATOR, site=call.node)


@handles(*DEFAULT_MAKERS)
def _of_the_host(call: Call) -> Value:
    return call.run.allocate(Obj(Place.HOST), None, GENERATOR, site=call.node)


@handles(*(f"{GENERATOR}.{name}" for name in METHODS))
def _itself(call: Call) -> Value | None:
    return call.receiver
