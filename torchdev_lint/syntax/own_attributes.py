"""What methods do with the attributes of their own object."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchdev_lint.syntax.names import dotted

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


def replaced(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the attributes of `self` and `cls` that code gives something new.

    A running mean isn't one: `self.mean = 0.9 * self.mean + 0.1 * x.mean()` computes with what has
    been there before, which the first call finds as `__init__` has left it.

    Args:
        nodes: all of the code.
    """
    stores, updates = set[ast.Attribute](), set[ast.AST]()
    for part in nodes:
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
            if isinstance(part.value, ast.Name) and part.value.id in _OWN:
                stores.add(part)
        elif isinstance(part, ast.AugAssign):
            updates.add(part.target)
        elif isinstance(part, ast.Assign):
            updates.update(target for target in part.targets if _computes_with(part.value, target))
    return frozenset(store.attr for store in stores if store not in updates)


def _computes_with(value: ast.expr, attribute: ast.expr) -> bool:
    """Whether arithmetic, or a function of `torch`, is handed an attribute as it is."""
    if isinstance(value, ast.Attribute):
        return dotted(value) is not None and dotted(value) == dotted(attribute)
    operands: list[ast.expr] = []
    if isinstance(value, ast.BinOp):
        operands = [value.left, value.right]
    elif isinstance(value, ast.UnaryOp):
        operands = [value.operand]
    elif isinstance(value, (ast.List, ast.Tuple)):
        operands = value.elts
    elif isinstance(value, ast.Call) and (dotted(value.func) or "").startswith("torch."):
        operands = value.args
    return any(_computes_with(operand, attribute) for operand in operands)


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
