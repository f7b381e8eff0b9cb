"""What happens in the code of a file, as the placement analysis notes it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from enum import Enum, auto
from typing import ClassVar

from torchdev_lint.placement.domain.file import File
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.domain.values import Value
from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens in the code, as rules and fixes may ask for it."""

    for_users: ClassVar[bool] = False
    """Whether it is kept as well where it happens in another file, for whoever lints that."""

    @property
    def key(self) -> object:
        """What two events of one type have in common that are the same one."""
        raise NotImplementedError

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """The moods in which it says nothing."""
        return frozenset()

    @property
    def implied_by(self) -> Iterator[object]:
        """The keys of those of its type beside which it says nothing new."""
        return iter(())

    def is_about(self, file: File, at_hand: File) -> bool:
        """Whether it says something about a file: others are told of where they are linted.

        Args:
            file: the file.
            at_hand: the file in which it happens.
        """
        return at_hand is file

    def after(self, earlier: Event) -> Event:
        """Return what is known when the same has happened before: usually the first time."""
        return earlier


@dataclass(frozen=True, slots=True)
class OfOrigin(Event):
    """Something that is known of all that one expression has made."""

    origin: Origin

    @property
    def key(self) -> object:
        """The origin is all there is to it."""
        return self.origin.identity

    def is_about(self, file: File, at_hand: File) -> bool:
        """What has been made may be used anywhere."""
        return self.origin.file is file


@dataclass(frozen=True, slots=True)
class AtNode(Event):
    """Something that is known of a place in the code."""

    node: ast.AST

    @property
    def key(self) -> object:
        """The place is what it is about, wherever it was reached from."""
        return self.node


@dataclass(frozen=True, slots=True)
class Called(Event):
    """A function of the file is called with tensors, or with what is not known.

    Args:
        function: the function.
        caller: the function of the file in which that happens, None for the module itself.
        with_host: whether some of the tensors that it is given are on the host, more than numbers,
            or all are.
        on_device: whether some are on an accelerator instead, wherever those of its caller are.
    """

    function: ast.AST
    caller: ast.AST | None
    with_host: bool
    on_device: bool

    @property
    def key(self) -> object:
        """All such calls together tell where arguments may live."""
        return (self.function, self.caller)

    def is_about(self, file: File, at_hand: File) -> bool:
        """Other files may call what they are handed."""
        return True

    def after(self, earlier: Event) -> Event:
        """Return what holds for all calls: what is not known may be anywhere."""
        assert isinstance(earlier, Called)
        return Called(
            self.function,
            self.caller,
            with_host=self.with_host and earlier.with_host,
            on_device=self.on_device or earlier.on_device,
        )


@dataclass(frozen=True, slots=True)
class KeptOnHost(AtNode):
    """A function, the node, has brought something to the CPU to compute it with its arguments."""


@dataclass(frozen=True, slots=True)
class MixedReturn(OfOrigin):
    """A function gives what it makes on the host, and otherwise what is where its arguments are.

    Args:
        given: the function.
        on_device: whether it is called for a model, on whose device the others are.
    """

    given: ast.AST
    on_device: bool


@dataclass(frozen=True, slots=True)
class LeftToCallers(AtNode):
    """Whether something on the host meets anything depends on who calls a `forward`.

    It is given back, or computed with what comes from there and isn't known.
    """


@dataclass(frozen=True, slots=True)
class LeftToUsers(Event):
    """What happens in an entry point depends on what other files call it with.

    Args:
        function: the entry point.
    """

    function: ast.AST

    @property
    def key(self) -> object:
        """It is asked once for each entry point."""
        return self.function


@dataclass(frozen=True, slots=True)
class FoundElsewhere(Event):
    """Something happens in another file, as the file at hand calls its code.

    Args:
        event: what happens, as it is told where that file is linted.
        path: that file, absolute.
        call: the call in the file at hand that leads there.
    """

    event: Event
    path: str
    call: ast.Call

    @property
    def key(self) -> object:
        """It is the same as there, whoever leads there."""
        return type(self.event), self.event.key

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """As it would be there."""
        return self.event.silenced_by

    def is_about(self, file: File, at_hand: File) -> bool:
        """It is for whoever lints the other file."""
        return True


@dataclass(frozen=True, slots=True)
class Rebuilt(OfOrigin):
    """A layer with parameters that `forward` builds in every call, and applies where it lives.

    Args:
        origin: the construction, of which the first use counts.
        node: the call of the layer.
    """

    node: ast.Call

    def is_about(self, file: File, at_hand: File) -> bool:
        """Both its places are told."""
        return self.origin.file is file is at_hand

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """It raises nothing that could be caught."""
        return frozenset({Mood.DOUBT, Mood.EXPECTED})


@dataclass(frozen=True, slots=True)
class Trainable(OfOrigin):
    """A construction in `forward` makes parameters that can be trained."""


@dataclass(frozen=True, slots=True)
class OwnState(OfOrigin):
    """The code takes care of the parameters of a construction itself."""


@dataclass(frozen=True, slots=True)
class BesideGiven(OfOrigin):
    """What a function makes on the host is computed with what it was given, which is there as well.

    Made elsewhere, it would meet that.
    """


