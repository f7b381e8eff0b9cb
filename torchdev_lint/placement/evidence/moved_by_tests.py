"""Modules that a file of tests defines for itself: whether any of its tests moves them."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.devices import ACCELERATOR_TYPES, HOST_TYPE
from torchdev_lint.placement.evidence.feeding import is_move
from torchdev_lint.placement.evidence.host_code import is_fixture
from torchdev_lint.project.users import is_run_as_test
from torchdev_lint.syntax.names import constant_beginning
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk


def is_left_on_host(tree: ast.Module, node: ast.ClassDef, path: str) -> bool:
    """Return whether a class is there for tests that run on the CPU.

    Nobody imports what a file of tests defines. So its tests are all that build it, themselves, by
    functions of the file, or by fixtures that they ask for; and none of these says anything of an
    accelerator.

    Args:
        tree: the file's tree.
        node: the class.
        path: where the file lies; empty if that is not known.
    """
    if not (path and is_run_as_test(path)):
        return False
    users = _users_of(tree, node)
    return len(users) > 1 and not any(map(_is_about_accelerators, users))


def _users_of(tree: ast.Module, node: ast.ClassDef) -> list[ast.stmt]:
    """The statements of a file that name a class, or what names it, and so on."""
    names, fixtures = {node.name}, set[str]()
    found: list[ast.stmt] = []
    pending = tree.body
    while True:
        using = {part for part in pending if part is node or _names(part, names, fixtures)}
        if not using:
            return found
        found += using
        pending = [part for part in pending if part not in using]
        for part in using:
            fixtures |= {inner.name for inner in walk(part) if is_fixture(inner)}
            names |= _bound_by(part)


def _names(code: ast.stmt, names: set[str], fixtures: set[str]) -> bool:
    """Whether code reads one of some names, or asks for one of some fixtures."""
    for part in walk(code):
        if isinstance(part, ast.Name):
            if part.id in names and isinstance(part.ctx, ast.Load):
                return True
        elif isinstance(part, ast.arg):
            if part.arg in fixtures:
                return True
        elif isinstance(part, ast.Constant) and part.value in fixtures:
            return True
    return False


def _bound_by(statement: ast.stmt) -> set[str]:
    """The variables of the module that a statement binds; tests get fixtures as arguments only."""
    if isinstance(statement, (ast.ClassDef, *FUNCTIONS)):
        return set() if is_fixture(statement) else {statement.name}
    stored = (part for part in walk(statement) if isinstance(part, ast.Name))
    return {part.id for part in stored if isinstance(part.ctx, ast.Store)}


def _is_about_accelerators(code: ast.AST) -> bool:
    """Whether code moves something to an accelerator, or may tell a function to use one."""
    for part in walk(code):
        if isinstance(part, ast.expr):
            if is_move(part) or constant_beginning(part).partition(":")[0] in ACCELERATOR_TYPES:
                return True
        elif isinstance(part, ast.keyword) and part.arg == "device":
            if constant_beginning(part.value) != HOST_TYPE:
                return True
    return False
