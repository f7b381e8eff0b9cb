"""Objects that hold settings: what they are given is read from their attributes.

Sources: https://docs.python.org/3/library/types.html#types.SimpleNamespace,
https://docs.python.org/3/library/argparse.html#argparse.Namespace, and the documentation of
easydict, addict, munch, python-box and ml_collections.
"""

from __future__ import annotations

from torchdev_lint.placement.domain.containers import Mapping
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.values import Place, Value
from torchdev_lint.placement.libraries.registry import Call, handles
from torchdev_lint.placement.run import Run


@handles("types.SimpleNamespace", "argparse.Namespace")
def _namespace(call: Call) -> Value:
    given = {name: value for name, (value, _) in call.arguments.keywords.items()}
    return call.run.allocate(Obj(Place.UNKNOWN, attrs=given), None, call.name, site=call.node)


@handles("addict.Dict", "box.Box", "easydict.EasyDict", "ml_collections.ConfigDict", "munch.Munch")
def _dict_with_attributes(call: Call) -> Value:
    """A dict that is given is gone through, with those in it."""
    given = {name: value for name, (value, _) in call.arguments.keywords.items()}
    whole = call.get(0)
    if isinstance(whole, Mapping):
        given = {**_named(whole), **given}
    attrs = {name: _with_attributes(call.run, value, call.name) for name, value in given.items()}
    return call.run.allocate(Obj(Place.UNKNOWN, attrs=attrs), None, call.name, site=call.node)


def _with_attributes(run: Run, value: Value, library: str) -> Value:
    if not isinstance(value, Mapping):
        return value
    attrs = {n: _with_attributes(run, inner, library) for n, inner in _named(value).items()}
    return run.allocate(Obj(Place.UNKNOWN, attrs=attrs), None, library)


def _named(whole: Mapping) -> dict[str, Value]:
    return {name: value for name, value in whole.items if isinstance(name, str)}
