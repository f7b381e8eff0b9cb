"""Which parts of a file can possibly lead to a finding, told from names alone.

Most code never makes a tensor without a device, never throws a move away and never builds a
layer outside `__init__`. It is sorted out here, before the analysis runs.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field

from torchdev_lint.catalog.devices import HOST_TYPE
from torchdev_lint.catalog.ecosystem import (
    ARRAY_LIBRARIES,
    CALLED_LATER,
    DATA_BASES,
    LOADER_NAME,
    TENSORS_WANTED,
)
from torchdev_lint.catalog.methods import KEPT_BY_ASSIGNMENT, MOVES_TO_DEVICE
from torchdev_lint.catalog.modules import LOSS_WEIGHTS, MODULE_BASES
from torchdev_lint.syntax.walking import CHILD_FIELDS
from torchdev_lint.triage.triggers import TRIGGER_OF, Trigger

_LOSS_STATE = frozenset({*LOSS_WEIGHTS, None})
_BELONGS_IN_INIT = frozenset({Trigger.FACTORY, Trigger.LAYER})
"""What moves with its module if it is made in `__init__`."""
_CALLED_BY_CLASS = frozenset({"forward", "__call__", "__init__", "__iter__", "__getitem__"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def triage(tree: ast.Module, triggers: Set[Trigger]) -> Callable[[ast.AST], bool] | None:
    """Return which entry points the analysis has to run, None if there are none.

    Args:
        tree: the file's syntax tree.
        triggers: what the rules need to find something.

    Returns:
        A function that tells for a function or class of the file whether it can lead to a
        finding.
    """
    survey = _Survey(tree, triggers)
    if not survey.triggered:
        return None
    reached = survey.reached()
    return lambda node: node in reached


@dataclass(eq=False, slots=True)
class _Scope:
    """A function, method or the module: what it mentions, and whether it has a trigger.

    Args:
        loops: whether it has a loop over something that may be a loader.
        host_by_default: its parameters that may name the host, once that was asked.
    """

    node: ast.AST
    name: str
    owner: ast.ClassDef | None = None
    mentions: set[str] = field(default_factory=set)
    triggered: bool = False
    loops: bool = False
    host_by_default: frozenset[str] | None = None


class _Survey:
    """One walk over the file."""

    def __init__(self, tree: ast.Module, triggers: Set[Trigger]) -> None:
        self.triggers = triggers
        self.scopes: list[_Scope] = []
        self.names = dict(TRIGGER_OF)
        self.foreign: set[str] = set()
        self.modules: set[str] = set()
        self.imported_range = False
        for statement in tree.body:
            if isinstance(statement, ast.ImportFrom):
                self._note_aliases(statement)
            elif isinstance(statement, ast.Import):
                self._note_foreign(statement)
            elif isinstance(statement, ast.ClassDef):
                self._note_class(statement)
        module = _Scope(tree, "")
        self._visit_body(tree.body, module, None)
        self.scopes.append(module)

    @property
    def triggered(self) -> bool:
        """Whether there is anything to analyse at all."""
        return any(scope.triggered for scope in self.scopes)

    def _note_aliases(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.asname and (trigger := TRIGGER_OF.get(alias.name)):
                self.names[alias.asname] = trigger
            if alias.name in {"range", "*"} and node.module == "torch":
                self.imported_range = True

    def _note_foreign(self, node: ast.Import) -> None:
        """Note the names of libraries that have functions named like factories: `np.zeros`."""
        for alias in node.names:
            root = alias.name.partition(".")[0]
            if root in ARRAY_LIBRARIES:
                self.foreign.add(alias.asname or root)

    def _note_class(self, node: ast.ClassDef) -> None:
        """Note a class that may hold layers, one that is a module, and one that is a loader."""
        bases = [_last_component(base) for base in node.bases]
        if _has_forward(node) or any(
            base in self.modules or base in MODULE_BASES or base.endswith("PreTrainedModel")
            for base in bases
        ):
            self.modules.add(node.name)
        if any(self.names.get(base) is Trigger.LOADER for base in bases):
            self.names[node.name] = Trigger.LOADER
        elif not (bases and all(base.endswith(DATA_BASES) for base in bases)):
            self.names.setdefault(node.name, Trigger.LAYER)

    def _visit_body(self, body: list[ast.stmt], scope: _Scope, owner: ast.ClassDef | None) -> None:
        """Split a module or class into scopes of their own; the rest is in its own scope."""
        for statement in body:
            if isinstance(statement, _FUNCTIONS):
                inner = _Scope(statement, statement.name, owner)
                inner.triggered = self._takes_a_loader(statement.args)
                self.scopes.append(inner)
                self._walk(statement, inner)
            elif isinstance(statement, ast.ClassDef):
                inner = _Scope(statement, statement.name, statement)
                self.scopes.append(inner)
                for base in (*statement.bases, *statement.decorator_list):
                    self._walk(base, inner)
                self._visit_body(statement.body, inner, statement)
            else:
                self._walk(statement, scope)

    def _walk(self, root: ast.AST, scope: _Scope) -> None:
        pending = [root]
        mentions = scope.mentions
        in_init = scope.name == "__init__"
        if in_init and (scope.owner is None or scope.owner.name not in self.modules):
            in_init = False
        while pending:
            node = pending.pop()
            kind = type(node)
            if kind is ast.Name:
                mentions.add(node.id)  # type: ignore[attr-defined]  # `kind` says that it is a Name
                continue
            if kind is ast.Attribute:
                mentions.add(node.attr)  # type: ignore[attr-defined]  # `kind` says so
                pending.append(node.value)  # type: ignore[attr-defined]  # an Attribute
                continue
            if (kind is ast.Call or kind is ast.Expr) and not scope.triggered:
                scope.triggered = self._is_trigger(node, scope, in_init)
            elif kind is ast.For:
                scope.loops = True
            for name in CHILD_FIELDS[kind]:
                value = getattr(node, name, None)
                if type(value) is list:
                    pending += value
                elif value is not None:
                    pending.append(value)

    def _takes_a_loader(self, arguments: ast.arguments) -> bool:
        if Trigger.LOADER not in self.triggers:
            return False
        return any(
            argument.annotation is not None
            and self.names.get(_last_component(argument.annotation)) is Trigger.LOADER
            for argument in (*arguments.args, *arguments.kwonlyargs)
        )

    def _is_trigger(self, node: ast.AST, scope: _Scope, in_init: bool) -> bool:
        if isinstance(node, ast.Call):
            beside = Trigger.PART in self.triggers and scope.loops and _moves(node)
            return beside or self._is_trigger_call(node, scope, in_init)
        if Trigger.MOVE not in self.triggers:
            return False
        return isinstance(node, ast.Expr) and _throws_a_move_away(node.value)

    def _is_trigger_call(self, node: ast.Call, scope: _Scope, in_init: bool) -> bool:
        function = node.func
        name = _last_component(function)
        if name in CALLED_LATER and node.args:
            function = node.args[0]
            name = _last_component(function)
        trigger = self.names.get(name) or _trigger_of_call(node, name)
        if trigger is None or trigger not in self.triggers:
            return False
        if trigger is Trigger.LOSS:
            return bool(node.args) or any(kw.arg in _LOSS_STATE for kw in node.keywords)
        if trigger in _BELONGS_IN_INIT and (in_init or self._is_someone_elses(function)):
            return False
        return trigger is not Trigger.FACTORY or all(
            keyword.arg != "device" or _may_be_cpu(keyword.value, scope)
            for keyword in node.keywords
        )

    def _is_someone_elses(self, function: ast.expr) -> bool:
        """Whether a function with the name of PyTorch's is certainly none of those."""
        if isinstance(function, ast.Name):
            return function.id == "range" and not self.imported_range
        root = function
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            return False
        method = (
            root.id == "self" and isinstance(function, ast.Attribute) and function.value is root
        )
        return method or root.id in self.foreign

    def reached(self) -> set[ast.AST]:
        """The functions and classes that have a trigger, or use something that has."""
        users = _Users(self.scopes)
        reached: set[ast.AST] = set()
        pending = [scope for scope in self.scopes if scope.triggered]
        taken = set(pending)
        while pending:
            scope = pending.pop()
            reached.add(scope.node)
            found = [user for name in _names_for(scope) for user in users.of_name(name)]
            if scope.owner is not None:
                reached.add(scope.owner)
                if scope.name == "__init__" and scope.triggered:
                    found += users.of_class(scope.owner)
            fresh = [user for user in found if user not in taken]
            taken.update(fresh)
            pending += fresh
        return reached


