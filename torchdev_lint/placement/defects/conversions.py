"""Tensors on an accelerator of which arrays are to be made: NumPy takes them from the CPU only."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.catalog.methods import TENSOR_MOVES
from torchdev_lint.placement.defects.asked_of_syntax import asked_of_syntax
from torchdev_lint.placement.defects.meetings import element_nodes
from torchdev_lint.placement.defects.rebuilt import may_lack_gradients
from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.frame import Frame, innermost_of
from torchdev_lint.placement.domain.joins import leaves
from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.domain.values import (
    ARRAY,
    Bundle,
    Instance,
    Library,
    Place,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.without_tensors import is_without_tensors
from torchdev_lint.placement.facts.conversions import Conversion, Converted
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.bindings import position
from torchdev_lint.syntax.names import path_of
from torchdev_lint.syntax.scopes import own_nodes, root_name
from torchdev_lint.syntax.stores import first_assignments
from torchdev_lint.syntax.walking import walk

_PLACING = TENSOR_MOVES | DEVICE_NAMES
"""Members that say, or tell, where something is."""
_LISTS = frozenset({SequenceKind.LIST, SequenceKind.TUPLE})
"""Sequences of which an array has the elements."""


def note_method(run: Run, node: ast.Call, receiver: Operand) -> None:
    """Note that a tensor is asked for an array of it, if it is certainly on the accelerator."""
    value = _whole(run, receiver)
    if value is not None and holds_of_all(value, _is_there) and not _has_fields(run, receiver):
        _note(run, node, [Operand(value, receiver.node)])


def _has_fields(run: Run, receiver: Operand) -> bool:
    """Whether what is known by its move alone has what no tensor has: its `numpy` is its own."""
    if not isinstance(receiver.value, Bundle) or not isinstance(receiver.node, ast.expr):
        return False
    return run.has_other_members(receiver.node)


def certainly_there(run: Run, receiver: Operand) -> bool:
    """Whether the tensor that is asked for something is certainly on the accelerator."""
    value = _whole(run, receiver)
    return value is not None and holds_of_all(value, _is_there)


def _whole(run: Run, receiver: Operand) -> Value | None:
    """All that the receiver of a method may be, None where that can't be told.

    One that is among several that it may be counts where all of them do.
    """
    if not receiver.among:
        return receiver.value
    assert isinstance(receiver.node, ast.expr)
    return None if path_of(receiver.node) is None else run.evaluate(receiver.node)


def note_arguments(
    run: Run, node: ast.Call, given: list[Operand], *, of_tensors: bool, of_lists: bool
) -> None:
    """Note that a function makes arrays of arguments that are certainly on the accelerator.

    Args:
        given: the arguments.
        of_tensors: whether it does so of tensors that stand alone.
        of_lists: whether it does so of lists.
    """
    parts = [part for operand in given for part in _converted(operand, of_tensors, of_lists)]
    found = [part for part in parts if not _may_be_number(run, part.node)]
    if found and not asked_of_syntax(run, is_without_tensors, run.file, node):
        _note(run, node, found)


def note_beside_array(run: Run, node: ast.AST, operand: Operand, other: Value) -> bool:
    """Note that an array is computed with a tensor that is certainly on the accelerator.

    NumPy computes it then, with the array that it makes of the tensor, if the tensor stands first:
    else it refuses to, wherever that is. Return whether that is so.
    Source: https://numpy.org/doc/stable/user/basics.interoperability.html
    """
    if other != ARRAY or not isinstance(node, ast.BinOp) or run.is_elsewhere:
        return False
    fails = holds_of_all(operand.value, is_tensor_there)
    if fails:
        _note(run, node, [operand])
    return fails


def note_filled(run: Run, target: ast.expr, node: ast.expr, value: Value) -> None:
    """Note that a part of what may be an array is filled with what is on the accelerator.

    Args:
        target: what is assigned to.
        node: the expression of what it is given.
        value: that.
    """
    if not (isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name)):
        return
    if run.is_elsewhere:
        return  # what is certain of the names of other files is not asked for
    if holds_of_all(value, is_tensor_there) and isinstance(run.evaluate(target.value), Unknown):
        _note(run, target, [Operand(value, node)])


def _note(run: Run, node: ast.Call | ast.Subscript | ast.BinOp, found: list[Operand]) -> None:
    if run.is_elsewhere:
        left = _not_told_at_call(run, node, found)
        found = [] if run.frame.in_forward else left
    gradients = not may_lack_gradients(run)
    parts = tuple(
        Converted(
            part.node,
            _is_list(part.value),
            gradients and not _is_data(part.value),
            is_whole=not _holds_others(part.value),
        )
        for part in found
        if isinstance(part.node, ast.expr)
    )
    if parts:
        run.note(Conversion(node, parts, run.frame.scope, assumed(run)))


def _not_told_at_call(
    run: Run, node: ast.Call | ast.Subscript | ast.BinOp, found: list[Operand]
) -> list[Operand]:
    """Note that another file's function makes arrays of what the file at hand calls it with.

    Only what it is called with counts, and what it computes of nothing else: of what it makes,
    moves or keeps, that file tells.

    Returns:
        What else it makes arrays of.
    """
    call, left = run.crossing, list[Operand]()
    if call is None:
        return found
    elsewhere = run.site(run.frame.file, node)
    for part in found:
        given, computed = _given_at(run, part.node)
        if given is None:
            left.append(part)
        elif isinstance(given.node, ast.expr):
            is_whole = holds_of_all(given.value, _is_tensor) or isinstance(part.node, ast.Name)
            is_whole &= not (computed or _holds_others(given.value))
            converted = Converted(
                given.node, _is_list(given.value), gradients=False, is_whole=is_whole
            )
            scope = innermost_of(run.frames, run.main).scope
            run.note(
                Conversion(
                    *(call, (converted,), scope, assumed(run)),
                    elsewhere=elsewhere,
                    computed=computed,
                )
            )
    return left


def _given_at(run: Run, node: ast.AST) -> tuple[Operand | None, bool]:
    """What the file at hand has given to other files that something is, or is computed of.

    Each function on the way there hands on what it was called with itself.

    Returns:
        That, None if it is anything else, and whether it is only computed of it.
    """
    given, computed = _as_given(run, run.frame, node), False
    if given is None:
        given, computed = _computed_of(run, run.frame, node), True
    for frame in reversed(run.frames[:-1]):
        if given is None or frame.file is run.main:
            break
        given = _as_given(run, frame, given.node)
    return given, computed


def _as_given(run: Run, frame: Frame, node: ast.AST) -> Operand | None:
    """What a function was called with, if something in it is that, or computed of it."""
    name, crossing = root_name(node), frame.crossing
    if name is None or crossing is None or _is_bound_by_then(frame, name, node):
        return None
    given = crossing.given(name)
    is_there = given is not None and any(map(_is_there, leaves(given.value)))
    return given if is_there else None


def _is_bound_by_then(frame: Frame, name: str, node: ast.AST) -> bool:
    """Whether a function may have bound a variable where something reads it.

    What binds it first may be made of what it held: `ids = np.unique(ids)`.
    """
    context = context_of(frame.file)
    first = context.first_stores(frame.node).get(name)
    if first is None or getattr(node, "lineno", first) < first:
        return False
    statement = context.of_nodes(first_assignments, frame.node).get(name)
    return statement is None or all(part is not node for part in walk(statement.value))


def _computed_of(run: Run, frame: Frame, node: ast.AST) -> Operand | None:
    """What on the accelerator the function at hand was called with that something is computed of.

    Nothing if it may be computed of anything else, or is moved on the way.
    """
    crossing, assigned = frame.crossing, _assigned_in(frame.node)
    if crossing is None:
        return None
    pending, followed, found = [node], set[str](), list[Operand]()
    while pending:
        for part in walk(pending.pop()):
            if isinstance(part, ast.Attribute) and part.attr in _PLACING:
                return None
            if isinstance(part, ast.keyword) and part.arg in DEVICE_NAMES:
                return None
            if not isinstance(part, ast.Name) or part.id in followed:
                continue
            followed.add(part.id)
            values = assigned.get(part.id, [])
            given = crossing.given(part.id)
            if None in values:
                return None
            if not (values or given or isinstance(run.look_up(part.id), Library)):
                return None
            pending += [value for value in values if value is not None]
            found += [given] if given is not None else []
    there = [each for each in found if any(map(_is_there, leaves(each.value)))]
    return min(there, key=lambda each: position(each.node), default=None)


def _assigned_in(function: ast.AST) -> dict[str, list[ast.expr | None]]:
    """What the variables of a function are assigned, with None for what they get otherwise."""
    found: dict[str, list[ast.expr | None]] = {}
    plain = set[ast.AST]()
    for part in own_nodes(function):
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
            plain.add(part.targets[0])
            found.setdefault(part.targets[0].id, []).append(part.value)
    for part in own_nodes(function):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) and part not in plain:
            found.setdefault(part.id, []).append(None)
    return found


def _converted(operand: Operand, of_tensors: bool, of_lists: bool) -> Iterator[Operand]:
    """Yield what of an argument has to be moved first: tensors, and lists of some."""
    value, node = operand.value, operand.node
    if not isinstance(node, ast.expr):
        return
    if of_tensors and holds_of_all(value, is_tensor_there):
        yield operand
    if not of_lists:
        return
    parts = _written_out(value, node)
    for part in parts:
        yield from _converted(part, of_tensors=True, of_lists=True)
    if not parts and holds_of_all(value, _holds_some):
        yield operand


def _may_be_number(run: Run, node: ast.AST) -> bool:
    """Whether something is the one element of what may have no axes: `loss.data[0]`.

    Before PyTorch 0.4 that was a number, and since then it fails on any device.
    """
    if not (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)):
        return False
    if path_of(node.value) is None:
        return False
    whole = alternatives(run.evaluate(node.value))
    return any(isinstance(option, Tensor) and option.scalar is not False for option in whole)


def _written_out(value: Value, node: ast.expr) -> list[Operand]:
    """The elements of a list that stand there one by one."""
    if not (isinstance(value, Sequence) and value.items):
        return []
    nodes = element_nodes(node, len(value.items))
    pairs = zip(value.items, nodes, strict=True)
    return [] if node in nodes else [Operand(item, part) for item, part in pairs]


def _is_list(value: Value) -> bool:
    return any(isinstance(option, Sequence) for option in alternatives(value))


def _holds_others(value: Value) -> bool:
    """Whether it may be a list of which an element is no tensor: a list of some, or an array."""
    lists = [option for option in alternatives(value) if isinstance(option, Sequence)]
    held = [part for each in lists for part in (each.items or (each.element, *each.together))]
    return any(not holds_of_all(part, _is_there) for part in held)


def _is_data(value: Value) -> bool:
    """Whether it is made of nothing but what was read or loaded, of which no gradients are asked.

    So is what a factory makes, unless it says that they are.
    """
    sources = [
        source
        for option in alternatives(value)
        for source in (option.sources if isinstance(option, (Tensor, Bundle)) else ())
    ]
    return bool(sources) and not any(map(_asks_for_gradients, sources))


def _asks_for_gradients(origin: Origin) -> bool:
    call = origin.made.node
    given = call.keywords if isinstance(call, ast.Call) else []
    return any(keyword.arg in {"requires_grad", None} for keyword in given)


def holds_of_all(value: Value, test: Callable[[Value], bool]) -> bool:
    """Whether something is so of all that a value may be."""
    return all(map(test, alternatives(value)))


def _is_there(value: Value) -> bool:
    return isinstance(value, (Tensor, Bundle)) and value.place is Place.ACCELERATOR


def _is_tensor(value: Value) -> bool:
    return isinstance(value, Tensor)


def is_tensor_there(value: Value) -> bool:
    """Whether it is a tensor on the accelerator.

    Of a structure that is a part of a batch, and was moved. What else is looked up in one that a
    model gives may be an array already, or a number, unless that gives a tensor.
    """
    if isinstance(value, Bundle) and not (value.single and value.stays):
        if value.supposed or not (value.part and value.moved_from):
            return False
    return _is_there(value)


def _holds_some(value: Value) -> bool:
    """Whether it is a list of which some element is certainly a tensor on the accelerator."""
    if not isinstance(value, Sequence) or value.kind not in _LISTS:
        return False
    held = (value.element, *value.together) if value.items is None else value.items
    return any(
        holds_of_all(each, is_tensor_there) or holds_of_all(each, _holds_some) for each in held
    )


def assumed(run: Run) -> str:
    """The class that is only taken to be on the accelerator, if one of its methods was entered."""
    if run.entry is None or not run.frames[1].in_forward:
        return ""
    entered = run.frames[1]
    was_moved = isinstance(entered.bound, Instance) and run.obj(entered.bound).was_moved
    return "" if was_moved else entered.scope.partition(".")[0]
