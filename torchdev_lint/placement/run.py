"""An analysis in progress: the calls, their variables, the objects, and what was found out."""

from __future__ import annotations

import ast
from collections.abc import Callable, Set
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from torchdev_lint.catalog.builtins import BUILTINS
from torchdev_lint.placement.domain.branches import Literal, Question
from torchdev_lint.placement.domain.budget import MAX_NESTING, NESTING_OF_A_STACK
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.environment import Env, join_environments
from torchdev_lint.placement.domain.file import File
from torchdev_lint.placement.domain.frame import UNBOUND, Frame, Summary
from torchdev_lint.placement.domain.heap import CELL, Heap, Obj
from torchdev_lint.placement.domain.imported import ProjectMember, ProjectModule
from torchdev_lint.placement.domain.joins import choice, join
from torchdev_lint.placement.domain.moods import Mood, Moods
from torchdev_lint.placement.domain.origins import Origin, OriginKind, Site
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Choice,
    Function,
    Instance,
    Library,
    Place,
    Value,
)
from torchdev_lint.placement.evidence.feeding import Feeding
from torchdev_lint.placement.evidence.file_context import FileContext, context_of
from torchdev_lint.placement.evidence.uses import Uses
from torchdev_lint.placement.facts.events import Event, FoundElsewhere
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.objects import Objects
from torchdev_lint.records import dataclass
from torchdev_lint.stack import on_new_stack
from torchdev_lint.syntax.names import customary, path_of
from torchdev_lint.syntax.scopes import FUNCTIONS

Node = TypeVar("Node")
_PERHAPS_UNREAD = frozenset({ProjectMember, Choice})
"""What may hold members of modules that nobody has looked for yet."""
Result = TypeVar("Result")

if TYPE_CHECKING:
    from torchdev_lint.placement.domain.arguments import Arguments, Operand


