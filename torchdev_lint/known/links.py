"""What leads from one expression of a file to another: variables, attributes, calls."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from torchdev_lint.catalog.methods import MODULE_MOVES
from torchdev_lint.known.knowledge import Knowledge
from torchdev_lint.known.known import Nature
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.values import ClassValue, Function, Instance, Value
from torchdev_lint.syntax.parameters import parameter_for
from torchdev_lint.syntax.scopes import FUNCTIONS, own_nodes
from torchdev_lint.syntax.walking import walk

_BUFFER = "register_buffer"
_PUTTING = frozenset({"append", "add", "insert", "extend", "appendleft"})
"""Methods that put their last argument, or what it holds, into a list or set."""


class Links:
    """Finds what the value of an expression may have come by way of.

    Args:
        knowledge: of the file.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._syntax = knowledge.syntax

    def bindings(self, node: ast.Name) -> list[ast.AST]:
        """Return what may have bound a variable that is read, the last in the text first."""
        found = self._knowledge.bindings.reaching(node.id, node)
        return sorted((b for b in found if b is not None), key=_line_of, reverse=True)

    def assigned(self, binding: ast.AST) -> Iterator[tuple[ast.AST, str]]:
        """Yield what a variable is bound to, and how."""
        target, position = binding, None
        parent = self._syntax.parent(target)
        while isinstance(parent, (ast.Tuple, ast.List, ast.Starred)):
            position = parent.elts.index(target) if not isinstance(parent, ast.Starred) else None  # type: ignore[arg-type]  # it is one of them
            target, parent = parent, self._syntax.parent(parent)
        name = f"`{binding.id}`" if isinstance(binding, ast.Name) else "it"
        if isinstance(binding, ast.NamedExpr):
            yield binding.value, "assigned"
        elif isinstance(parent, (ast.Assign, ast.AnnAssign)) and parent.value is not None:
            value = parent.value
            if target is binding:
                yield value, f"assigned to {name}"
            elif (part := _element(value, target, position)) is not None:
                yield part, f"assigned to {name}"
            else:
                yield value, f"{name} is a part of it"
        elif isinstance(parent, ast.AugAssign):
            yield parent.value, f"{name} is changed by it"
        elif isinstance(parent, (ast.For, ast.AsyncFor, ast.comprehension)):
            yield parent.iter, f"{name} is what the loop gets from it"
        elif isinstance(parent, ast.withitem):
            yield parent.context_expr, f"{name} is what `with` gets from it"

    def moves_of_name(self, node: ast.Name) -> Iterator[tuple[ast.AST, str]]:
        """Yield where a module that a variable holds was moved in place before, the last first."""
        if self._knowledge.of(node).nature is not Nature.MODULE:
            return
        owner = self._knowledge.bindings.owner(node.id, node)
        is_later = self._syntax.scope(node) is not owner
        for name in reversed(self._syntax.named(node.id, owner or self._syntax.tree)):
            call = self._syntax.parent(self._syntax.parent(name) or name)
            if (
                self._syntax.scope(name) is owner
                and (is_later or name.lineno < node.lineno)
                and isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and call.func.value is name
                and call.func.attr in MODULE_MOVES
            ):
                yield call, "moved in place"

    def put_into(self, node: ast.Name) -> Iterator[tuple[ast.AST, str]]:
        """Yield what a method puts into a list that a variable holds: nothing binds it."""
        if self._knowledge.of(node).nature is not Nature.CONTAINER:
            return
        for name in self._syntax.named(node.id, self._syntax.scope(node)):
            method = self._syntax.parent(name)
            call = self._syntax.parent(method or name)
            if (
                isinstance(call, ast.Call)
                and isinstance(method, ast.Attribute)
                and method.attr in _PUTTING
                and call.args
            ):
                yield call.args[-1], f"put into it by `.{method.attr}()`"

    def attribute_values(self, node: ast.Attribute) -> Iterator[tuple[ast.AST, str]]:
        """Yield what the class of an object assigns to an attribute."""
        if not isinstance(node.ctx, ast.Load):
            return
        for info in self._classes(self._knowledge.values(node.value)):
            for part in walk(info.node):
                if isinstance(part, ast.Attribute) and part.attr == node.attr:
                    if isinstance(part.ctx, ast.Store):
                        yield from self._assigned_attribute(part)
                elif isinstance(part, ast.Call) and _registers(part, node.attr):
                    yield part.args[1], f"registered as the buffer `{node.attr}`"

    def _assigned_attribute(self, target: ast.Attribute) -> Iterator[tuple[ast.AST, str]]:
        parent = self._syntax.parent(target)
        if isinstance(parent, (ast.Assign, ast.AnnAssign)) and parent.value is not None:
            yield parent.value, f"assigned to the attribute `{target.attr}`"

    def _classes(self, values: list[Value]) -> Iterator[ClassInfo]:
        """Yield the classes of the file that values are objects of, and their ancestors."""
        for value in values:
            if isinstance(value, Instance) and value.cls is not None:
                for info in value.cls.lineage():
                    if self._syntax.parent(info.node) is not None:
                        yield info

    def arguments_for(self, parameter: ast.arg) -> Iterator[tuple[ast.AST, int]]:
        """Yield what calls in the file pass as a parameter, each with the line of the call."""
        function = self._syntax.parent(self._syntax.parent(parameter) or parameter)
        if not isinstance(function, FUNCTIONS):
            return  # a lambda's
        for call, skipped in self._calls.get(function, ()):
            for given in (*call.args, *call.keywords):
                if parameter_for(function, call, given, skipped) is parameter:
                    value = given.value if isinstance(given, ast.keyword) else given
                    yield value, call.lineno

    def returned_by(self, call: ast.Call) -> Iterator[tuple[ast.AST, str]]:
        """Yield what functions of the file return that a call runs, with their names."""
        for function in self._run_by(call):
            for node in own_nodes(function):
                if isinstance(node, (ast.Return, ast.Yield)) and node.value is not None:
                    yield node.value, getattr(function, "name", "lambda")

    def _run_by(self, call: ast.Call) -> list[ast.AST]:
        """The functions of the file that a call may run."""
        values = self._knowledge.values(call.func)
        functions = [function for value in values for function in _functions(value)]
        return [f.node for f in functions if self._syntax.parent(f.node) is not None]

    @cached_property
    def _calls(self) -> dict[ast.AST, list[tuple[ast.Call, int]]]:
        """Which calls run each function of the file, and how many parameters come first there."""
        found: dict[ast.AST, list[tuple[ast.Call, int]]] = defaultdict(list)
        for node in walk(self._syntax.tree):
            if isinstance(node, ast.Call):
                for value in self._knowledge.values(node.func):
                    for function in _functions(value):
                        found[function.node].append((node, int(function.bound is not None)))
        return found


