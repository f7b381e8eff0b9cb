"""Methods that the project runs within `with torch.device(device):`, where what they make is."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.users import files_that_name
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.walking import walk

_DEVICE = "device"
"""`torch.device` is a context in which it is the default."""
_MAX_FILES = 40
"""How many files are read for one method."""


def is_run_on_device(path: str, method: str) -> bool:
    """Return whether code of the project has set a default device where it calls a method.

    It goes by the method's name: of what it is called on, syntax doesn't tell the class.

    Args:
        path: the file that defines it, absolute; empty if it is of no project.
    """
    if not path:
        return False
    others = files_that_name(path, [method]).files[:_MAX_FILES]
    files = (parsed_file(each) for each in (path, *others))
    return any(file is not None and method in file.derived(_run_on_device) for file in files)


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
