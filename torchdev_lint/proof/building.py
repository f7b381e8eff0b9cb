"""What methods do with their object while it is built."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from functools import cached_property

from torchdev_lint.syntax.scopes import root_name
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


def held_by(node: ast.expr) -> Iterator[ast.expr]:
    """Yield what a container of modules is certainly built with, as it is written there."""
    if isinstance(node, ast.Call):
        for part in (*node.args, *(keyword.value for keyword in node.keywords)):
            yield part
            if isinstance(part, (ast.List, ast.Dict)) or _is_call_of(part, "dict"):
                yield from held_by(part)
    elif isinstance(node, ast.Dict):
        yield from node.values
    elif isinstance(node, ast.List):
        yield from node.elts


def _is_call_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def builds(owner: ast.ClassDef) -> bool:
    """Whether a class may build a part of its objects: something is called, not in `forward`."""
    methods = [part for part in owner.body if getattr(part, "name", "") != "forward"]
    calls = (node for part in methods for node in walk(part) if isinstance(node, ast.Call))
    of_bases = (called_method(call) == "__init__" or _is_call_of(call, "super") for call in calls)
    return not all(of_bases)


def calls_one_of(init: ast.FunctionDef, methods: Set[str], last: ast.stmt) -> bool:
    """Whether `__init__` calls its object, or one of its methods, up to a statement."""
    for statement in init.body[: init.body.index(last) + 1]:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and root_name(node) == init.args.args[0].arg:
                if isinstance(node.func, ast.Name) or called_method(node) in methods:
                    return True
    return False


def sets_up(heir: ast.ClassDef) -> bool:
    """Return whether a class calls the `__init__` of a base in its own, if it has one."""
    for statement in heir.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
            return set_up_at(statement) < len(statement.body)
    return True


class UsedMethods:
    """Which methods of their object methods use, statement by statement.

    Args:
        tree: the file; only what it defines is told.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._used: dict[ast.FunctionDef, list[tuple[int, set[str]]]] = {}

    @cached_property
    def _names(self) -> set[str]:
        """The names of all methods, and of what calling an object runs."""
        return {n.name for n in walk(self._tree) if isinstance(n, ast.FunctionDef)} | {"forward"}

    def before(self, method: ast.FunctionDef, number: int) -> set[str]:
        """Return the methods that are used before a statement of a method.

        `forward` among them if the object is called, or handed on to what may call it.

        Args:
            number: that of the statement; how many there are for all of them.
        """
        if method not in self._used:
            found = (_used_of_self(method, part) & self._names for part in method.body)
            self._used[method] = [(n, names) for n, names in enumerate(found) if names]
        return set[str]().union(*(names for n, names in self._used[method] if n < number))


def _used_of_self(method: ast.FunctionDef, statement: ast.stmt) -> set[str]:
    """The attributes of its object that a method uses in a statement."""
    parameters = positional(method)
    if not parameters:
        return set()
    nodes = list(walk(statement))
    reads = {n for n in nodes if isinstance(n, ast.Name) and n.id == parameters[0].arg}
    attributes = [n for n in nodes if isinstance(n, ast.Attribute) and n.value in reads]
    for node in nodes:
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "super":
            reads.difference_update(node.args)
    is_handed_on = bool(reads.difference(node.value for node in attributes))
    return {node.attr for node in attributes} | ({"forward"} if is_handed_on else set())