def _functions(value: Value) -> Iterator[Function]:
    """Yield the functions that the call of a value runs, with `self` where there is one."""
    if isinstance(value, Function):
        yield value
    elif isinstance(value, Instance) and value.cls is not None:
        found = value.cls.lookup("forward") or value.cls.lookup("__call__")
        if isinstance(found, Function):
            yield Function(found.node, value, found.owner, found.closure)
    elif isinstance(value, ClassValue):
        found = value.info.lookup("__init__")
        if isinstance(found, Function):
            yield Function(found.node, value, found.owner, found.closure)


def _element(value: ast.expr, target: ast.AST, position: int | None) -> ast.expr | None:
    """The part of a tuple that a part of a target gets, where both are written out alike."""
    if position is None or not isinstance(value, (ast.Tuple, ast.List)):
        return None
    if not isinstance(target, (ast.Tuple, ast.List)) or len(target.elts) != len(value.elts):
        return None
    starred = any(isinstance(part, ast.Starred) for part in (*target.elts, *value.elts))
    return None if starred else value.elts[position]


def _registers(call: ast.Call, name: str) -> bool:
    function = call.func
    if not (isinstance(function, ast.Attribute) and function.attr == _BUFFER):
        return False
    given = call.args[0] if len(call.args) > 1 else None
    return isinstance(given, ast.Constant) and given.value == name


def _line_of(node: ast.AST) -> int:
    return getattr(node, "lineno", 0)
