"""Layers that `forward` builds anew in every call, and what shows that they are meant to be.

Such a layer is new to the optimizer and to `state_dict()` whenever it is used. That harms where
its parameters are there to be trained: not where gradients are off, and not where the code sets,
loads, freezes or reads them, or keeps the layer or hands it to something out of sight.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.gradients import (
    CONSTANT_FILLS,
    KEEPING_CONTEXTS,
    KEEPING_DECORATORS,
    LEAVES_PARAMETERS,
    RANDOM_FILLS,
    SETTINGS,
)
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.isomorphism import parts_of
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import Instance, Library, Place, Tensor, Value
from torchdev_lint.placement.evidence.classes import is_autograd_function
from torchdev_lint.placement.facts.events import OwnState, Rebuilt, Trainable
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import dotted, path_of
from torchdev_lint.syntax.scopes import FUNCTIONS

_TRAINED = frozenset({"forward", "__call__", "training_step"})
"""Methods of modules that run while the model is trained."""


def note_parameters(run: Run, origin: Origin | None) -> None:
    """Note that a construction in `forward` makes parameters that ask for gradients."""
    if origin is not None and not may_lack_gradients(run):
        run.note(Trainable(origin))


def hand_on(run: Run, part: Origin | None, whole: Origin) -> None:
    """Have what is known of a layer's parameters hold for the container that it is put into."""
    if part is not None:
        for kind in (Trainable, OwnState):
            if run.facts.find(kind, part.identity) is not None:
                run.note(kind(whole))


def note_use(run: Run, obj: Obj, node: ast.Call) -> None:
    """Record that a layer is applied to a tensor on the accelerator, where it lives itself.

    Args:
        obj: the layer.
        node: its call.
    """
    origin = obj.origin
    if origin is None or obj.place is not Place.ACCELERATOR:
        return
    if run.facts.find(Trainable, origin.identity) is None or run.frame.construction is not None:
        return
    is_trained = any(_is_trained(run, frame) for frame in run.frames)
    if is_trained and not may_lack_gradients(run):
        run.note(Rebuilt(origin, node))


def _is_trained(run: Run, frame: Frame) -> bool:
    """Whether a call is that of a module's `forward`."""
    is_method = isinstance(frame.bound, Instance) and run.obj(frame.bound).module
    return is_method and getattr(frame.node, "name", "") in _TRAINED


def may_lack_gradients(run: Run) -> bool:
    """Whether gradients may be off, or what a call gives may be kept for the next one.

    Autograd is off in an `autograd.Function`; a decorator may turn it off, and may be a cache.
    """
    return not run.env.settings.gradients or any(
        (frame.owner is not None and is_autograd_function(frame.owner))
        or any(_last_name(d) not in KEEPING_DECORATORS for d in _decorators(frame.node))
        for frame in run.frames
    )


def _decorators(node: ast.AST) -> list[ast.expr]:
    return node.decorator_list if isinstance(node, FUNCTIONS) else []


def may_turn_gradients_off(run: Run, context: ast.expr, value: Value) -> bool:
    """Whether a `with` may turn gradients off.

    Args:
        context: the expression of the context manager.
        value: what it gives.
    """
    if isinstance(context, ast.Call):  # one that is computed would be computed once more
        function = run.evaluate(context.func) if path_of(context.func) else value
    else:
        function = value
    return not (isinstance(function, Library) and function.name in KEEPING_CONTEXTS)


def _last_name(node: ast.expr) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    return (dotted(called) or "").rpartition(".")[2]


def excuse(run: Run, value: Value) -> None:
    """Note that the code keeps what a value holds, or hands it to what is out of sight.

    While a module is built, its own layers are not meant: it is there that they are registered.
    """
    if run.facts.of(Trainable):
        for origin in _layers_in(run, value, set()):
            if not _is_under_construction(run, origin):
                _excuse_origin(run, origin)


def excuse_reading(run: Run, layer: Instance, obj: Obj, name: str) -> None:
    """Note that an attribute of a layer is read by code that isn't the layer's own."""
    if obj.origin is None or name in LEAVES_PARAMETERS or says_how(layer, name):
        return
    if not _is_own_code(run, layer, obj.origin):
        _excuse_origin(run, obj.origin)


def excuse_setting(run: Run, layer: Instance, name: str) -> None:
    """Note that an attribute of a layer is set, other than by its `__init__`."""
    origin = run.obj(layer).origin
    if origin is None or says_how(layer, name):
        return
    if not _is_under_construction(run, origin):
        _excuse_origin(run, origin)


def says_how(layer: Instance, name: str) -> bool:
    """Whether an attribute of a layer of PyTorch's only says how it computes."""
    return layer.cls is None and layer.library.startswith("torch.nn.") and name in SETTINGS


def excuse_writing(run: Run, tensor: Value, method: str) -> None:
    """Note that something else than random numbers is written into a parameter, or it is frozen.

    Args:
        method: the method that writes, with its underscore.
    """
    if isinstance(tensor, Tensor) and method.endswith("_") and method not in RANDOM_FILLS:
        excuse_parameter(run, tensor)


def excuse_initialization(run: Run, function: str, tensor: Value, node: ast.AST) -> None:
    """Note that a function of `torch.nn.init` makes a fixed filter of a layer.

    A bias that begins at zero says nothing of the weights.

    Args:
        function: its name.
        tensor: what it fills.
        node: the expression of that.
    """
    is_bias = isinstance(node, ast.Attribute) and node.attr == "bias"
    if function in CONSTANT_FILLS and not is_bias:
        excuse_parameter(run, tensor)


def excuse_parameter(run: Run, tensor: Value) -> None:
    """Note that a parameter is given values, or frozen."""
    if isinstance(tensor, Tensor) and tensor.origin is not None and _is_of_layer(tensor):
        _excuse_origin(run, tensor.origin)


def excuse_state(run: Run, layer: Instance) -> None:
    """Note that the code handles the state of a layer, be it the layer's own code."""
    origin = run.obj(layer).origin
    if origin is not None:
        _excuse_origin(run, origin)


def _excuse_origin(run: Run, origin: Origin) -> None:
    if origin.kind in (OriginKind.LAYER, OriginKind.MODULE):
        run.note(OwnState(origin))


def _is_under_construction(run: Run, origin: Origin) -> bool:
    construction = run.frame.construction
    return construction is not None and construction.identity == origin.identity


def _is_own_code(run: Run, layer: Instance, origin: Origin) -> bool:
    """Whether a method of a layer, or of what it was built as a part of, is running."""
    if _is_under_construction(run, origin):
        return True
    bound = run.frame.bound
    if not isinstance(bound, Instance):
        return False
    own = run.obj(bound).origin
    return bound == layer or (own is not None and own.identity == origin.identity)


def _layers_in(run: Run, value: Value, seen: set[int]) -> Iterator[Origin]:
    """The origins of the layers that can be reached from a value."""
    origin, parts = None, parts_of(value)
    if isinstance(value, Tensor):
        origin = value.origin if _is_of_layer(value) else None
    elif isinstance(value, Instance) and value.ref not in seen:
        seen.add(value.ref)
        obj = run.obj(value)
        origin, parts = obj.origin, tuple(obj.attrs.values())
    if origin is not None:
        yield origin
    for part in parts:
        yield from _layers_in(run, part, seen)


def _is_of_layer(tensor: Tensor) -> bool:
    """Whether it is a parameter of a layer that was built in view."""
    return tensor.origin is not None and tensor.origin.kind is OriginKind.LAYER
