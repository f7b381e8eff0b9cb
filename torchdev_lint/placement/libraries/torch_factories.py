"""Calls that make tensors."""

from __future__ import annotations

import ast
import math

from torchdev_lint.catalog import factories as catalog
from torchdev_lint.catalog.generators import DRAWING_FACTORIES
from torchdev_lint.placement.defects.doubles import is_told_double, note_double
from torchdev_lint.placement.defects.draws import note_draw
from torchdev_lint.placement.defects.meetings import find_meeting
from torchdev_lint.placement.defects.numbers import numbered
from torchdev_lint.placement.defects.pinning import is_left_open, note_pinned_there
from torchdev_lint.placement.defects.rebuilt import note_parameters
from torchdev_lint.placement.defects.views import note_view
from torchdev_lint.placement.domain.arguments import Arguments, Operand
from torchdev_lint.placement.domain.containers import Sequence
from torchdev_lint.placement.domain.joins import choice, with_axes
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import (
    ARRAY,
    LISTED,
    NONE,
    PART,
    UNKNOWN,
    Bundle,
    Choice,
    Const,
    DeviceValue,
    Method,
    Place,
    Scalar,
    ScalarKind,
    Size,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.counts import is_computed_number
from torchdev_lint.placement.evidence.told_numbers import ToldNumbers
from torchdev_lint.placement.libraries.registry import Call, handles
from torchdev_lint.placement.libraries.torch_axes import made_axes
from torchdev_lint.placement.libraries.torch_conversions import followed
from torchdev_lint.placement.python.annotations import declares_number
from torchdev_lint.placement.python.devices import place_of
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import path_of
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS

_WITH_AXES = frozenset({ARRAY, LISTED})
"""Of what it is known only that it is no tensor, and that a tensor made of it has an axis."""


@handles(*catalog.FACTORIES)
def _factory(call: Call) -> Value:
    value = make_tensor(call.run, call.name, call.arguments, call.node)
    return with_axes(value, made_axes(call.last, call.arguments))


@handles(*catalog.ACCELERATOR_LEGACY)
def _on_accelerator(call: Call) -> Value:
    return Tensor(Place.ACCELERATOR if call.run.supposing else Place.NAMED, False)


@handles("torch.nn.Parameter", "torch.nn.Buffer")
def _parameter(call: Call) -> Value:
    asks_for_gradients = call.get(1, "requires_grad") in (None, Const(True))
    if call.last == "Parameter" and asks_for_gradients:
        note_parameters(call.run, call.run.frame.construction)
    value = call.get(0, "data")
    made: list[Value] = [
        replace(o, registered=True, origin=o.origin if call.run.frame.in_forward else None)
        for o in (() if value is None else alternatives(value))
        if isinstance(o, Tensor)
    ]
    return choice(made) if made else Tensor(Place.UNKNOWN, registered=True)


def make_tensor(run: Run, name: str, arguments: Arguments, node: ast.AST) -> Value:
    """Evaluate the call of a factory.

    Args:
        name: the factory's qualified name, one of `catalog.FACTORIES`.
    """
    last = name.rpartition(".")[2]
    if "out" in arguments.keywords:
        return arguments.keywords["out"][0]
    place = _place(run, name, arguments)
    if last in DRAWING_FACTORIES:
        by_default = arguments.get(-1, "device") is None
        drawn = _place_drawn(place, arguments) if last == "normal" else place
        note_draw(run, node, drawn, arguments, by_default=by_default)
    if (given := _given_or_other(last, arguments)) is not None:
        return choice([make_tensor(run, name, each, node) for each in given])
    there = followed(run, last, arguments, node)
    if there is not None and "device" not in arguments.keywords:
        return there
    scalar = False if _has_axis(run, last, arguments) else _scalar(last, arguments)
    if place is not Place.HOST or not _is_own_choice(arguments):
        device = arguments.get(-1, "device")
        made = made_beside(device, Tensor(place, scalar))
        _note_there(run, last, made, arguments, node)
        return numbered(run, made, device, node)
    if run.in_function:
        note_view(run, node)
    origin = run.made(node, OriginKind.FACTORY, name)
    double = last == "DoubleTensor" or is_told_double(arguments) is True
    made = Tensor(place, scalar, replace(origin, count=_count(last, arguments)), double=double)
    return Tensor(Place.UNKNOWN) if _takes_another(run, last, made, arguments, node) else made


def _place_drawn(place: Place, arguments: Arguments) -> Place:
    """Where `torch.normal` draws: where its mean or deviation is, if one of them is a tensor.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.normal.html
    """
    for value in filter(None, (arguments.get(0, "mean"), arguments.get(1, "std"))):
        if isinstance(value, Tensor):
            return value.place
        if not isinstance(value, (Const, Scalar)):
            return Place.UNKNOWN
    return place


def _takes_another(run: Run, last: str, made: Tensor, arguments: Arguments, node: ast.AST) -> bool:
    """Whether a type of tensors is given one that isn't on the CPU: it raises, which is told.

    `torch.Tensor` takes one wherever it is.
    """
    if last not in catalog.LEGACY - {"Tensor"} or len(arguments.positional) != 1:
        return False
    data = arguments.operands()[0]
    if not isinstance(data.value, Tensor) or data.value.place in (Place.HOST, Place.UNKNOWN):
        return False
    find_meeting(run, last, node, [Operand(made, node), data], Policy.STRICT)
    return True


def made_beside(device: Value | None, made: Tensor) -> Tensor:
    """Return a tensor that is told a device; the device of another one has it made like that."""
    if isinstance(device, DeviceValue) and device.origin and made.place is Place.HOST:
        return replace(made, origin=device.origin, entered=device.entered)
    return made


def _note_there(run: Run, last: str, made: Tensor, arguments: Arguments, node: ast.AST) -> None:
    """Note of what is made on an accelerator that it is told what only the CPU, or CUDA, can do."""
    device = arguments.node(-1, "device")
    if is_told_double(arguments):
        note_double(run, made.place, device, node)
    pins = last in catalog.PINNED_AS_MADE and arguments.get(-1, "pin_memory") == Const(True)
    if pins and not is_left_open(run, device):
        note_pinned_there(run, node, made)


def _given_or_other(last: str, arguments: Arguments) -> list[Arguments] | None:
    """The cases in which a tensor is made of what a function is given: of a tensor, or of a list.

    Or of what it makes where it is given none. None where there is no such choice.
    """
    if last not in catalog.CONVERTERS or not arguments.positional:
        return None
    data, node = arguments.positional[0]
    if not isinstance(data, Choice):
        return None
    is_made = any(option in _WITH_AXES or isinstance(option, Sequence) for option in data.options)
    if Tensor(Place.GIVEN) not in map(_of_any_rank, data.options):
        if not (is_made and UNKNOWN in data.options):
            return None
    rest = arguments.positional[1:]
    return [replace(arguments, positional=[(option, node), *rest]) for option in data.options]


def _of_any_rank(value: Value) -> Value:
    return replace(value, scalar=None, axes=None) if isinstance(value, Tensor) else value


def _is_own_choice(arguments: Arguments) -> bool:
    """Whether the call itself puts the tensor on the host, not a device it was handed."""
    device = arguments.get(-1, "device")
    return device is None or isinstance(device, Const)


def _count(last: str, arguments: Arguments) -> int | None:
    """How many elements a factory makes, None where that is not known."""
    if arguments.open_ended:
        return None
    given = [value for value, _ in arguments.positional]
    given += [pair[0] for name in ("size", "data") if (pair := arguments.keywords.get(name))]
    by_size = last in catalog.SIZED or (last in catalog.LEGACY and _numbers(given) is not None)
    if last == "full" or (by_size and len(given) == 1 and isinstance(given[0], Sequence)):
        size = given[0].items if given and isinstance(given[0], Sequence) else None
        return None if size is None else _product(list(size))
    if by_size:
        return _product(given) if given else 0
    if last == "arange":
        end = _numbers(given)
        return end[0] if end is not None and len(end) == 1 else None
    if last in catalog.LEGACY | {"tensor", "as_tensor"}:
        return _leaf_count(given[0]) if given else 0
    return None


def _product(sizes: list[Value]) -> int | None:
    """How many elements a tensor has: none if its last size is 0, whatever the others are.

    Rows that are still to come, `(0, width)`, fit in a product with a matrix.
    """
    if sizes and isinstance(sizes[-1], Const) and sizes[-1].value == 0:
        return 0
    numbers = _numbers(sizes)
    return None if numbers is None else math.prod(numbers)


def _numbers(values: list[Value]) -> list[int] | None:
    numbers = [v.value for v in values if isinstance(v, Const) and isinstance(v.value, int)]
    return numbers if len(numbers) == len(values) else None


def _leaf_count(data: Value) -> int | None:
    """How many numbers nested lists hold."""
    if isinstance(data, (Const, Scalar)):
        return 1
    if not isinstance(data, Sequence) or data.items is None:
        return None
    counts = [_leaf_count(item) for item in data.items]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _place(run: Run, name: str, arguments: Arguments) -> Place:
    if Mood.DOUBT in run.moods:
        return Place.UNKNOWN
    if name in catalog.HOST_ONLY:
        follows_default = name == "torch.Tensor" and run.env.settings.default is not Place.HOST
        return Place.UNKNOWN if follows_default else Place.HOST
    if "device" in arguments.keywords:
        value, node = arguments.keywords["device"]
        place = place_of(run, value, node)
        if place is None:
            return run.env.settings.default if value == NONE else Place.UNKNOWN
        return place
    if arguments.any_keyword:
        return Place.UNKNOWN
    return Place.HOST if name in catalog.DEAF else run.env.settings.default


def _has_axis(run: Run, last: str, arguments: Arguments) -> bool:
    """Whether a tensor has a dimension since its size is a single number, by how that is used."""
    size, node = arguments.get(0, "size"), arguments.node(0)
    is_open = size in (UNKNOWN, PART) or (isinstance(size, Method) and size.bound == UNKNOWN)
    if last not in catalog.SIZED or not is_open or node is None:
        return False
    function, owner = run.frame.node, run.frame.owner
    if not isinstance(function, FUNCTIONS):
        return is_computed_number(node)
    cls, path = owner.node if owner else None, path_of(node)
    if is_computed_number(node) or path in run.file.counts_in(function, cls):
        return True
    if path is None:
        return False
    if isinstance(node, ast.Attribute) and _is_declared_number(run, function, node):
        return True
    told = run.file.of_nodes(ToldNumbers, run.module.node)
    if "." in path:
        return told.is_handed_on(run.file, function, path)
    return told.is_told(run.file, function, cls, path)


def _is_declared_number(
    run: Run, function: ast.FunctionDef | ast.AsyncFunctionDef, node: ast.Attribute
) -> bool:
    """Whether a setting is a number by the class that a parameter is annotated with."""
    given = {p.arg: p.annotation for p in parameters_of(function)}
    owner = node.value.id if isinstance(node.value, ast.Name) else ""
    return declares_number(run, given.get(owner), node.attr)


def _scalar(last: str, arguments: Arguments) -> bool | None:
    data = arguments.get(0, "data")
    if last == "from_numpy" and isinstance(data, (Const, Scalar)):
        return True
    if last in catalog.LEGACY and data == Scalar(ScalarKind.FLOAT):
        return True  # an array without dimensions: they take no such number itself
    if last in catalog.WITH_DIMENSIONS:
        return False
    if last in catalog.SIZED:
        return size_is_scalar(arguments)
    if last in {"full", "empty_strided"}:
        return size_is_scalar(arguments, single=True)
    if last == "randint":
        return _randint_is_scalar(arguments)
    return None if data is None else _data_is_scalar(data)


def size_is_scalar(arguments: Arguments, single: bool = False) -> bool | None:
    """Whether a factory with this size makes a 0-dim tensor, None where that is not known.

    Args:
        single: whether the size is one sequence, so that a second argument is something else.
    """
    if len(arguments.positional) > 1 and not single:
        return False
    size = arguments.get(0, "size")
    return None if size is None else _shape_is_scalar(size)


def _randint_is_scalar(arguments: Arguments) -> bool | None:
    if "size" in arguments.keywords:
        return _shape_is_scalar(arguments.keywords["size"][0])
    if len(arguments.positional) in {2, 3}:
        return _shape_is_scalar(arguments.positional[-1][0])
    return None


def _shape_is_scalar(size: Value) -> bool | None:
    """Whether a shape is that of a 0-dim tensor, whichever of several it is."""
    verdicts = set(map(_one_shape_is_scalar, alternatives(size)))
    return verdicts.pop() if len(verdicts) == 1 else None


def _one_shape_is_scalar(size: Value) -> bool | None:
    if isinstance(size, Sequence):
        if size.items is None:
            return False if size.together else None
        return not size.items
    if isinstance(size, Size):
        return size.scalar
    if isinstance(size, Const):
        return False if isinstance(size.value, int) else None
    if isinstance(size, Scalar):
        return False if size.kind is ScalarKind.INT else None
    return None


def _data_is_scalar(data: Value) -> bool | None:
    """Whether `torch.tensor(data)` is 0-dim."""
    verdicts = {_one_is_scalar(option) for option in alternatives(data)}
    return verdicts.pop() if len(verdicts) == 1 else None


def _one_is_scalar(data: Value) -> bool | None:
    if isinstance(data, (Const, Scalar)):
        return True
    return False if isinstance(data, Sequence) or data in _WITH_AXES else None


@handles(*(f"torch.{name}" for name in catalog.LIKE))
def _like(call: Call) -> Value:
    """Evaluate `zeros_like` and its kin: where the first argument lives."""
    arguments, source = call.arguments, call.get(0, "input")
    if "device" in arguments.keywords:
        value, node = arguments.keywords["device"]
        place = place_of(call.run, value, node)
        if place is not None:
            return made_beside(value, Tensor(place, _rank(source), axes=_axes(source)))
    if arguments.any_keyword or source is None:
        return Tensor(Place.UNKNOWN, _rank(source))
    return choice([_alike(option) for option in alternatives(source)])


def _alike(source: Value) -> Value:
    """What is made in the likeness of something: a tensor, wherever that is."""
    if isinstance(source, (Tensor, Bundle)):
        return Tensor(source.place, _rank(source), source.origin, axes=_axes(source))
    return Tensor(Place.UNKNOWN)


def _axes(source: Value | None) -> int | None:
    return source.axes if isinstance(source, Tensor) else None


def _rank(source: Value | None) -> bool | None:
    if isinstance(source, Tensor):
        return source.scalar
    return False if isinstance(source, Bundle) else None
