"""What the other files of a project may change of a module or class that they import."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from itertools import takewhile

from torchdev_lint.placement.domain.origins import Keeper
from torchdev_lint.placement.evidence.kept_layers import is_kept_layer
from torchdev_lint.placement.evidence.neighbours import module_name
from torchdev_lint.placement.evidence.rebinding import WAYS_BY_NAME, Rebinding, rebinding_in
from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.resolution import find_module, find_submodule
from torchdev_lint.project.roots import folders_up
from torchdev_lint.project.tree import is_there
from torchdev_lint.project.users import files_that_name
from torchdev_lint.syntax.walking import walk

_MOST_USERS = 100
"""How many files that name a variable and its module are read for what they do with it."""


def may_be_replaced_around(path: str, keeper: Keeper) -> bool:
    """Return whether some other file may replace what a variable of a file keeps.

    Args:
        path: the file, absolute.
        keeper: the variable.
    """
    users, are_all = _users(path, [keeper.name, *WAYS_BY_NAME])
    if not are_all or len(users) > _MOST_USERS:
        return True
    return any(_may_replace(file, path, keeper) for file in users)


def is_replaced_around(path: str, keeper: Keeper) -> bool:
    """Return whether one of the files nearby seems to replace what a variable of a file keeps.

    Args:
        path: the file, absolute.
        keeper: the variable.
    """
    users, _ = _users(path, [keeper.name], _packages(path))
    return any(_may_replace(file, path, keeper) for file in sorted(users)[:_MOST_USERS])


def _users(path: str, names: list[str], around: tuple[str, ...] = ()) -> tuple[set[str], bool]:
    """The files nearby that name a file and one of some names, and whether these are all.

    Args:
        around: what the file may be named by as well.
    """
    naming = files_that_name(path, names)
    users = set(naming.files).intersection(
        files_that_name(path, [module_name(path), *around]).files
    )
    return users, naming.complete


def _packages(path: str) -> tuple[str, ...]:
    """The names of the packages that a file lies in, which may hand on what it defines."""
    return tuple(map(os.path.basename, takewhile(_is_package, folders_up(os.path.dirname(path)))))


def _is_package(folder: str) -> bool:
    return is_there(os.path.join(folder, "__init__.py"))


def may_be_replaced_anywhere(path: str, keeper: Keeper) -> bool:
    """Return whether the file of a class, or another one, may replace what its objects keep.

    Args:
        path: the file, absolute.
        keeper: the attribute.
    """
    file = parsed_file(path)
    if file is None:
        return True
    return file.derived(_rebinding).may_change(keeper) or may_be_replaced_around(path, keeper)


def may_be_reached_around(path: str, name: str) -> bool:
    """Return whether some other file may do anything with what a variable of a file keeps.

    Args:
        path: the file, absolute.
        name: the variable of its module.
    """
    users, are_all = _users(path, [name])
    if not are_all or len(users) > _MOST_USERS:
        return True
    return any(_imports(parsed_file(user), path) for user in users)


def _may_replace(user: str, path: str, keeper: Keeper) -> bool:
    file = parsed_file(user)
    if file is None or not _imports(file, path):
        return False
    return file.derived(_rebinding).may_change(keeper)


def _rebinding(file: ParsedFile) -> Rebinding:
    nodes = (node for node in walk(file.tree) if not _is_set_of_layer(file, node))
    return rebinding_in(nodes, frozenset({"torch"}))


def _is_set_of_layer(file: ParsedFile, node: ast.AST) -> bool:
    """Whether an attribute is set that is one of a layer: `self.proj.bias = ...`."""
    if not isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Load):
        return False
    held = node.value
    if node.attr == "data" and isinstance(held, ast.Attribute):
        held = held.value
    return is_kept_layer(file.syntax, file, held)


def _imports(user: ParsedFile | None, path: str) -> bool:
    return user is not None and any(_is_in(found, path) for found in _imported_by(user))


def _imported_by(file: ParsedFile) -> Iterator[str]:
    """Yield the files and folders of the project that a file imports, or imports something of."""
    for node in walk(file.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield find_module(file.path, 0, alias.name) or ""
        elif isinstance(node, ast.ImportFrom):
            module = find_module(file.path, node.level, node.module or "") or ""
            yield module
            for alias in node.names if module else ():
                yield find_submodule(module, alias.name) or ""


def _is_in(found: str, path: str) -> bool:
    """Whether what was imported is a file, or a package that it lies in."""
    folder, name = os.path.split(found)
    package = folder if name == "__init__.py" else found
    return found == path or (bool(found) and path.startswith(package + os.sep))
