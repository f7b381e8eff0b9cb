"""Which module the other files of a project hand to a function, going by their syntax.

What a function is called with is out of sight in its own file. Where a call in another file hands
it what is built there of one class of the project, and is moved to an accelerator, that is what
the function has to do with: one such call is enough, whatever others hand over.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.modules import FLUENT_METHODS
from torchdev_lint.placement.evidence.devices import names_accelerator
from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.names import Definition, defined_in, meaning_of
from torchdev_lint.project.users import files_that_name
from torchdev_lint.project.uses import uses_in
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.parameters import parameter_for, parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS, own_nodes
from torchdev_lint.syntax.walking import walk

MAX_FILES = 20
"""How many files are read that name a function."""
MAX_STEPS = 4
"""Over how many calls a module is followed back to where it is built."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class _Built:
    """What an expression gives: a module.

    Args:
        of: its class.
        moved: whether it was moved to an accelerator.
    """

    of: Definition
    moved: bool


def module_handed(path: str, name: str, function: _Function, parameter: str) -> Definition | None:
    """Return the class of a module that a call in another file hands over, on an accelerator.

    Args:
        path: the file that defines what is called, absolute; empty if that is not known.
        name: the function or class that is called, which stands at its top.
        function: its code; that of a class is `__init__`.
        parameter: which of its parameters gets the module.
    """
    for built in _handed(path, name, function, parameter, MAX_STEPS):
        if built.moved:
            return built.of
    return None


def _handed(
    path: str, name: str, function: _Function, parameter: str, steps: int
) -> Iterator[_Built]:
    """Yield what calls in other files hand to a function."""
    users = files_that_name(path, [name]).files if path and steps else ()
    skipped = int(function.name == "__init__")
    for file, node in uses_in(users[:MAX_FILES], Definition(path, name)):
        call = file.syntax.parent(node)
        if isinstance(call, ast.Call) and call.func is node:
            given = _given_to(function, call, parameter, skipped)
            built = None if given is None else _built(file, given, steps - 1)
            if built is not None:
                yield built


def _given_to(function: _Function, call: ast.Call, name: str, skipped: int) -> ast.expr | None:
    """The argument of a call that a parameter gets."""
    given = [*((part, part) for part in call.args), *((k, k.value) for k in call.keywords)]
    for part, value in given:
        parameter = parameter_for(function, call, part, skipped)
        if parameter is not None and parameter.arg == name:
            return value
    return None


def _built(file: ParsedFile, node: ast.expr, steps: int) -> _Built | None:
    """What an expression gives, None if that is not for certain a module of one class."""
    moved = False
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if not _keeps(node.func.attr):
            break
        moved |= _moves(file, node)
        node = node.func.value
    found = None
    if isinstance(node, ast.Call):
        found = _called(file, node, steps)
    elif isinstance(node, (ast.Name, ast.Attribute)):
        found = _held(file, node, steps)
    return found if found is None or found.moved else _Built(found.of, moved)


def _keeps(method: str) -> bool:
    return method in FLUENT_METHODS or method in {"to", "cuda"}


def _moves(file: ParsedFile, call: ast.Call) -> bool:
    assert isinstance(call.func, ast.Attribute)
    name = call.func.attr
    return name == "cuda" or (name == "to" and names_accelerator(file.syntax, call))


def _called(file: ParsedFile, call: ast.Call, steps: int) -> _Built | None:
    """What a call gives that builds an object of the project, or has a function of it do that."""
    name = dotted(call.func)
    meaning = None if name is None else meaning_of(file, name)
    there = parsed_file(meaning.path) if meaning is not None and meaning.path else None
    node = None if there is None or meaning is None else defined_in(there, meaning.name)
    if meaning is None or there is None or node is None:
        return None
    if isinstance(node, ast.ClassDef):
        return _Built(meaning, moved=False)
    returned = [part.value for part in own_nodes(node) if isinstance(part, ast.Return)]
    return _agreed(there, returned, steps - 1) if steps else None


def _held(file: ParsedFile, node: ast.Name | ast.Attribute, steps: int) -> _Built | None:
    """What a variable holds, or an attribute of the object at hand, whatever way leads there."""
    uses = _uses(file, node)
    sources = [value for use in uses for value in _assigned(file, use)]
    values = [value for value in sources if value is None or not _is_same(value, node)]
    if not values:
        return _from_parameter(file, node, steps)
    found = _agreed(file, values, steps)
    if found is None or found.moved:
        return found
    calls = [call for use in uses if (call := _called_on(file, use)) is not None]
    return _Built(found.of, any(_moves(file, call) for call in calls))


def _uses(file: ParsedFile, node: ast.Name | ast.Attribute) -> list[ast.expr]:
    """Where a variable stands in its scope, or an attribute in its class."""
    syntax = file.syntax
    if isinstance(node, ast.Name):
        scope = syntax.scope(node)
        around = scope if node.id in syntax.names_of(scope) else syntax.tree
        return [n for n in syntax.named(node.id, around) if syntax.scope(n) is around]
    method = syntax.method(node)
    name = dotted(node) or ""
    if method is None or not name.startswith("self."):
        return []
    return [n for n in walk(method[1]) if isinstance(n, ast.Attribute) and dotted(n) == name]


def _assigned(file: ParsedFile, use: ast.expr) -> Iterator[ast.expr | None]:
    """What is assigned where a variable stands; None for what is bound in some other way."""
    if isinstance(getattr(use, "ctx", None), ast.Load):
        return
    parent = file.syntax.parent(use)
    yield parent.value if isinstance(parent, (ast.Assign, ast.AnnAssign)) else None


def _is_same(value: ast.expr, node: ast.expr) -> bool:
    """Whether an expression is a variable itself, perhaps moved."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if not _keeps(value.func.attr):
            return False
        value = value.func.value
    return dotted(value) == dotted(node)


def _called_on(file: ParsedFile, use: ast.expr) -> ast.Call | None:
    """The call of a method of what a variable holds."""
    member = file.syntax.parent(use)
    call = file.syntax.parent(member) if isinstance(member, ast.Attribute) else None
    return call if isinstance(call, ast.Call) and call.func is member else None


def _from_parameter(file: ParsedFile, node: ast.expr, steps: int) -> _Built | None:
    """What a variable holds that is a parameter: the same whoever calls the function."""
    function = file.syntax.scope(node)
    if not isinstance(node, ast.Name) or not isinstance(function, FUNCTIONS) or not steps:
        return None
    if all(parameter.arg != node.id for parameter in parameters_of(function)):
        return None
    if function.name == "__init__" and (method := file.syntax.method(node)) is not None:
        owner: ast.stmt = method[1]
    else:
        owner = function
    if owner not in file.tree.body or not isinstance(owner, (ast.ClassDef, *FUNCTIONS)):
        return None
    return next(_handed(file.path, owner.name, function, node.id, steps - 1), None)


def _agreed(file: ParsedFile, nodes: list[ast.expr | None], steps: int) -> _Built | None:
    """What several expressions give, if that is of one class."""
    found = [None if node is None else _built(file, node, steps) for node in nodes]
    known = [built for built in found if built is not None]
    if not known or len(known) < len(found) or len({built.of for built in known}) > 1:
        return None
    return _Built(known[0].of, all(built.moved for built in known))
