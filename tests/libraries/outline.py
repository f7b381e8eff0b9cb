"""What a module of a library binds at its top, read from its source."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from torchdev_lint.placement.evidence.devices import mentions_devices
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.scopes import FUNCTIONS

from .state import State, state_of


@dataclass(eq=False, slots=True)
class Class:
    """A class that a module defines.

    Args:
        module: the dotted name of the module.
        bases: for each base the dotted names it may be; none where it is no name.
        methods: for each method whether it gives back the object itself, each time: by itself (an
            empty string), through another method, whose name this is, or not (None).
        stands_in: whether it can't be built: it stands for a class whose library is missing.
        mentions_devices: whether something in it may put something on a device.
        has_device: whether it has a property `device`.
        state: what it makes and applies, if it is a module.
    """

    module: str
    name: str
    bases: list[tuple[str, ...]]
    methods: dict[str, str | None] = field(default_factory=dict)
    stands_in: bool = False
    mentions_devices: bool = False
    has_device: bool = False
    state: State = field(default_factory=State)


@dataclass(frozen=True, slots=True)
class Imported:
    """A name that was imported: a module, or a member of one.

    Args:
        module: the absolute name of the module.
        member: the member's name, None for the module itself.
    """

    module: str
    member: str | None = None


@dataclass(frozen=True, slots=True)
class Renamed:
    """Another name for what dotted names stand for."""

    names: tuple[str, ...]


class Something:
    """What is neither class nor import: a function, a constant."""


Binding: TypeAlias = "Class | Imported | Renamed | Something"


@dataclass(slots=True)
class Outline:
    """What a module binds.

    Args:
        name: its dotted name.
        is_package: whether it is a package's `__init__`.
        bindings: what each name may be bound to.
        stars: the modules of which it imports everything.
        exported: its `__all__`, as far as it is written out.
        lazy: whether it answers for names that it doesn't bind.
    """

    name: str
    is_package: bool
    bindings: defaultdict[str, list[Binding]] = field(default_factory=lambda: defaultdict(list))
    stars: list[str] = field(default_factory=list)
    exported: set[str] = field(default_factory=set)
    lazy: bool = False

    def absolute(self, node: ast.ImportFrom) -> str:
        """Return the absolute name of the module that an import names."""
        if not node.level:
            return node.module or ""
        parts = self.name.split(".")
        parts = parts[: len(parts) - node.level + self.is_package]
        return ".".join([*parts, *([node.module] if node.module else [])])


def outlined(tree: ast.Module, name: str, is_package: bool) -> Outline:
    """Return what a module binds.

    Args:
        tree: its syntax tree.
        name: its dotted name.
        is_package: whether it is a package's `__init__`.
    """
    outline = Outline(name, is_package)
    _Reader(outline).read(tree.body)
    return outline


class _Reader:
    def __init__(self, outline: Outline) -> None:
        self.outline = outline

    def read(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            if isinstance(statement, (ast.Import, ast.ImportFrom)):
                self._imports(statement)
            elif isinstance(statement, ast.ClassDef):
                found = _class_of(statement, self.outline.name)
                self.outline.bindings[statement.name].append(found)
            elif isinstance(statement, FUNCTIONS):
                self.outline.bindings[statement.name].append(Something())
                self.outline.lazy |= statement.name == "__getattr__"
            elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                self._assigns(statement)
            elif isinstance(statement, ast.Try):
                self._tries(statement)
            else:
                for part in ("body", "orelse"):
                    self.read(getattr(statement, part, []))

    def _imports(self, node: ast.Import | ast.ImportFrom) -> None:
        bindings = self.outline.bindings
        for alias in node.names:
            if isinstance(node, ast.Import):
                if alias.asname:
                    bindings[alias.asname].append(Imported(alias.name))
                else:
                    root = alias.name.partition(".")[0]
                    bindings[root].append(Imported(root))
            elif alias.name == "*":
                self.outline.stars.append(self.outline.absolute(node))
            else:
                found = Imported(self.outline.absolute(node), alias.name)
                bindings[alias.asname or alias.name].append(found)

    def _assigns(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if isinstance(target, ast.Subscript):
                self.outline.lazy |= dotted(target.value) == "sys.modules"
            if not isinstance(target, ast.Name) or node.value is None:
                continue
            if target.id == "__all__":
                self.outline.exported.update(_strings(node.value))
            elif not isinstance(node, ast.AugAssign):
                names = _names(node.value)
                self.outline.bindings[target.id].append(Renamed(names) if names else Something())

    def _tries(self, node: ast.Try) -> None:
        """Read a `try`; what it binds where an import fails only counts where nothing else does."""
        self.read([*node.body, *node.orelse, *node.finalbody])
        bound = set(self.outline.bindings)
        for handler in node.handlers:
            aside = _Reader(Outline(self.outline.name, self.outline.is_package))
            aside.read(handler.body)
            self.outline.stars += aside.outline.stars
            for name, bindings in aside.outline.bindings.items():
                if name not in bound:
                    self.outline.bindings[name] += bindings


def _names(node: ast.expr) -> tuple[str, ...]:
    """The dotted names that an expression may stand for; none where it is no name."""
    if isinstance(node, ast.Subscript):
        return _names(node.value)
    if isinstance(node, ast.IfExp):
        return (*_names(node.body), *_names(node.orelse))
    name = dotted(node)
    return () if name is None else (name,)


def _strings(node: ast.expr) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _class_of(node: ast.ClassDef, module: str) -> Class:
    methods = [item for item in node.body if isinstance(item, FUNCTIONS)]
    return Class(
        module,
        node.name,
        [_names(base) for base in node.bases],
        {method.name: _gives_itself(method) for method in methods},
        any(method.name == "__init__" and _only_complains(method) for method in methods),
        mentions_devices(node),
        any(method.name == "device" and _is_property(method) for method in methods),
        state_of(node),
    )


def _is_property(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any((dotted(mark) or "").endswith("property") for mark in method.decorator_list)


def _only_complains(init: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a constructor takes anything, and does nothing but raise or call a function."""
    arguments = init.args
    if len(arguments.args) != 1 or not (arguments.vararg and arguments.kwarg):
        return False
    body = [item for item in init.body if not _is_docstring(item)]
    return len(body) == 1 and (
        isinstance(body[0], ast.Raise)
        or (
            isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Call)
            and isinstance(body[0].value.func, ast.Name)
        )
    )


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _gives_itself(method: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """How a method gives back its object, see `Class`."""
    if method.decorator_list or not method.args.args:
        return None
    own = method.args.args[0].arg
    nodes = list(_own_nodes(method))
    if any(isinstance(n, ast.Name) and n.id == own and isinstance(n.ctx, ast.Store) for n in nodes):
        return None
    returns = [node for node in nodes if isinstance(node, ast.Return)]
    through: set[str] = set()
    for node in returns:
        value = node.value
        if isinstance(value, ast.Name) and value.id == own:
            continue
        if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)):
            return None
        if not (isinstance(value.func.value, ast.Name) and value.func.value.id == own):
            return None
        through.add(value.func.attr)
    if not returns or not isinstance(method.body[-1], (ast.Return, ast.If, ast.With, ast.Try)):
        return None
    return "".join(through) if len(through) < 2 else None


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, without those of functions in it."""
    pending = list(ast.iter_child_nodes(function))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*FUNCTIONS, ast.Lambda)):
            pending.extend(ast.iter_child_nodes(node))
