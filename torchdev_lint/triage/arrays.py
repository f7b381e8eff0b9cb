"""Which calls may make arrays of tensors that are on an accelerator, going by names."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from torchdev_lint.catalog.arrays import (
    ARRAYS_OF_LISTS,
    ARRAYS_OF_TENSORS,
    DRAWING,
    ESTIMATOR_METHODS,
    PACKERS,
    TO_BE_FILLED,
)
from torchdev_lint.catalog.ecosystem import HOST_LIBRARIES, HOST_LIBRARY_NAMES
from torchdev_lint.syntax.names import imported_from, last_component
from torchdev_lint.syntax.scopes import root_name

_TAKERS = frozenset(name.rpartition(".")[2] for name in ARRAYS_OF_LISTS | ARRAYS_OF_TENSORS)
"""Functions that make arrays, by the last component of their names."""
_ESTIMATING = frozenset(name.rpartition(".")[2] for name in ESTIMATOR_METHODS)
"""Methods of estimators, by the last component of their names."""
_MAKERS = frozenset(name.rpartition(".")[2] for name in TO_BE_FILLED)
"""Functions that make arrays to be filled, by the last component of their names."""
_ON_HOST = frozenset({"cpu", "item", "tolist", "numpy"})
"""Methods whose result is on the host, and all that is made of it by further methods."""


def names_of_takers(tree: ast.Module) -> frozenset[str]:
    """The names in a file that mean a library that makes arrays, or something in it.

    The usual ones count in any case: a function may import what it needs.
    """
    return HOST_LIBRARY_NAMES.union(_imported(tree, HOST_LIBRARIES))


def methods_of_takers(tree: ast.Module) -> frozenset[str]:
    """The methods of objects that make arrays: axes of Matplotlib, estimators of scikit-learn.

    That a file imports the library says that there may be some.
    """
    draws = DRAWING if any(_imported(tree, {"matplotlib"})) else frozenset()
    return draws | _ESTIMATING if any(_imported(tree, {"sklearn"})) else draws


def _imported(tree: ast.Module, libraries: Set[str]) -> Iterator[str]:
    """The names that a module imports from libraries."""
    for statement in tree.body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield from imported_from(statement, libraries)


def may_make_array(node: ast.Call, takers: Set[str], methods: Set[str]) -> bool:
    """Whether a call may make an array of a tensor that is not on the host, or take its lengths.

    Args:
        takers: the names of what makes arrays.
        methods: those of objects in the file that make arrays.
    """
    function = node.func
    if isinstance(function, ast.Attribute) and function.attr == "numpy":
        return _may_be_away(function.value)
    name = last_component(function)
    if name in PACKERS:
        return True
    if name not in _TAKERS:
        return False
    if root_name(function) not in takers and name not in methods:
        return False
    given = (*node.args, *(keyword.value for keyword in node.keywords))
    return any(map(_may_be_away, given))


def makes_array(node: ast.expr, takers: Set[str]) -> bool:
    """Whether an expression may make an array that is filled later on.

    Args:
        takers: the names of what makes arrays.
    """
    if not isinstance(node, ast.Call) or last_component(node.func) not in _MAKERS:
        return False
    return root_name(node.func) in takers


def may_fill_array(node: ast.Assign, arrays: Set[str]) -> bool:
    """Whether an assignment may fill an array with a tensor that is not on the host.

    Args:
        arrays: the variables that hold arrays.
    """
    target = node.targets[0]
    if not (isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)):
        return False
    return target.value.id in arrays and _may_be_away(node.value)


def _may_be_away(node: ast.expr) -> bool:
    """Whether an expression may give a tensor that nothing in it has brought to the host."""
    while isinstance(node, (ast.Call, ast.Attribute, ast.Subscript)):
        if isinstance(node, ast.Call):
            if last_component(node.func) in _ON_HOST:
                return False
            node = node.func
        else:
            node = node.value
    return not isinstance(node, ast.Constant)
