"""Moving what a container holds, where the container itself is told to move."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.operations import JOINS
from torchdev_lint.change import Fix, Replace, applicability
from torchdev_lint.fixes.displays import display_of, free_name
from torchdev_lint.placement.domain.containers import Mapping
from torchdev_lint.placement.domain.values import Bundle, Tensor, Unknown, Value, alternatives
from torchdev_lint.placement.facts.containers import ContainerMove
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.names import last_component, names_in


def moved_elements(facts: Facts, move: ContainerMove) -> Fix | None:
    """Return the fix that makes a container of the moved elements, None if nothing fits.

    As the call fails wherever it is run, nothing that works is lost with it.
    """
    display = display_of(facts, move.kind, move.node)
    if display is None or facts.syntax.in_string(move.node):
        return None
    proof, statement = facts.derived(Proof), facts.syntax.statement(move.node)
    given = [*move.node.args, *(keyword.value for keyword in move.node.keywords)]
    if not all(map(proof.may_be_repeated, given)):
        return None
    held = [option for value in _held(move) for option in alternatives(value)]
    if not all(isinstance(option, (Tensor, Bundle, Unknown)) for option in held):
        return None
    if not any(isinstance(option, (Tensor, Bundle)) for option in held):
        return None  # it may hold numbers, and is not to be moved at all
    text = _text(facts, move, display)
    whole = _to_be_joined(facts, move)
    is_kept = isinstance(statement, ast.Assign) and statement.value is move.node
    if isinstance(statement, ast.Expr) and statement.value is move.node:
        if not isinstance(move.receiver, ast.Name):
            return None
        if not facts.syntax.is_own(move.receiver.id, statement):
            return None
        text = text and f"{move.receiver.id} = {text}"
    if text is None:
        return None
    sure = is_kept and bool(held) and all(isinstance(option, Tensor) for option in held)
    change = Replace(facts.span(whole), text)
    return Fix("Move the elements", applicability(sure), (change,))


def _to_be_joined(facts: Facts, move: ContainerMove) -> ast.expr:
    """What the new container takes the place of: the call, or the display that holds nothing else.

    `torch.cat([parts.to(device)])` is meant to join the parts.
    """
    display = facts.syntax.parent(move.node)
    if isinstance(display, (ast.List, ast.Tuple)) and len(display.elts) == 1:
        call = facts.syntax.parent(display)
        if isinstance(call, ast.Call) and last_component(call.func) in JOINS:
            return display
    return move.node


def _held(move: ContainerMove) -> list[Value]:
    """What the container holds, as far as that is told."""
    held: list[Value] = []
    for container in move.containers:
        if isinstance(container, Mapping):
            held += [value for _, value in container.items] or [container.rest]
        else:
            held += container.items if container.items is not None else (container.element,)
    return held


def _text(facts: Facts, move: ContainerMove, display: str) -> str | None:
    """The container of the moved elements; None where the call has comments in it."""
    whole, text = facts.text(move.node), facts.text(move.receiver)
    if "#" in whole or not whole.startswith(text):
        return None
    taken = names_in(move.node)
    part = free_name(taken)
    key = next(name for name in ("key", "name", "each_key") if name not in taken)
    moved = f"{part}{whole.removeprefix(text)}"
    return display.format(move=moved, name=part, text=text, key=key)
