"""Methods that the project runs within `with torch.device(device):`, where what they make is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.users import files_that_name
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk

_DEVICE = "device"
"""`torch.device` is a context in which it is the default."""
_RUN_BY_PYTORCH = frozenset({"__init__", "__call__", "forward"})
"""Methods that nobody calls by their names."""
_MAX_FILES = 40
"""How many files are read for one method."""


def is_run_on_device(path: str, method: str) -> bool:
    """Return whether code of the project has set a default device where it calls a method.

    It, or another method of the file that calls it. It goes by their names: of what a method is
    called on, syntax doesn't tell the class.

    Args:
        path: the file that defines it, absolute; empty if it is of no project.
    """
    if not path:
        return False
    own = parsed_file(path)
    names = [method] if own is None else [method, *own.derived(_callers).get(method, ())]
    others = files_that_name(path, names).files[:_MAX_FILES]
    files = (own, *map(parsed_file, others))
    return any(
        file is not None and not file.derived(_run_on_device).isdisjoint(names) for file in files
    )


def _callers(file: ParsedFile) -> dict[str, set[str]]:
    """The methods of a file that read an attribute, by its name."""
    found: dict[str, set[str]] = {}
    for owner in walk(file.tree):
        for method in owner.body if isinstance(owner, ast.ClassDef) else ():
            if isinstance(method, FUNCTIONS) and method.name not in _RUN_BY_PYTORCH:
                for node in walk(method):
                    if isinstance(node, ast.Attribute):
                        found.setdefault(node.attr, set()).add(method.name)
    return found


def _run_on_device(file: ParsedFile) -> frozenset[str]:
    """The attributes that a file reads where it has set a default device."""
    return frozenset(
        node.attr
        for block in _blocks(file)
        for node in walk(block)
        if isinstance(node, ast.Attribute)
    )


def _blocks(file: ParsedFile) -> Iterator[ast.With]:
    for node in walk(file.tree):
        if isinstance(node, ast.With):
            calls = (item.context_expr for item in node.items)
            if any(isinstance(c, ast.Call) and last_component(c.func) == _DEVICE for c in calls):
                yield node
