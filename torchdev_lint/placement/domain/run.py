"""The state of an abstract run: environments, the heap of objects, and frames."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Function,
    Instance,
    Library,
    Mapping,
    Origin,
    Place,
    Sequence,
    Tensor,
    Value,
    alternatives,
    choice,
    join,
)
from torchdev_lint.placement.evidence import conditions
from torchdev_lint.placement.evidence.uses import Uses, collect_uses
from torchdev_lint.placement.facts.events import Facts
from torchdev_lint.placement.interpreter.correlation import Choices
from torchdev_lint.syntax.names import star_member

MAX_STEPS = 60_000
"""Expressions evaluated from one entry point before the rest of it counts as unknown."""
MAX_DEPTH = 12
"""Nested calls that are followed."""
CONTAINED = "*items"
"""The attribute under which containers of modules keep what they hold."""
BUILTINS = frozenset(
    """
    abs all any bool dict divmod enumerate filter float frozenset getattr hasattr id int isinstance
    iter len list map max min next print range repr reversed round set setattr slice sorted str sum
    super tuple type zip
    """.split()
)
"""Built-in functions and types the analysis knows."""


@dataclass(frozen=True, slots=True)
class Obj:
    """What is known of one object: a module, or an instance of a class of the file.

    Args:
        place: where its parameters and buffers live; they move with it.
        module: whether it is a `torch.nn.Module`.
        stateful: whether it has parameters or buffers; None where that is not known.
        attrs: its attributes. Never changed: an assignment makes a new `Obj`.
        origin: the construction, if it is a layer that was built in view.
        moves_inputs: whether it moves what it is called with, as DataParallel does.
        was_moved: whether the code itself moved it to the accelerator.
        kept: whether the code itself put it on the CPU.
        shaky: attributes that methods other than `__init__` assign as well.
    """

    place: Place
    module: bool = False
    stateful: bool | None = None
    attrs: dict[str, Value] = field(default_factory=dict)
    origin: Origin | None = None
    moves_inputs: bool = False
    was_moved: bool = False
    kept: bool = False
    shaky: frozenset[str] = frozenset()


def settle(obj: Obj, value: Value) -> Value:
    """Give parameters and buffers, which move with their module, the module's place."""
    settled: list[Value] = []
    for option in alternatives(value):
        if isinstance(option, Tensor) and option.registered:
            option = replace(option, place=obj.place, origin=obj.origin)
        settled.append(option)
    return choice(settled)


@dataclass(slots=True)
class Env:
    """What holds at one point of the program.

    Args:
        names: local variables.
        paths: what is known of `x.y` and `x["y"]` for an `x` that is no object on the heap.
        heap: the objects; never changed in place, so that states can share it.
        default: where factories put their tensors when nothing says so.
        choices: what conditions have put into variables; never changed in place.
    """

    names: dict[str, Value]
    heap: dict[int, Obj]
    paths: dict[str, Value] = field(default_factory=dict)
    default: Place = Place.HOST
    choices: dict[str, Choices] = field(default_factory=dict)

    def fork(self) -> Env:
        """Return a copy that can change on its own."""
        return Env(dict(self.names), self.heap, dict(self.paths), self.default, self.choices)

    def assign(self, name: str, value: Value) -> None:
        """Bind a local variable, and forget what was known of its parts."""
        self.names[name] = value
        if self.paths:
            self.forget(name)
        if self.choices:
            self.forget_choices(name)

    def forget_choices(self, name: str) -> None:
        """Forget the conditions that ask for a variable or attribute which has changed."""
        self.choices = {t: c for t, c in self.choices.items() if name not in c.depends_on}

    def forget(self, root: str) -> None:
        """Forget what is known of the parts of `root`."""
        for path in [p for p in self.paths if p.startswith((f"{root}.", f"{root}["))]:
            del self.paths[path]


def join_environments(first: Env, second: Env, about_devices: bool = False) -> Env:
    """Join the states at the ends of two branches.

    Args:
        about_devices: whether the condition is about devices, so that values which differ
            may each be right where they are used.
    """

    def combine(a: Value, b: Value) -> Value:
        if about_devices and a != b:
            return _without_place(a, b)
        return join(a, b)

    names = dict(first.names)
    for name, value in second.names.items():
        names[name] = combine(names[name], value) if name in names else value
    paths = {p: combine(v, second.paths[p]) for p, v in first.paths.items() if p in second.paths}
    default = first.default if first.default is second.default else Place.UNKNOWN
    choices = {t: c for t, c in first.choices.items() if second.choices.get(t) == c}
    heap = join_heaps(first.heap, second.heap, about_devices)
    return Env(names, heap, paths, default, choices)


