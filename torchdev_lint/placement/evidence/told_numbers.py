"""Parameters that are single numbers, as those say it in their file who give or take them.

`Gate(width)` beside `nn.Linear(width, width)` says that `Gate` is told a number. So does
`Head(width)` in `Gate`, if `Head` uses it as one.
"""

from __future__ import annotations

import ast
from typing import NamedTuple, TypeAlias

from torchdev_lint.placement.evidence.counts import is_computed_number, unsettled
from torchdev_lint.placement.evidence.file_context import FileContext
from torchdev_lint.syntax.names import last_component, path_of
from torchdev_lint.syntax.parameters import parameter_for, parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS, parameter_names
from torchdev_lint.syntax.walking import walk

_Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
_MOST_CALLS = 3
"""Through how many calls a number is followed."""


class _Site(NamedTuple):
    """Where something is called.

    Args:
        call: the call.
        function: what calls it; None at the top of a file, or of a class.
        owner: the class whose method that is.
    """

    call: ast.Call
    function: _Function | None
    owner: ast.ClassDef | None


def is_told_number(
    file: FileContext,
    tree: ast.AST,
    function: _Function,
    owner: ast.ClassDef | None,
    name: str,
    most: int = _MOST_CALLS,
) -> bool:
    """Return whether a parameter is a single number for some caller or callee, and no sequence.

    Args:
        file: the file.
        tree: all of it.
        function: a function, or the constructor of a class.
        owner: that class.
        name: the parameter's.
        most: through how many functions to follow it.
    """
    if owner is not None and function.name != "__init__":
        return False
    if not most or name not in parameter_names(function):
        return False
    if name in unsettled(file.nodes_in(function)):
        return False
    called = function.name if owner is None else owner.name
    sites = file.of_nodes(_calls_by_name, tree).get(called, [])
    skipped = 0 if owner is None else 1
    given = [(site, _given_for(site.call, function, name, skipped)) for site in sites]
    if any(isinstance(value, (ast.Tuple, ast.List)) for _, value in given):
        return False
    if any(v is not None and _is_number(file, tree, s, v, most - 1) for s, v in given):
        return True
    return is_handed_on(file, tree, function, name, most - 1)


def is_handed_on(
    file: FileContext, tree: ast.AST, function: _Function, path: str, most: int = _MOST_CALLS
) -> bool:
    """Return whether a function hands something to what takes a number there, in its file.

    Args:
        file: the file.
        tree: all of it.
        function: the function.
        path: how the function calls it: `width`, `config.width`.
        most: through how many functions to follow it.
    """
    defined = file.of_nodes(_defined, tree)
    for call in file.nodes_in(function):
        if not isinstance(call, ast.Call) or last_component(call.func) not in defined:
            continue
        taker, owner = defined[last_component(call.func)]
        for parameter in parameters_of(taker):
            value = _given_for(call, taker, parameter.arg, 0 if owner is None else 1)
            if value is not None and path_of(value) == path:
                if parameter.arg in file.counts_in(taker, owner):
                    return True
                if most and is_handed_on(file, tree, taker, parameter.arg, most - 1):
                    return True
    return False


def _defined(nodes: list[ast.AST]) -> dict[str, tuple[_Function, ast.ClassDef | None]]:
    """The functions of a file, and the constructors of its classes, by what is called for them."""
    found: dict[str, tuple[_Function, ast.ClassDef | None]] = {}
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, FUNCTIONS) and part.name == "__init__":
                    found[node.name] = part, node
        elif isinstance(node, ast.Module):
            found |= {part.name: (part, None) for part in node.body if isinstance(part, FUNCTIONS)}
    return found


def _is_number(file: FileContext, tree: ast.AST, site: _Site, value: ast.expr, most: int) -> bool:
    if isinstance(value, ast.Constant):
        return type(value.value) is int
    if is_computed_number(value):
        return True
    path, caller = path_of(value), site.function
    if path is None or caller is None:
        return False
    if path in file.counts_in(caller, site.owner):
        return True
    return is_told_number(file, tree, caller, site.owner, path, most)


def _calls_by_name(nodes: list[ast.AST]) -> dict[str, list[_Site]]:
    """The calls of a file, by the last component of what they call.

    Args:
        nodes: all of the file, what is around others before these.
    """
    owners = {part: n for n in nodes if isinstance(n, ast.ClassDef) for part in n.body}
    around = {
        part: node
        for node in nodes
        if isinstance(node, FUNCTIONS)
        for part in walk(node)
        if isinstance(part, ast.Call)
    }
    found: dict[str, list[_Site]] = {}
    for call in nodes:
        if isinstance(call, ast.Call):
            function = around.get(call)
            owner = None if function is None else owners.get(function)
            found.setdefault(last_component(call.func), []).append(_Site(call, function, owner))
    return found


def _given_for(call: ast.Call, function: _Function, name: str, skipped: int) -> ast.expr | None:
    """What a call gives for a parameter; None if that can't be told.

    Args:
        skipped: how many parameters come before the first argument: one, if it is a method's.
    """
    values: dict[ast.AST, ast.expr] = {given: given for given in call.args}
    values |= {keyword: keyword.value for keyword in call.keywords}
    for given, value in values.items():
        parameter = parameter_for(function, call, given, skipped)
        if parameter is not None and parameter.arg == name:
            return value
    return None
