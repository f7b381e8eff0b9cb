"""What the parameters of a function hold when its body begins."""

from __future__ import annotations

import ast

from torchdev_lint.placement.defects.constants import kept_default
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.values import (
    ARGUMENT,
    ITEM,
    LEFT_OPEN,
    LISTED,
    MISSING,
    NONE,
    UNKNOWN,
    Bundle,
    Choice,
    Const,
    DeviceValue,
    Function,
    FunctionNode,
    Place,
    Scalar,
    ScalarKind,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.python.annotations import annotated_value
from torchdev_lint.placement.python.devices import runs_for_host
from torchdev_lint.placement.python.frames import frame_for
from torchdev_lint.placement.python.summaries import pass_on_reads
from torchdev_lint.placement.python.taken import as_taken
from torchdev_lint.placement.run import Run


def positional_parameters(node: FunctionNode) -> list[ast.arg]:
    """The parameters that can be given by position."""
    return [*node.args.posonlyargs, *node.args.args]


def bound(run: Run, function: Function, arguments: Arguments) -> dict[str, Value]:
    """What the parameters hold when the body begins."""
    node = function.node.args
    parameters = positional_parameters(function.node)
    values = [value for value, _ in arguments.positional]
    if function.bound is not None:
        values.insert(0, function.bound)
    names = {p.arg: value for p, value in zip(parameters, values, strict=False)}
    if node.vararg:
        names[node.vararg.arg] = _rest_of(values[len(parameters) :], arguments)
    taken = {parameter.arg for parameter in (*parameters, *node.kwonlyargs)}
    given = {name: value for name, (value, _) in arguments.keywords.items()}
    names |= {name: value for name, value in given.items() if name in taken}
    if node.kwarg:
        rest = tuple((name, value) for name, value in given.items() if name not in taken)
        names[node.kwarg.arg] = Mapping(rest, UNKNOWN if arguments.any_keyword else MISSING)
    spread = _spread_value(arguments)
    left = LEFT_OPEN if spread == UNKNOWN else spread
    for parameter, default in defaults_of(function.node):
        if parameter.arg not in names:
            names[parameter.arg] = (
                left if arguments.open_ended else default_value(run, function, parameter, default)
            )
    for parameter in (*parameters, *node.kwonlyargs):
        value = names.setdefault(parameter.arg, spread)
        if parameter.annotation and not isinstance(value, (Const, Scalar)):
            names[parameter.arg] = _as_declared(run, function, parameter.annotation, value)
    return {name: as_taken(run, function, name, value) for name, value in names.items()}


def _as_declared(run: Run, function: Function, annotation: ast.expr, value: Value) -> Value:
    """What a parameter holds, as far as only its annotation tells."""
    place = Place.ACCELERATOR if value in (ARGUMENT, ITEM) else Place.UNKNOWN
    declared = annotated_value(run, annotation, place)
    if isinstance(declared, DeviceValue) and runs_for_host(run, function.file):
        return value
    if isinstance(value, Unknown) and value != LEFT_OPEN and declared != UNKNOWN:
        return declared
    if declared == LISTED and isinstance(value, Bundle) and value.part:
        return declared if value.place is Place.HOST else value  # of numbers, as well as of tensors
    if isinstance(declared, Scalar) and not isinstance(value, DeviceValue):
        return choice([declared, NONE]) if NONE in alternatives(value) else declared
    return value


def _rest_of(extra: list[Value], arguments: Arguments) -> Value:
    items = None if arguments.open_ended else tuple(extra)
    return Sequence(items, choice(extra) if extra else UNKNOWN, SequenceKind.TUPLE)


def _spread_value(arguments: Arguments) -> Value:
    """What a parameter gets that only `**batch` can have given."""
    values = [value for value, _ in arguments.bundles if isinstance(value, Bundle)]
    return values[0] if len(values) == 1 else UNKNOWN


def defaults_of(node: FunctionNode) -> list[tuple[ast.arg, ast.expr]]:
    """The parameters that have defaults, with these."""
    parameters = positional_parameters(node)
    defaults = node.args.defaults
    pairs = list(zip(parameters[len(parameters) - len(defaults) :], defaults, strict=True))
    for parameter, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        if default is not None:
            pairs.append((parameter, default))
    return pairs


def default_value(run: Run, function: Function, parameter: ast.arg, node: ast.expr) -> Value:
    """Return what a parameter holds that is not given, in the scope where its function is defined.

    Args:
        node: its default.
    """
    if isinstance(node, ast.Constant):
        return Const(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        return Scalar(ScalarKind.INT)
    is_call = isinstance(node, ast.Call)
    if not is_call and not isinstance(node, (ast.Name, ast.Attribute, ast.Tuple, ast.List)):
        return UNKNOWN
    caller = run.frame
    inside = frame_for(run, function, in_forward=False)
    run.frames.append(inside)
    try:
        value = run.evaluate(node)
    finally:
        run.frames.pop()
        pass_on_reads(caller, inside.reads)
    if is_call and not isinstance(value, (Tensor, DeviceValue)):
        return UNKNOWN
    if function.is_nested:
        return value
    if isinstance(value, (Tensor, Choice)):
        if parameter.arg in context_of(function.file).asked_values(function.node):
            return UNKNOWN
    return kept_default(value, parameter.arg, function.file)
