"""What the calls of other files say of what a function or class of the file at hand is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.factories import FROM_DATA
from torchdev_lint.catalog.modules import FLUENT_METHODS, MODULE_METHODS
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Bundle,
    Function,
    FunctionNode,
    Instance,
    Loader,
    Place,
    Value,
)
from torchdev_lint.placement.evidence.feeding import is_move
from torchdev_lint.placement.evidence.uses import Uses
from torchdev_lint.placement.interpreter.called_elsewhere import OUT_OF_SIGHT, Calls, called_with
from torchdev_lint.placement.python import binding
from torchdev_lint.placement.python.iteration import loader_out_of_sight
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.parameters import argument_for

_OF_DATA = {name.rpartition(".")[2] for name in FROM_DATA}
_MOST_HANDED_ON = 8
"""How many functions are asked whether they call what another one of the file hands on to them."""


def calls_elsewhere(run: Run, function: Function) -> Calls:
    """With what other files call a function, or build the class whose `__init__` it is.

    That matters where a function calls what it is given, as losses are, and of a module where it
    makes a tensor of that, or keeps it to be called, as models are.
    """
    bound, name = function.bound, getattr(function.node, "name", "")
    if bound is None:
        known = run.module.env.names.get(name)
        is_top = known == function and not run.serves_host
        return called_with(run, name) if is_top and _calls_given(run, function.node) else Calls()
    if name != "__init__" or not isinstance(bound, Instance) or bound.cls is None:
        return Calls()
    if bound.cls.file is not run.main:
        return Calls()
    is_module = run.obj(bound).module
    matters = not is_module or _makes_of_given(run, function.node)
    if not (matters or _calls_what_it_keeps(run, bound.cls, function.node)):
        return Calls()
    return replace(called_with(run, bound.cls.name), kept_by_module=is_module)


def _calls_given(run: Run, node: FunctionNode) -> bool:
    """Whether a function calls some of what it is given, or has a function of the file call it."""
    pending, asked = [(node, _called_in(run, node))], {node}
    while pending:
        function, called = pending.pop()
        if called:
            return True
        for callee, names in _handed_on(run, function):
            if callee not in asked and len(asked) < _MOST_HANDED_ON:
                asked.add(callee)
                pending.append((callee, _called_in(run, callee) & names))
    return False


def _called_in(run: Run, node: FunctionNode) -> set[str]:
    """The parameters of a function that it calls, or of which it calls parts: of modules.

    What all modules have, as their parameters and their mode, tells nothing of what they compute.
    """
    uses = run.file.uses_in(node)
    names = {parameter.arg for parameter in binding.positional_parameters(node)} & uses.keys()
    return {n for n in names if uses[n].called or _calls_parts(uses[n])}


def _calls_parts(use: Uses) -> bool:
    """Whether something is a module of which methods of its own are called."""
    return use.speak_for_module() and not use.methods <= MODULE_METHODS | FLUENT_METHODS


def _handed_on(run: Run, node: FunctionNode) -> Iterator[tuple[FunctionNode, set[str]]]:
    """Yield the functions of the file to which a function hands on what it is given.

    With each go the parameters that get it.
    """
    own = {parameter.arg for parameter in binding.positional_parameters(node)}
    for call in run.file.nodes_in(node):
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
            continue
        function = run.module.env.names.get(call.func.id)
        if not isinstance(function, Function) or function.file is not run.main:
            continue
        given = (
            (parameter.arg, argument_for(run.facts.syntax, call, parameter))
            for parameter in binding.positional_parameters(function.node)
        )
        handed = {name for name, value in given if isinstance(value, ast.Name) and value.id in own}
        if handed:
            yield function.node, handed


def _makes_of_given(run: Run, node: FunctionNode) -> bool:
    """Whether a function makes a tensor of the data that one of its parameters holds."""
    given = {parameter.arg for parameter in binding.positional_parameters(node)}
    return any(
        isinstance(part, ast.Call)
        and last_component(part.func) in _OF_DATA
        and any(isinstance(data, ast.Name) and data.id in given for data in part.args[:1])
        for part in run.file.nodes_in(node)
    )


def as_moved_here(run: Run, function: Function, given: Value) -> Value:
    """What callers hand over, as far as the file at hand has to do with it.

    What it moves of batches in some loop was not there before. Where a function moves nothing of
    batches that are on the host by what its callers say, that is told where these call it.
    """
    if given == OUT_OF_SIGHT:
        return loader_out_of_sight(run, Bundle(Place.HOST))
    if function.bound is not None or not isinstance(given, Loader):
        return given
    return given if any(map(_moves, run.file.nodes_in(function.node))) else UNKNOWN


def _moves(node: ast.AST) -> bool:
    return isinstance(node, ast.expr) and is_move(node)


def _calls_what_it_keeps(run: Run, info: ClassInfo, init: FunctionNode) -> bool:
    """Whether methods of a class call what its `__init__` is given, and keeps, or a copy of it.

    Args:
        init: the `__init__`.
    """
    parameters = (*binding.positional_parameters(init), *init.args.kwonlyargs)
    given = {parameter.arg for parameter in parameters}
    kept = {
        node.targets[0].attr
        for node in run.file.nodes_in(init)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Attribute)
        and _copied(node.value) in given
    }
    return bool(kept) and any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in kept
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "self"
        for method in info.methods().values()
        for node in run.file.nodes_in(method)
    )


def _copied(node: ast.expr) -> str | None:
    """The variable that an expression gives, or a copy of what it holds."""
    if isinstance(node, ast.Call) and last_component(node.func) == "deepcopy" and node.args:
        node = node.args[0]
    return node.id if isinstance(node, ast.Name) else None
