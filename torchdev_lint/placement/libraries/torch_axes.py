"""How many axes tensors have: of what factories make, and of what operations give of one tensor.

What is told here is certain; where it isn't, nothing is told. An operation that asks for axes which
its tensor doesn't have raises on every machine.

Source: https://docs.pytorch.org/docs/stable/torch.html, the pages of the operations.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Set

from torchdev_lint.catalog import factories, operations
from torchdev_lint.catalog.axes import EMBEDS, LAYERS_THAT_CHANGE_THEM, OF_FUNCTIONS, OF_LAYERS
from torchdev_lint.catalog.modules import LAYERS, RECURRENT, STATELESS
from torchdev_lint.placement.domain.arguments import Arguments, Operand
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import certain_items, choice, sequence, with_axes
from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.domain.values import (
    Bundle,
    Choice,
    Const,
    DtypeValue,
    Scalar,
    ScalarKind,
    Size,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.records import dataclass, replace
from torchdev_lint.syntax.names import last_component

_BY_SIZE = frozenset("view reshape expand repeat permute".split())
"""Operations that are told all the axes of what they give."""
_AT_LEAST = frozenset("expand repeat".split())
"""Those of them that are told no fewer than there are."""
_KEEP = (
    operations.POINTWISE
    | operations.SAME_RANK_CASTS
    | operations.ALIKE_PAIRS
    | frozenset("transpose swapaxes swapdims movedim moveaxis narrow interpolate pad".split())
    | frozenset("chunk split tensor_split split_with_sizes t".split())
)
"""Operations that give what has as many axes, be it several tensors."""
_DROP_ONE = frozenset("select unbind".split())
"""Operations that give what has one axis less."""
_ALONG = (
    operations.DIMENSION_FIRST
    | frozenset("unbind cumsum cumprod softmax log_softmax argsort size".split())
) - {"squeeze"}
"""Operations whose first argument behind the tensor, or `dim`, is one of its axes."""
_JOIN = frozenset("cat concat concatenate stack".split())
"""Operations that join tensors with as many axes each."""
_LEAST = {"transpose": 2, "swapaxes": 2, "swapdims": 2}
"""How many axes there have to be."""
_MOST = {"t": 2}
"""How many axes there may be at the most."""


@dataclass(frozen=True, slots=True)
class OfOne:
    """The call of an operation with one tensor operand.

    Args:
        name: the operation's, without the underscore of those that write in place.
        tensor: its operand.
        first: position of the first argument behind the tensor.
    """

    name: str
    tensor: Tensor
    arguments: Arguments
    first: int

    def given(self, offset: int, name: str) -> Value | None:
        """An argument by its position behind the tensor, or by its name."""
        return self.arguments.get(self.first + offset, name)

    @property
    def sizes(self) -> int | None:
        """How many sizes, or axes, are listed; None where that can't be told."""
        if self.arguments.open_ended or self.arguments.keywords:
            return None
        listed = [value for value, _ in self.arguments.positional[self.first :]]
        return _count(listed)


def layer_axes(library: str, operands: list[Operand]) -> int | None:
    """Return how many axes a layer gives; None where that can't be told, or it is no layer.

    Args:
        library: the qualified name of its class.
        operands: what it is called with.
    """
    owner, _, last = library.rpartition(".")
    given = operands[0].value if operands else None
    if owner != "torch.nn" or not isinstance(given, Tensor) or given.axes is None:
        return None
    if last == EMBEDS:
        return given.axes + 1
    is_known = last in LAYERS | STATELESS and last not in RECURRENT | LAYERS_THAT_CHANGE_THEM
    return given.axes if is_known else None


def takes_other_axes(last: str, value: Value | None) -> bool:
    """Return whether a layer or function refuses a tensor for the number of its axes.

    Args:
        last: the name of the layer's class, or that of the function.
        value: its first argument.
    """
    taken = OF_LAYERS.get(last) or OF_FUNCTIONS.get(last)
    if taken is None or not isinstance(value, Tensor) or value.axes is None:
        return False
    return value.axes not in taken


def made_axes(last: str, arguments: Arguments) -> int | None:
    """Return how many axes there are in what a factory makes.

    Args:
        last: the factory's own name.
    """
    if last in factories.VECTORS:
        return 1
    if last == "eye":
        return 2
    if arguments.open_ended:
        return None
    given = [value for value, _ in arguments.positional]
    if last in factories.SIZED and not (given and "size" in arguments.keywords):
        size = arguments.keywords.get("size")
        return _count(given if size is None else [size[0]])
    if last in factories.LEGACY and len(given) > 1:
        return len(given)
    if last in {"full", "tensor"} and given:
        return _count(given[:1]) if last == "full" else _depth(given[0])
    return None


def _count(sizes: list[Value]) -> int | None:
    """How many axes some sizes are for: a number each, or all of them in one list."""
    if len(sizes) > 1:
        return len(sizes)
    if not sizes:
        return None
    size = sizes[0]
    if isinstance(size, Sequence):
        return None if size.items is None else len(size.items)
    if isinstance(size, Size):
        return size.axes
    is_number = isinstance(size, Const) and type(size.value) is int
    return 1 if is_number or size == Scalar(ScalarKind.INT) else None


def _depth(data: Value) -> int | None:
    """How deep lists of numbers lie in each other."""
    if isinstance(data, Const):
        return 0 if isinstance(data.value, (int, float)) else None
    if not isinstance(data, Sequence) or not data.items:
        return None
    inner = {_depth(item) for item in data.items}
    depth = inner.pop()
    return None if inner or depth is None else depth + 1


