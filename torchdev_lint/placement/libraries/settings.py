"""Objects that hold settings, where these say that something is on the host.

What else they hold stays what the user may set: a flag that a program gives itself is one that it
is to be run with.

Sources: https://docs.python.org/3/library/types.html#types.SimpleNamespace,
https://docs.python.org/3/library/argparse.html#argparse.Namespace, and the documentation of
easydict, addict, munch, python-box and ml_collections.
"""

from __future__ import annotations

from collections.abc import Iterable

from torchdev_lint.placement.domain.containers import Mapping
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.values import UNKNOWN, Instance, Place, Value
from torchdev_lint.placement.evidence.devices import place_named
from torchdev_lint.placement.libraries.registry import Call, handles
from torchdev_lint.placement.run import Run

_NAMESPACES = ("types.SimpleNamespace", "argparse.Namespace")
_DICTS = ("addict.Dict", "box.Box", "easydict.EasyDict", "ml_collections.ConfigDict", "munch.Munch")
"""Dicts whose entries are attributes as well, and so are those of the dicts in them."""


@handles(*_NAMESPACES)
def _namespace(call: Call) -> Value:
    given = call.arguments.keywords.items()
    return _holding(call.run, [(name, value) for name, (value, _) in given], call.name)


@handles(*_DICTS)
def _dict_with_attributes(call: Call) -> Value:
    """A dict that is given is gone through, with those in it."""
    whole = call.get(0)
    given: list[tuple[object, Value]] = list(whole.items) if isinstance(whole, Mapping) else []
    given += [(name, value) for name, (value, _) in call.arguments.keywords.items()]
    return _holding(call.run, given, call.name)


def _holding(run: Run, given: Iterable[tuple[object, Value]], library: str) -> Value:
    """An object that holds devices of the host, or objects that do; unknown if there are none."""
    attrs: dict[str, Value] = {}
    for name, value in given:
        if isinstance(value, Mapping) and library in _DICTS:
            value = _holding(run, value.items, library)
        if isinstance(name, str) and (_holds_settings(value) or _is_host(value)):
            attrs[name] = value
    if not attrs:
        return UNKNOWN
    return run.allocate(Obj(Place.UNKNOWN, attrs=attrs), None, library)


def _holds_settings(value: Value) -> bool:
    return isinstance(value, Instance) and value.library in {*_NAMESPACES, *_DICTS}


def _is_host(value: Value) -> bool:
    return place_named(value, None) is Place.HOST
