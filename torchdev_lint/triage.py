"""Which parts of a file can possibly lead to a finding, told from names alone.

Most code never makes a tensor without a device, never throws a move away and never builds a
layer outside `__init__`. It is sorted out here, before the analysis runs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from torchdev_lint.catalog.factories import FACTORY_NAMES
from torchdev_lint.catalog.modules import CONTAINERS, LAYERS, LAZY_LAYERS, LOSSES, OPTIONAL_LAYERS
from torchdev_lint.catalog.operations import CASTS

_LAYER_NAMES = LAYERS | CONTAINERS | LAZY_LAYERS | LOSSES | OPTIONAL_LAYERS.keys()
_MOVES = frozenset({"to", "cuda", "cpu", "xpu", "npu", "type"}) | CASTS
_SOURCES = frozenset({"load", "from_pretrained", "read_image"})


def triage(tree: ast.Module) -> Callable[[ast.AST], bool] | None:
    """Return which entry points the analysis has to run, None if there are none.

    Args:
        tree: the file's syntax tree.

    Returns:
        A function that tells for a function or class of the file whether it can lead to a
        finding.
    """
    survey = _Survey()
    survey.visit_body(tree.body)
    if not survey.triggered:
        return None
    reaching = survey.reaching()
    return lambda node: _name(node) in reaching or node in survey.triggered


def _name(node: ast.AST) -> str:
    return getattr(node, "name", "")


class _Survey:
    """One walk over the file: where triggers are, and who mentions whom."""

    def __init__(self) -> None:
        self.triggered: set[ast.AST] = set()
        self.mentions: dict[str, set[str]] = {}
        self.layer_names = set(_LAYER_NAMES)
        self.factory_names = set(FACTORY_NAMES)
        self.owners: list[ast.AST] = []

    def visit_body(self, body: list[ast.stmt]) -> None:
        """Look at the statements of a module."""
        for statement in body:
            if isinstance(statement, ast.ImportFrom):
                self._note_aliases(statement)
            elif isinstance(statement, ast.ClassDef):
                self.layer_names.add(statement.name)
        for statement in body:
            self._visit(statement)

    def _note_aliases(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.asname and alias.name in _LAYER_NAMES:
                self.layer_names.add(alias.asname)
            if alias.asname and alias.name in FACTORY_NAMES:
                self.factory_names.add(alias.asname)

    def _visit(self, node: ast.AST) -> None:
        is_scope = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        if is_scope:
            self.owners.append(node)
        trigger = self._is_trigger(node)
        if trigger:
            self._note_trigger(node)
        for child in ast.iter_child_nodes(node):
            self._visit(child)
        if is_scope:
            self.owners.pop()

    def _note_trigger(self, node: ast.AST) -> None:
        self.triggered.add(node)
        self.triggered.update(self.owners)

    def _is_trigger(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Call):
            return self._is_trigger_call(node)
        if isinstance(node, ast.Expr):
            return _throws_a_move_away(node.value)
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = node.id if isinstance(node, ast.Name) else node.attr
            for owner in self.owners:
                self.mentions.setdefault(_name(owner), set()).add(name)
            return "Loader" in name or "Sampler" in name
        return isinstance(node, ast.alias) and "Loader" in node.name

    def _is_trigger_call(self, node: ast.Call) -> bool:
        name = _last_component(node.func)
        if name in self.factory_names:
            return not any(keyword.arg == "device" for keyword in node.keywords)
        if name in self.layer_names:
            return not self._in_init()
        return name in _SOURCES or "okenizer" in name or "rocessor" in name

    def _in_init(self) -> bool:
        return any(_name(owner) == "__init__" for owner in self.owners)

    def reaching(self) -> frozenset[str]:
        """Names of the functions and classes that have a trigger or mention one that has."""
        reached = {_name(node) for node in self.triggered if _name(node)}
        grown = True
        while grown:
            more = {n for n, used in self.mentions.items() if n not in reached and used & reached}
            reached |= more
            grown = bool(more)
        return frozenset(reached)


def _last_component(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _throws_a_move_away(node: ast.expr) -> bool:
    return any(
        isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in _MOVES
        for part in _statement_parts(node)
    )


def _statement_parts(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, (ast.ListComp, ast.SetComp)):
        yield from _statement_parts(node.elt)
    elif isinstance(node, ast.IfExp):
        yield from _statement_parts(node.body)
        yield from _statement_parts(node.orelse)
    else:
        yield node
