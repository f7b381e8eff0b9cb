"""What code leads to: the functions that it names, and those that these name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import field

from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.imported import ProjectModule
from torchdev_lint.placement.domain.values import UNKNOWN, Function, Library, Value, alternatives
from torchdev_lint.placement.run import Run
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import path_of
from torchdev_lint.syntax.scopes import read_around
from torchdev_lint.syntax.walking import walk

_MOST = 16
"""How many functions are looked into."""


@dataclass(slots=True)
class Behind:
    """What may happen when code is run.

    Args:
        code: it, and the functions in sight that it may call.
        libraries: the dotted names of what they read of libraries.
    """

    code: list[ast.AST] = field(default_factory=list)
    libraries: set[str] = field(default_factory=set)


def code_behind(run: Run, scope: ast.AST, closure: tuple[Frame, ...]) -> Behind:
    """Return what code leads to, as far as variables of the scopes around it tell.

    Args:
        scope: a function or class.
        closure: the frames around it.
    """
    found, pending = Behind([scope]), [(scope, closure)]
    while pending:
        scope, closure = pending.pop()
        for name in sorted(read_around(scope)):
            for value in _read_with_members(run, scope, closure, name):
                if isinstance(value, Library):
                    found.libraries.add(value.name)
                elif isinstance(value, Function) and value.node not in found.code:
                    if len(found.code) <= _MOST:
                        found.code.append(value.node)
                        pending.append((value.node, value.closure))
    return found


def _read_with_members(
    run: Run, scope: ast.AST, closure: tuple[Frame, ...], name: str
) -> Iterator[Value]:
    """Yield what a variable may hold; of a module of the project, those of its members it is for."""
    for value in alternatives(_read_around(run, closure, name)):
        yield value
        if isinstance(value, ProjectModule):
            for path in sorted({path_of(node) or "" for node in walk(scope)}):
                root, _, members = path.partition(".")
                if root == name and members:
                    yield from alternatives(_member(run, value, members.split(".")))


def _member(run: Run, value: Value, names: list[str]) -> Value:
    """What a module has under a name, or a module in it."""
    for name in names:
        if not isinstance(value, ProjectModule):
            break
        value = run.member(run, value, name)
    return value


def _read_around(run: Run, closure: tuple[Frame, ...], name: str) -> Value:
    values = (run.read_outer(frame, name) for frame in closure)
    value = next((value for value in values if value is not None), None)
    module = closure[-1]
    if value is None and (module.stars or module.star_imports):
        value = run.bind_late(run, module, name)
    return UNKNOWN if value is None else value
