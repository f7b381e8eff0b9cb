"""Classes of which there is no object: their constructor fails on every machine."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.syntax.order import runs_with
from torchdev_lint.syntax.walking import walk

_SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign)
"""Statements that hold no others, and go on."""
_HOOKS = ("__getattr__", "__getattribute__", "__new__")
"""Methods by which an object may have attributes that nothing sets."""
_BY_NAME = frozenset({"setattr", "vars", "__dict__", "__setattr__"})
"""How attributes are set without writing their names."""


def raises_when_built(info: ClassInfo) -> bool:
    """Return whether the constructor of a class reads an attribute that nothing ever sets.

    Nobody has seen the object by then who could have set it. Classes that inherit from others, or
    are made by a decorator or metaclass, may have any.
    """
    if info.unbuildable is None:
        info.unbuildable = _reads_what_is_missing(info)
    return info.unbuildable


def _reads_what_is_missing(info: ClassInfo) -> bool:
    init = info.methods().get("__init__")
    if init is None or info.bases or info.libraries or info.opaque:
        return False
    if info.node.decorator_list or info.node.keywords or any(map(info.lookup, _HOOKS)):
        return False
    read, assigned = context_of(info.file).own_attributes(info.node)
    missing = {name for name in read - assigned if info.lookup(name) is None}
    missing = {name for name in missing if not name.startswith("__")}
    return bool(missing) and not missing.isdisjoint(_read_in_any_case(info, init, missing))


def _read_in_any_case(
    info: ClassInfo, init: ast.FunctionDef | ast.AsyncFunctionDef, names: Set[str]
) -> Iterator[str]:
    """Those of some attributes that a constructor reads, and nothing in the file sets."""
    stored = set[str]()
    for node in context_of(info.file).nodes_in(info.closure[-1].node):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            stored.add(node.attr)
        if getattr(node, "id", "") in _BY_NAME or getattr(node, "attr", "") in _BY_NAME:
            return
    for part in _own_parts(init):
        if part.attr in names - stored:
            yield part.attr
        method = info.methods().get(part.attr)
        if method is not None and method is not init:
            yield from (inner.attr for inner in _own_parts(method) if inner.attr in names - stored)


def _own_parts(method: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.Attribute]:
    """The attributes of its object that a method reads whenever it is called, unless it raises."""
    own = method.args.args[0].arg if method.args.args else ""
    for statement in method.body:
        if isinstance(statement, _SIMPLE):
            for part in walk(statement):
                if (
                    isinstance(part, ast.Attribute)
                    and isinstance(part.value, ast.Name)
                    and part.value.id == own
                    and isinstance(part.ctx, ast.Load)
                    and runs_with(statement, part)
                ):
                    yield part
        elif any(isinstance(part, ast.Return) for part in walk(statement)):
            return
