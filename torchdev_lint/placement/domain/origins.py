"""Where values come from: the syntax that made them, and the calls that brought them."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.file import File
from torchdev_lint.placement.domain.kind import Kind
from torchdev_lint.records import dataclass, replace
from torchdev_lint.source.span import Span


class OriginKind(Kind):
    """What sort of expression a value comes from that is not where it should be."""

    FACTORY = "a function that makes tensors"
    LAYER = "the construction of a module in `forward`"
    MODULE = "the construction of a module that is no part of another one, and was never moved"
    KEPT = "the statement with which a module keeps another in a plain container"
    BATCH = "a loop over a data loader"
    ENCODING = "the call of a tokenizer"
    LOADED = "a function that reads a file"
    CHECKPOINT = "a function that reads what was saved: settings beside tensors"
    NAMED = (
        "a move to CUDA, or what makes a tensor there: for a value that is no longer on the host"
    )
    CONSTANT = "the reading of a variable that holds what was made when a file was imported"
    STATE = "what fills an optimizer, which keeps tensors for its parameters"
    NUMBERED = (
        "a move to one of several accelerators, which the code itself tells apart, or what makes a "
        "tensor there: for a value that is no longer on the host"
    )
    BROUGHT = "a move to the CPU, which the code itself asks for"
    ASKED = "the question where a parameter is, which its module has kept since before it was moved"
    PUT_BACK = "a move of a module to the CPU, which the code itself asks for"


class Keeping(Kind):
    """What keeps a tensor that is made once, when its file is imported."""

    MODULE = "a variable of a module"
    CLASS = "a variable of a class"
    DEFAULT = "a parameter, as its default"
    OBJECT = "an attribute of an object"


@dataclass(frozen=True, slots=True)
class Keeper:
    """What keeps a tensor that is made once.

    Args:
        name: what it is called.
        file: the file it is in.
        inside: whether it keeps a list, tuple or dict that holds the tensor.
        in_hand: whether the tensor was read by code that is itself run at import, which hands it
            on: no function that is given it reads what is kept.
    """

    name: str
    kind: Keeping
    file: File
    inside: bool = False
    in_hand: bool = False


@dataclass(frozen=True, slots=True)
class Holder:
    """The object that has kept a tensor since before the function at hand was called.

    Args:
        attribute: the attribute in which it keeps it.
        cls: the class that sets it for the object, where that is in sight.
        leaves_behind: whether it is a module that certainly has nothing else there, and doesn't
            take it along when it is moved.
        inside: whether it keeps a list, tuple or dict that holds the tensor.
        stays: whether it is no module, and certainly has nothing else there.
        told_device: whether it was told a device when it was built besides.
        path: the file of the class that sets it, absolute; empty if that is not known.
        called: whether it is a module that is called, as those are that are moved, or that the code
            moves: of one that only has methods, and parts that others read, its user may move none.
        followed: whether the code at hand has built it, so that it is known what is there now.
    """

    attribute: str
    cls: ast.ClassDef | None
    leaves_behind: bool
    inside: bool = False
    stays: bool = False
    told_device: bool = False
    path: str = ""
    called: bool = True
    followed: bool = False


@dataclass(frozen=True, slots=True)
class Site:
    """A place in another file of the project.

    Args:
        path: the file's absolute path.
    """

    path: str
    span: Span


@dataclass(frozen=True, slots=True)
class Origin:
    """The syntax that made a host value.

    Args:
        node: the expression or target that made it.
        file: the file it stands in.
        kind: what sort of expression made it.
        label: how to call it in a message, such as `torch.zeros`.
        in_forward: whether it is made in `forward` or in something reached from it.
        scope: the enclosing function, dotted.
        key: which part of `node`'s value it is, for batches.
        whole: the batch that this is a part of.
        count: how many elements it is made with, where that is known.
        elsewhere: where it is made, if that is in another file: `node` is the call that brings it.
        holder: the object that has kept it since before the function at hand was called.
        inferred: whether only the moves of other parts say that it comes from a batch.
        iterated: whether an object of the project gives the batch, which says itself what that is.
        keeper: what keeps it from the import on.
        constant: what is read, if `node` reads what is kept.
        names: what a module is called that was moved, in each function on the way there.
        by_default: whether it is a call that leaves the device of another file's function at the
            CPU, and `label` is what that is called there.
    """

    node: ast.AST
    file: File
    kind: OriginKind
    label: str
    in_forward: bool
    scope: str
    key: object = None
    whole: Origin | None = None
    count: int | None = None
    elsewhere: Site | None = None
    inferred: bool = False
    iterated: bool = False
    holder: Holder | None = None
    keeper: Keeper | None = None
    constant: Origin | None = None
    names: frozenset[tuple[ast.AST, str]] = frozenset()
    by_default: bool = False

    @property
    def made(self) -> Origin:
        """Where it is made, whoever has read it since."""
        return self.constant or self

    @property
    def source(self) -> Origin:
        """What made it, whatever keeps it, and whoever has read it since."""
        return self if self.keeper is None else replace(self.made, keeper=None)

    @property
    def identity(self) -> tuple[ast.AST, object]:
        """What makes two origins the same one."""
        return (self.node, self.key)

    @property
    def root(self) -> Origin:
        """The origin of the structure that this is a part of, at whatever depth."""
        return self if self.whole is None else self.whole.root

    @property
    def depth(self) -> int:
        """How many structures this is a part of, one in the other."""
        return 0 if self.whole is None else 1 + self.whole.depth

    @property
    def is_element(self) -> bool:
        """Whether it is any one element of what was looped over."""
        return isinstance(self.key, tuple) and self.key[1] == "*"

    @property
    def is_picked(self) -> bool:
        """Whether it was picked from a part, by number or in a loop: perhaps a single number."""
        if self.whole is None or self.whole.whole is None:
            return False
        assert isinstance(self.key, tuple)
        by_name = isinstance(self.key[1], str) and not self.is_element
        return self.whole.is_picked if by_name else True


@dataclass(frozen=True, slots=True)
class Entry:
    """The call through which a value came into the function at hand.

    Args:
        module: whether it is the call of a module, or of a method of one.
        scope: dotted name of the function that makes the call.
        across: whether the call leads to another file.
    """

    argument: ast.expr
    call: ast.Call
    module: bool
    scope: str
    across: bool = False