@dataclass(slots=True)
class Run(Objects):
    """The analysis of one file in progress.

    Args:
        facts: what was found out so far.
        handlers: evaluate the kinds of expressions.
        execute: runs statements.
        call: calls a value.
        call_unwritten: calls a function to which no call leads that is written, from an expression.
        member: gives a member of a module of the project.
        bind_late: binds a variable of another file's module, or one that came with a star; None if
            there is none of that name.
        leads: whether a definition in the file at a path can lead to a finding.
        modules: the modules of the project that were imported, by their paths.
        loading: the variables of other files that are being bound.
        asked: the modules that were asked for a variable that may have come with a star, by its
            name, each with how many more it could ask.
        set_members: what the file at hand has given variables of other files, by path and name.
        supposing: whether an accelerator is supposed to be there, and models to be on it. If not,
            models and arguments are anywhere, and CUDA is only where the code names it.
        placed: the classes of the file that are built under a device as context.
        serves_host: whether the entry point at hand is called with what is on the host.
        leaves_modules: whether some module was built on the host that may be left there.
        puts_back: whether the code has moved some module to the CPU that it may apply there.
        applied: the call of a module that was left on the host, if its code is at hand, with what
            it is given that is on the accelerator.
        self_moving: paths of things out of sight that may move their inputs themselves.
        brought_to: the loops that have got what may be on the accelerator before they move it.
        in_background: copies to the host that don't wait until they are done.
        moods: in which the code at hand is read.
        held_back: how many events were not noted only since a loop has to decide first.
        is_given: whether an entry point is run, whose callers are out of sight.
        reads_ahead: whether expressions of other files are evaluated by themselves.
        read_ahead: what they have given that doesn't change.
        hooks: the functions that the entry point at hand has defined, and modules call.
        memo: what calls gave, by function and arguments.
        questions: the conditions that were asked for, by their texts.
        literals: the same by where they stand, with whether they stand there in that form.
        retold: the objects that remembered calls make when they are told again for others.
        crossing: the call that has led to the code of another file, if that is at hand.
        nesting: how many expressions and blocks are being run, each in the one before.
        own_uses: how the attributes of `self` are used in a class and those it inherits from.
        imported: the objects that variables of other files hold, by reference, each with the heap
            that it was made on.
    """

    facts: Facts
    handlers: dict[type[ast.AST], Callable[[Run, ast.AST], Value]]
    execute: Callable[[Run, list[ast.stmt]], bool]
    call: Callable[[Run, Value, Arguments, ast.Call], Value]
    call_unwritten: Callable[[Run, Function, Arguments, ast.AST], Value]
    member: Callable[[Run, ProjectModule, str], Value]
    bind_late: Callable[[Run, Frame, str], Value | None]
    leads: Callable[[str, ast.AST], bool]
    modules: dict[str, Frame | None] = field(default_factory=dict)
    loading: set[tuple[Frame, str]] = field(default_factory=set)
    asked: dict[str, set[tuple[Frame, int]]] = field(default_factory=dict)
    set_members: dict[tuple[str, str], Value] = field(default_factory=dict)
    supposing: bool = True
    placed: Set[str] = frozenset()
    serves_host: bool = False
    leaves_modules: bool = False
    puts_back: bool = False
    applied: tuple[ast.Call, Operand] | None = None
    self_moving: set[str] = field(default_factory=set)
    brought_to: set[ast.AST] = field(default_factory=set)
    in_background: set[ast.AST] = field(default_factory=set)
    built_by: dict[str, str] = field(default_factory=dict)
    moods: Moods = field(default_factory=Moods)
    held_back: int = 0
    is_given: bool = False
    reads_ahead: bool = False
    read_ahead: dict[ast.expr, Value] = field(default_factory=dict)
    hooks: list[Function] = field(default_factory=list)
    memo: dict[object, list[Summary]] = field(default_factory=dict)
    questions: dict[str, Question] = field(default_factory=dict)
    literals: dict[ast.AST, Literal] = field(default_factory=dict)
    retold: dict[object, dict[int, int]] = field(default_factory=dict)
    crossing: ast.Call | None = None
    nesting: int = 0
    own_uses: dict[tuple[ClassInfo, str], Uses | None] = field(default_factory=dict)
    imported: dict[int, Heap] = field(default_factory=dict)

    @property
    def main(self) -> File:
        """The file that is analysed."""
        return self.frames[0].file

    @property
    def entry(self) -> ast.AST | None:
        """The entry point at hand, None while the module's own code is run, with what it calls."""
        return self.frames[1].node if self.is_given and len(self.frames) > 1 else None

    @property
    def in_function(self) -> bool:
        """Whether a function is being run, not only the module's own statements."""
        return len(self.frames) > 1

    @property
    def is_elsewhere(self) -> bool:
        """Whether the code at hand stands in another file than the one that is analysed."""
        return self.frames[-1].file is not self.frames[0].file

    @property
    def builds_module(self) -> bool:
        """Whether the code at hand builds a module of the file that is analysed, or prepares it."""
        frame = self.frames[-1]
        bound = frame.bound
        if frame.in_forward or self.is_elsewhere or not isinstance(bound, Instance):
            return False
        return self.obj(bound).module

    @property
    def file(self) -> FileContext:
        """What the whole file that the code at hand stands in says about its names."""
        return context_of(self.frames[-1].file)

    @property
    def module(self) -> Frame:
        """The frame of the module at hand, whose variables are the globals."""
        return self.frames[-1].module

    def evaluate(self, node: ast.expr) -> Value:
        """Evaluate an expression in the current state, recording what it does."""
        if not self.budget.spend():
            self.frame.reads.cut_off = True
            return UNKNOWN
        handler = self.handlers.get(type(node))
        if handler is None:
            return UNKNOWN
        # As `nested` does, which would be one call more for each expression.
        self.nesting = nesting = self.nesting + 1
        value = handler(self, node) if nesting % NESTING_OF_A_STACK else self._go_on(handler, node)
        self.nesting = nesting - 1
        return value

    def nested(self, work: Callable[[Run, Node], Result], node: Node) -> Result:
        """Run a part of the code, which may hold others of its kind, each in the one before.

        Where they nest so deep that Python's stack might not do, it is gone on with on another.
        """
        self.nesting += 1
        result = work(self, node) if self.nesting % NESTING_OF_A_STACK else self._go_on(work, node)
        self.nesting -= 1
        return result

    def _go_on(self, work: Callable[[Run, Node], Result], node: Node) -> Result:
        """Go on with another stack, where there have not been enough of them."""
        if self.nesting > MAX_NESTING:
            raise RecursionError
        self.budget.changed_stacks()
        return on_new_stack(partial(work, self, node))

    def fork(self) -> Env:
        """Return a copy of the current state that can change on its own."""
        env = self.env
        self.budget.copied(len(env.names) + len(env.paths))
        return env.fork()

    def join_states(
        self, first: Env, second: Env, combine: Callable[[Value, Value], Value] = join
    ) -> Env:
        """Join the states at the ends of two branches.

        Args:
            combine: joins what one variable or attribute holds in them.
        """
        budget = self.budget

        def counted(one: Value, other: Value) -> Value:
            budget.joined(1)
            return combine(one, other)

        budget.visited(len(second.names) + len(second.paths) + len(second.outcomes))
        if first.heap is not second.heap:
            budget.visited(len(second.heap))
        return join_environments(first, second, counted)

    def look_up(self, name: str) -> Value:
        """Find what a variable holds: local, enclosing, global, star-imported, in that order."""
        frame = self.frames[-1]
        own = frame.env.names.get(name)
        if own is not None:
            return self._read(own) if type(own) in _PERHAPS_UNREAD else own
        value = self._cell(frame, name) if frame.cells else UNBOUND
        if value is not None:
            return value
        for outer in frame.closure:
            value = self.read_outer(outer, name)
            if value is not None:
                if type(value) is not Library and is_its_own(frame, name):
                    return UNKNOWN  # Python raises an `UnboundLocalError`
                if frame.env.paths:
                    return frame.env.paths.get(name, value)
                return value
        return self._look_outside(name)

    def _look_outside(self, name: str) -> Value:
        """Find what a variable holds that the file at hand doesn't bind."""
        module = self.module
        if module is self.frame if module.late else module.stars or module.star_imports:
            value = self.bind_late(self, module, name)
            if value is not None:
                return self._read(value)
        if name in BUILTINS:
            return Library(f"builtins.{name}")
        has_stars = bool(module.stars or module.star_imports)
        library = customary(name, has_stars) if has_stars or not self.is_elsewhere else None
        if library is None or self.file.may_bind(module.node, name):
            return UNKNOWN  # what is imported is no excerpt: nothing was left out of it
        return Library(library)

    def _read(self, value: Value) -> Value:
        """A value that a variable holds, with the members of modules looked for that it names."""
        if isinstance(value, ProjectMember):
            value = self.member(self, value.module, value.name)
        if isinstance(value, Choice):
            return choice([self._read(option) for option in value.options])
        if isinstance(value, Instance) and value.ref in self.imported:
            self._have(value.ref)
        return value

    def _have(self, ref: int) -> None:
        """Have an object on the heap that another file's variable holds, with its parts."""
        heap = self.env.heap
        if ref not in heap:
            made_on = self.imported[ref]
            self.put({other: obj for other, obj in made_on.items() if other not in heap})

    def note(self, event: Event) -> bool:
        """Note an event, unless the code at hand is in a mood in which it says nothing.

        Of what only waits for another round of a loop it is noted that there has to be one.

        Returns:
            Whether it was noted, or was known.
        """
        is_told = event.is_about(self.main, self.frames[-1].file)
        if not is_told:
            if not event.for_users or self.crossing is None:
                return False
            event = FoundElsewhere(event, self.file.path, self.crossing)
        silencing = self.moods.now & event.silenced_by if self.moods.now else None
        if silencing:
            self.held_back += silencing == {Mood.WAITING}
            return False
        self.facts.note(event)
        return is_told

    def made(self, node: ast.AST, kind: OriginKind, label: str) -> Origin:
        """The origin of a host value that the code at hand makes.

        Args:
            node: the expression or target that makes it.
            label: how to call it in a message.
        """
        frame = self.frames[-1]
        in_forward = frame.in_forward and kind is not OriginKind.BATCH
        return Origin(node, frame.file, kind, label, in_forward, frame.scope)

    def site(self, file: File, node: ast.AST) -> Site:
        """A place in another file."""
        context = context_of(file)
        return Site(context.path, context.span(node))

    def read_outer(self, outer: Frame, name: str) -> Value | None:
        """Read a variable of an enclosing frame, noting that it was read; None if unbound."""
        if outer.cells and name in outer.cells:
            return self._cell(outer, name)
        value = outer.env.names.get(name)
        if value is None and outer.late:
            value = self.bind_late(self, outer, name)
        self.frames[-1].reads.names[outer, name] = value
        return None if value is None else self._read(value)

    def _cell(self, frame: Frame, name: str) -> Value | None:
        """Read a variable that lives on the heap; None if it is not bound."""
        ref = frame.cells.get(name)
        if ref is None:
            return UNBOUND
        self.note_read(ref)
        obj = self.env.heap.get(ref)
        return UNBOUND if obj is None else obj.attrs[CELL]

    def bind(self, name: str, value: Value) -> None:
        """Bind a variable where Python binds it, and forget what was known of its parts."""
        frame = self.frames[-1]
        owner = frame.owner_of(name)
        if self._is_shared(owner, name):
            if name not in owner.cells:
                owner.cells[name] = self.built.next_reference()
            cell = Obj(Place.UNKNOWN, attrs={CELL: value})
            self.put({owner.cells[name]: cell})
            looked_at = frame.env.forget_variable(name)
        else:
            looked_at = frame.env.assign(name, value)
        self.budget.visited(4 + looked_at)

    def refine(self, name: str, value: Value) -> None:
        """Note that a condition has told more about what a variable holds."""
        frame = self.frames[-1]
        if name in frame.env.names:
            frame.env.names[name] = value
        else:
            frame.env.paths[name] = value

    def _is_shared(self, owner: Frame, name: str) -> bool:
        """Whether several functions assign a variable, so that it lives on the heap."""
        if owner is self.module:
            return name in self.file.global_names
        return name in self.file.nonlocal_names

    def is_global(self, name: str) -> bool:
        """Whether the module at hand has a variable of that name."""
        module = self.module
        if module.late:
            assert isinstance(module.node, ast.Module)
            return name in self.file.top_level(module.node).bindings
        return name in module.env.names

    def is_about_devices(self, test: ast.AST) -> bool:
        """Whether a condition is about devices."""
        return self.file.is_about_devices(test) or self.is_left_open(test)

    def is_left_open(self, test: ast.AST) -> bool:
        """Whether a condition is about devices, and nothing is supposed of them."""
        return not self.supposing and self.file.asks_for_devices(test, self.module.node)

    def uses_of(self, path: str) -> Uses | None:
        """How a name or attribute is used in the function and the class at hand."""
        owner = self.frame.owner if path.startswith("self.") else None
        if owner is None:
            return self.file.uses_in(self.frame.node).get(path)
        if (owner, path) not in self.own_uses:
            merged: Uses | None = None
            for info in owner.lineage():
                if found := context_of(info.file).uses_in(info.node).get(path):
                    merged = found if merged is None else merged.merge(found)
            self.own_uses[owner, path] = merged
        return self.own_uses[owner, path]

    def has_other_members(self, node: ast.expr) -> bool:
        """Whether the code at hand asks something for what no tensor has."""
        uses = self.uses_of(path_of(node) or "")
        return uses is not None and uses.has_other_members()

    def uses_as_given(self, name: str) -> Uses | None:
        """How the function at hand uses what it is given, before it makes a tensor of that."""
        function = self.frame.node
        if not isinstance(function, FUNCTIONS):
            return self.uses_of(name)
        return self.file.uses_as_given(function, name).get(name)

    def nodes_with_given(self, name: str) -> list[ast.AST]:
        """The code of the function at hand up to where it makes a tensor of what it is given."""
        function = self.frame.node
        if not isinstance(function, FUNCTIONS):
            return self.file.nodes_in(function)
        return self.file.nodes_with_given(function, name)

    def what_is_fed(self) -> Feeding:
        """What the file's calls hand over on the accelerator."""
        return self.file.feeding_in(self.module.node)


def is_its_own(frame: Frame, name: str) -> bool:
    """Whether a name is a function's own variable, bound by now or not."""
    if not isinstance(frame.node, FUNCTIONS):
        return False
    return name in context_of(frame.file).names_of(frame.node)
