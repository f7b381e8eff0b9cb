"""What an expression may give, as far as variables, results and arguments lead in a project."""

from __future__ import annotations

import ast
from typing import NamedTuple

from torchdev_lint.placement.evidence.wrapped import may_be_wrapped
from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.names import Definition, defined_in, definition_behind, meaning_of
from torchdev_lint.project.seen import in_one_moment
from torchdev_lint.project.uses import Uses, uses_of, uses_of_method
from torchdev_lint.proof.grounds import Grounds
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.parameters import argument_for, default_of
from torchdev_lint.syntax.scopes import FUNCTIONS, is_generator, own_nodes
from torchdev_lint.syntax.stores import stores_in
from torchdev_lint.syntax.walking import walk

_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)
_MAX_CALLS = 16
"""How many calls of a function are looked at."""
_MAX_BINDINGS = 32
"""How many assignments of a variable are looked at."""


class Placed(NamedTuple):
    """An expression, and the file it stands in."""

    file: ParsedFile
    node: ast.expr


@in_one_moment
def made_of(of: Placed) -> list[Placed]:
    """Return what a variable or call may give, or is a part of; empty: not all of that is known.

    A parameter is what all calls in the project give for it.
    """
    if not isinstance(of.node, ast.Name):
        return _returned(of)
    found: list[Placed] = []
    bindings = _bindings_of(of.file, of.node)
    if len(bindings) > _MAX_BINDINGS:
        return []
    for binding in bindings:
        given = _bound(of.file, binding)
        if not given:
            return []
        found += given
    return found


def _bindings_of(file: ParsedFile, name: ast.Name) -> list[ast.AST]:
    """What binds a variable; nothing if it may be another one, of whoever comes to bind it.

    A variable of a function gives nothing where it is not bound yet: that raises.
    """
    grounds = file.syntax.derived(Grounds)
    if not isinstance(grounds.bindings.owner(name.id, name), FUNCTIONS):
        return grounds.values.bound(name.id, name)
    return [binding for binding in grounds.bindings.reaching(name.id, name) if binding is not None]


def _bound(file: ParsedFile, binding: ast.AST) -> list[Placed]:
    """What a binding may give a variable, or of what it gives a part."""
    around = file.syntax.parent(binding)
    if isinstance(around, _LOOPS) and around.target is binding:
        return [Placed(file, around.iter)]
    loop = file.syntax.parent(around) if isinstance(around, ast.Tuple) else None
    if isinstance(loop, _LOOPS) and loop.target is around:
        return [Placed(file, loop.iter)]
    if isinstance(around, ast.AugAssign) and isinstance(around.target, ast.Name):
        return [Placed(file, around.target)]
    if isinstance(around, ast.Tuple):
        return _unpacked(file, around, around.elts.index(binding))  # type: ignore[arg-type]  # one of them
    if isinstance(binding, ast.arg) and file.path:
        return _given(file, binding)
    if isinstance(binding, ast.alias) and file.path:
        return _imported(file, binding)
    return [Placed(file, v) for v in file.syntax.derived(Grounds).values.given(binding)]


def _imported(file: ParsedFile, alias: ast.alias) -> list[Placed]:
    """What another file gives a constant once; nothing for what it defines, or gives more often."""
    meaning = meaning_of(file, alias.asname or alias.name)
    home = parsed_file(meaning.path) if meaning is not None and meaning.path else None
    if home is None or meaning is None or defined_in(home, meaning.name) is not None:
        return []
    stores = home.derived(_stores).get(meaning.name, [])
    statement = home.syntax.parent(stores[0]) if len(stores) == 1 else None
    if not isinstance(statement, ast.Assign) or home.syntax.parent(statement) is not home.tree:
        return []
    return [Placed(home, statement.value)] if stores[0] in statement.targets else []


def _stores(file: ParsedFile) -> dict[str, list[ast.Name | ast.Attribute]]:
    """Where a file sets variables and attributes, by their names."""
    found: dict[str, list[ast.Name | ast.Attribute]] = {}
    for name, node in stores_in(walk(file.tree)):
        found.setdefault(name, []).append(node)
    return found


