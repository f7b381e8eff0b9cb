"""Evaluation of expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from torchdev_lint.placement.defects.constants import read
from torchdev_lint.placement.defects.failing import fails
from torchdev_lint.placement.defects.mistaken import gives_nothing, note_index
from torchdev_lint.placement.defects.reads import note_text
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.joins import choice, join, sequence
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.values import (
    MISSING,
    NONE,
    QUOTIENT,
    UNKNOWN,
    Choice,
    Const,
    Function,
    Scalar,
    ScalarKind,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence import conditions
from torchdev_lint.placement.evidence.devices import made_up, one_device
from torchdev_lint.placement.interpreter.calls import evaluate_call
from torchdev_lint.placement.interpreter.comprehensions import comprehension, dict_comprehension
from torchdev_lint.placement.interpreter.outcomes import (
    condition,
    device_chosen,
    join_of,
    narrow,
    waits,
)
from torchdev_lint.placement.interpreter.own_items import own_item
from torchdev_lint.placement.interpreter.taking_apart import tell_axis
from torchdev_lint.placement.interpreter.unbound import (
    has_no,
    holds_nothing,
    is_left_to_script,
    is_not_bound_yet,
)
from torchdev_lint.placement.python.attributes import attribute
from torchdev_lint.placement.python.devices import chosen_beside
from torchdev_lint.placement.python.entries import path_by_value
from torchdev_lint.placement.python.given import part_given
from torchdev_lint.placement.python.items import item_of
from torchdev_lint.placement.python.iteration import element_of
from torchdev_lint.placement.python.operators import (
    evaluate_binary,
    evaluate_comparison,
    evaluate_unary,
)
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import constant_beginning, path_of

_DISPLAYS = {
    ast.Tuple: SequenceKind.TUPLE,
    ast.List: SequenceKind.LIST,
    ast.Set: SequenceKind.SET,
}
"""What displays make."""


def _constant(run: Run, node: ast.Constant) -> Value:
    return Const(node.value)


def _name(run: Run, node: ast.Name) -> Value:
    value = run.look_up(node.id)
    lacks = holds_nothing if value is UNKNOWN else is_left_to_script
    if lacks(run, node.id) or (value is UNKNOWN and is_not_bound_yet(run, node.id)):
        fails(run, node, by_itself=True)
    return read(run, value, node)


def _attribute(run: Run, node: ast.Attribute) -> Value:
    known = _known_path(run, node)
    if known is not None:
        return known
    owner = run.evaluate(node.value)
    if isinstance(owner, Choice) and isinstance(node.value, ast.Name) and NONE in owner.options:
        # where it is None, code does not go on
        owner = choice([option for option in owner.options if option != NONE])
        run.refine(node.value.id, owner)
    value = attribute(run, owner, node)
    if has_no(run, owner, node) or gives_nothing(run, node.value, owner):
        fails(run, node)
    return read(run, part_given(run, value, node), node)


def _known_path(run: Run, node: ast.expr) -> Value | None:
    if run.env.paths and (path := path_of(node)):
        return run.env.paths.get(path)
    return None


def _subscript(run: Run, node: ast.Subscript) -> Value:
    known = _known_path(run, node)
    base = run.evaluate(node.value)
    index = run.evaluate(node.slice)
    if gives_nothing(run, node.value, base):
        fails(run, node)
    note_index(run, node, base, index)
    tell_axis(run, node, index)
    if run.env.paths and (path := path_by_value(node.value, index)):
        known = run.env.paths.get(path, known)
    if known is None:
        known = own_item(run, base, index, node)
    if known is None:
        known = part_given(run, item_of(run, base, index, node), node)
    return read(run, known, node)


def _slice(run: Run, node: ast.Slice) -> Value:
    """A slice; one that a quotient bounds does what that does where it is asked for."""
    bounds = [run.evaluate(p) for p in (node.lower, node.upper, node.step) if p is not None]
    return QUOTIENT if QUOTIENT in bounds else Scalar(ScalarKind.SLICE)


def _tuple(run: Run, node: ast.Tuple | ast.List | ast.Set) -> Value:
    kind = _DISPLAYS[type(node)]
    items: list[Value] = []
    together: list[Value] = []
    open_ended = False
    for element in node.elts:
        if isinstance(element, ast.Starred):
            inner = run.evaluate(element.value)
            if isinstance(inner, Sequence) and inner.items is not None:
                items.extend(inner.items)
            else:
                items.append(element_of(run, inner, element))
                together += items[-1:] if isinstance(inner, Sequence) else []
                open_ended = True
        else:
            items.append(run.evaluate(element))
            together.append(items[-1])
    if open_ended:  # what is spread holds something, or it would not be
        return Sequence(None, choice(items), kind, tuple(together))
    return sequence(items, kind)


def _dict(run: Run, node: ast.Dict) -> Value:
    """What comes later replaces what has the same key, or may have it."""
    items: dict[Any, Value] = {}
    replaced: dict[Any, Value] = {}
    rest: Value | None = None
    for key, value in zip(node.keys, node.values, strict=True):
        result = run.evaluate(value)
        name = run.evaluate(key) if key is not None else None
        if isinstance(name, Const):
            items[name.value] = result
            continue
        if name is None and not isinstance(result, Mapping):
            result = Mapping((), UNKNOWN)
        more = result.rest if name is None and isinstance(result, Mapping) else result
        if more != MISSING:
            replaced.update(dict.fromkeys(items, UNKNOWN))
            items.clear()
            rest = more if rest is None else join(rest, more)
        if name is None and isinstance(result, Mapping):
            items.update(result.items)
    return Mapping(tuple((replaced | items).items()), MISSING if rest is None else rest)


def _boolean(run: Run, node: ast.BoolOp) -> Value:
    """Evaluate `and` and `or`, each operand in the state where it is reached."""
    is_and = isinstance(node.op, ast.And)
    saved = run.env
    run.env = run.fork()
    options: list[Value] = []
    try:
        for position, operand in enumerate(node.values):
            value = run.evaluate(operand)
            verdict = conditions.truth(value)
            if verdict is None:
                verdict = conditions.assumed(value, operand)
            last = position == len(node.values) - 1
            if last or verdict is not is_and:
                kept = _result_when_short(value, is_and, last)
                if kept is not None:
                    others = (other for other in node.values if other is not operand)
                    options.append(chosen_beside(run, kept, operand, others))
            if verdict is (not is_and):
                break
            narrow(run, operand, is_and)
    finally:
        inner = run.env
        run.env = saved
        run.env.heap = inner.heap
        _keep_walrus(run, node, inner.names)
    if not options:
        return Scalar(ScalarKind.BOOL)
    result = choice(options)
    if isinstance(result, Choice) and run.is_about_devices(node):
        device = one_device(result.options)
        return device or choice([conditions.blur(option) for option in result.options])
    return result


def _result_when_short(value: Value, is_and: bool, last: bool) -> Value | None:
    """The alternatives with which `and`/`or` ends at this operand."""
    if last:
        return value
    kept = [o for o in alternatives(value) if conditions.truth(o) in (not is_and, None)]
    decided = [Const(not is_and) if o == Scalar(ScalarKind.BOOL) else o for o in kept]
    return choice(decided) if kept else None


def _keep_walrus(run: Run, node: ast.BoolOp, inner: dict[str, Value]) -> None:
    """Keep what `:=` bound in the operands that are reached in any case: the first."""
    for operand in node.values:
        for part in _walruses(operand):
            name = part.target.id
            value = inner.get(name, UNKNOWN) if operand is node.values[0] else UNKNOWN
            run.bind(name, value)


def _walruses(node: ast.expr) -> list[ast.NamedExpr]:
    if isinstance(node, ast.NamedExpr):
        return [node]
    if isinstance(node, ast.Compare):
        return [part for side in (node.left, *node.comparators) for part in _walruses(side)]
    return _walruses(node.operand) if isinstance(node, ast.UnaryOp) else []


def _conditional(run: Run, node: ast.IfExp) -> Value:
    return evaluate_conditional(run, node)[0]


def evaluate_conditional(run: Run, node: ast.IfExp) -> tuple[Value, Value, Value]:
    """Evaluate `a if test else b`.

    Returns:
        What it gives, and what it gives if the condition is true, and if it is false.
    """
    verdict = condition(run, node.test)
    if verdict is not None:
        value = _in_branch(run, node, verdict)[0]
        return value, value, value
    before = run.env
    first, after_first = _in_branch(run, node, True)
    run.env = before
    second, after_second = _in_branch(run, node, False)
    if (device := device_chosen(run, node.test, first, second)) is not None:
        first = second = device
    devices = run.is_about_devices(node.test)
    combine = join_of(run, node.test)
    run.env = run.join_states(after_first, after_second, combine)
    run.env.names, run.env.paths = before.names, before.paths
    if devices and first != second:
        options = (*alternatives(first), *alternatives(second))
        blurred = one_device(options) or choice([conditions.blur(option) for option in options])
        return blurred, blurred, blurred
    return combine(first, second), first, second


def _in_branch(run: Run, node: ast.IfExp, taken: bool) -> tuple[Value, Any]:
    saved = run.env
    run.env = run.fork()
    narrow(run, node.test, taken)
    moods, doubt = run.moods, run.is_left_open(node.test)
    with moods.within(Mood.DOUBT, doubt), moods.within(Mood.WAITING, waits(run, node)):
        branch, other = (node.body, node.orelse) if taken else (node.orelse, node.body)
        value = chosen_beside(run, run.evaluate(branch), branch, [other])
    after = run.env
    after.names, after.paths = saved.names, saved.paths
    run.env = after
    return value, after


def _named(run: Run, node: ast.NamedExpr) -> Value:
    value = run.evaluate(node.value)
    run.bind(node.target.id, value)
    return value


def _lambda(run: Run, node: ast.Lambda) -> Value:
    return Function(node, closure=closure_here(run))


def closure_here(run: Run) -> tuple[Frame, ...]:
    """The frames whose variables a function sees that is defined here, innermost first."""
    frame = run.frame
    frame.defines = True
    return frame.visible_from_inside()


def _starred(run: Run, node: ast.Starred) -> Value:
    return run.evaluate(node.value)


def _await(run: Run, node: ast.Await) -> Value:
    return run.evaluate(node.value)


def _yield(run: Run, node: ast.Yield) -> Value:
    run.frame.yields.append(run.evaluate(node.value) if node.value else Const(None))
    return UNKNOWN


def _yield_from(run: Run, node: ast.YieldFrom) -> Value:
    run.frame.yields.append(element_of(run, run.evaluate(node.value), node))
    return UNKNOWN


def _format(run: Run, node: ast.JoinedStr) -> Value:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            note_text(run, part.value, run.evaluate(part.value))
    return made_up(constant_beginning(node))


HANDLERS: dict[type[ast.AST], Callable[[Run, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Tuple: _tuple,
    ast.List: _tuple,
    ast.Set: _tuple,
    ast.Dict: _dict,
    ast.BinOp: evaluate_binary,
    ast.UnaryOp: evaluate_unary,
    ast.Compare: evaluate_comparison,
    ast.BoolOp: _boolean,
    ast.IfExp: _conditional,
    ast.NamedExpr: _named,
    ast.Lambda: _lambda,
    ast.ListComp: comprehension,
    ast.SetComp: comprehension,
    ast.GeneratorExp: comprehension,
    ast.DictComp: dict_comprehension,
    ast.Starred: _starred,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.JoinedStr: _format,
    ast.Call: evaluate_call,
}
