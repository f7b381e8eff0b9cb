"""PyTorch Geometric and its satellites: data sets and loaders of graphs, scattering."""

from __future__ import annotations

import ast

from torchdev_lint.catalog import graphs as catalog
from torchdev_lint.placement.defects.operations import operate
from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import sequence
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import (
    NONE,
    UNKNOWN,
    Bundle,
    Loader,
    Place,
    Unknown,
    Value,
)
from torchdev_lint.placement.libraries.registry import Call, handles, handles_members
from torchdev_lint.placement.libraries.torch_data import make_loader
from torchdev_lint.syntax.names import text_of


@handles(*(f"{m}.{name}" for m in catalog.GRAPH_LOADER_MODULES for name in catalog.GRAPH_LOADERS))
def _loader(call: Call) -> Value | None:
    """A loader of graphs; those that sample one large graph give parts of where it lives."""
    if call.last in catalog.WHOLE_GRAPH_LOADERS:
        is_open = isinstance(make_loader(call.run, call.arguments).batch, Unknown)
    else:
        data = call.get(0, "data")
        is_open = not (isinstance(data, Bundle) and data.place is Place.HOST)
    return Loader(UNKNOWN if is_open else Bundle(Place.HOST, in_place=True))


@handles_members(*catalog.IN_MEMORY_DATASETS)
def _dataset(call: Call) -> Value | None:
    if _may_move_data(call.node):
        return None
    origin = call.run.made(call.node, OriginKind.LOADED, call.name)
    return Sequence(None, Bundle(Place.HOST, origin, in_place=True), SequenceKind.DATASET)


def _may_move_data(node: ast.Call) -> bool:
    """Whether a data set's transform may put the data on a device."""
    for keyword in node.keywords:
        if keyword.arg and keyword.arg.endswith("transform"):
            if not isinstance(keyword.value, ast.Call) or "ToDevice" in text_of(keyword.value):
                return True
    return False


@handles_members(*catalog.SCATTERS)
def _scatter(call: Call) -> Value | None:
    if call.last in catalog.EDGE_CHANGES:
        return _changed_edges(call)
    if call.last not in catalog.SCATTER_FUNCTIONS and call.last != catalog.DENSE_BATCH:
        return None
    given = call.arguments.operands()
    value = operate(call.run, call.last, call.node, given, Policy.STRICT)
    return (
        sequence([value, value], SequenceKind.TUPLE) if call.last == catalog.DENSE_BATCH else value
    )


def _changed_edges(call: Call) -> Value:
    """The edges and their weights, if there are any: the place of one tells nothing of the other.

    Older releases call the weights by another name.
    """
    weights = next((n for n in ("edge_attr", "edge_weight") if call.get(1, n) is not None), "")
    items = []
    for position, name in enumerate(("edge_index", weights)):
        value, node = call.get(position, name), call.arguments.node(position, name)
        given = [] if value is None or node is None else [Operand(value, node)]
        given = [each for each in given if each.value != NONE]
        items.append(operate(call.run, call.last, call.node, given, Policy.STRICT))
    return Sequence(tuple(items), UNKNOWN, SequenceKind.TUPLE)
