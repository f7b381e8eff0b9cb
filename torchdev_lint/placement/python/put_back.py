"""Modules that the code itself moves to the CPU, and may apply after that."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import takewhile

from torchdev_lint.placement.defects.asked_of_syntax import asked_of_syntax
from torchdev_lint.placement.domain.file import File
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import Instance
from torchdev_lint.placement.evidence.putting_back import (
    is_built_again,
    is_left_to_others,
    is_named_copy,
)
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import path_of, short
from torchdev_lint.syntax.parameters import arguments_of
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax

_SELF = "self"
_WHATEVER = ""
"""Stands for whatever name something gets."""


def put_back(run: Run, module: Instance, call: ast.Call) -> Origin | None:
    """Return the origin of a module that a call moves to the CPU.

    None where more hangs on that than whether it is applied there, and for one of several: what a
    loop or comprehension builds is one object here, and so is what nobody builds in view. A copy
    that is made for the move, and gets a name after it, is that one alone.
    """
    if not isinstance(call.func, ast.Attribute):
        return None
    way, is_copy = run.way_to(call), asked_of_syntax(run, is_named_copy, run.frame.file, call)
    if not is_copy and _may_be_several(run, module, way):
        return None
    steps = ((file, node) for file, node in way if node is not None)
    if any(_is_so(run, is_left_to_others, step) for step in steps):
        return None
    run.leaves_modules = run.puts_back = True
    names = {(call, _WHATEVER)} if is_copy else _names(run, path_of(call.func.value))
    return replace(run.made(call, OriginKind.PUT_BACK, short(call)), names=frozenset(names))


def _may_be_several(
    run: Run, module: Instance, way: tuple[tuple[File, ast.AST | None], ...]
) -> bool:
    """Whether a module may be one of several that are built where it is, or built out of view.

    Args:
        way: the way to what is done with it.
    """
    built = run.built.ways.get(module.ref)
    if built is None:
        return True
    shared = sum(
        1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(way, built, strict=False))
    )
    again = ((file, node) for file, node in built[shared:] if node is not None)
    return any(_is_so(run, is_built_again, step) for step in again)


def is_applied_by_name(run: Run, origin: Origin, call: ast.AST) -> bool:
    """Return whether a module, or a part of it, is applied by the name by which it was moved.

    By another name, it is one of several that this may mean. A method of its own has it as `self`.
    """
    if not isinstance(call, ast.Call):
        return False
    path = path_of(call.func)
    if run.applied is None and any(_is_part(origin, *called) for called in _names(run, path)):
        return True
    if run.facts.syntax.parent(call) is None:
        return False
    if any(name == _WHATEVER for _, name in origin.names):
        return True
    return (run.facts.syntax.scope(call), path or "") in origin.names


def _is_part(origin: Origin, function: ast.AST, path: str) -> bool:
    """Whether a function has something by the name of what was moved, or of a part of it."""
    wholes = (name for scope, name in origin.names if scope is function and name)
    return any(path == whole or path.startswith(f"{whole}.") for whole in wholes)


def _names(run: Run, path: str | None) -> Iterator[tuple[ast.AST, str]]:
    """Yield what the functions call something that lead to where it has a name, each for itself."""
    for frame in reversed(run.frames):
        if path is None:
            return
        yield frame.node, path
        path = _as_given(frame, path)


def _as_given(frame: Frame, path: str) -> str | None:
    """What the caller of a function calls what has a name there: `net` for `save(net)`.

    What the function has of the code around it has the same name there.
    """
    site, first = frame.site, path.partition(".")[0]
    if first not in frame.env.names and not frame.late:
        return path
    if not isinstance(site, ast.Call) or not isinstance(frame.node, FUNCTIONS):
        return None
    is_method = frame.bound is not None
    if is_method and first == _SELF and isinstance(site.func, ast.Attribute):
        given = path_of(site.func.value)
    else:
        argument = arguments_of(site, frame.node, is_method).get(first)
        given = None if argument is None else path_of(argument)
    return None if given is None else given + path[len(first) :]


def _is_so(run: Run, asked: Callable[[Syntax, ast.AST], bool], step: tuple[File, ast.AST]) -> bool:
    """Whether something holds for a step on the way; also where that isn't told."""
    return asked_of_syntax(run, asked, *step) is not False
