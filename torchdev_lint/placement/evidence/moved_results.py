"""Whether those who call a function move what it gives them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchdev_lint.placement.evidence.carriers import carrier
from torchdev_lint.placement.evidence.feeding import is_move
from torchdev_lint.project.files import parsed_file
from torchdev_lint.project.users import files_that_name, is_test
from torchdev_lint.syntax.names import last_component, path_of
from torchdev_lint.syntax.walking import walk

_MAX_FILES = 40
"""How many files that name a function are read at the most."""


def is_moved_by_callers(name: str, nodes: Iterable[ast.AST]) -> bool:
    """Return whether some call's result is moved, at once or under the name that it is given.

    Where it lives is for its callers then, who are prepared for any place.

    Args:
        name: the function's.
        nodes: all of the code that may call it.
    """
    moved: set[str | None] = set()
    kept: set[str | None] = set()
    for node in nodes:
        if isinstance(node, ast.Call) and is_move(node):
            assert isinstance(node.func, ast.Attribute)
            if _calls(node.func.value, name):
                return True
            moved.add(_path_under(node.func.value))
        elif isinstance(node, ast.Assign) and _calls(node.value, name):
            kept.update(map(path_of, _targets(node)))
    return not kept.isdisjoint(moved - {None})


def is_moved_elsewhere(name: str, path: str) -> bool:
    """Return whether another file of the project moves the result of such a call.

    A method goes by its name: of what it is called on, syntax doesn't tell the class.

    Args:
        name: the function's.
        path: the file that defines it, absolute; empty if that is not known.
    """
    users = files_that_name(path, [name]).files if path and name else ()
    if len(users) > _MAX_FILES:
        return False
    files = (parsed_file(user) for user in users if not is_test(user))
    return any(is_moved_by_callers(name, walk(f.tree)) for f in files if f is not None)


def _calls(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and last_component(node.func) == name


def _targets(node: ast.Assign) -> Iterator[ast.expr]:
    for target in node.targets:
        yield from target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]


def _path_under(node: ast.expr) -> str | None:
    """The variable or attribute that something is a part or a view of."""
    found = carrier(node)
    while found is None and isinstance(node, (ast.Subscript, ast.Call)):
        node = node.value if isinstance(node, ast.Subscript) else node.func
        if isinstance(node, ast.Attribute):
            node = node.value
        found = carrier(node)
    return None if found is None else path_of(found)
