"""Whether a project gives a module's `forward` for some argument only what is on the CPU.

Its arguments are taken to be where the module is, with which tensors of lengths, say, need not go.
Who builds objects of its class, and calls these, is told by the syntax of the files that name it.
Where what they give is moved by those who call them, nothing of it was on the accelerator before.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.placement.evidence.host_values import is_on_host
from torchdev_lint.placement.evidence.made_of import Placed
from torchdev_lint.placement.evidence.moved_on import is_result_moved
from torchdev_lint.placement.evidence.neighbours import default_changes_around
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import Definition, defined_in
from torchdev_lint.project.uses import uses_of
from torchdev_lint.syntax.parameters import parameter_for
from torchdev_lint.syntax.walking import walk

_FORWARD = "forward"
_MOST_CALLERS = 3
"""Through how many methods of its class an argument is followed."""

_CallBy = tuple[str, ast.Call]
"""A call, and the method that makes it."""


def is_fed_from_host(file: ParsedFile, scope: str, argument: str) -> bool:
    """Return whether all calls in a project give an argument what is on the CPU for certain.

    Args:
        file: the file.
        scope: the method that has the argument, behind the name of its class.
        argument: what it is called there.
    """
    owner, _, method = scope.partition(".")
    found = defined_in(file, owner)
    if not isinstance(found, ast.ClassDef):
        return False
    named = list(_arguments_of_forward(file, found, method, argument, _MOST_CALLERS))
    if not named or None in named or default_changes_around(file.path):
        return False
    given = [value for name in named if name for value in _given(file, found, name)]
    return bool(given) and all(value is not None and _is_on_host(*value) for value in given)


def _arguments_of_forward(
    file: ParsedFile, owner: ast.ClassDef, method: str, argument: str, callers: int
) -> Iterator[str | None]:
    """Yield what of `forward` a method is given for an argument; None where that isn't told."""
    function = _method(owner, method)
    if function is None or not callers or _is_bound_in(function, argument):
        yield None
    elif method == _FORWARD:
        yield argument
    else:
        for caller, call in file.derived_with(_calls_of_methods, owner).get(method, ()):
            value = _value_for(function, call, argument)
            if isinstance(value, ast.Name):
                yield from _arguments_of_forward(file, owner, caller, value.id, callers - 1)
            else:
                yield None


def _calls_of_methods(file: ParsedFile, owner: ast.ClassDef) -> dict[str, list[_CallBy]]:
    """The calls of a class's own methods, by what they are called, each with who calls it."""
    del file
    found: dict[str, list[_CallBy]] = {}
    for caller in (part for part in owner.body if isinstance(part, ast.FunctionDef)):
        for name, call in _own_calls(caller):
            found.setdefault(name, []).append((caller.name, call))
    return found


def _method(owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    return next((p for p in owner.body if isinstance(p, ast.FunctionDef) and p.name == name), None)


def _is_bound_in(function: ast.FunctionDef, name: str) -> bool:
    """Whether a function is not given something, or gives the variable something else."""
    if name not in {part.arg for part in walk(function.args) if isinstance(part, ast.arg)}:
        return True
    named = (part for part in walk(function) if isinstance(part, ast.Name) and part.id == name)
    return any(not isinstance(part.ctx, ast.Load) for part in named)


def _calls_of_own(code: ast.AST, attribute: str) -> Iterator[ast.Call]:
    """Yield the calls in some code of what an object has as an attribute: `self.mask(...)`."""
    return (call for name, call in _own_calls(code) if name == attribute)


def _own_calls(code: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Yield the calls in some code of what an object has, each with the attribute's name."""
    for node in walk(code):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if isinstance(node.func.value, ast.Name) and node.func.value.id == "self":
                yield node.func.attr, node


def _value_for(function: ast.FunctionDef, call: ast.Call, name: str) -> ast.expr | None:
    """What a call of a method gives for a parameter, None where that can't be told."""
    named = [(keyword, keyword.value) for keyword in call.keywords]
    for given, value in (*((value, value) for value in call.args), *named):
        parameter = parameter_for(function, call, given, 1)
        if parameter is not None and parameter.arg == name:
            return value
    return None


def _given(
    file: ParsedFile, owner: ast.ClassDef, argument: str
) -> Iterator[tuple[ParsedFile, ast.Call, ast.expr] | None]:
    """Yield what calls of objects of a class give for an argument of its `forward`, and the calls.

    None stands for what can't be told: an heir, an object that is handed on, a file not searched.
    """
    forward = _method(owner, _FORWARD)
    uses = uses_of(file, Definition(file.path, owner.name))
    if forward is None or not uses.complete:
        yield None
        return
    for user, node in uses.places:
        calls = _calls_of_built(user, node)
        if not calls:
            yield None
        for call in calls:
            value = _value_for(forward, call, argument)
            yield None if value is None else (user, call, value)


def _calls_of_built(user: ParsedFile, node: ast.expr) -> list[ast.Call]:
    """The calls of the object that is built of a class; none where it is kept anywhere else.

    Args:
        user: the file.
        node: the name of the class there.
    """
    syntax = user.syntax
    built = syntax.parent(node)
    statement = syntax.parent(built) if isinstance(built, ast.Call) and built.func is node else None
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return []
    target, method = statement.targets[0], syntax.method(statement)
    if isinstance(target, ast.Attribute) and method is not None:
        return list(_calls_of_own(method[1], target.attr))
    if isinstance(target, ast.Name):
        return _calls_of_variable(user, syntax.scope(statement), target)
    return []


def _calls_of_variable(user: ParsedFile, scope: ast.AST, target: ast.Name) -> list[ast.Call]:
    """The calls of what a variable is given once; none where it is used for anything else."""
    calls = list[ast.Call]()
    for name in walk(scope):
        if not isinstance(name, ast.Name) or name.id != target.id or name is target:
            continue
        call = user.syntax.parent(name)
        if not isinstance(call, ast.Call) or call.func is not name:
            return []
        calls.append(call)
    return calls


def _is_on_host(user: ParsedFile, call: ast.Call, value: ast.expr) -> bool:
    """Whether a call gives a tensor that is on the CPU for certain."""
    if isinstance(value, ast.Constant):
        return False
    if is_result_moved(user, call):
        return True
    return is_on_host(Placed(user, value))