def given_of_one(call: OfOne, result: Value) -> Value:
    """Return what an operation gives, with what is known of its axes.

    Args:
        call: the operation's.
        result: what else is known of what it gives.
    """
    axes = _after(call)
    if axes is None:
        return result
    if isinstance(result, Sequence) and result.kind is SequenceKind.TUPLE:
        if result.items is None:
            return replace(result, element=with_axes(result.element, axes))
        return sequence([with_axes(item, axes) for item in result.items], result.kind)
    return with_axes(result, axes)


def _after(call: OfOne) -> int | None:
    name, axes = call.name, call.tensor.axes
    special = _SPECIAL.get(name)
    if special is not None:
        return special(call)
    if name in _BY_SIZE:
        return axes if isinstance(call.given(0, "dtype"), DtypeValue) else call.sizes
    if axes is None:
        return None
    if name in _KEEP:
        return axes
    if name in _DROP_ONE:
        return axes - 1
    return _reduced(call, axes) if name in operations.REDUCTIONS - {"squeeze"} else None


def _reduced(call: OfOne, axes: int) -> int | None:
    """How many axes a reduction leaves; with a dimension that is not known, that isn't either."""
    if call.name not in operations.DIMENSION_FIRST:
        return None
    keeps = call.arguments.get(-1, "keepdim")
    dims = _dimensions(call)
    if dims is None or keeps not in (None, Const(True), Const(False)):
        return None
    if len(call.arguments.positional) > call.first + 1 or not dims:
        return None  # `keepdim` by its position, or none named
    return axes if keeps == Const(True) else axes - len(dims)


def _dimensions(call: OfOne) -> list[int] | None:
    """The axes that a call names; None where that can't be told."""
    value = call.given(0, "dim") or call.arguments.get(-1, "axis")
    if isinstance(value, (Tensor, Bundle)) or value is None or call.arguments.any_keyword:
        return None
    parts = value.items if isinstance(value, Sequence) else (value,)
    named = [p.value for p in parts or () if isinstance(p, Const) and type(p.value) is int]
    return named if named and len(named) == len(parts or ()) else None


def _unsqueezed(call: OfOne) -> int | None:
    return None if call.tensor.axes is None else call.tensor.axes + 1


def _flattened(call: OfOne) -> int | None:
    """All axes become one, or all but the first become one."""
    if call.arguments.keywords.keys() - {"start_dim"} or call.arguments.open_ended:
        return None
    if len(call.arguments.positional) > call.first + 1:
        return None
    start = call.given(0, "start_dim")
    if start in (None, Const(0)):
        return 1
    return 2 if start == Const(1) else None


def joined_axes(name: str, value: Value | None) -> int | None:
    """Return how many axes there are in what joins tensors, all of which have as many."""
    found = _joined(value)
    if name not in _JOIN or len(found) != 1 or None in found:
        return None
    (axes,) = found
    return None if axes is None else axes + (name == "stack")


def joins_unlike(name: str, value: Value | None) -> bool:
    """Return whether tensors are joined that have not as many axes.

    One with a single axis may be without elements, and is passed over then.
    """
    return name in _JOIN and len(_joined(value) - {None}) > 1


def _joined(value: Value | None) -> set[int | None]:
    if not isinstance(value, Sequence):
        return {None}
    parts = set(certain_items(value)) | ({value.element} if value.items is None else set())
    return {_axes_to_join(part) for part in parts}


def _axes_to_join(part: Value) -> int | None:
    if not isinstance(part, Tensor):
        return None
    return None if part.axes == 1 and _may_be_empty(part.origin) else part.axes


def _may_be_empty(origin: Origin | None) -> bool:
    """Whether a tensor with one axis may have been made without elements, to be joined to others.

    One that is made of a size that is computed has as many as that says.
    """
    if origin is None or origin.count == 0:
        return True
    if origin.count is not None:
        return False
    made = origin.node
    return not isinstance(made, ast.Call) or last_component(made.func) not in factories.SIZED


def joined_alike(name: str, value: Value) -> Value:
    """Return what is joined, but for what raises beside something that is certainly joined to it.

    So does what has not as many axes: what a path has made so is not there behind it.
    """
    if name not in _JOIN or not isinstance(value, Sequence) or value.items is None:
        return value
    certain = {_axes_to_join(part) for part in value.items} - {None}
    if len(certain) != 1 or not any(isinstance(part, Choice) for part in value.items):
        return value
    fitting = {None, *certain}
    items = [_that_fits(part, fitting) for part in value.items]
    return replace(value, items=tuple(items), element=choice(items))


def _that_fits(part: Value, fitting: Set[int | None]) -> Value:
    options = [option for option in alternatives(part) if _axes_to_join(option) in fitting]
    return choice(options) if options else part


def is_refused(call: OfOne) -> bool:
    """Return whether an operation asks for axes that its tensor certainly doesn't have."""
    name, axes = call.name, call.tensor.axes
    if axes is None:
        return False
    if name in _BY_SIZE and (name == "permute" or name in _AT_LEAST):
        told = call.sizes
        return told is not None and (told < axes or (name == "permute" and told != axes))
    if axes > _MOST.get(name, axes) or axes < _LEAST.get(name, 0):
        return True
    if name == "unsqueeze":
        axes += 1
    elif name not in _ALONG:
        return False
    dims = _dimensions(call)
    return dims is not None and not all(-axes <= dim < axes for dim in dims)


_SPECIAL: dict[str, Callable[[OfOne], int | None]] = {
    "unsqueeze": _unsqueezed,
    "one_hot": _unsqueezed,
    "flatten": _flattened,
    "ravel": lambda _: 1,
}
"""Operations with rules of their own."""
