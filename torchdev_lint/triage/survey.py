"""Which parts of a file can possibly lead to a finding, told from names alone.

Most code never makes a tensor without a device, never throws a move away and never builds a
layer outside `__init__`. It is sorted out here, before the analysis runs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from torchdev_lint.catalog.ecosystem import ARRAY_LIBRARIES, DATA_BASES
from torchdev_lint.catalog.factories import FACTORY_NAMES
from torchdev_lint.catalog.methods import KEPT_BY_ASSIGNMENT
from torchdev_lint.catalog.modules import (
    CONTAINERS,
    LAYERS,
    LAZY_LAYERS,
    LOSS_WEIGHTS,
    LOSSES,
    MODULE_BASES,
    OPTIONAL_LAYERS,
)
from torchdev_lint.syntax.walking import CHILD_FIELDS

_LAYER_NAMES = LAYERS | CONTAINERS | LAZY_LAYERS | LOSSES | OPTIONAL_LAYERS.keys()
_LOSS_STATE = frozenset({*LOSS_WEIGHTS, None})
_SOURCES = frozenset(
    {"load", "from_pretrained", "read_image", "decode_image", "tokenize",
     "ToTensor", "PILToTensor", "to_tensor", "pil_to_tensor"}
)  # fmt: skip
_CALLED_BY_CLASS = frozenset({"forward", "__call__", "__init__", "__iter__", "__getitem__"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def triage(tree: ast.Module) -> Callable[[ast.AST], bool] | None:
    """Return which entry points the analysis has to run, None if there are none.

    Args:
        tree: the file's syntax tree.

    Returns:
        A function that tells for a function or class of the file whether it can lead to a
        finding.
    """
    survey = _Survey(tree)
    if not survey.triggered:
        return None
    reached = survey.reached()
    return lambda node: node in reached


@dataclass(eq=False, slots=True)
class _Scope:
    """A function, method or the module: what it mentions, and whether it has a trigger."""

    node: ast.AST
    name: str
    owner: ast.ClassDef | None = None
    mentions: set[str] = field(default_factory=set)
    triggered: bool = False


class _Survey:
    """One walk over the file."""

    def __init__(self, tree: ast.Module) -> None:
        self.scopes: list[_Scope] = []
        self.layer_names = set(_LAYER_NAMES)
        self.factory_names = set(FACTORY_NAMES)
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
            if alias.asname and alias.name in _LAYER_NAMES:
                self.layer_names.add(alias.asname)
            if alias.asname and alias.name in FACTORY_NAMES:
                self.factory_names.add(alias.asname)
            if alias.name in {"range", "*"} and node.module == "torch":
                self.imported_range = True

    def _note_foreign(self, node: ast.Import) -> None:
        """Note the names of libraries that have functions named like factories: `np.zeros`."""
        for alias in node.names:
            root = alias.name.partition(".")[0]
            if root in ARRAY_LIBRARIES:
                self.foreign.add(alias.asname or root)

    def _note_class(self, node: ast.ClassDef) -> None:
        """Note a class that may hold layers, and one that is a module."""
        bases = [_last_component(base) for base in node.bases]
        if _has_forward(node) or any(
            base in self.modules or base in MODULE_BASES or base.endswith("PreTrainedModel")
            for base in bases
        ):
            self.modules.add(node.name)
        if not (bases and all(base.endswith(DATA_BASES) for base in bases)):
            self.layer_names.add(node.name)

    def _visit_body(self, body: list[ast.stmt], scope: _Scope, owner: ast.ClassDef | None) -> None:
        """Split a module or class into scopes of their own; the rest is in its own scope."""
        for statement in body:
            if isinstance(statement, _FUNCTIONS):
                inner = _Scope(statement, statement.name, owner)
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
                scope.triggered = self._is_trigger(node, in_init)
            for name in CHILD_FIELDS[kind]:
                value = getattr(node, name, None)
                if type(value) is list:
                    pending += value
                elif value is not None:
                    pending.append(value)

    def _is_trigger(self, node: ast.AST, in_init: bool) -> bool:
        if isinstance(node, ast.Call):
            return self._is_trigger_call(node, in_init)
        return isinstance(node, ast.Expr) and _throws_a_move_away(node.value)

    def _is_trigger_call(self, node: ast.Call, in_init: bool) -> bool:
        name = _last_component(node.func)
        if name in self.factory_names:
            if in_init or self._is_someone_elses(node.func):
                return False
            return all(
                keyword.arg != "device" or _is_cpu(keyword.value) for keyword in node.keywords
            )
        if name in LOSSES:
            return bool(node.args) or any(kw.arg in _LOSS_STATE for kw in node.keywords)
        if name in self.layer_names:
            return not (in_init or self._is_someone_elses(node.func))
        if "Loader" in name or "Sampler" in name or name in _SOURCES:
            return True
        return any(keyword.arg == "return_tensors" for keyword in node.keywords)

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
        self._add_init_mentions()
        names: set[str] = set()
        reached: set[ast.AST] = set()
        pending = [scope for scope in self.scopes if not scope.triggered]
        fresh = [scope for scope in self.scopes if scope.triggered]
        while fresh:
            owners: set[ast.AST] = set()
            for scope in fresh:
                names |= _names_for(scope)
                reached.add(scope.node)
                if scope.owner is not None:
                    reached.add(scope.owner)
                    if scope.name == "__init__" and scope.triggered:
                        owners.add(scope.owner)
            fresh = [
                scope
                for scope in pending
                if scope.owner in owners or not names.isdisjoint(scope.mentions)
            ]
            pending = [scope for scope in pending if scope not in fresh]
        return reached

    def _add_init_mentions(self) -> None:
        """All methods use what `__init__` builds; a subclass is built of its bases."""
        built: dict[ast.AST, set[str]] = {}
        for scope in self.scopes:
            if scope.owner is not None and scope.name in {"__init__", scope.owner.name}:
                built.setdefault(scope.owner, set()).update(scope.mentions)
        for scope in self.scopes:
            if scope.owner is not None:
                scope.mentions |= built.get(scope.owner, set())


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


def _is_cpu(node: ast.expr) -> bool:
    """Whether a device argument is `None` or certainly names the host."""
    if isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    return isinstance(node, ast.Constant) and node.value in {"cpu", None}


def _last_component(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


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
