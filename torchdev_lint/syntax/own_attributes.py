"""What methods do with the attributes of their own object."""

from __future__ import annotations

import ast
from collections.abc import Iterable

_OWN = frozenset({"self", "cls"})


def read_and_assigned(nodes: Iterable[ast.AST]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the attributes of `self` and `cls` that code reads, and those that it assigns.

    Args:
        nodes: all of the code.
    """
    read, assigned = set[str](), set[str]()
    for part in nodes:
        if type(part) is ast.Attribute and type(part.value) is ast.Name and part.value.id in _OWN:
            if type(part.ctx) is ast.Load:
                read.add(part.attr)
            elif type(part.ctx) is ast.Store:
                assigned.add(part.attr)
    return frozenset(read), frozenset(assigned)


def handed_on(nodes: list[ast.AST]) -> set[str]:
    """Return the attributes that code only hands on: `partial(self.shortcut, …)` calls it later.

    What `self.apply` is given is called at once.

    Args:
        nodes: all of the code.
    """
    attributes = {part for part in nodes if isinstance(part, ast.Attribute)}
    given = {
        argument
        for call in nodes
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") != "apply"
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
        if isinstance(argument, ast.Attribute)
    }
    return {part.attr for part in given} - {part.attr for part in attributes - given}
