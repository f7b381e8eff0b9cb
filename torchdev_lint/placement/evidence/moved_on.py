"""Whether what a function gives is moved by those who get it, in whatever file they are.

They would not move what is where they need it: so what the function works with may well be on the
host, all of it, and nothing fails there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from torchdev_lint.placement.evidence.carriers import carrier
from torchdev_lint.placement.evidence.feeding import is_move
from torchdev_lint.placement.evidence.host_code import is_of_tensor
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import Definition, defined_in
from torchdev_lint.project.uses import Uses, uses_of, uses_of_method
from torchdev_lint.syntax.bindings import Bindings
from torchdev_lint.syntax.calls import destination
from torchdev_lint.syntax.names import path_of
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax
from torchdev_lint.syntax.walking import walk

_MAX_NAMES = 8
"""How many functions are asked about, each as it hands on what the one before gives."""


def is_moved_on(file: ParsedFile, scope: str) -> bool:
    """Return whether a caller moves what a function gives, or one that is handed it does.

    Args:
        file: the file.
        scope: the dotted name of the function, which stands at the top of the file or of a class.
    """
    pending, asked = [(file, scope)], set[tuple[str, str]]()
    while pending and len(asked) < _MAX_NAMES:
        home, name = pending.pop()
        if (home.path, name) in asked:
            continue
        asked.add((home.path, name))
        for user, node in _uses_of(home, name).places:
            call = user.syntax.parent(node)
            if not isinstance(call, ast.Call) or call.func is not node:
                continue
            function = user.syntax.scope(call)
            if is_result_moved(user, call):
                return True
            if isinstance(function, FUNCTIONS):
                if _is_among(user.derived(_returned_in).get(function), user, call):
                    pending.append((user, user.syntax.scope_name(call)))
    return False


def is_moved_at_once(syntax: Syntax, node: ast.AST) -> bool:
    """Return whether what an operation gives is moved to a device of the program's right there.

    So it was computed on the CPU, of what is there. Who moves it to where a tensor is may well have
    another one beside it there.

    Args:
        syntax: the file's tree.
        node: the operation.
    """
    method = syntax.parent(node)
    call = syntax.parent(method) if isinstance(method, ast.Attribute) else None
    if not (isinstance(call, ast.Call) and call.func is method and is_move(call)):
        return False
    device = destination(call)
    return device is None or not is_of_tensor(device)


def is_result_moved(file: ParsedFile, call: ast.Call) -> bool:
    """Return whether the function that makes a call moves what that gives, or a part of it."""
    return _is_among(file.derived(_moved_in).get(file.syntax.scope(call)), file, call)


def _uses_of(file: ParsedFile, scope: str) -> Uses:
    owner, _, method = scope.partition(".")
    defined = defined_in(file, owner)
    if isinstance(defined, FUNCTIONS) and not method:
        return uses_of(file, Definition(file.path, owner))
    if isinstance(defined, ast.ClassDef) and method and "." not in method:
        return uses_of_method(file, owner, method)
    return Uses([], complete=False)


class _Values(NamedTuple):
    """Some values in a function.

    Args:
        nodes: their expressions.
        held: the same by the variable or attribute that they are read from, or are a part of.
    """

    nodes: set[ast.expr]
    held: dict[str, list[ast.expr]]


def _is_among(values: _Values | None, file: ParsedFile, call: ast.Call) -> bool:
    """Whether the result of a call, or a part of it, is one of some values in its function."""
    if values is None:
        return False
    if call in values.nodes:
        return True
    kept = ((target, path_of(target)) for target in _kept_in(file, call))
    return any(_is_read(file, t, path, values.held.get(path, ())) for t, path in kept if path)


def _is_read(file: ParsedFile, target: ast.expr, path: str, values: Sequence[ast.expr]) -> bool:
    """Whether one of some values is what a target was given, and nothing else it held before."""
    if not isinstance(target, ast.Name):
        return bool(values)
    bindings = file.syntax.derived(Bindings)
    reads = (part for value in values for part in walk(value) if isinstance(part, ast.Name))
    return any(target in bindings.reaching(path, read) for read in reads if read.id == path)


def _moved_in(file: ParsedFile) -> dict[ast.AST, _Values]:
    """What the functions of a file move, each for itself."""
    found: dict[ast.AST, _Values] = {}
    for node in walk(file.tree):
        if isinstance(node, ast.Call) and is_move(node):
            assert isinstance(node.func, ast.Attribute)
            values = found.setdefault(file.syntax.scope(node), _Values(set(), {}))
            _note(values, node.func.value, _path_under(node.func.value))
    return found


def _returned_in(file: ParsedFile) -> dict[ast.AST, _Values]:
    """What the functions of a file give, or a part of it."""
    found: dict[ast.AST, _Values] = {}
    for node in walk(file.tree):
        if isinstance(node, ast.Return) and node.value is not None:
            values = found.setdefault(file.syntax.scope(node), _Values(set(), {}))
            given = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            for value in given:
                _note(values, value, path_of(value))
    return found


def _note(values: _Values, value: ast.expr, path: str | None) -> None:
    values.nodes.add(value)
    if path is not None:
        values.held.setdefault(path, []).append(value)


def _kept_in(file: ParsedFile, call: ast.Call) -> Iterator[ast.expr]:
    """Yield the variables and attributes that are given the result of a call, or a part of it."""
    around = file.syntax.parent(call)
    if isinstance(around, ast.Assign) and around.value is call:
        for target in around.targets:
            parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
            yield from parts


def _path_under(node: ast.expr) -> str | None:
    """The variable or attribute that something is a part or a view of, if it is one."""
    found = carrier(node)
    while found is None and isinstance(node, (ast.Subscript, ast.Call)):
        node = node.value if isinstance(node, ast.Subscript) else node.func
        if isinstance(node, ast.Attribute):
            node = node.value
        found = carrier(node)
    return None if found is None else path_of(found)
