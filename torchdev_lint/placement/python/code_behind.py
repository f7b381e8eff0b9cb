"""What code leads to: the functions that it names, and those that these name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import field

from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.imported import ProjectModule
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    ClassValue,
    Function,
    Instance,
    Library,
    Value,
    alternatives,
)
from torchdev_lint.placement.run import Run
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import path_of
from torchdev_lint.syntax.scopes import FUNCTIONS, read_around
from torchdev_lint.syntax.walking import walk

_MOST = 16
"""How many functions are looked into."""
_CALLED = "__call__"


@dataclass(slots=True)
class Behind:
    """What may happen when code is run.

    Args:
        code: it, and the functions in sight that it may call.
        libraries: the dotted names of what they read of libraries.
    """

    code: list[ast.AST] = field(default_factory=list)
    libraries: set[str] = field(default_factory=set)


def code_behind(
    run: Run, scope: ast.AST, closure: tuple[Frame, ...], cls: ClassInfo | None = None
) -> Behind:
    """Return what code leads to, as far as variables of the scopes around it tell.

    Args:
        scope: a function or class.
        closure: the frames around it.
        cls: that of the object whose method it is, if it is one.
    """
    found, pending = Behind([scope]), [(scope, closure, cls)]
    while pending:
        for value in _read_by(run, *pending.pop()):
            if isinstance(value, Library):
                found.libraries.add(value.name)
            elif isinstance(value, Function) and value.node not in found.code:
                if len(found.code) <= _MOST:
                    found.code.append(value.node)
                    pending.append((value.node, value.closure, class_of(value)))
    return found


def class_of(function: Function) -> ClassInfo | None:
    """Return the class of the object whose method a function is; None if it is none."""
    bound = function.bound
    return bound.cls if isinstance(bound, Instance) and bound.cls else function.owner


def _read_by(
    run: Run, scope: ast.AST, closure: tuple[Frame, ...], cls: ClassInfo | None
) -> Iterator[Value]:
    """Yield what code reads: variables, members of modules and classes, and what its object has."""
    paths: dict[str, list[list[str]]] = {}
    for path in sorted({path_of(node) or "" for node in walk(scope)}):
        root, *members = path.split(".")
        paths.setdefault(root, []).append(members)
    for name in sorted(read_around(scope)):
        for value in alternatives(_read_around(run, closure, name)):
            yield value
            if isinstance(value, (ProjectModule, ClassValue)):
                for members in paths.get(name, []):
                    yield from alternatives(_member(run, value, members))
    if cls is not None and isinstance(scope, FUNCTIONS) and scope.args.args:
        for members in paths.get(scope.args.args[0].arg, []):
            yield cls.lookup(members[0] if members else _CALLED) or UNKNOWN


def _member(run: Run, value: Value, names: list[str]) -> Value:
    """What a module or a class has under a name, or a module in that module."""
    for name in names:
        if isinstance(value, ClassValue):
            return value.info.lookup(name) or UNKNOWN
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