def _unpacked(file: ParsedFile, target: ast.Tuple, position: int) -> list[Placed]:
    """What a variable gets where the results of a function are unpacked."""
    statement = file.syntax.parent(target)
    if not isinstance(statement, ast.Assign):
        return []
    found = []
    for given in _returned(Placed(file, statement.value)):
        parts = given.node
        if not isinstance(parts, ast.Tuple) or len(parts.elts) != len(target.elts):
            return []
        if any(isinstance(part, ast.Starred) for part in (*parts.elts, *target.elts)):
            return []
        found.append(Placed(given.file, parts.elts[position]))
    return found


def _returned(of: Placed) -> list[Placed]:
    """What a call of a function of the project may give; empty: not all of that is known."""
    found = _function_called(of)
    return [] if found is None else _given_back(*found)


@in_one_moment
def _given_back(file: ParsedFile, function: ast.FunctionDef) -> list[Placed]:
    """What a function may return; empty: not all of that is known."""
    if may_be_wrapped(function) or is_generator(function):
        return []
    given = [node.value for node in own_nodes(function) if isinstance(node, ast.Return)]
    return [] if None in given else [Placed(file, value) for value in given if value is not None]


def _function_called(of: Placed) -> tuple[ParsedFile, ast.FunctionDef] | None:
    """The function that a call runs, and the file it is in."""
    name = dotted(of.node.func) if isinstance(of.node, ast.Call) else None
    if name is None or not isinstance(of.node, ast.Call):
        return None
    function = of.node.func
    if isinstance(function, ast.Name):
        bindings = of.file.syntax.derived(Grounds).bindings
        bound = bindings.reaching(function.id, function)
        own = next(iter(bound)) if len(bound) == 1 else None
        if isinstance(own, ast.FunctionDef):
            return of.file, own
        if not isinstance(own, ast.alias):
            return None
    behind = definition_behind(of.file, name)
    if behind is None or not isinstance(behind[1], ast.FunctionDef):
        return None
    return behind[0], behind[1]


def _given(file: ParsedFile, parameter: ast.arg) -> list[Placed]:
    """What the calls of a function give for a parameter; empty: not all of that is known."""
    function = file.syntax.parent(file.syntax.parent(parameter) or file.tree)
    if not isinstance(function, FUNCTIONS) or may_be_wrapped(function):
        return []
    uses, is_method = _uses_of(file, function)
    if uses is None:
        return [Placed(file, v) for v in file.syntax.derived(Grounds).values.given(parameter)]
    if not uses.complete or len(uses.places) > _MAX_CALLS:
        return []
    found: list[Placed] = []
    for user, node in uses.places:
        call = user.syntax.parent(node)
        if not isinstance(call, ast.Call) or call.func is not node:
            return []
        value = argument_for(file.syntax, call, parameter, is_method)
        if value is None:
            return []
        if user is file and _is_handed_on(file, value, parameter):
            continue
        by_default = value is default_of(file.syntax, parameter)
        found.append(Placed(file if by_default else user, value))
    return found


def _is_handed_on(file: ParsedFile, value: ast.expr, parameter: ast.arg) -> bool:
    """Whether a value is that of a parameter itself, as where a function calls itself."""
    bindings = file.syntax.derived(Grounds).bindings
    return isinstance(value, ast.Name) and bindings.reaching(value.id, value) == {parameter}


def _uses_of(
    file: ParsedFile, function: ast.FunctionDef | ast.AsyncFunctionDef
) -> tuple[Uses | None, bool]:
    """Where a project uses a function, and whether that is a method; None: it is a local one."""
    owner = file.syntax.parent(function)
    if owner is file.tree:
        return uses_of(file, Definition(file.path, function.name)), False
    if not isinstance(owner, ast.ClassDef) or owner not in file.tree.body:
        return None, False
    if function.name == "__init__":
        return uses_of(file, Definition(file.path, owner.name)), True
    return uses_of_method(file, owner.name, function.name), True
