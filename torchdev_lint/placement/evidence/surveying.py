"""The one walk over a whole file, before anything of it is run."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable
from dataclasses import field
from typing import Any

from torchdev_lint.catalog.arrays import PACKERS
from torchdev_lint.catalog.ecosystem import DATA_HOOKS, HOST_LIBRARIES
from torchdev_lint.placement.evidence.defaults import brings_default, changes_default
from torchdev_lint.placement.evidence.file_context import FileContext
from torchdev_lint.placement.evidence.hiding import hides_accelerators
from torchdev_lint.records import dataclass
from torchdev_lint.source.span import Span
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.lengths import taken_from
from torchdev_lint.syntax.names import dotted, imported_from, last_component, names_in
from torchdev_lint.syntax.walking import walk


@dataclass(slots=True)
class _Found:
    """What was noted so far; see `FileContext`."""

    torch_names: set[str] = field(default_factory=lambda: {"torch"})
    host_names: set[str] = field(default_factory=set)
    length_names: set[str] = field(default_factory=set)
    building_names: set[str] = field(default_factory=set)
    global_names: set[str] = field(default_factory=set)
    nonlocal_names: set[str] = field(default_factory=set)
    default_changes: bool = False
    chains: list[ast.Call] = field(default_factory=list)
    data_hooks: set[str] = field(default_factory=set)
    packers: set[str] = field(default_factory=set)
    assignments: list[ast.Assign] = field(default_factory=list)


def survey(tree: ast.Module, path: str, span: Callable[[ast.AST], Span]) -> FileContext:
    """Note what a whole file says about names, in one walk.

    Args:
        tree: the file's syntax tree.
        path: where it lies, absolute; empty if that is not known.
        span: turns a node of the tree into its place in the text.
    """
    found, nodes = _Found(), 0
    for node in walk(tree):
        nodes += 1
        note = _NOTES.get(type(node))
        if note is not None:
            note(found, node)
    _add_sources_of_lengths(found)
    return FileContext(
        path,
        span,
        frozenset(found.torch_names),
        frozenset(found.host_names),
        frozenset(found.length_names),
        frozenset(found.building_names - {"forward", "__call__"}),
        frozenset(found.global_names),
        frozenset(found.nonlocal_names),
        found.default_changes,
        nodes,
        tuple(found.chains),
        frozenset(found.data_hooks),
        hides_accelerators(tree.body),
    )


def _note_call(found: _Found, node: ast.Call) -> None:
    name = last_component(node.func)
    if name.endswith(tuple(PACKERS)) or name in found.packers:
        found.length_names.update(_lengths(node))
    elif name.endswith("Compose") and dotted(node.func) is not None:
        found.chains.append(node)
    else:
        found.default_changes |= changes_default(node)
    for keyword in node.keywords:
        if keyword.arg in DATA_HOOKS:
            _note_hook(found, keyword.value)


def _note_assign(found: _Found, node: ast.Assign) -> None:
    if any(isinstance(to, ast.Attribute) and to.attr in DATA_HOOKS for to in node.targets):
        _note_hook(found, node.value)
    found.assignments.append(node)


def _note_hook(found: _Found, value: ast.expr) -> None:
    parts = [value, *value.args] if isinstance(value, ast.Call) else [value]
    found.data_hooks.update(filter(None, map(last_component, parts)))


def _note_function(found: _Found, node: ast.FunctionDef) -> None:
    if node.name == "__init__":
        found.building_names.update(_called_methods(node))


def _note_global(found: _Found, node: ast.Global) -> None:
    found.global_names.update(node.names)


def _note_nonlocal(found: _Found, node: ast.Nonlocal) -> None:
    found.nonlocal_names.update(node.names)


def _note_import(found: _Found, node: ast.Import | ast.ImportFrom) -> None:
    found.torch_names.update(imported_from(node, {"torch"}))
    found.host_names.update(imported_from(node, HOST_LIBRARIES))
    found.default_changes |= brings_default(node)
    found.packers.update(part.asname for part in node.names if part.asname and part.name in PACKERS)


_NOTES: dict[type[ast.AST], Callable[[_Found, Any], None]] = {
    ast.Assign: _note_assign,
    ast.Call: _note_call,
    ast.FunctionDef: _note_function,
    ast.Global: _note_global,
    ast.Nonlocal: _note_nonlocal,
    ast.Import: _note_import,
    ast.ImportFrom: _note_import,
}


def _called_methods(init: ast.AST) -> set[str]:
    """The methods that `__init__` calls of the parts it has built."""
    return {
        part.func.attr
        for part in walk(init)
        if isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and isinstance(part.func.value, ast.Attribute)
    }


def _lengths(node: ast.Call) -> list[str]:
    """Names that hold the lengths of packed sequences, which have to be on the host.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.rnn.pack_padded_sequence.html
    """
    given = [*node.args[1:2], *by_keyword(node, "lengths")]
    return [part.id for part in given if isinstance(part, ast.Name)]


def _add_sources_of_lengths(found: _Found) -> None:
    """Where lengths are taken from a variable, as by sorting them, that holds lengths as well."""
    if not found.length_names:
        return
    sources: dict[str, set[str]] = defaultdict(set)
    for node in found.assignments:
        source = taken_from(node.value)
        if isinstance(source, ast.Name):
            for name in names_in(node.targets[0]):
                sources[name].add(source.id)
    pending = list(found.length_names)
    while pending:
        fresh = sources[pending.pop()] - found.length_names
        found.length_names |= fresh
        pending += fresh