def _without_place(first: Value, second: Value) -> Value:
    """Join two values whose places depend on a condition about devices."""
    return choice([conditions.blur(o) for o in (*alternatives(first), *alternatives(second))])


def join_heaps(
    first: dict[int, Obj], second: dict[int, Obj], about_devices: bool = False
) -> dict[int, Obj]:
    """Join what two branches know of the objects."""
    if first is second:
        return first
    heap = dict(first)
    for ref, other in second.items():
        mine = heap.get(ref)
        if mine is None or mine is other:
            heap[ref] = other
            continue
        attrs = dict(mine.attrs)
        for name, value in other.attrs.items():
            if name in attrs and about_devices and attrs[name] != value:
                attrs[name] = _without_place(attrs[name], value)
            else:
                attrs[name] = join(attrs[name], value) if name in attrs else join(value, UNKNOWN)
        for name in mine.attrs.keys() - other.attrs.keys():
            attrs[name] = join(attrs[name], UNKNOWN)
        place = mine.place if mine.place is other.place else Place.UNKNOWN
        heap[ref] = replace(
            mine,
            place=place,
            attrs=attrs,
            was_moved=mine.was_moved and other.was_moved,
            kept=mine.kept or other.kept,
        )
    return heap


@dataclass(slots=True)
class Frame:
    """One call in progress.

    Args:
        node: the function, class or module.
        scope: its dotted name.
        in_forward: whether it is `forward` of a module, or reached from it.
        closure: the variables of the enclosing functions, innermost first.
        bound: `self`, if it is a method.
        owner: the class the method is written in.
        returns: what was returned so far, and the heap at each return.
        yields: what was yielded so far.
        exits: the states at `break`, and at `continue`, of the innermost loop.
        construction: the expression that builds a layer, while that layer's `__init__` runs.
    """

    node: ast.AST
    scope: str
    in_forward: bool
    closure: tuple[dict[str, Value], ...] = ()
    bound: Value | None = None
    owner: ClassInfo | None = None
    returns: list[tuple[Value, dict[int, Obj]]] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    breaks: list[Env] = field(default_factory=list)
    continues: list[Env] = field(default_factory=list)
    construction: Origin | None = None
    outer_names: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Summary:
    """What a call gave.

    Args:
        before: the heap it began with, kept so that its identity stays its own.
        after: the heap it left.
    """

    value: Value
    before: dict[int, Obj]
    after: dict[int, Obj]


