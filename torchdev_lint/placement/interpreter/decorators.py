"""What decorators make of functions and classes: those of the project are run.

One that gives back what it is handed, as registries do, changes nothing. Nor does one that gives a
function which does nothing but call that, with its own arguments. To tell that, it is first handed
a stand-in: a function that gives back what it is called with. What other decorators give takes the
place of what they are handed; those out of sight are taken to change nothing.
"""

from __future__ import annotations

import ast
from contextlib import nullcontext
from typing import TypeGuard, cast

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping, SequenceKind
from torchdev_lint.placement.domain.joins import choice, sequence
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.values import (
    MISSING,
    UNKNOWN,
    ClassValue,
    Function,
    Instance,
    Partial,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.python.arguments import evaluate_arguments
from torchdev_lint.placement.python.binding import positional_parameters
from torchdev_lint.placement.python.functions import call_function, decorated
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.handing_back import ACTS, HandingBack
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.walking import walk

_STAND_IN = cast(
    "ast.Lambda", ast.parse("lambda *given, **named: (given, named)", mode="eval").body
)
_ARGUMENTS: tuple[Value, ...] = tuple(Unknown(f"of a wrapper: {number}") for number in range(10))
"""What a wrapper is called with to see what it hands on: as many are told apart."""
_MORE = 2
"""With so many arguments more than it names a wrapper is called that takes any number."""
_ANY_NAME = "any_name"
"""The name of an argument of a wrapper that takes any."""
_BINDING = ("property", "cached_property", "staticmethod", "classmethod")
"""Decorators that stand in a function's definition to say how it is read from an object."""


def as_decorated(
    run: Run, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, plain: Value
) -> Value:
    """Return what the decorators of a definition make of it.

    A class stays what it is where it isn't known what becomes of it: its methods are still run.

    Args:
        plain: the function or class as it is defined.
    """
    value = plain
    if _adds_to_property(node):
        return UNKNOWN
    for expression in reversed(node.decorator_list):
        decorator = _decorator(run, expression, plain)
        if decorator is not None:
            options = alternatives(decorator)
            value = choice([_applied(run, option, expression, value) for option in options])
    if isinstance(plain, ClassValue):
        return value if _is_callable(value) else plain
    bound = isinstance(plain, Function) and decorated(plain.node, *_BINDING)
    return value if value == plain or (_is_callable(value) and not bound) else UNKNOWN


def _adds_to_property(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether a definition says how a property of the same name is set."""
    names = {f"{node.name}.setter", f"{node.name}.deleter"}
    return any(dotted(expression) in names for expression in node.decorator_list)


def _is_callable(value: Value) -> bool:
    return all(isinstance(option, (Function, ClassValue)) for option in alternatives(value))


def _decorator(run: Run, expression: ast.expr, plain: Value) -> Value | None:
    """What a decorator is; None if it is out of sight, and has a name there, or changes nothing."""
    if not isinstance(expression, ast.Call):
        decorator = run.evaluate(expression)
        _forget_replaced(run, decorator, plain)
        return decorator if _is_of_project(decorator) or dotted(expression) is None else None
    maker = run.evaluate(expression.func)
    _forget_replaced(run, maker, plain)
    if _makes_what_hands_back(run, maker, isinstance(plain, ClassValue)):
        return None
    if _is_of_project(maker) or dotted(expression.func) is None:
        maker = _as_function(maker)
        if isinstance(maker, Function):
            return _called(run, maker, evaluate_arguments(run, expression))
        return run.evaluate(expression)
    return None


def _forget_replaced(run: Run, decorator: Value, plain: Value) -> None:
    """Forget the methods of a class that a function of another file sets anew."""
    if not isinstance(plain, ClassValue) or not _is_elsewhere(decorator, run):
        return
    known = _handing_back(decorator)
    if known is not None:
        replaced = known.replaced_by(decorator.node)
        space = plain.info.namespace
        names = space.keys() if replaced is None else replaced & space.keys()
        plain.info.namespace = {**space, **dict.fromkeys(names, UNKNOWN)}


def _is_of_project(value: Value) -> bool:
    """Whether a value is defined in the project, so that its call can be followed."""
    in_sight = (Function, ClassValue, Instance, Partial)
    return any(isinstance(option, in_sight) for option in alternatives(value))


def _as_function(value: Value) -> Value:
    """The function that is run where an object of the project is called."""
    if not isinstance(value, Instance) or value.cls is None:
        return value
    call = value.cls.lookup("__call__")
    return replace(call, bound=value) if isinstance(call, Function) else value


def _applied(run: Run, decorator: Value, expression: ast.expr, value: Value) -> Value:
    """What a decorator makes of a value; unknown if it isn't a function of the project."""
    settings = Arguments()
    if isinstance(decorator, Partial):
        positional = list(decorator.positional)
        settings = Arguments(positional, {name: (v, node) for name, v, node in decorator.keywords})
        decorator = decorator.function
    decorator = _as_function(decorator)
    if isinstance(decorator, Function):
        if _hands_back(run, decorator, value, len(settings.positional)):
            return value
        return _given_by(run, decorator, settings, expression, value)
    return UNKNOWN


def _makes_what_hands_back(run: Run, maker: Value, is_class: bool) -> bool:
    """Whether a call with settings gives what hands back the function that it decorates.

    So does what a function makes that is a context manager: it calls what it decorates.
    Source: https://docs.python.org/3/library/contextlib.html#contextlib.contextmanager
    """
    if not _is_elsewhere(maker, run):
        return False
    if decorated(maker.node, "contextmanager"):
        return True
    known = None if maker.bound is not None else _handing_back(maker)
    return known is not None and known.makes_decorator(maker.node, is_class)


def _hands_back(run: Run, decorator: Function, value: Value, before: int) -> bool:
    """Whether a function of another file hands back what it decorates, as its text tells.

    What it does to objects is of no matter there: those of other files are not kept.

    Args:
        before: how many arguments it is given before that.
    """
    if not _is_elsewhere(decorator, run) or not isinstance(value, (Function, ClassValue)):
        return False
    known = _handing_back(decorator)
    index = before + (decorator.bound is not None)
    return known is not None and known.hands_back(
        decorator.node, isinstance(value, ClassValue), index
    )


def _is_elsewhere(value: Value, run: Run) -> TypeGuard[Function]:
    """Whether a value is a function of another file of the project."""
    return isinstance(value, Function) and value.file is not run.main


def _handing_back(function: Function) -> HandingBack | None:
    """What the text tells of a function's file; None for one in another one."""
    module = function.closure[-1]
    if function.is_nested or not isinstance(module.node, ast.Module):
        return None
    return context_of(module.file).handing_back(module.node)


def _given_by(
    run: Run, decorator: Function, settings: Arguments, expression: ast.expr, value: Value
) -> Value:
    """What a function gives that is called with a value to decorate it.

    Args:
        settings: what it is given besides.
    """

    def given_for(decorated: Value) -> Value:
        positional = [*settings.positional, (decorated, expression)]
        return _called(run, decorator, replace(settings, positional=positional))

    stand_in = Function(_STAND_IN, closure=tuple(run.frames[:1]))
    before = run.env.heap, run.env.settings
    given = given_for(stand_in)
    changes_nothing = given == stand_in or _hands_on(run, given, expression)
    if changes_nothing and run.env.heap is before[0]:
        return value
    run.env.heap, run.env.settings = before
    given = given_for(value)
    return value if changes_nothing else given


def _hands_on(run: Run, wrapper: Value, expression: ast.expr) -> bool:
    """Whether a function that a decorator gives calls the stand-in with just what it is given."""
    if not isinstance(wrapper, Function):
        return False
    signature = wrapper.node.args
    if signature.defaults or any(signature.kw_defaults):
        return False
    if any(isinstance(part, ACTS) for part in walk(wrapper.node)):
        return False
    number = len(positional_parameters(wrapper.node)) + (_MORE if signature.vararg else 0)
    names = [parameter.arg for parameter in signature.kwonlyargs]
    names += [_ANY_NAME] if signature.kwarg else []
    if number + len(names) > len(_ARGUMENTS):
        return False
    positional, rest = _ARGUMENTS[:number], _ARGUMENTS[number:]
    named = dict(zip(names, rest, strict=False))
    keywords: dict[str, tuple[Value, ast.AST]] = {n: (v, expression) for n, v in named.items()}
    arguments = Arguments([(argument, expression) for argument in positional], keywords)
    given = _called(run, wrapper, arguments)
    together = sequence(list(positional), SequenceKind.TUPLE)
    as_given: list[Value] = [together, Mapping(tuple(named.items()), MISSING)]
    return given == sequence(as_given, SequenceKind.TUPLE)


def _called(run: Run, function: Function, arguments: Arguments) -> Value:
    """Call a function with values that no code hands over."""
    abroad = _is_elsewhere(function, run)
    budget = run.budget.abroad_in(function.node) if abroad else nullcontext()
    with budget, run.moods.within(Mood.EXPECTED):
        return call_function(run, function, arguments)
