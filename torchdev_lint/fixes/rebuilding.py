"""Keeping moved tensors in the containers that they were taken from."""

from __future__ import annotations

import ast

from torchdev_lint.change import Fix, Insert, Replace, applicability
from torchdev_lint.fixes.displays import display_of
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.lost import LostMove
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.names import names_in
from torchdev_lint.syntax.scopes import is_path

_OF_PARAMETERS = frozenset({"parameters", "buffers"})


def kept_in_container(facts: Facts, lost: LostMove) -> Fix | None:
    """Return the fix that gives a container what was moved of it, None if nothing fits."""
    if isinstance(lost.place, ast.DictComp):
        return _assigned(facts, lost, lost.place)
    target, loop = lost.place.targets[0], lost.loop
    if not isinstance(loop, (ast.For, ast.AsyncFor)) or not isinstance(target, ast.Name):
        return None
    element = _element(facts, loop, target.id)
    if element is not None:
        text, is_sure = element
        change = Replace(facts.span(target), text)
        sure = is_sure and facts.derived(Proof).only_moves(lost.node)
        return Fix(f"Assign the result to `{text}`", applicability(sure), (change,))
    is_alone = loop.body == [lost.place] and not loop.orelse
    if not is_alone or lost.place.value is not lost.node or "#" in facts.text(loop):
        return None
    return _unpacked(facts, lost, loop) or _built_anew(facts, lost, loop)


def _assigned(facts: Facts, lost: LostMove, made: ast.DictComp) -> Fix | None:
    """`{k: v.to(device) for k, v in batch.items()}` becomes the new value of `batch`."""
    holder = _own_holder(facts, lost)
    if holder is None or facts.text(made.key) not in names_in(made.generators[0].target):
        return None
    span, name = facts.span(made), facts.text(holder)
    change = Insert(span.line, span.column, f"{name} = ")
    return Fix(f"Assign the result to `{name}`", "unsafe", (change,))


def _element(facts: Facts, loop: ast.For | ast.AsyncFor, name: str) -> tuple[str, bool] | None:
    """What an element of a container is called in a loop that knows its key or position.

    Args:
        name: the variable of the loop that holds it.

    Returns:
        The expression, and whether it can certainly be assigned; None if there is none.
    """
    container = facts.derived(Proof).tensors.container
    match loop:
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(id=key), ast.Name(id=value)]),
            iter=ast.Call(func=ast.Attribute(value=holder, attr="items"), args=[]),
        ) if value == name and is_path(holder):
            return f"{facts.text(holder)}[{key}]", container(holder, loop) == "dict"
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(id=key), ast.Name(id=value)]),
            iter=ast.Call(func=ast.Name(id="enumerate"), args=[holder], keywords=[]),
        ) if value == name and is_path(holder):
            kind = container(holder, loop)
            return (f"{facts.text(holder)}[{key}]", bool(kind)) if kind in {"list", ""} else None
        case ast.For(target=ast.Name(), iter=ast.Call(func=ast.Attribute(attr=attr), args=[])) if (
            attr in _OF_PARAMETERS
        ):
            return f"{name}.data", False
    return None


def _unpacked(facts: Facts, lost: LostMove, loop: ast.For | ast.AsyncFor) -> Fix | None:
    """`for t in (a, b): t = t.cuda()` becomes `a, b = [t.cuda() for t in (a, b)]`."""
    if not isinstance(loop.iter, (ast.Tuple, ast.List)) or not isinstance(loop.target, ast.Name):
        return None
    held = loop.iter.elts
    if not held or not all(isinstance(part, ast.Name) for part in held):
        return None
    if not all(facts.syntax.is_own(name, loop) for part in held for name in names_in(part)):
        return None
    targets = ", ".join(map(facts.text, held)) + ("," if len(held) == 1 else "")
    source, move = facts.text(loop.iter), facts.text(lost.node)
    text = f"{targets} = [{move} for {loop.target.id} in {source}]"
    sure = facts.derived(Proof).only_moves(lost.node)
    return Fix("Keep the moved tensors", applicability(sure), (Replace(facts.span(loop), text),))


def _built_anew(facts: Facts, lost: LostMove, loop: ast.For | ast.AsyncFor) -> Fix | None:
    holder = _own_holder(facts, lost)
    if holder is None or not isinstance(loop.target, ast.Name):
        return None
    kind = facts.derived(Proof).tensors.container(holder, loop)
    display = display_of(facts, kind, loop)
    over_values = isinstance(loop.iter, ast.Call)
    if display is None or (kind == "dict") != over_values:
        return None
    if over_values and getattr(getattr(loop.iter, "func", None), "attr", "") != "values":
        return None
    name = loop.target.id
    text, key = facts.text(holder), "key" if name != "key" else "k"
    text = f"{text} = " + display.format(move=facts.text(lost.node), name=name, text=text, key=key)
    return Fix("Build the container anew", "unsafe", (Replace(facts.span(loop), text),))


def _own_holder(facts: Facts, lost: LostMove) -> ast.expr | None:
    """The one thing that holds what is moved, if it can be assigned where the move is."""
    holder = lost.holders[0] if len(lost.holders) == 1 else None
    if isinstance(holder, ast.Name):
        return holder if facts.syntax.is_own(holder.id, lost.place) else None
    return holder if holder is not None and is_path(holder) else None
