"""Abstract values: what a name may hold, and where it lives."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from torchdev_lint.placement.domain.imported import AnyMember, ProjectMember, ProjectModule
from torchdev_lint.placement.domain.kind import Kind
from torchdev_lint.placement.domain.origins import Entry, Origin, OriginKind
from torchdev_lint.placement.domain.weight import Holder
from torchdev_lint.records import dataclass

if TYPE_CHECKING:
    from torchdev_lint.placement.domain.classes import ClassInfo
    from torchdev_lint.placement.domain.containers import Mapping, Sequence
    from torchdev_lint.placement.domain.file import File
    from torchdev_lint.placement.domain.frame import Frame


class Place(Kind):
    """Where a value certainly lives, if that is known.

    `GIVEN` is a symbol: where the tensors live that the function at hand is given. That may be
    anywhere, and what the function makes on the host meets an accelerator there. `NAMED` is told
    apart only where no accelerator is supposed to be there (`Run.supposing`): then `ACCELERATOR` is
    wherever the user has the model.
    """

    HOST = "the CPU"
    ACCELERATOR = "the accelerator"
    GIVEN = "where the arguments are"
    NAMED = "CUDA, which the code itself names"
    UNKNOWN = "unknown"

    @property
    def is_device(self) -> bool:
        """Whether what is made on the host fails to meet it: not everywhere, or not always."""
        return self is Place.ACCELERATOR or self is Place.GIVEN


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value the analysis knows nothing about, but perhaps where it came from.

    Args:
        role: `argument` if a module's `forward` was handed it, so that a tensor in it is on the
            accelerator; `item` if it is held by such an argument, where numbers and strings
            stand beside tensors; `part` if a module holds it, so that a module in it is;
            `widened` if more was known than could be kept, so that it stays unknown whatever
            joins it; `other`, beside a tensor, if a function asks whether it was given one, and
            this is the other case; `array` if it is an array of NumPy's with at least one axis;
            `numbers` if it is an array or a number of NumPy's, or a table of Pandas'; `list` if it
            is a list, whatever it holds; `unset`, in an object's attribute, if some path didn't set
            it; `open`, in a parameter, if `*` or `**` may have given it, or else its default is
            held.
    """

    role: str = ""


UNKNOWN = Unknown()
ARGUMENT = Unknown("argument")
ITEM = Unknown("item")
PART = Unknown("part")
WIDENED = Unknown("widened")
NO_TENSOR = Unknown("other")
ARRAY = Unknown("array")
NUMERIC = Unknown("numbers")
LISTED = Unknown("list")
UNSET = Unknown("unset")
LEFT_OPEN = Unknown("open")
NEVER = Unknown("never")
"""What an entry point gives that raises on all its paths, whatever machine it is run on."""
NO_TENSORS = frozenset({NO_TENSOR, ARRAY, NUMERIC, LISTED})
"""What is certainly no tensor, whatever it is."""
OF_NUMPY = frozenset({ARRAY, NUMERIC})
"""What holds no tensors either: what PyTorch makes of it is made on the CPU."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor.

    Args:
        scalar: whether it is 0-dim, where known.
        registered: whether it is a parameter or buffer, that moves with its module.
        entered: the module call through which it came into the code at hand.
        mask: whether it is certainly boolean.
        moved_from: what it may have been before the code moved it.
        double: whether it is on the host, and certainly of double precision.
        axes: how many axes it has, where that is known; none are told by `scalar` alone.
    """

    place: Place
    scalar: bool | None = None
    origin: Origin | None = None
    registered: bool = False
    entered: Entry | None = None
    mask: bool = False
    moved_from: frozenset[Origin] = frozenset()
    double: bool = False
    axes: int | None = None

    @property
    def sources(self) -> frozenset[Origin]:
        """What made it, or what it may have been before the code moved it."""
        return _sources(self)

    def computed(self, scalar: bool | None) -> Tensor:
        """Return what is computed of it alone, which is no parameter or buffer itself.

        Args:
            scalar: whether the result is 0-dim, where known.
        """
        if scalar is self.scalar and not (self.registered or self.double or self.axes):
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
        moved_from: what it may have been before the code moved it.
        supposed: whether only what stands beside it in a batch says that it holds tensors: it
            may as well be a number or a name.
        picked: whether it was picked from a part before it was moved, by number or in a loop.
        stays: whether it certainly is there as a whole: code in sight has moved it, or it is what a
            model of the project gives, whose code brings nothing back and makes nothing for it
            elsewhere.
        mixed: whether each of its parts may be where another thing is that it was computed of: what
            a module out of sight gives that was given lengths on the CPU.
        single: whether it is certainly one tensor, by the samples that it is made of.
    """

    place: Place
    origin: Origin | None = None
    in_place: bool | None = None
    part: bool = False
    entered: Entry | None = None
    loaded: bool = False
    own: bool = False
    moved_from: frozenset[Origin] = frozenset()
    supposed: bool = False
    picked: bool = False
    stays: bool = False
    mixed: bool = False
    single: bool = False

    @property
    def scalar(self) -> bool | None:
        """Whether it is 0-dim, if it is a tensor; None where that is not known."""
        return None if self.supposed or self.is_picked else False

    @property
    def is_picked(self) -> bool:
        """Whether it was picked from a part of a batch: perhaps a single number."""
        return self.picked or (self.origin is not None and self.origin.is_picked)

    @property
    def sources(self) -> frozenset[Origin]:
        """What made it, or what it may have been before the code moved it."""
        return _sources(self)


PART_ANYWHERE = Bundle(Place.UNKNOWN, part=True, loaded=True)
"""A part of a batch, certainly a tensor, where nothing tells of the place."""


def _sources(value: Tensor | Bundle) -> frozenset[Origin]:
    """What made a value; of one that was moved, what it may have been before."""
    origin = value.origin
    if origin is None or origin.kind in (OriginKind.BROUGHT, OriginKind.NUMBERED):
        return value.moved_from
    return frozenset({origin.source})


@dataclass(frozen=True, slots=True)
class Loader(Holder):
    """Something that yields batches when iterated."""

    batch: Value
    lighter: ClassVar = ({"batch": WIDENED},)

    def held(self) -> tuple[Value, ...]:
        """What it yields."""
        return (self.batch,)


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
    QUOTIENT = "float: certainly, as `/` gives it"
    BOOL = "bool"
    STR = "str"
    SLICE = "slice"
    PLACE = "bool: whether something, of which it is not known, is on some device"
    OTHER = "another one"
    MISSING = "none: there is no such value"


NUMBER_KINDS = frozenset({ScalarKind.INT, ScalarKind.FLOAT, ScalarKind.QUOTIENT, ScalarKind.BOOL})
"""The types of numbers; `True` counts as one, as it does for Python."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A Python value that is no tensor, and not known."""

    kind: ScalarKind


