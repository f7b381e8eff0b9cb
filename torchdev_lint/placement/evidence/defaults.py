"""Calls, and imports, that say where factories put their tensors."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.devices import CHOOSES_HOST, SET_DEFAULT_WHEN_IMPORTED, SETS_DEFAULT
from torchdev_lint.catalog.factories import HOST_ONLY
from torchdev_lint.syntax.names import dotted, last_component


def changes_default(node: ast.Call) -> bool:
    """Whether factories may put their tensors elsewhere once this has set a default.

    Which code runs after it is not known: a function may set the default for all others. One that
    chooses the CPU for its library does not, but keeps there what that would put elsewhere.
    """
    name = last_component(node.func)
    if name not in SETS_DEFAULT:
        return CHOOSES_HOST.match(name) is not None
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    return not all(_names_the_host(argument) for argument in given)


def brings_default(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import may have factories put their tensors elsewhere, by running a library."""
    names = [part.name for part in node.names] if isinstance(node, ast.Import) else [node.module]
    return any((name or "").partition(".")[0] in SET_DEFAULT_WHEN_IMPORTED for name in names)


def _names_the_host(node: ast.expr) -> bool:
    """Whether a default device or type is certainly that of the CPU."""
    if isinstance(node, ast.Constant):
        return node.value in {None, "cpu"} | HOST_ONLY
    return dotted(node) in HOST_ONLY
