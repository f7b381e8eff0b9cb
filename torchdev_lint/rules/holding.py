"""Whether what a module keeps in an attribute stays as `__init__` has left it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from torchdev_lint.catalog.builtins import CONSTRUCTING, FILLING, READING
from torchdev_lint.catalog.factories import DIVERGENCE, DRAWING, MEASURING, PARAMETERS
from torchdev_lint.placement.domain.origins import Holder, Keeper, Keeping, Origin, Site
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.kept_layers import is_kept_layer
from torchdev_lint.placement.evidence.rebinding_around import (
    is_replaced_around,
    may_be_replaced_anywhere,
    may_be_replaced_around,
)
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.proof.proof import Proof
from torchdev_lint.proof.setters import ByObject, Setters, class_of_self
from torchdev_lint.rules.callers import Callers
from torchdev_lint.syntax.made_up import is_family
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.namespaces import is_left_as_it_is
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax, parameter_names

_READERS = frozenset({"cat", "concat", "enumerate", "hstack", "len", "reversed", "stack", "vstack",
                      "zip", DIVERGENCE})  # fmt: skip
"""Functions that leave the list, or the distribution, as it is which they are handed."""
_ASKED = DRAWING | MEASURING
"""Methods of distributions that leave them as they are."""


def left_behind(facts: Facts, meeting: Meeting) -> Holder | None:
    """Return what keeps a value that stays behind when its module is moved; None if it may not."""
    holder = meeting.origin.holder
    if holder is None or not holder.leaves_behind:
        return None
    if meeting.given is not None and not facts.concluded(Callers).may_bring_device(meeting.given):
        return None
    if not is_left_alone(facts, holder) or _may_be_set_around(meeting.origin, holder):
        return None
    return holder


def is_kept_for_good(facts: Facts, origin: Origin) -> bool:
    """Return whether an object that is no module keeps a value where it was made.

    No code of the project may set what it keeps.
    """
    holder = origin.holder
    if holder is None or not holder.stays or not is_left_alone(facts, holder):
        return False
    if _may_be_set_around(origin, holder):
        return False
    path = context_of(origin.file).path
    keeper = Keeper(holder.attribute, Keeping.CLASS, origin.file, holder.inside)
    return not path or not may_be_replaced_around(path, keeper)


def is_set_around(origin: Origin) -> bool:
    """Return whether a class of another file keeps a value, which the file at hand reads."""
    holder = origin.holder
    if holder is None or not holder.path:
        return False
    return holder.path != context_of(origin.file).path


def made_around(origin: Origin) -> Site | None:
    """Return where another file makes what one of its classes keeps: there, one mend is enough."""
    return origin.elsewhere if is_set_around(origin) else None


def _may_be_set_around(origin: Origin, holder: Holder) -> bool:
    """Whether other files replace what an object keeps, or may do so, or the one of its class."""
    here = context_of(origin.file).path
    keeper = Keeper(holder.attribute, Keeping.OBJECT, origin.file, holder.inside)
    if is_set_around(origin) and may_be_replaced_anywhere(holder.path, keeper):
        return True
    return bool(here) and is_replaced_around(here, keeper)


def is_left_alone(facts: Facts, holder: Holder) -> bool:
    """Return whether code of the file leaves an attribute, and what it holds, as it was made.

    It may hold a list or dict. What else sets it may move what it sets.
    """
    mentions = facts.derived(Proof).mentions
    if not mentions.only_calls("setattr") or _may_set_by_itself(facts, holder):
        return False
    changed = facts.concluded(_changed_namespaces).of(holder.cls)
    if not all(_is_of_another_class(facts, holder, node) for node in changed):
        return False
    by_text = (
        node
        for node in facts.derived(Setters).of(holder.attribute, holder.cls)
        if not _is_of_another_class(facts, holder, node)
    )
    own = 1 if is_family(holder.attribute) else 0  # where it is made, which is by its text
    if len(list(islice(by_text, own + 1))) > own or (
        own and mentions.sets_one_of(holder.attribute)
    ):
        return False
    if facts.derived(_SetElsewhere).is_set(facts, holder.attribute):
        return False
    return not holder.inside or all(
        _is_filled(facts, holder, lookup)
        for lookup in facts.concluded(_HandedOut).of(holder.attribute, holder.cls)
    )


class _HandedOut:
    """Where more is done with attributes than to read what is in them, for each found out once."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._mentions = facts.derived(Proof).mentions
        self._known: dict[str, ByObject[ast.Attribute]] = {}

    def of(self, attribute: str, owner: ast.ClassDef | None) -> list[ast.Attribute]:
        """Return where that is done with the attribute of what may be an object of a class."""
        if attribute not in self._known:
            found = self._known[attribute] = ByObject(self._facts.syntax)
            for lookup in self._mentions.lookups(attribute):
                if not _only_reads(self._facts, lookup):
                    found.add(lookup, lookup.value)
        return self._known[attribute].of(owner)


