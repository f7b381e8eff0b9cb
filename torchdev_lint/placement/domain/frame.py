"""Calls in progress, and what they have read outside themselves."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import field
from typing import Final, TypeAlias

from torchdev_lint.placement.domain.arguments import Crossing
from torchdev_lint.placement.domain.branches import Question
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.file import File
from torchdev_lint.placement.domain.heap import Heap, Obj
from torchdev_lint.placement.domain.imported import ProjectModule
from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.domain.settings import Settings
from torchdev_lint.placement.domain.values import Instance, Value
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.scopes import is_generator

SiteKey: TypeAlias = tuple[ast.AST, tuple[ast.AST | int | None, ...]]
"""What tells apart what expressions make, or call: the expression, and what leads to it."""
Task: TypeAlias = tuple[ast.AST, ClassInfo | None]
"""A function, and of a method the class whose object it does something for."""
UNBOUND: Final = None
"""What a variable holds that is not bound."""


@dataclass(frozen=True, slots=True)
class Changing:
    """What a loop changes from round to round.

    Args:
        names: the variables and attributes.
        chosen: the `if` under which all stands that a round leaves to the next one: it waits for
            none of its rounds.
        parts: those of its variables that are the parts of a module in turn, the same whenever the
            loop is run.
    """

    names: frozenset[str]
    chosen: ast.If | None
    parts: frozenset[str]


@dataclass(slots=True)
class Reads:
    """What a call has read that was there before it: its result depends on nothing else.

    Args:
        names: variables of enclosing functions and of the module.
        objects: objects that were there before, as they were when the call began.
        built: whether expressions had built an object before, by the object's reference.
        made_anew: objects that it has built itself, whether or not they were there before.
        asked: the conditions of which it has asked how they turned out before.
        asks_own: whether it has asked for all that are about its object.
        cut: what was in progress already when it was called, which was left out.
        cut_off: whether anything was left out: for being too deep, since the budget was spent,
            or since a loop has to decide first.
    """

    names: dict[tuple[Frame, str], Value | None] = field(default_factory=dict)
    objects: Heap = field(default_factory=dict)
    built: dict[int, bool] = field(default_factory=dict)
    made_anew: set[int] = field(default_factory=set)
    asked: set[Question] = field(default_factory=set)
    asks_own: bool = False
    cut: set[Task] = field(default_factory=set)
    cut_off: bool = False


@dataclass(slots=True, eq=False)
class Frame:
    """One call in progress, or the module: the variables live here.

    Args:
        node: the function, class or module.
        scope: its dotted name.
        in_forward: whether it is `forward` of a module, or reached from it.
        env: the current state.
        file: the file it stands in.
        closure: the frames whose variables it sees, innermost first, the module's last.
        bound: `self`, if it is a method.
        owner: the class the method is written in.
        construction: the expression that builds a layer, while that layer's `__init__` runs.
        site: the expression that calls it, None for an entry point.
        crossing: what it is called with, if it is a function of another file.
        apart: the last call in the own code of a module that is being built, which led here.
        entry_heap: the objects as they were when it began.
        returns: what was returned so far, and the state at each return.
        returns_by_device: whether a condition about devices has chosen what was returned.
        yields: what was yielded so far.
        breaks: the states at `break` of the innermost loop.
        continues: the states at `continue` of the innermost loop.
        last_branches: the branches after which that loop has no other round.
        changing: what loops change whose first round is under way.
        bound_by_rounds: the variables that rounds of loops have bound for those after them.
        nest_limit: how many expressions the nest of loops at hand may have evaluated at its end.
        global_names: the variables that are the module's by `global`.
        nonlocal_names: the variables that are an enclosing function's by `nonlocal`.
        cells: its variables that other functions assign as well; they live on the heap.
        late: whether its variables are bound when they are first read: a module of the project.
        star_imports: the libraries of which all members were imported.
        stars: the modules of the project of which all members were.
        defines: whether functions were defined in it, which see its variables.
        failing: what raises on every machine in the statement at hand, and whether that alone tells
            it, whatever the function is given.
        failed: whether a statement has ended its path by that.
        state_in_view: what its modules hold that tells a device, by their names and references,
            and the objects as they were when that was looked at.
    """

    node: ast.AST
    scope: str
    in_forward: bool
    env: Env
    file: File
    closure: tuple[Frame, ...] = ()
    bound: Value | None = None
    owner: ClassInfo | None = None
    construction: Origin | None = None
    site: ast.AST | None = None
    crossing: Crossing | None = None
    apart: ast.AST | None = None
    entry_heap: Heap = field(default_factory=dict)
    returns: list[tuple[Value, Env]] = field(default_factory=list)
    returns_by_device: bool = False
    yields: list[Value] = field(default_factory=list)
    breaks: list[Env] = field(default_factory=list)
    continues: list[Env] = field(default_factory=list)
    last_branches: frozenset[tuple[ast.If, bool]] = frozenset()
    changing: list[Changing] = field(default_factory=list)
    bound_by_rounds: set[str] = field(default_factory=set)
    nest_limit: int | None = None
    global_names: set[str] = field(default_factory=set)
    nonlocal_names: set[str] = field(default_factory=set)
    cells: dict[str, int] = field(default_factory=dict)
    late: bool = False
    star_imports: list[str] = field(default_factory=list)
    stars: list[ProjectModule] = field(default_factory=list)
    defines: bool = False
    reads: Reads = field(default_factory=Reads)
    failing: tuple[ast.expr, bool] | None = None
    failed: bool = False
    state_in_view: tuple[Heap, dict[tuple[str, int], tuple[str, ...]]] | None = None

    @property
    def task(self) -> Task:
        """What is in progress."""
        return self.node, self.bound.cls if isinstance(self.bound, Instance) else None

    @property
    def raises(self) -> bool:
        """Whether all its paths have ended by an error, of which one comes on every machine.

        A generator's come later: its call only makes it.
        """
        return self.failed and not self.returns and not is_generator(self.node)

    @property
    def module(self) -> Frame:
        """The frame of the module it stands in, whose variables are its globals."""
        return self.closure[-1] if self.closure else self

    def owner_of(self, name: str) -> Frame:
        """Return the frame whose variable a name is when it is assigned here."""
        if name in self.global_names:
            return self.module
        if name in self.nonlocal_names:
            enclosing = self.closure[:-1]
            bound = [outer for outer in enclosing if name in outer.cells]
            return (bound or enclosing or (self,))[0]
        return self

    @property
    def bound_ref(self) -> int | None:
        """The reference of the object whose method it is, None if it is none."""
        return self.bound.ref if isinstance(self.bound, Instance) else None

    def module_in(self, heap: Heap) -> Obj | None:
        """Return the module whose method it is, if it is one; that it was asked is not noted."""
        obj = heap.get(self.bound.ref) if isinstance(self.bound, Instance) else None
        return obj if obj is not None and obj.module else None

    def visible_from_inside(self) -> tuple[Frame, ...]:
        """The frames whose variables a function sees that is defined here, innermost first.

        The variables of a class body are not seen by its methods.
        """
        return self.closure if isinstance(self.node, ast.ClassDef) else (self, *self.closure)


def site_key(site: ast.AST, frames: Sequence[Frame], info: ClassInfo | None) -> SiteKey:
    """Return what tells objects apart: the expression that builds one, and the calls to there.

    Inside a module, which is one object itself, the functions do, and the last call in its code.
    What no call leads to, as what is built when it is first used, is told apart by its object.

    Args:
        site: the expression.
        frames: the calls in progress, the innermost last.
        info: the class of which it builds one, None if that is out of sight.
    """
    heap = frames[-1].env.heap
    key: list[ast.AST | int | None] = []
    inside = False
    for frame in frames:
        key.append(frame.node)
        if not inside:
            key.append(frame.site or frame.bound_ref)
            inside = frame.module_in(heap) is not None
    return site, (*key, frames[-1].apart, None if info is None else info.node)


def called_at(frames: Sequence[Frame], site: ast.AST | None) -> SiteKey | None:
    """Return what tells the objects that a call makes from those of an equal one.

    None where no call leads to it, and inside a module, which tells its parts apart by itself.

    Args:
        frames: the calls in progress, the innermost last.
        site: the call.
    """
    heap = frames[-1].env.heap
    if site is None or any(frame.module_in(heap) is not None for frame in frames):
        return None
    return site_key(site, frames, None)


def told_apart(
    frames: Sequence[Frame], bound: Value | None, site: ast.AST | None
) -> ast.AST | None:
    """Return the last call in the own code of the outermost module that is being built.

    What one call there builds is not what another one does. The parts of what it builds are told
    apart by the constructions of that.

    Args:
        frames: the calls in progress, the innermost last.
        bound: `self` of the function that is called.
        site: the call.
    """
    caller = frames[-1]
    if caller.in_forward:
        return None
    if bound is not None and bound != caller.bound:
        return None
    heap = caller.env.heap
    whole = next((frame for frame in frames if frame.module_in(heap) is not None), None)
    return caller.apart if whole is None or whole.bound != caller.bound else site


def innermost_of(frames: Sequence[Frame], file: File) -> Frame:
    """Return the innermost of some calls in progress whose code is of a file; one has to be."""
    return next(frame for frame in reversed(frames) if frame.file is file)


@dataclass(frozen=True, slots=True)
class Summary:
    """What a call gave, and what that depends on.

    Args:
        objects: the objects that its arguments are about.
        reads: what it read outside itself: it holds only while all that is unchanged.
        answers: what was known of the conditions that it asked for, by their texts.
        writes: the objects it has changed or made, as it left them.
        made: those that it has made.
        settings: what is set afterwards.
        attributes: the names of the attributes and shared variables that it has changed.
        raises: whether it has not come back, on whatever machine.
        changed: what it has made of the lists and dicts that it was handed, by its parameters.
        handed: these as they were before.
        at: what tells the objects that it has made from those of an equal call.
    """

    value: Value
    objects: tuple[int, ...]
    reads: Reads
    answers: dict[str, bool]
    writes: Heap
    made: tuple[int, ...]
    settings: Settings
    attributes: frozenset[str]
    raises: bool
    changed: dict[str, Value]
    handed: dict[str, Value]
    at: SiteKey | None
