"""Abstract values: what a name may hold, where it lives, and where it was made."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from torchdev_lint.placement.domain.classes import ClassInfo
    from torchdev_lint.placement.domain.frame import Frame

MAX_ALTERNATIVES = 8
"""How many alternatives of a joined value are kept before it counts as unknown."""


class Kind(Enum):
    """An enumeration whose members are parts of values, which are looked up all the time.

    There is one of each member, so identity will do; by default the name is hashed, in Python code.
    """

    __hash__ = object.__hash__


class Place(Kind):
    """Where a value certainly lives, if that is known."""

    HOST = "the CPU"
    ACCELERATOR = "the accelerator"
    UNKNOWN = "unknown"


class OriginKind(Kind):
    """What sort of expression a host value comes from."""

    FACTORY = "a function that makes tensors"
    LAYER = "the construction of a module"
    BATCH = "a loop over a data loader"
    ENCODING = "the call of a tokenizer"
    LOADED = "a function that reads a file"


@dataclass(frozen=True, slots=True)
class Origin:
    """The syntax that made a host value.

    Args:
        node: the expression or target that made it.
        kind: what sort of expression made it.
        label: how to call it in a message, such as `torch.zeros`.
        in_forward: whether it is made in `forward` or in something reached from it.
        scope: the enclosing function, dotted.
        key: which part of `node`'s value it is, for batches.
        whole: the batch that this is a part of.
        count: how many elements it is made with, where that is known.
        inferred: whether only the moves of other parts say that it comes from a batch.
    """

    node: ast.AST
    kind: OriginKind
    label: str
    in_forward: bool
    scope: str
    key: object = None
    whole: Origin | None = None
    count: int | None = None
    inferred: bool = False

    @property
    def identity(self) -> tuple[ast.AST, object]:
        """What makes two origins the same one."""
        return (self.node, self.key)

    @property
    def root(self) -> Origin:
        """The origin of the structure that this is a part of, at whatever depth."""
        return self if self.whole is None else self.whole.root

    @property
    def is_element(self) -> bool:
        """Whether it is any one element of what was looped over."""
        return isinstance(self.key, tuple) and self.key[1] == "*"


@dataclass(frozen=True, slots=True)
class Entry:
    """The call through which a value came into the function at hand.

    Args:
        module: whether it is the call of a module, or of a method of one.
        scope: dotted name of the function that makes the call.
    """

    argument: ast.expr
    call: ast.Call
    module: bool
    scope: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value the analysis knows nothing about, but perhaps where it came from.

    Args:
        role: `argument` if a module's `forward` was handed it, so that a tensor in it is on the
            accelerator; `item` if it is held by such an argument, where numbers and strings
            stand beside tensors; `part` if a module holds it, so that a module in it is;
            `widened` if more was known than could be kept, so that it stays unknown whatever
            joins it.
    """

    role: str = ""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor.

    Args:
        scalar: whether it is 0-dim, where known.
        registered: whether it is a parameter or buffer, that moves with its module.
        entered: the module call through which it came into the code at hand.
        mask: whether it is certainly boolean.
        moved_from: what it was before the code moved it.
    """

    place: Place
    scalar: bool | None = None
    origin: Origin | None = None
    registered: bool = False
    entered: Entry | None = None
    mask: bool = False
    moved_from: Origin | None = None

    def computed(self, scalar: bool | None) -> Tensor:
        """Return what is computed of it alone, which is no parameter or buffer itself.

        Args:
            scalar: whether the result is 0-dim, where known.
        """
        if scalar is self.scalar and not self.registered:
            return self
        return Tensor(
            self.place,
            scalar,
            self.origin,
            entered=self.entered,
            mask=self.mask,
            moved_from=self.moved_from,
        )


@dataclass(frozen=True, slots=True)
class Bundle:
    """Tensors in a structure that is not known: a batch, a model's output, an encoding.

    Args:
        in_place: whether its `.to()` moves it in place, where known.
        part: whether it is one element of a larger structure.
        loaded: whether it comes from a data loader, put together by PyTorch: of tensors.
        own: whether a function of the user's puts it together, of whatever holds tensors.
        moved_from: what it was before the code moved it.
        supposed: whether only what stands beside it in a batch says that it holds tensors: it
            may as well be a number or a name.
    """

    place: Place
    origin: Origin | None = None
    in_place: bool | None = None
    part: bool = False
    entered: Entry | None = None
    loaded: bool = False
    own: bool = False
    moved_from: Origin | None = None
    supposed: bool = False


@dataclass(frozen=True, slots=True)
class Loader:
    """Something that yields batches when iterated."""

    batch: Value


@dataclass(frozen=True, slots=True)
class Const:
    """A literal whose value is known: a number, string, bool, None or Ellipsis.

    `True`, `1` and `1.0` are equal in Python, but not the same argument.
    """

    value: Any

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Const)
            and type(self.value) is type(other.value)
            and bool(self.value == other.value)
        )

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


class ScalarKind(Kind):
    """The type of a Python value that is no tensor."""

    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    STR = "str"
    SLICE = "slice"
    OTHER = "another one"
    MISSING = "none: there is no such value"


@dataclass(frozen=True, slots=True)
class Scalar:
    """A Python value that is no tensor, and not known."""

    kind: ScalarKind


@dataclass(frozen=True, slots=True)
class Size:
    """What `tensor.shape` gives."""

    scalar: bool | None


@dataclass(frozen=True, slots=True)
class DeviceValue:
    """A `torch.device` or a string or number that names one."""

    place: Place


@dataclass(frozen=True, slots=True)
class DtypeValue:
    """A `torch.dtype`."""


class SequenceKind(Kind):
    """What holds elements in an order."""

    LIST = "list"
    TUPLE = "tuple"
    SET = "set"
    ITERATOR = "iterator"
    DATASET = "data set"
    DISTRIBUTION = "distribution, whose element is what it draws"


@dataclass(frozen=True, slots=True)
class Sequence:
    """Elements in an order; `items` where each element is known, else `element`.

    Args:
        together: elements that are certainly in it at the same time, of one whose length is
            not known.
    """

    items: tuple[Value, ...] | None
    element: Value
    kind: SequenceKind = SequenceKind.LIST
    together: tuple[Value, ...] = ()

    def at(self, index: Value) -> Value | None:
        """Return the element at a known index, None where it is not known."""
        if self.items is None or not isinstance(index, Const) or not isinstance(index.value, int):
            return None
        inside = -len(self.items) <= index.value < len(self.items)
        return self.items[index.value] if inside else None


@dataclass(frozen=True, slots=True)
class Mapping:
    """A dict with some known keys; `rest` is what other keys give."""

    items: tuple[tuple[Any, Value], ...]
    rest: Value

    def get(self, key: object) -> Value | None:
        """Return the value under a key, None where it is not known."""
        for known, value in self.items:
            if known == key and type(known) is type(key):
                return value
        return None

    def with_item(self, key: object, value: Value) -> Mapping:
        """Return the dict with another value under a key."""
        kept = tuple(pair for pair in self.items if pair[0] != key)
        return Mapping((*kept, (key, value)), self.rest)


@dataclass(frozen=True, slots=True)
class Instance:
    """An object on the abstract heap; `cls` is None where its class is not in this file."""

    ref: int
    cls: ClassInfo | None
    library: str = ""


@dataclass(frozen=True, slots=True)
class ClassValue:
    """A class of this file."""

    info: ClassInfo


@dataclass(frozen=True, slots=True)
class Library:
    """A dotted name in an imported library."""

    name: str


FunctionNode: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"


@dataclass(frozen=True, slots=True)
class Function:
    """A function of this file, perhaps bound to an object.

    Args:
        closure: the frames whose variables it sees, innermost first, the module's last.
    """

    node: FunctionNode
    bound: Value | None = None
    owner: ClassInfo | None = None
    closure: tuple[Frame, ...] = ()

    @property
    def is_nested(self) -> bool:
        """Whether it is defined in a function, whose variables it sees."""
        return len(self.closure) > 1


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a value whose class is not in this file, such as `tensor.sum`."""

    bound: Value
    name: str