class _Users:
    """Which scopes use what other scopes define; each is told of once.

    All methods use what `__init__` builds; a subclass is built of its bases.
    """

    def __init__(self, scopes: list[_Scope]) -> None:
        self._by_name: dict[str, list[_Scope]] = defaultdict(list)
        self._classes: dict[str, list[ast.ClassDef]] = defaultdict(list)
        self._members: dict[ast.ClassDef, list[_Scope]] = defaultdict(list)
        defined = {scope.name for scope in scopes}
        for scope in scopes:
            used = scope.mentions & defined
            for name in used:
                self._by_name[name].append(scope)
            owner = scope.owner
            if owner is not None:
                self._members[owner].append(scope)
                if scope.name == "__init__" or scope.name == owner.name:
                    for name in used:
                        self._classes[name].append(owner)

    def of_name(self, name: str) -> list[_Scope]:
        """Return those that use what goes by a name."""
        found = self._by_name.pop(name, [])
        for owner in self._classes.pop(name, ()):
            found += self.of_class(owner)
        return found

    def of_class(self, owner: ast.ClassDef) -> list[_Scope]:
        """Return the methods of a class."""
        return self._members.pop(owner, [])


def _trigger_of_call(node: ast.Call, name: str) -> Trigger | None:
    """What a call means whose function's name alone says nothing."""
    if LOADER_NAME.search(name):
        return Trigger.LOADER
    for keyword in node.keywords:
        if keyword.arg == TENSORS_WANTED:
            return Trigger.READER
    return None


