"""torchmetrics: metrics, which are modules, some of them with state in tensors."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.metrics import (
    COMPARING_FUNCTIONS,
    METRIC_COLLECTION,
    METRICS,
    PER_SAMPLE,
    counts_in_tensors,
    is_comparing,
)
from torchdev_lint.placement.defects.operations import operate
from torchdev_lint.placement.domain.arguments import Arguments, Operand
from torchdev_lint.placement.domain.containers import Mapping
from torchdev_lint.placement.domain.heap import OWN_STATE, Obj, is_left
from torchdev_lint.placement.domain.joins import leaves
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import Const, Instance, Place, Tensor, Value
from torchdev_lint.placement.libraries.registry import Call, handles, handles_members
from torchdev_lint.placement.libraries.torch_layers import origin_of_module
from torchdev_lint.syntax.names import short

_FUNCTIONS = f"{METRICS}.functional."
_COMPARED = ("preds", "target", "x", "y")
"""The parameters of a function for what it compares."""


@handles_members(METRICS)
def _metric(call: Call) -> Value | None:
    """A metric that nothing has moved is on the host, with what it counts.

    Others only compare what they are given, as functions do.
    """
    given = call.arguments
    if call.name.startswith(_FUNCTIONS) and call.last in COMPARING_FUNCTIONS:
        operands = [Operand(value, node) for value, node in _compared(given)]
        return operate(call.run, short(call.node.func), call.node, operands, Policy.STRICT)
    if is_comparing(call.name) and call.receiver is None:
        obj = Obj(Place.UNKNOWN, module=True, stateful=False)
        return call.run.allocate(obj, None, call.name, site=call.node)
    if not counts_in_tensors(call.name) or call.receiver is not None:
        return None
    if given.any_keyword or not PER_SAMPLE.isdisjoint(given.keywords):
        return None
    if call.get(-1, "average") == Const("samples"):
        return None
    return _built(call)


def _compared(given: Arguments) -> list[tuple[Value, ast.AST]]:
    """The two things that a function is given to compare."""
    named = [given.keywords[name] for name in _COMPARED if name in given.keywords]
    return [*given.positional[:2], *named][:2]


@handles(METRIC_COLLECTION)
def _collection(call: Call) -> Value | None:
    """A module that holds the metrics it is given, and is where these are."""
    held = [each for value in call.arguments.values() for each in _held(value)]
    metrics = [call.run.obj(each) for each in held]
    if not any(metric.stateful or OWN_STATE in metric.attrs for metric in metrics):
        return None
    counting = [metric for metric in metrics if metric.stateful is not False]
    return _built(call) if all(map(is_left, counting)) else _part(call)


def _held(value: Value) -> Iterator[Instance]:
    """The objects that are handed over, by themselves or in a list or dict."""
    given = value.held() if isinstance(value, Mapping) else (value,)
    return (leaf for part in given for leaf in leaves(part) if isinstance(leaf, Instance))


def _built(call: Call) -> Value:
    """A module with state that is on the host, unless it is a part of another one."""
    place = call.run.env.settings.default
    origin = origin_of_module(call.run, call.node, call.last, place)
    if origin is None:
        return _part(call)
    obj = Obj(place, module=True, stateful=True, origin=origin)
    return call.run.allocate(obj, None, call.name, site=call.node)


def _part(call: Call) -> Value:
    """A module with state, which is wherever the one is that it is a part of."""
    state = Tensor(Place.UNKNOWN, registered=True)
    obj = Obj(Place.UNKNOWN, module=True, attrs={OWN_STATE: state})
    return call.run.allocate(obj, None, call.name, site=call.node)