QUOTIENT = Scalar(ScalarKind.QUOTIENT)
"""What `/` gives of numbers: no index, and no bound of a slice."""


@dataclass(frozen=True, slots=True)
class Size:
    """What `tensor.shape` gives.

    Args:
        scalar: whether the tensor is 0-dim, where known.
        axes: how many axes it has, where that is known.
    """

    scalar: bool | None
    axes: int | None = None


@dataclass(frozen=True, slots=True)
class DeviceValue:
    """A `torch.device` or a string or number that names one.

    Args:
        index: which one of several accelerators, if the code says so itself.
        origin: what made the tensor on the host whose device it is, if it is that of one.
        entered: through which call that tensor came in.
        asked: where it was asked of a parameter or buffer on the host, whose module may be moved.
    """

    place: Place
    index: int | None = None
    origin: Origin | None = None
    entered: Entry | None = None
    asked: Origin | None = None


@dataclass(frozen=True, slots=True)
class DtypeValue:
    """A `torch.dtype`.

    Args:
        double: whether it certainly is that of double precision.
    """

    double: bool = False


@dataclass(frozen=True, slots=True)
class Instance:
    """An object on the abstract heap; `cls` is None where its class is out of sight."""

    ref: int
    cls: ClassInfo | None
    library: str = ""


@dataclass(frozen=True, slots=True)
class ClassValue:
    """A class of a file in sight."""

    info: ClassInfo


@dataclass(frozen=True, slots=True)
class Library:
    """A dotted name in an imported library."""

    name: str


@dataclass(frozen=True, slots=True)
class TypeForm:
    """A type that is written out, such as `Optional[Tensor]`, kept under a name of its own."""

    node: ast.Subscript


FunctionNode: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a file in sight, perhaps bound to an object.

    Args:
        closure: the frames whose variables it sees, innermost first, the module's last.
    """

    node: FunctionNode
    bound: Value | None = None
    owner: ClassInfo | None = None
    closure: tuple[Frame, ...] = ()

    @property
    def file(self) -> File:
        """The file it stands in."""
        return self.closure[-1].file

    @property
    def is_nested(self) -> bool:
        """Whether it is defined in a function, whose variables it sees."""
        return len(self.closure) > 1


@dataclass(frozen=True, slots=True)
class Method:
    """A method of a value whose class is not in this file, such as `tensor.sum`.

    Args:
        among: whether the value is one of several that its expression may give.
    """

    bound: Value
    name: str
    among: bool = False


@dataclass(frozen=True, slots=True)
class Super:
    """`super()`: an object as an instance of the next class in line."""

    bound: Instance


@dataclass(frozen=True, slots=True)
class Partial(Holder):
    """`functools.partial` of something."""

    function: Value
    positional: tuple[tuple[Value, ast.AST], ...]
    keywords: tuple[tuple[str, Value, ast.AST], ...]
    lighter: ClassVar = ({"function": WIDENED, "positional": (), "keywords": ()},)

    def held(self) -> tuple[Value, ...]:
        """The function, then what it is given."""
        keywords = (value for _, value, _ in self.keywords)
        return (self.function, *(value for value, _ in self.positional), *keywords)


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Holder):
    """One of a few alternatives, from branches that were joined; their order says nothing."""

    options: tuple[Value, ...]
    lighter: ClassVar = ({"options": (WIDENED,)},)

    def held(self) -> tuple[Value, ...]:
        """The alternatives."""
        return self.options

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Choice) or len(self.options) != len(other.options):
            return False
        return self.options == other.options or set(self.options) == set(other.options)

    def __hash__(self) -> int:
        return hash(frozenset(self.options))


Value: TypeAlias = (
    "Unknown | Tensor | Bundle | Loader | Const | Scalar | Size | DeviceValue | DtypeValue"
    " | Sequence | Mapping | Instance | ClassValue | Library | Function | Method | Super"
    " | Partial | Choice | ProjectModule | ProjectMember | AnyMember"
    " | TypeForm"
)

NONE = Const(None)
MISSING = Scalar(ScalarKind.MISSING)
"""What other keys of a dict give whose keys are all known."""


def is_one_tensor(value: Value) -> bool:
    """Return whether a value is certainly a tensor, and no structure of such."""
    return isinstance(value, Tensor) or (isinstance(value, Bundle) and value.single)


def alternatives(value: Value) -> tuple[Value, ...]:
    """Return the alternatives of a value; a plain value is its own only one."""
    return value.options if isinstance(value, Choice) else (value,)


def without_none(options: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return the alternatives with which code can go on where `None` fails; all if all are that."""
    return tuple(option for option in options if option != NONE) or options
