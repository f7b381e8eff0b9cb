"""Whether one function reads what another one has written in the same run."""

from __future__ import annotations

import ast

from torchdev_lint.syntax.names import last_component, text_of
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax
from torchdev_lint.syntax.walking import walk


def belong_together(syntax: Syntax, reader: ast.AST, writer: ast.AST) -> bool:
    """Return whether one of two functions mentions the other, or a third one calls both in turn."""
    for called, caller in ((reader, writer), (writer, reader)):
        if isinstance(called, FUNCTIONS) and called.name in mentioned(caller):
            return True
    if not (isinstance(reader, FUNCTIONS) and isinstance(writer, FUNCTIONS)):
        return False
    return _is_called_behind(syntax, reader.name, writer.name)


def mentioned(scope: ast.AST) -> set[str]:
    """Return the names and attributes that code reads."""
    parts = (part for part in walk(scope) if isinstance(part, (ast.Name, ast.Attribute)))
    return {last_component(part) for part in parts}


def _is_called_behind(syntax: Syntax, reader: str, writer: str) -> bool:
    """Whether all calls of one function in a file stand behind such of another.

    That is so in a function that trains, which saves its best model in each round, and reads it at
    the end: `save_best(name, model)`, `load_best(name, model)`.
    """
    calls = [node for node in walk(syntax.tree) if isinstance(node, ast.Call)]
    reading = _calls_of(calls, reader)
    writing = _calls_of(calls, writer)
    return bool(reading) and all(
        any(_told(call) <= _told(first) and _is_behind(syntax, call, first) for first in writing)
        for call in reading
    )


def is_run_before(syntax: Syntax, writer: ast.AST, call: ast.Call) -> bool:
    """Return whether a call stands behind one of the function that another expression is in."""
    if not isinstance(writer, FUNCTIONS):
        return False
    calls = [node for node in walk(syntax.scope(call)) if isinstance(node, ast.Call)]
    return any(_is_behind(syntax, call, first) for first in _calls_of(calls, writer.name))


def told_before(syntax: Syntax, value: ast.expr, call: ast.Call) -> set[str]:
    """Return the names of the functions that are told some value before a call."""
    read = text_of(value)
    calls = (node for node in walk(syntax.scope(call)) if isinstance(node, ast.Call))
    return {
        first.func.id
        for first in calls
        if isinstance(first.func, ast.Name)
        and read in _told(first)
        and _is_behind(syntax, call, first)
    }


def _calls_of(calls: list[ast.Call], name: str) -> list[ast.Call]:
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == name]


def _is_behind(syntax: Syntax, call: ast.Call, first: ast.Call) -> bool:
    """Whether a call stands behind another one in a function, whenever it is reached.

    What a condition reads that doesn't decide about the writing may be from another run.
    """
    if syntax.scope(call) is not syntax.scope(first) or call.lineno <= first.lineno:
        return False
    conditions = (part for part in syntax.around(call) if isinstance(part, ast.If))
    return set(conditions) <= set(syntax.around(first))


def _told(call: ast.Call) -> set[str]:
    """What a call is given, as it reads."""
    return {text_of(value) for value in (*call.args, *(each.value for each in call.keywords))}
