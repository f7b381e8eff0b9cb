"""Whether one function reads what another one has written in the same run."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchdev_lint.syntax.names import last_component, text_of
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax
from torchdev_lint.syntax.walking import walk

_MOST_CALLS = 50
"""Of how many calls of a function it is asked what stands before each."""


class ReadingBack:
    """In which order the functions of a file are called, going by its text.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._mentioned: dict[ast.AST, frozenset[str]] = {}
        self._calls: dict[str, list[ast.Call]] = {}
        self._in_scope: dict[ast.AST, dict[str, list[ast.Call]]] = {}
        self._given: dict[tuple[ast.AST, str], list[ast.Call]] = {}
        nodes = list(walk(syntax.tree))
        methods = {
            each.name
            for node in nodes
            if isinstance(node, ast.ClassDef)
            for each in node.body
            if isinstance(each, FUNCTIONS)
        }
        for node in nodes:
            if isinstance(node, ast.Call):
                is_method = isinstance(node.func, ast.Attribute) and node.func.attr in methods
                if is_method or isinstance(node.func, ast.Name):
                    name = last_component(node.func)
                    self._calls.setdefault(name, []).append(node)
                    there = self._in_scope.setdefault(syntax.scope(node), {})
                    there.setdefault(name, []).append(node)

    def mentioned(self, scope: ast.AST) -> frozenset[str]:
        """Return the names and attributes that code reads."""
        if scope not in self._mentioned:
            self._mentioned[scope] = mentioned(scope)
        return self._mentioned[scope]

    def is_called_behind(self, reader: str, writers: Iterable[str]) -> bool:
        """Return whether all calls of one function in a file stand behind such of another.

        That is so in a function that trains, which saves its best model in each round, and reads it
        at the end: `save_best(name, model)`, `load_best(name, model)`, or methods of one object.

        Args:
            reader: the name of the one.
            writers: the names of others, any of which may be the other.
        """
        reading = self._calls.get(reader, [])
        if not reading or len(reading) > _MOST_CALLS:
            return False
        there = self._in_scope[self._syntax.scope(reading[0])]
        return any(
            all(self._is_told_before(call, self._calls[writer]) for call in reading)
            for writer in there.keys() & set(writers)
        )

    def _is_told_before(self, call: ast.Call, others: list[ast.Call]) -> bool:
        """Whether one of some calls stands before another one, and is given all that it is."""
        told = _told(call)
        return any(
            told <= _told(first) and self._is_behind(call, first) for first in others[:_MOST_CALLS]
        )

    def is_run_before(self, writer: ast.AST, call: ast.Call) -> bool:
        """Return whether a call stands behind one of the function that another expression is in."""
        if not isinstance(writer, FUNCTIONS):
            return False
        there = self._in_scope.get(self._syntax.scope(call), {}).get(writer.name, [])
        return any(self._is_behind(call, first) for first in there[:_MOST_CALLS])

    def told_before(self, value: ast.expr, call: ast.Call) -> set[str]:
        """Return the names of the functions that are told some value before a call."""
        scope = self._syntax.scope(call)
        if (scope, "") not in self._given:
            self._given[scope, ""] = []
            for calls in self._in_scope.get(scope, {}).values():
                for each in calls:
                    for text in _told(each):
                        self._given.setdefault((scope, text), []).append(each)
        given = self._given.get((scope, text_of(value)), [])[:_MOST_CALLS]
        return {last_component(each.func) for each in given if self._is_behind(call, each)}

    def _is_behind(self, call: ast.Call, first: ast.Call) -> bool:
        """Whether a call stands behind another one in a function, whenever it is reached.

        What a condition reads that doesn't decide about the writing may be from another run.
        """
        syntax = self._syntax
        if syntax.scope(call) is not syntax.scope(first) or call.lineno <= first.lineno:
            return False
        conditions = (part for part in syntax.around(call) if isinstance(part, ast.If))
        return set(conditions) <= set(syntax.around(first))


def mentioned(scope: ast.AST) -> frozenset[str]:
    """Return the names and attributes that code reads."""
    parts = (part for part in walk(scope) if isinstance(part, (ast.Name, ast.Attribute)))
    return frozenset(map(last_component, parts))


def _told(call: ast.Call) -> set[str]:
    """What a call is given, and the object whose method it calls, as it reads."""
    given = [*call.args, *(each.value for each in call.keywords)]
    if isinstance(call.func, ast.Attribute):
        given.append(call.func.value)
    return set(map(text_of, given))
