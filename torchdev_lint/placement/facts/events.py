"""What the placement analysis found out about a file: all that rules may ask."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from torchdev_lint.placement.domain.values import Bundle, Instance, Origin, Tensor, Value
from torchdev_lint.source.span import Span
from torchdev_lint.syntax.scopes import Syntax


@dataclass(frozen=True, slots=True)
class Meeting:
    """A host value and an accelerator value in one operation, which fails.

    Args:
        operation: what the code calls it: a function's name, an operator, a module's name.
        node: the operation's expression.
        host: the value on the host.
        origin: where the host value comes from.
        host_node: the expression of the host operand at the operation.
        partner_text: how to call the value on the accelerator.
        partner_node: its expression.
        module_call: whether the operation is the call of a module that lives on the accelerator.
        scope: dotted name of the function in which they meet.
    """

    operation: str
    node: ast.AST
    host: Tensor | Bundle | Instance
    origin: Origin
    host_node: ast.AST
    partner_text: str
    partner_node: ast.AST
    module_call: bool
    scope: str

    @property
    def is_of_model(self) -> bool:
        """Whether it happens in a model's `forward`, or where a model is called."""
        return self.origin.in_forward or self.module_call


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A layer with parameters that `forward` builds in every call, and applies where it lives.

    Args:
        origin: the construction.
        node: the call of the layer.
    """

    origin: Origin
    node: ast.Call


@dataclass(frozen=True, slots=True)
class Discard:
    """A move or cast of a tensor whose result is thrown away.

    Args:
        node: the call.
        target: what it is called on.
        receiver: what that holds.
        holder: what holds that, if it is an attribute or an element.
        lost: what that means for it: "keeps its dtype", for example.
    """

    node: ast.expr
    target: ast.expr
    method: str
    scope: str
    receiver: Value
    holder: Value
    lost: str


@dataclass(frozen=True, slots=True)
class View:
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

    def merge(self, other: View) -> View:
        """Return what holds in two calls that lead to the place."""
        refuted = self.refuted | other.refuted
        return View(
            tuple(name for name in self.devices if name in other.devices),
            tuple(p for p in dict.fromkeys(self.tensors + other.tensors) if p not in refuted),
            tuple(text for text in self.state if text in other.state),
            refuted,
        )


@dataclass(frozen=True, slots=True)
class ModuleMove:
    """The move of a module to the accelerator, kept because inputs should follow it.

    Args:
        node: the call, `model.to(device)`.
        module: how the code calls the module; empty where it has no name yet.
    """

    node: ast.Call
    module: str


@dataclass(slots=True)
class Facts:
    """The facts about one file.

    Args:
        span: turns a syntax node into its place in the text.
        meetings: in the order in which they happen, the first one for each origin.
        rebuilt: layers that are built in every call, the first use of each construction.
        trainable: the constructions in `forward` that make parameters which can be trained.
        own_state: the constructions whose parameters the code takes care of itself.
        discards: thrown away moves, in the order in which they are met.
        views: what is in sight where tensors and layers are made in `forward`.
        moved_parts: the targets of batches of which something was moved.
        module_moves: moves of modules to the accelerator, in the order in which they are met.
        tree: the file's syntax tree.
        text: gives the source text of a node.
    """

    span: Callable[[ast.AST], Span]
    meetings: dict[object, Meeting] = field(default_factory=dict)
    rebuilt: dict[object, Rebuilt] = field(default_factory=dict)
    trainable: set[object] = field(default_factory=set)
    own_state: set[object] = field(default_factory=set)
    discards: dict[ast.AST, Discard] = field(default_factory=dict)
    not_tensors: set[ast.AST] = field(default_factory=set)
    excused: set[object] = field(default_factory=set)
    views: dict[ast.AST, View] = field(default_factory=dict)
    moved_parts: set[ast.AST] = field(default_factory=set)
    module_moves: dict[ast.AST, ModuleMove] = field(default_factory=dict)
    tree: ast.Module = field(default_factory=lambda: ast.Module([], []))
    text: Callable[[ast.AST], str] = ast.unparse
    _syntax: Syntax | None = None

    @property
    def syntax(self) -> Syntax:
        """The tree with the way back from a node to what it is part of."""
        if self._syntax is None:
            self._syntax = Syntax(self.tree)
        return self._syntax

    def meet(self, meeting: Meeting) -> None:
        """Record a meeting, unless its origin has met something already.

        What a function does with arguments that are not known gives way to what happens in
        `forward`, or at the call of a model.
        """
        whole = meeting.origin.whole
        while whole is not None:
            if whole.identity in self.meetings:
                return
            whole = whole.whole
        earlier = self.meetings.get(meeting.origin.identity)
        if earlier is None or (meeting.is_of_model and not earlier.is_of_model):
            self.meetings[meeting.origin.identity] = meeting

    def excuse(self, origin: Origin) -> None:
        """Note that the move of a value was thrown away: that is its one defect.

        A part that was looped over or looked up stands for the value that holds it.
        """
        part: Origin | None = origin
        while part is not None:
            self.excused.add(part.identity)
            key = part.key[1] if isinstance(part.key, tuple) else None
            part = part.whole if isinstance(key, str) else None

    def unexcused(self) -> Iterator[Meeting]:
        """Yield the meetings that are defects of their own."""
        for meeting in self.meetings.values():
            part: Origin | None = meeting.origin
            while part is not None and part.identity not in self.excused:
                part = part.whole
            if part is None:
                yield meeting

    def untrained(self) -> Iterator[Rebuilt]:
        """Yield the layers whose parameters are lost with each call, and don't fail before."""
        for identity, rebuilt in self.rebuilt.items():
            if identity not in self.own_state and identity not in self.meetings:
                yield rebuilt
