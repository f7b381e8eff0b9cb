"""Methods that give a copy of their object, and leave that as it is."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import root_name
from torchdev_lint.syntax.walking import walk

_COPIES_OF_ARGUMENT = frozenset({"replace", "copy", "deepcopy"})
"""Functions of `dataclasses` and `copy` that give a copy of what they are given."""
_COPIES_OF_OBJECT = frozenset({"_replace", "clone", "copy", "__class__"})
"""Methods that give another object than theirs."""
_ONLY_READ = _COPIES_OF_ARGUMENT | {"type", "isinstance", "len", "fields", "hasattr", "getattr"}
"""Functions that do nothing to the object that they are given."""


def gives_a_copy(method: ast.FunctionDef, classes: Collection[str]) -> bool:
    """Return whether a method returns another object of its class, and certainly changes nothing.

    It may return its own object on some path, where nothing is to be done.

    Args:
        method: the method.
        classes: what the class is called, or those are that it inherits from.
    """
    parameters = [*method.args.posonlyargs, *method.args.args]
    if method.decorator_list or not parameters:
        return False
    copying = _Copying(method, parameters[0].arg, classes)
    return copying.leaves_object() and copying.returns_copy()


class _Copying:
    """A method, of which it is asked whether it gives a copy.

    Args:
        method: the method.
        own: what it calls its object.
        classes: what its class may be called.
    """

    def __init__(self, method: ast.FunctionDef, own: str, classes: Collection[str]) -> None:
        self._nodes = list(walk(method))
        self._own = own
        self._classes = classes
        self._copies = set(self._held_copies())

    def leaves_object(self) -> bool:
        """Whether nothing is done to the object, or to anything else but copies of it."""
        return not any(map(self._may_change, self._nodes))

    def returns_copy(self) -> bool:
        """Whether all that it returns are copies, or the object itself, and some are copies."""
        returned = [node.value for node in self._nodes if isinstance(node, ast.Return)]
        copies = [value for value in returned if value is not None and self._is_copy(value)]
        others = [value for value in returned if value not in copies]
        return bool(copies) and all(self._is_own(value) for value in others)

    def _held_copies(self) -> Iterator[str]:
        """The variables that hold a copy, and those that hold its parts."""
        held = set[str]()
        for node in self._nodes:
            if isinstance(node, ast.Assign) and self._makes_copy(node.value):
                held |= {target.id for target in node.targets if isinstance(target, ast.Name)}
            elif isinstance(node, ast.For) and root_name(node.iter) in held:
                held |= {part.id for part in walk(node.target) if isinstance(part, ast.Name)}
        other = {
            target.id
            for node in self._nodes
            if isinstance(node, ast.Assign) and not self._makes_copy(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        yield from held - other

    def _may_change(self, node: ast.AST) -> bool:
        if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)):
            return True
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            is_all = isinstance(node, ast.Attribute) and node.attr == "__dict__"
            return is_all or (
                isinstance(node.ctx, (ast.Store, ast.Del)) and root_name(node) not in self._copies
            )
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return root_name(node.value.func) not in self._copies
        return isinstance(node, ast.Call) and self._hands_itself_over(node)

    def _hands_itself_over(self, call: ast.Call) -> bool:
        """Whether a call hands the object to what may change it."""
        given = (*call.args, *(keyword.value for keyword in call.keywords))
        return any(map(self._is_own, given)) and last_component(call.func) not in _ONLY_READ

    def _is_copy(self, value: ast.expr) -> bool:
        return self._makes_copy(value) or (isinstance(value, ast.Name) and value.id in self._copies)

    def _makes_copy(self, value: ast.expr) -> bool:
        """Whether an expression builds another object of the class."""
        if not isinstance(value, ast.Call):
            return False
        function = value.func
        if isinstance(function, ast.Call):  # `type(self)(…)`
            given = function.args
            return last_component(function.func) == "type" and any(map(self._is_own, given))
        if isinstance(function, ast.Name) and function.id in self._classes:
            return True
        if isinstance(function, ast.Attribute) and self._is_own(function.value):
            return function.attr in _COPIES_OF_OBJECT
        is_copied = last_component(function) in _COPIES_OF_ARGUMENT and bool(value.args)
        return is_copied and self._is_own(value.args[0])

    def _is_own(self, value: ast.expr | None) -> bool:
        return isinstance(value, ast.Name) and value.id == self._own