def _names_for(scope: _Scope) -> set[str]:
    """The names by which other code uses a function."""
    names = {scope.name} - _CALLED_BY_CLASS
    if scope.owner is not None and scope.name in _CALLED_BY_CLASS:
        names.add(scope.owner.name)
    return names - {""}


def _has_forward(node: ast.ClassDef | None) -> bool:
    return node is not None and any(
        isinstance(item, _FUNCTIONS) and item.name == "forward" for item in node.body
    )


def _may_be_cpu(node: ast.expr, scope: _Scope) -> bool:
    """Whether a device argument is `None` or names the host, or is a parameter that may."""
    if isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    if isinstance(node, ast.Name) and isinstance(scope.node, _FUNCTIONS):
        if scope.host_by_default is None:
            scope.host_by_default = _host_by_default(scope.node.args)
        return node.id in scope.host_by_default
    return _is_cpu(node)


def _host_by_default(given: ast.arguments) -> frozenset[str]:
    """The parameters whose default is `None` or names the host."""
    named = [*given.posonlyargs, *given.args]
    pairs = [
        *zip(reversed(named), reversed(given.defaults), strict=False),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]
    return frozenset(a.arg for a, d in pairs if d is not None and _is_cpu(d))


def _is_cpu(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in {HOST_TYPE, None}


def _last_component(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _moves(node: ast.Call) -> bool:
    """Whether a call moves something, perhaps a part of a batch beside one that is not.

    `x.to(y.dtype)` is a cast, and moves nothing.
    """
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in MOVES_TO_DEVICE:
        return False
    return not (len(node.args) == 1 and not node.keywords and _is_dtype(node.args[0]))


def _is_dtype(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "dtype"


def _throws_a_move_away(node: ast.expr) -> bool:
    return any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and part.func.attr in KEPT_BY_ASSIGNMENT
        for part in _statement_parts(node)
    )


def _statement_parts(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, (ast.ListComp, ast.SetComp)):
        yield from _statement_parts(node.elt)
    elif isinstance(node, ast.IfExp):
        yield from _statement_parts(node.body)
        yield from _statement_parts(node.orelse)
    elif isinstance(node, ast.BoolOp):
        yield from _statement_parts(node.values[-1])
    else:
        yield node
