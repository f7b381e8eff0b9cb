"""Which state a module certainly makes, and certainly applies, going by its own methods."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from torchdev_lint.catalog.methods import MOVES_TO_DEVICE
from torchdev_lint.catalog.modules import AFFINE, GIVEN_WEIGHTS, OPTIONAL_LAYERS
from torchdev_lint.placement.evidence.devices import mentions_devices
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.scopes import FUNCTIONS

_DEVICE = "device"
_FLAGS = (
    {flag for flag, _, _ in AFFINE.values()}
    | {flag for flags in OPTIONAL_LAYERS.values() for flag in flags}
    | set(GIVEN_WEIGHTS)
)
"""Arguments with which a layer may be without state, or with somebody else's."""
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.Expr, ast.Return)
_PERHAPS_NEVER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_EARLY_ENDS = (ast.Return, ast.Raise)

Made: TypeAlias = "dict[str, tuple[tuple[str, ...], ...]]"
"""What attributes are given, in each of several ways: the names of what is called, and of what is
called for its arguments."""
Method: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"


@dataclass(frozen=True, slots=True)
class State:
    """What a class does with attributes of its objects.

    Args:
        made: what `__init__` gives them in any case, on the device that is the default.
        set: all that it gives a value.
        moves: whether `__init__` moves something.
        applied: those that `forward` applies in any case; None where there is no `forward`, or
            it may move something.
    """

    made: Made = field(default_factory=dict)
    set: frozenset[str] = frozenset()
    moves: bool = False
    applied: frozenset[str] | None = None


def state_of(node: ast.ClassDef) -> State:
    """Return what a class does with the state of its objects."""
    methods = {item.name: item for item in node.body if isinstance(item, FUNCTIONS)}
    init, forward = methods.get("__init__"), methods.get("forward")
    times = Counter(
        part.attr
        for part in (ast.walk(init) if init else ())
        if isinstance(part, ast.Attribute)
        and not isinstance(part.ctx, ast.Load)
        and dotted(part.value) == "self"
    )
    made = _made_by(init.body, init) if init else {}
    return State(
        {attr: ways for attr, ways in made.items() if times[attr] == len(ways)},
        frozenset(times),
        init is not None and _moves(init),
        None if forward is None or mentions_devices(forward) else frozenset(_applied_by(forward)),
    )


def _moves(init: Method) -> bool:
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in MOVES_TO_DEVICE
        for node in ast.walk(init)
    )


def _made_by(body: Iterable[ast.stmt], init: Method) -> Made:
    """The attributes that a constructor gives something it builds, in any case."""
    made: Made = {}
    for statement in _in_any_case(body):
        if isinstance(statement, ast.If):
            one, other = (_made_by(part, init) for part in (statement.body, statement.orelse))
            made.update({attr: one[attr] + other[attr] for attr in one.keys() & other.keys()})
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            value = statement.value
            if not (isinstance(target, ast.Attribute) and dotted(target.value) == "self"):
                continue
            if isinstance(value, ast.Call) and (names := _called(value, init)):
                made[target.attr] = (names,)
    return made


def _called(call: ast.Call, init: Method) -> tuple[str, ...]:
    """What is called to build something, and its arguments; nothing if that is not plain."""
    calls = [call, *(part for part in call.args if isinstance(part, ast.Call))]
    plain = all(_is_plain(each, init) for each in calls)
    return tuple(dotted(each.func) or "" for each in calls) if plain else ()


def _is_plain(call: ast.Call, init: Method) -> bool:
    """Whether a call makes state, and where factories do; a caller may say where else."""
    if any(keyword.arg in _FLAGS for keyword in call.keywords):
        return False
    where = [keyword.value for keyword in call.keywords if keyword.arg == _DEVICE]
    if not where:
        return not any(mentions_devices(argument) for argument in call.args)
    return isinstance(where[0], ast.Name) and where[0].id == _DEVICE and _defaults_to_none(init)


def _defaults_to_none(init: Method) -> bool:
    given = init.args
    named = [*given.posonlyargs, *given.args]
    pairs = [
        *zip(reversed(named), reversed(given.defaults), strict=False),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]
    return any(
        parameter.arg == _DEVICE and isinstance(default, ast.Constant) and default.value is None
        for parameter, default in pairs
    )


def _applied_by(forward: Method) -> Iterator[str]:
    """The attributes of the object that `forward` calls or computes with, in any case."""
    for statement in _in_any_case(forward.body):
        for node in _evaluated(statement) if isinstance(statement, _SIMPLE) else ():
            parts: Iterable[ast.expr] = ()
            if isinstance(node, ast.Call):
                parts = (node.func, *node.args)
            elif isinstance(node, ast.BinOp):
                parts = (node.left, node.right)
            for part in parts:
                if isinstance(part, ast.Attribute) and dotted(part.value) == "self":
                    yield part.attr


def _in_any_case(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a body that are reached whatever happens, but for exceptions."""
    for statement in body:
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            yield from _in_any_case(statement.body)
        else:
            yield statement
        if any(isinstance(node, _EARLY_ENDS) for node in ast.walk(statement)):
            if isinstance(statement, ast.If) and _only_complains(statement):
                continue
            return


def _only_complains(node: ast.If) -> bool:
    return not any(isinstance(part, ast.Return) for part in ast.walk(node))


def _evaluated(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions that are evaluated in any case where a simple statement is reached."""
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, ast.IfExp):
            pending.append(node.test)
        elif isinstance(node, ast.BoolOp):
            pending.append(node.values[0])
        elif not isinstance(
            node, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
        ):
            pending.extend(ast.iter_child_nodes(node))