@dataclass(frozen=True, slots=True)
class CalledMethod(AtNode):
    """A method is called, by the node, of a module on the accelerator: it is no module itself."""


@dataclass(frozen=True, slots=True)
class CalledOnHost(AtNode):
    """A module of the project is called, the node, that nothing has moved to an accelerator.

    What of it is on one has been put there by itself: its parameters don't tell where.
    """


@dataclass(frozen=True, slots=True)
class TypedForHost(OfOrigin):
    """What is made is given a type of the CPU, which brings it there from wherever it was.

    Args:
        node: the call that gives it.
    """

    node: ast.Call


@dataclass(frozen=True, slots=True)
class Excused(OfOrigin):
    """The move of a value was thrown away, which is its one defect; or it is another value now."""

    @property
    def key(self) -> object:
        """Whoever reads a variable that keeps it, it is the same value."""
        return self.origin.made.identity

    @classmethod
    def with_wholes(cls, origin: Origin) -> Iterator[Excused]:
        """Yield what excuses a value.

        A part that was looped over or looked up stands for the value that holds it.
        """
        part: Origin | None = origin
        while part is not None:
            yield cls(part)
            key = part.key[1] if isinstance(part.key, tuple) else None
            part = part.whole if isinstance(key, str) else None


@dataclass(frozen=True, slots=True)
class Discard(AtNode):
    """A move or cast of a tensor whose result is thrown away.

    Args:
        node: the call.
        target: what it is called on.
        receiver: what that holds.
        holder: what holds that, if it is an attribute or an element.
        lost: what that means for it: "keeps its dtype", for example.
        copied: whether it is an object of the project, of which a moved copy is given.
    """

    node: ast.expr
    target: ast.expr
    method: str
    scope: str
    receiver: Value
    holder: Value
    lost: str
    copied: bool = False
    for_users = True

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """It raises nothing that could be caught."""
        return frozenset({Mood.EXPECTED})


@dataclass(frozen=True, slots=True)
class NoTensor(AtNode):
    """What a call moves may be something else than a tensor, which moves in place."""

    for_users = True


@dataclass(frozen=True, slots=True)
class PartMoved(OfOrigin):
    """Something of the batch that a target is bound to was moved."""

    @property
    def key(self) -> object:
        """The target is what rules ask for."""
        return self.origin.root.node


@dataclass(frozen=True, slots=True)
class View(AtNode):
    """What is on the accelerator where a tensor or layer is made.

    Args:
        devices: variables that hold the device.
        tensors: paths of tensors, in the order in which they came into being.
        state: expressions for the device of a module's parameters and buffers.
        refuted: variables that hold something else than such a tensor.
    """

    devices: tuple[str, ...]
    tensors: tuple[str, ...]
    state: tuple[str, ...]
    refuted: frozenset[str]

    def after(self, earlier: Event) -> Event:
        """Return what holds in two calls that lead to the place."""
        assert isinstance(earlier, View)
        refuted, state = earlier.refuted | self.refuted, frozenset(self.state)
        return View(
            self.node,
            tuple(name for name in earlier.devices if name in self.devices),
            tuple(p for p in dict.fromkeys(earlier.tensors + self.tensors) if p not in refuted),
            tuple(text for text in earlier.state if text in state),
            refuted,
        )


class Extent(Enum):
    """How much was left out where code was not looked at to its end."""

    ROUNDS = auto()
    """Rounds of a loop: behind it, all that it may change is unknown."""
    REST = auto()
    """The rest of an entry point."""
    FILE = auto()
    """All that comes behind it in the file."""


@dataclass(frozen=True, slots=True)
class Skipped(AtNode):
    """Code that was not looked at to its end: what is wrong with it may not have been found.

    Args:
        node: the statement, function, class or loop.
        scope: dotted name of the function, empty for the module.
        reason: why not.
        extent: how much was left out.
    """

    scope: str
    reason: str
    extent: Extent


@dataclass(frozen=True, slots=True)
class Unregistered(AtNode):
    """A module keeps modules with state, or parameters, in plain containers only.

    Args:
        node: the statement that sets the attribute.
        owner: the class in which that stands.
        attr: the attribute.
        container: what the container is called: `list`, `dict`, ….
        held: the names of the classes of what is lost in it, as far as they are known.
        is_open: whether it is not known how many elements there are.
        modules: whether they are modules; else they are parameters.
        only_objects: whether nothing but modules, or parameters, is in the container itself.
        building: the methods that build the module.
        metrics: whether they are metrics: nobody trains or saves these.
        origin: of metrics, where what they meet has them from.
    """

    node: ast.Assign | ast.AnnAssign
    owner: ast.ClassDef
    attr: str
    container: str
    held: tuple[str, ...]
    is_open: bool
    modules: bool
    only_objects: bool
    building: frozenset[str]
    metrics: bool = False
    origin: Origin | None = None

    @property
    def silenced_by(self) -> frozenset[Mood]:
        """It raises nothing that could be caught."""
        return frozenset({Mood.EXPECTED})


@dataclass(frozen=True, slots=True)
class ModuleMove(AtNode):
    """The move of a module to the accelerator, kept because inputs should follow it.

    Args:
        node: the call, `model.to(device)`.
        module: how the code calls the module; empty where it has no name yet.
    """

    node: ast.Call
    module: str
