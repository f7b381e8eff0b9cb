"""What methods do with their object while it is built."""

from __future__ import annotations

import ast

from torchdev_lint.syntax.walking import walk


def positional(function: ast.FunctionDef) -> list[ast.arg]:
    """Return the parameters of a function that are given by position, its object first."""
    return [*function.args.posonlyargs, *function.args.args]


def called_method(call: ast.Call) -> str:
    """Return the name of the method that a call calls, or ``."""
    return getattr(call.func, "attr", "")


def set_up_at(init: ast.FunctionDef) -> int:
    """Return which statement calls the `__init__` of a base; how many there are, if none does."""
    for number, part in enumerate(init.body):
        if isinstance(part, ast.Expr) and isinstance(part.value, ast.Call):
            if called_method(part.value) == "__init__":
                return number
    return len(init.body)


def used_of_self(method: ast.FunctionDef, statements: list[ast.stmt]) -> set[str]:
    """Return the attributes of its object that a method uses in some of its statements.

    `forward` among them if the object is called, or handed on to what may call it.
    """
    parameters = positional(method)
    if not parameters:
        return set()
    nodes = [node for statement in statements for node in walk(statement)]
    reads = {n for n in nodes if isinstance(n, ast.Name) and n.id == parameters[0].arg}
    attributes = [n for n in nodes if isinstance(n, ast.Attribute) and n.value in reads]
    for node in nodes:
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "super":
            reads.difference_update(node.args)
    is_handed_on = bool(reads.difference(node.value for node in attributes))
    return {node.attr for node in attributes} | ({"forward"} if is_handed_on else set())