@dataclass(slots=True)
class Run:
    """The analysis of one file in progress: the file's facts and the current state.

    Args:
        doubt: how many branches around the code at hand are about devices, and not decided.
        expected: how many constructs around it want it to fail.
        caught: how many would catch its failure, and go on.
    """

    facts: Facts
    handlers: dict[type[ast.AST], Callable[[Run, ast.AST], Value]]
    execute: Callable[[Run, list[ast.stmt]], bool]
    env: Env = field(default_factory=lambda: Env({}, {}))
    globals: Env = field(default_factory=lambda: Env({}, {}))
    frames: list[Frame] = field(default_factory=list)
    star_imports: list[str] = field(default_factory=list)
    changing_globals: frozenset[str] = frozenset()
    uses: dict[ast.AST, dict[str, Uses]] = field(default_factory=dict)
    torch_names: frozenset[str] = frozenset()
    length_names: frozenset[str] = frozenset()
    building_names: frozenset[str] = frozenset()
    self_moving: set[str] = field(default_factory=set)
    doubt: int = 0
    expected: int = 0
    caught: int = 0
    memo: dict[object, Summary] = field(default_factory=dict)
    wanted: Callable[[ast.AST], bool] = lambda node: True
    about_devices: dict[ast.AST, bool] = field(default_factory=dict)
    conditions: dict[ast.AST, tuple[str, bool]] = field(default_factory=dict)
    steps: int = 0
    next_ref: int = 0
    sites: dict[tuple[ast.AST, ...], int] = field(default_factory=dict)

    def evaluate(self, node: ast.expr) -> Value:
        """Evaluate an expression in the current state, recording what it does."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            return UNKNOWN
        handler = self.handlers.get(type(node))
        return handler(self, node) if handler else UNKNOWN

    def look_up(self, name: str) -> Value:
        """Find what a variable holds: local, enclosing, global, star-imported, in that order."""
        if name in self.env.names:
            return self.env.names[name]
        for closure in self.frame.closure:
            if name in closure:
                return closure[name]
        if name in self.globals.names:
            if name in self.changing_globals and len(self.frames) > 1:
                return UNKNOWN
            return self.globals.names[name]
        if self.star_imports and (member := star_member(name, self.star_imports)):
            return Library(member)
        return Library(f"builtins.{name}") if name in BUILTINS else UNKNOWN

    @property
    def may_fail(self) -> bool:
        """Whether it is no defect if the code at hand fails, or not certain that it does."""
        return bool(self.doubt or self.expected or self.caught)

    def is_about_devices(self, test: ast.AST) -> bool:
        """Whether a condition is about devices."""
        if test not in self.about_devices:
            self.about_devices[test] = conditions.about_devices(test)
        return self.about_devices[test]

    def uses_of(self, path: str) -> Uses | None:
        """How a name or attribute is used in the functions and the class at hand."""
        scopes = [frame.node for frame in reversed(self.frames[-1:])]
        if path.startswith("self.") and self.frame.owner:
            scopes = [info.node for info in self.frame.owner.lineage()]
        merged: Uses | None = None
        for scope in scopes:
            if scope not in self.uses:
                self.uses[scope] = collect_uses(scope, self.torch_names)
            if found := self.uses[scope].get(path):
                merged = found if merged is None else merged.merge(found)
        return merged

    @property
    def frame(self) -> Frame:
        """The innermost call in progress."""
        return self.frames[-1]

    def allocate(
        self, obj: Obj, cls: ClassInfo | None, library: str = "", site: ast.AST | None = None
    ) -> Instance:
        """Put a new object on the heap.

        Args:
            site: the expression that makes it; what it makes again, as in a loop, is one object.
        """
        key = self._site_key(site) if site is not None else None
        ref = self.sites.get(key) if key is not None else None
        if ref is None:
            self.next_ref += 1
            ref = self.next_ref
            if key is not None:
                self.sites[key] = ref
        self.env.heap = {**self.env.heap, ref: obj}
        return Instance(ref, cls, library)

    def _site_key(self, site: ast.AST) -> tuple[ast.AST, ...]:
        return (site, *(frame.node for frame in self.frames))

    def has_built(self, site: ast.AST) -> bool:
        """Whether an expression has built an object that still exists."""
        return self.sites.get(self._site_key(site)) in self.env.heap

    def obj(self, instance: Instance) -> Obj:
        """What is known of an object; an empty one where the branch at hand did not make it."""
        return self.env.heap.get(instance.ref) or Obj(Place.UNKNOWN)

    def update(self, instance: Instance, obj: Obj) -> None:
        """Put a new description of an object on the heap."""
        self.env.heap = {**self.env.heap, instance.ref: obj}

    def move_object(self, instance: Instance, place: Place, by_code: bool = True) -> None:
        """Move a module in place, with all modules that are registered in it."""
        pending, seen = [instance], set()
        while pending:
            current = pending.pop()
            if current.ref in seen:
                continue
            seen.add(current.ref)
            obj = self.obj(current)
            moved_now = by_code and place is Place.ACCELERATOR
            kept = by_code and place is Place.HOST
            self.update(current, replace(obj, place=place, was_moved=moved_now, kept=kept))
            for name, value in obj.attrs.items():
                for option in alternatives(value):
                    if isinstance(option, Instance) and self.obj(option).module:
                        pending.append(option)
                    elif name == CONTAINED and isinstance(option, (Sequence, Mapping)):
                        pending.extend(_instances(option))

    def scope_of(self, function: Function) -> str:
        """Dotted name for a function about to be called."""
        name = getattr(function.node, "name", "<lambda>")
        return f"{function.owner.name}.{name}" if function.owner else name


def _instances(value: Sequence | Mapping) -> list[Instance]:
    if isinstance(value, Mapping):
        items = (*(item for _, item in value.items), value.rest)
    else:
        items = value.items if value.items is not None else (value.element,)
    options = [option for item in items for option in alternatives(item)]
    return [option for option in options if isinstance(option, Instance)]