@dataclass(frozen=True, slots=True)
class Super:
    """`super()`: an object as an instance of the next class in line."""

    bound: Instance


@dataclass(frozen=True, slots=True)
class Partial:
    """`functools.partial` of something."""

    function: Value
    positional: tuple[tuple[Value, ast.AST], ...]
    keywords: tuple[tuple[str, Value, ast.AST], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One of a few alternatives, from branches that were joined; their order says nothing."""

    options: tuple[Value, ...]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Choice) or len(self.options) != len(other.options):
            return False
        return self.options == other.options or set(self.options) == set(other.options)

    def __hash__(self) -> int:
        return hash(frozenset(self.options))


Value: TypeAlias = (
    "Unknown | Tensor | Bundle | Loader | Const | Scalar | Size | DeviceValue | DtypeValue"
    " | Sequence | Mapping | Instance | ClassValue | Library | Function | Method | Super"
    " | Partial | Choice"
)

UNKNOWN = Unknown()
ARGUMENT = Unknown("argument")
ITEM = Unknown("item")
PART = Unknown("part")
WIDENED = Unknown("widened")
NONE = Const(None)
MISSING = Scalar(ScalarKind.MISSING)
"""What other keys of a dict give whose keys are all known."""


def alternatives(value: Value) -> tuple[Value, ...]:
    """Return the alternatives of a value; a plain value is its own only one."""
    return value.options if isinstance(value, Choice) else (value,)


def choice(options: list[Value] | tuple[Value, ...]) -> Value:
    """Join alternatives into one value; neither their order nor repetitions matter.

    Lists are joined into one, tuples of one length element by element. What one alternative has
    moved and another has not is nowhere for certain. More alternatives than are kept make the
    value unknown for good.

    Args:
        options: at least one value, perhaps joined ones.
    """
    first = options[0]
    for option in options:
        if option is not first:
            break
    else:
        return first
    groups: dict[object, Value] = {}
    for option in options:
        for alternative in option.options if isinstance(option, Choice) else (option,):
            if alternative == WIDENED:
                return WIDENED
            group = _group_of(alternative)
            known = groups.get(group)
            if known is None:
                if len(groups) == MAX_ALTERNATIVES:
                    return WIDENED
                groups[group] = alternative
            elif known is not alternative:
                groups[group] = _merged(known, alternative)
    return _settled(list(groups.values()))


def _group_of(value: Value) -> object:
    """What alternatives have in common that are joined into one."""
    if isinstance(value, Sequence):
        shape = (
            len(value.items)
            if value.kind is SequenceKind.TUPLE and value.items is not None
            else None
        )
        return (Sequence, value.kind, shape)
    return value


def _merged(first: Value, second: Value) -> Value:
    if isinstance(first, Sequence) and isinstance(second, Sequence) and first != second:
        return _join_sequences(first, second)
    return first


def _settled(unique: list[Value]) -> Value:
    """One value from alternatives that all differ, with what they say of each other."""
    if len(unique) == 1:
        return unique[0]
    moved_ones = {
        option.moved_from.identity
        for option in unique
        if isinstance(option, (Tensor, Bundle)) and option.moved_from is not None
    }
    if moved_ones:
        unique = list(dict.fromkeys(_unless_moved(option, moved_ones) for option in unique))
    bundles = [option for option in unique if isinstance(option, Bundle)]
    if len(bundles) > 1 and any(bundle.place is Place.UNKNOWN for bundle in bundles):
        rest = [option for option in unique if not isinstance(option, Bundle)]
        unique = [*rest, _unplaced(bundles)]
    return unique[0] if len(unique) == 1 else Choice(tuple(unique))


def _unless_moved(option: Value, moved_ones: set[tuple[ast.AST, object]]) -> Value:
    """Forget where a host value lives of which another path holds the moved one."""
    if (
        isinstance(option, (Tensor, Bundle))
        and option.place is Place.HOST
        and option.origin is not None
        and option.origin.identity in moved_ones
    ):
        moved_from = option.origin
        return replace(
            option, place=Place.UNKNOWN, origin=None, entered=None, moved_from=moved_from
        )
    return option


def _unplaced(bundles: list[Bundle]) -> Bundle:
    """One structure for several of which one may be anywhere."""
    in_place = {bundle.in_place for bundle in bundles}
    sources = {bundle.moved_from for bundle in bundles}
    return Bundle(
        Place.UNKNOWN,
        in_place=in_place.pop() if len(in_place) == 1 else None,
        part=all(bundle.part for bundle in bundles),
        loaded=all(bundle.loaded for bundle in bundles),
        own=any(bundle.own for bundle in bundles),
        moved_from=sources.pop() if len(sources) == 1 else None,
    )


def join(first: Value, second: Value) -> Value:
    """Join the values that a name has at the ends of two branches."""
    return first if first is second or first == second else choice((first, second))


def _join_sequences(first: Sequence, second: Sequence) -> Sequence:
    kind = first.kind
    if first.items is not None and second.items is not None:
        if len(first.items) == len(second.items):
            return sequence(
                [join(a, b) for a, b in zip(first.items, second.items, strict=True)], kind
            )
    if first.items == () or second.items == ():
        return Sequence(None, second.element if first.items == () else first.element, kind)
    others = set(certain_items(second))
    both = tuple(value for value in certain_items(first) if value in others)
    return Sequence(None, join(first.element, second.element), kind, both)


def certain_items(value: Sequence) -> tuple[Value, ...]:
    """The elements that are certainly in a sequence at the same time."""
    return value.together if value.items is None else value.items


def sequence(items: list[Value], kind: SequenceKind = SequenceKind.LIST) -> Sequence:
    """Make a sequence whose elements are known."""
    return Sequence(tuple(items), choice(items) if items else UNKNOWN, kind)


def iterator(element: Value) -> Sequence:
    """Make a sequence of unknown length."""
    return Sequence(None, element, SequenceKind.ITERATOR)


def moved(value: Value, place: Place) -> Value:
    """Return a value as it is after a move to `place` (an explicit `.to()` that was kept)."""
    if isinstance(value, Tensor):
        before = value.origin or value.moved_from
        return Tensor(place, value.scalar, mask=value.mask, moved_from=before)
    if isinstance(value, Bundle):
        before = value.origin or value.moved_from
        return replace(
            value, place=place, origin=None, entered=None, moved_from=before, supposed=False
        )
    if isinstance(value, Choice):
        return choice([moved(option, place) for option in value.options])
    return WIDENED if value == WIDENED else UNKNOWN


def as_tensor(value: Tensor | Bundle) -> Tensor:
    """Return a tensor, or what a structure of tensors is where it is used as one."""
    if isinstance(value, Tensor):
        return value
    rank = None if value.supposed else False
    return Tensor(value.place, rank, value.origin, entered=value.entered)


def with_rank(value: Value, scalar: bool | None) -> Value:
    """Return what an operation gives that keeps a tensor in its place, of whatever rank.

    Args:
        scalar: whether the result is 0-dim, where that is known.
    """
    return choice(
        [
            as_tensor(option).computed(scalar) if isinstance(option, (Tensor, Bundle)) else UNKNOWN
            for option in alternatives(value)
        ]
    )


def leaves(value: Value, depth: int = 3) -> Iterator[Value]:
    """Yield the alternatives of a value and of what sequences in it hold."""
    for alternative in alternatives(value):
        if isinstance(alternative, Sequence) and depth:
            if alternative.items is not None:
                for item in alternative.items:
                    yield from leaves(item, depth - 1)
            else:
                yield from leaves(alternative.element, depth - 1)
        else:
            yield alternative
