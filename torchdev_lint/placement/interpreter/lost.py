"""Moves whose result is lost with the variable that it is bound to."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.isomorphism import with_tensors
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.values import (
    Bundle,
    Instance,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.facts.events import NoTensor
from torchdev_lint.placement.facts.lost import LostMove
from torchdev_lint.placement.interpreter.discards import (
    STAYS,
    excuse_moved,
    is_tensor,
    taken_as_moved,
    what_is_lost,
)
from torchdev_lint.placement.python.assignment import assign
from torchdev_lint.placement.python.changing import leave_comprehension
from torchdev_lint.placement.python.iteration import element_of
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.lost_bindings import held_by, made_of
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS, root_name

_KEEPING = frozenset({SequenceKind.LIST, SequenceKind.TUPLE, SequenceKind.SET})
"""Sequences that give the same elements whenever they are gone through."""
_VIEWS = frozenset({"items", "values"})


def note_lost(run: Run, node: ast.Assign) -> None:
    """Note the tensors that an assignment moves for nothing, before it is carried out."""
    if Mood.EXPECTED in run.moods or not _may_be_lost(node):
        return
    for lost in run.file.sight_in(run.frame.node).lost(node):
        if lost.loop is None:
            _note(run, lost.move, lost.base, LostMove(lost.move, node, None, (), run.frame.scope))
        elif _last(run, lost.loop.iter, lost.holders):
            event = LostMove(lost.move, node, lost.loop, lost.holders, run.frame.scope)
            _note(run, lost.move, lost.base, event)


def _may_be_lost(node: ast.Assign) -> bool:
    """Whether a statement binds what moves give to one or several variables."""
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return any(made_of(part, MOVES) is not None for part in value.elts)
    return isinstance(target, ast.Name) and made_of(value, MOVES) is not None


def note_lost_entries(run: Run, node: ast.DictComp) -> None:
    """Note that a dict is made of moved tensors, and thrown away."""
    generator, made = node.generators[0], made_of(node.value, MOVES)
    if made is None or len(node.generators) != 1:
        return
    move, base = made
    holders = tuple(held_by(generator.iter, generator.target, base.id))
    if holders and _last(run, generator.iter, holders):
        saved = dict(run.env.names)
        source = run.evaluate(generator.iter)
        assign(run, generator.target, element_of(run, source, generator.target))
        _note(run, move, base, LostMove(move, node, node, holders, run.frame.scope))
        leave_comprehension(run, saved, node.generators)


def _last(run: Run, source: ast.expr, holders: tuple[ast.expr, ...]) -> bool:
    """Whether what a loop goes through gives the same elements again: no loader does.

    What is not known does where it has `items` or `values`.
    """
    function = source.func if isinstance(source, ast.Call) else None
    is_view = isinstance(function, ast.Attribute) and function.attr in _VIEWS
    values = [option for holder in holders for option in alternatives(run.evaluate(holder))]
    return all(_lasts(value, is_view) for value in values)


def _lasts(value: Value, is_view: bool) -> bool:
    if isinstance(value, Sequence):
        return value.kind in _KEEPING
    if isinstance(value, Unknown):
        return is_view
    return isinstance(value, (Mapping, Bundle, Tensor, Instance))


def _note(run: Run, move: ast.Call, base: ast.Name, event: LostMove) -> None:
    """Note that a move is lost, if it is one of a tensor: a module moves in place."""
    method = last_component(move.func)
    if what_is_lost(run, move, method) != STAYS:
        return
    receiver = run.evaluate(base)
    verdicts = {is_tensor(run, option, base) for option in alternatives(receiver)}
    if False in verdicts:
        run.note(NoTensor(move))
    if verdicts != {True} or not (run.note(event) or _is_told_there(run, base, event)):
        return
    excuse_moved(run, receiver)
    for holder in event.holders:
        # So that one defect is one finding.
        assign(run, holder, with_tensors(run.evaluate(holder), taken_as_moved))


def _is_told_there(run: Run, base: ast.Name, event: LostMove) -> bool:
    """Whether a helper of another file is known to be given tensors where that file is linted."""
    node = run.frame.node
    if not run.is_elsewhere or not isinstance(node, FUNCTIONS):
        return True
    names = {root_name(holder) for holder in event.holders} | {base.id}
    return any(p.annotation is not None and p.arg in names for p in parameters_of(node))