def _is_filled(facts: Facts, holder: Holder, lookup: ast.Attribute) -> bool:
    """Whether `__init__` fills its list there: the analysis has seen what is put into it."""
    found = facts.syntax.method(lookup)
    if found is None or found[1] is not holder.cls or found[0].name not in CONSTRUCTING:
        return False
    taker = facts.syntax.parent(lookup)
    if isinstance(taker, ast.Subscript):
        return isinstance(facts.syntax.parent(taker), ast.Assign) and taker.value is lookup
    return (
        isinstance(taker, ast.Attribute) and taker.attr in FILLING and facts.syntax.is_called(taker)
    )


class _SetElsewhere:
    """Which attributes are set of something that is not `self`, for each found out once."""

    def __init__(self, syntax: Syntax) -> None:
        self._known: dict[str, bool] = {}

    def is_set(self, facts: Facts, attribute: str) -> bool:
        if attribute not in self._known:
            stores = facts.derived(Proof).mentions.stores(attribute)
            self._known[attribute] = any(_may_be_other(facts, s.value) for s in stores)
        return self._known[attribute]


def _may_be_other(facts: Facts, node: ast.expr) -> bool:
    """Whether what is set of something that is not `self` may be set of any object."""
    if class_of_self(facts.syntax, node) is not None:
        return False
    return not is_kept_layer(facts.syntax, facts.file, node)


def _may_set_by_itself(facts: Facts, holder: Holder) -> bool:
    """Whether the holder's class may have a way of its own to set attributes."""
    mentions = facts.derived(Proof).mentions
    if "__setattr__" not in mentions.words:
        return False
    if mentions.stores("__setattr__") or not all(
        map(facts.syntax.is_called, mentions.lookups("__setattr__"))
    ):
        return True
    return facts.derived(Setters).have_own_way(holder.cls)


def _namespaces(facts: Facts) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what gives the dict of what an object has, with that: `x.__dict__`, `vars(x)`."""
    mentions = facts.derived(Proof).mentions
    for lookup in mentions.lookups("__dict__"):
        yield lookup, lookup.value
    for name in mentions.reads("vars"):
        call = facts.syntax.parent(name)
        if isinstance(call, ast.Call) and call.func is name and len(call.args) == 1:
            yield call, call.args[0]


def _changed_namespaces(facts: Facts) -> ByObject[ast.expr]:
    """The objects of which the dict of what they have may be changed where it is read."""
    found = ByObject[ast.expr](facts.syntax)
    for held, owner in _namespaces(facts):
        if not is_left_as_it_is(held, facts.syntax):
            found.add(owner, owner)
    return found


def _is_of_another_class(facts: Facts, holder: Holder, node: ast.expr) -> bool:
    """Whether a variable is an object that its scope builds of a class without ties to ours.

    Settings are read from files like that: `config = cls()`, then `config.__dict__[key] = value`.
    """
    if not isinstance(node, ast.Name) or holder.cls is None:
        return False
    found, scope = facts.syntax.method(node), facts.syntax.scope(node)
    if isinstance(scope, FUNCTIONS) and node.id in parameter_names(scope):
        return False
    bound = facts.syntax.bindings(node.id, scope)
    built = [_class_called(facts.syntax.parent(name)) for name in bound]
    families = facts.derived(Proof).modules.families
    names = [found[1].name if found and name == "cls" else name for name in built]
    ours = families.of(holder.cls.name)
    return bool(names) and all(families.has(name) and families.of(name) != ours for name in names)


def _class_called(statement: ast.AST | None) -> str:
    """The name of what an assignment calls for its value; nothing if it does something else."""
    if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
        return last_component(statement.value.func)
    return ""


def _only_reads(facts: Facts, lookup: ast.expr, follow: bool = True) -> bool:
    """Whether an expression that gives a list, or a distribution, is only asked for what it has.

    Args:
        follow: whether to look where a variable is read that it is bound to.
    """
    taker = facts.syntax.parent(lookup)
    if isinstance(taker, (ast.Compare, ast.If, ast.While, ast.Assert)):
        return True  # whether there is one
    if isinstance(taker, (ast.BoolOp, ast.IfExp)):
        is_asked = isinstance(taker, ast.IfExp) and taker.test is lookup
        return is_asked or _only_reads(facts, taker, follow)
    if isinstance(taker, ast.Subscript):
        return isinstance(taker.ctx, ast.Load) and taker.value is lookup
    if isinstance(taker, (ast.For, ast.comprehension)):
        return taker.iter is lookup
    if isinstance(taker, ast.Attribute):
        is_called = isinstance(facts.syntax.parent(taker), ast.Call)
        names = _ASKED | READING if is_called else PARAMETERS
        return taker.attr in names and isinstance(taker.ctx, ast.Load)
    if isinstance(taker, ast.Assign) and taker.value is lookup:
        return all(_only_hands_out(facts, target, follow) for target in taker.targets)
    return isinstance(taker, ast.Call) and last_component(taker.func) in _READERS


def _only_hands_out(facts: Facts, target: ast.expr, follow: bool) -> bool:
    """Whether what is assigned to a target is taken apart, or a variable that is only read."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return True
    if not isinstance(target, ast.Name) or not follow:
        return False
    uses = facts.syntax.named(target.id, facts.syntax.scope(target))
    return all(
        _only_reads(facts, use, follow=False) for use in uses if isinstance(use.ctx, ast.Load)
    )
