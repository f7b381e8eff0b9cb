"""torch.jit.trace, torch.onnx and torch.export: they call a model with what they are given."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.ecosystem import GRAPH_WRITERS, MODEL_CALLERS
from torchdev_lint.catalog.methods import RECORDING_TESTS
from torchdev_lint.placement.defects.meetings import element_nodes, is_tensor_like
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Sequence
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.values import UNKNOWN, Const, Place, Value, alternatives
from torchdev_lint.placement.libraries.registry import Call, handles


@handles(*GRAPH_WRITERS)
def _writer(call: Call) -> Value:
    return call.run.allocate(Obj(Place.UNKNOWN), None, call.name, site=call.node)


@handles(*RECORDING_TESTS)
def _is_recorded(call: Call) -> Value:
    """Code is looked at as Python runs it, not as it is recorded or compiled."""
    return Const(False)


@handles(*MODEL_CALLERS)
def _call_model(call: Call) -> Value:
    """Call the model as its examples say; what is made of it is out of sight."""
    keyword = MODEL_CALLERS[call.name]
    model, inputs = call.get(0), call.get(1, keyword)
    model_node, inputs_node = call.arguments.node(0), call.arguments.node(1, keyword)
    if model is None or inputs is None or inputs_node is None:
        return UNKNOWN
    arguments = _spread(inputs, inputs_node)
    if arguments is not None and isinstance(model_node, ast.expr):
        as_called = ast.copy_location(ast.Call(model_node, [], []), call.node)
        for function in alternatives(model):
            call.run.call(call.run, function, arguments, as_called)
    return UNKNOWN


def _spread(inputs: Value, node: ast.AST) -> Arguments | None:
    """The arguments that a tensor or a tuple of them stands for; None where it isn't known."""
    if isinstance(inputs, Sequence):
        if inputs.items is None:
            return None
        nodes = element_nodes(node, len(inputs.items))
        return Arguments(positional=list(zip(inputs.items, nodes, strict=True)))
    return Arguments(positional=[(inputs, node)]) if is_tensor_like(inputs) else None
