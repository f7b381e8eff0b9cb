"""Whether what a module keeps in an attribute stays as `__init__` has left it."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.origins import Holder
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.proof.building import positional
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.names import last_component

_BY_NAME = frozenset({"__dict__", "__setattr__"})
"""What sets attributes that are not written."""
_READERS = frozenset({"cat", "concat", "enumerate", "hstack", "len", "reversed", "stack", "vstack",
                      "zip"})  # fmt: skip
"""Functions that leave the list as it is which they are handed."""


def left_behind(facts: Facts, meeting: Meeting) -> Holder | None:
    """Return what keeps a value that stays behind when its module is moved; None if it may not."""
    holder = meeting.origin.holder
    if holder is None or not holder.leaves_behind or meeting.given is not None:
        return None
    return holder if is_left_alone(facts, holder) else None


def is_left_alone(facts: Facts, holder: Holder) -> bool:
    """Return whether code of the file leaves an attribute, and a list in it, as it was made.

    What else sets it may move what it sets.
    """
    mentions = facts.derived(Proof).mentions
    if _BY_NAME & mentions.words or not mentions.only_calls("setattr"):
        return False
    if any(_may_hold(facts, holder, node) for node in mentions.set_by_text(holder.attribute)):
        return False
    if not all(_is_own(facts, store) for store in mentions.stores(holder.attribute)):
        return False
    lookups = mentions.lookups(holder.attribute)
    return not holder.inside or all(_only_reads(facts, lookup) for lookup in lookups)


def _may_hold(facts: Facts, holder: Holder, node: ast.expr) -> bool:
    """Whether an expression may be an object of the holder's class, or of one it inherits from.

    `self` in a class that has no heirs in common with that is none.
    """
    found = facts.syntax.method(node)
    if found is None or holder.cls is None or not isinstance(node, ast.Name):
        return True
    method, owner = found
    first = next(iter(positional(method)), None)
    families = facts.derived(Proof).modules.families
    is_other = families.of(owner.name) != families.of(holder.cls.name)
    return not (is_other and first is not None and first.arg == node.id)


def _is_own(facts: Facts, store: ast.Attribute) -> bool:
    """Whether a method sets an attribute of its own object."""
    found = facts.syntax.method(store)
    if found is None or not isinstance(store.value, ast.Name):
        return False
    first = next(iter(positional(found[0])), None)
    return first is not None and first.arg == store.value.id


def _only_reads(facts: Facts, lookup: ast.Attribute) -> bool:
    """Whether an expression that gives a list is only asked for what it holds."""
    taker = facts.syntax.parent(lookup)
    if isinstance(taker, ast.Subscript):
        return isinstance(taker.ctx, ast.Load) and taker.value is lookup
    if isinstance(taker, (ast.For, ast.comprehension)):
        return taker.iter is lookup
    return isinstance(taker, ast.Call) and last_component(taker.func) in _READERS
