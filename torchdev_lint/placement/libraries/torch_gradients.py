"""What computes gradients and turns them on and off; all parameters of a module at once."""

from __future__ import annotations

import ast

from torchdev_lint.placement.defects.meetings import expand, find_meeting
from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import choice, sequence
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import (
    NONE,
    UNKNOWN,
    Bundle,
    Const,
    Place,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.libraries.registry import Call, handles
from torchdev_lint.placement.python.iteration import element_of
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace


@handles("torch.set_grad_enabled")
def _set_grad_enabled(call: Call) -> Value:
    """It holds for all that follows, or, in a `with`, for the body of that."""
    env = call.run.env
    env.settings = replace(env.settings, gradients=call.get(0, "mode") == Const(True))
    return NONE


@handles("torch.nn.utils.parameters_to_vector")
def _as_one_vector(call: Call) -> Value | None:
    """All parameters of a module, one behind the other, where they are."""
    parameters = call.get(0, "parameters")
    element = None if parameters is None else element_of(call.run, parameters, call.node)
    return element.computed(scalar=False) if isinstance(element, Tensor) else None


@handles("torch.autograd.grad")
def _gradients(call: Call) -> Value:
    """What is handed back through an output lives where that does; a gradient, where its input.

    An output of which nothing is known is where the input is that it was computed from.
    """
    if call.arguments.open_ended:
        return UNKNOWN
    names = ["outputs", "inputs", "grad_outputs"]
    outputs, sources, given = (_one_by_one(call, *each) for each in enumerate(names))
    if len(outputs) == len(sources) == 1 and outputs[0].value == UNKNOWN:
        outputs = sources
    if len(outputs) == len(given):
        for output, back in zip(outputs, given, strict=True):
            hand_back(call.run, "autograd.grad", call.node, output, back)
    inputs = call.get(1, "inputs")
    if inputs is None or call.get(-1, "allow_unused") not in (None, Const(False)):
        return UNKNOWN
    return choice([_gradients_of(option) for option in alternatives(inputs)])


def hand_back(run: Run, name: str, node: ast.AST, output: Operand, given: Operand) -> None:
    """Hand something back through what was computed, which has to live there; a 0-dim one is moved.

    For an output without dimensions PyTorch makes it itself: what is given has some, unless it
    certainly has none.
    Source: `validate_outputs_impl` in torch/csrc/autograd/engine.cpp.
    """
    tensors = [o for o in alternatives(given.value) if isinstance(o, Tensor)]
    policy = Policy.ELEMENTWISE if any(o.scalar for o in tensors) else Policy.STRICT
    find_meeting(run, name, node, [output, given], policy)


def _one_by_one(call: Call, position: int, name: str) -> list[Operand]:
    """What an argument is, or what it lists."""
    value, node = call.get(position, name), call.arguments.node(position, name)
    return [] if value is None or node is None else list(expand([Operand(value, node)]))


def _gradients_of(inputs: Value) -> Value:
    """The gradients for a tensor, or for each of several."""
    if isinstance(inputs, Tensor):
        return sequence([_gradient(inputs)], SequenceKind.TUPLE)
    if isinstance(inputs, Bundle):  # what a model gives: one tensor, or several
        return Sequence(None, _gradient(inputs), SequenceKind.TUPLE)
    if not isinstance(inputs, Sequence):
        return UNKNOWN
    parts = (inputs.element,) if inputs.items is None else inputs.items
    made = [_gradient(part) for part in parts]
    if inputs.items is None:
        return Sequence(None, made[0], SequenceKind.TUPLE)
    return sequence(made, SequenceKind.TUPLE)


def _gradient(source: Value) -> Value:
    if isinstance(source, Bundle) and source.place is Place.ACCELERATOR:
        return Tensor(source.place)
    return source.computed(source.scalar) if isinstance(source, Tensor) else UNKNOWN
