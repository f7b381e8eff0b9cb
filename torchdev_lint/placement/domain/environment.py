"""Environments: what the variables of one function hold at one point of the program."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import field
from typing import TypeVar

from torchdev_lint.placement.domain.branches import Choices, Chosen, Literal, Outcome
from torchdev_lint.placement.domain.heap import Heap, join_heaps
from torchdev_lint.placement.domain.joins import join
from torchdev_lint.placement.domain.paths import Paths
from torchdev_lint.placement.domain.settings import INITIAL, Settings
from torchdev_lint.placement.domain.values import UNKNOWN, Bundle, Value
from torchdev_lint.records import dataclass, replace

Key = TypeVar("Key")
Known = TypeVar("Known")

_MOST_CHOICES = 16
"""How many conditions may have chosen something before the branches that lead to a place."""


@dataclass(slots=True)
class Env:
    """What holds at one point of the program.

    Args:
        names: local variables.
        heap: the objects; never changed in place, so that states can share it.
        paths: what is known of `x.y` and `x["y"]` for an `x` that is no object on the heap, and
            of variables of enclosing functions of which a condition has told more.
        settings: what the code has set for all that follows.
        outcomes: how conditions turned out on the way here; never changed in place.
        choices: what conditions, each the conjunction of some, have put into variables; never
            changed in place.
    """

    names: dict[str, Value]
    heap: Heap
    paths: Paths = field(default_factory=Paths)
    settings: Settings = INITIAL
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    choices: dict[frozenset[Literal], Choices] = field(default_factory=dict)

    def fork(self) -> Env:
        """Return a copy that can change on its own."""
        return Env(
            dict(self.names),
            self.heap,
            self.paths.copy(),
            self.settings,
            self.outcomes,
            self.choices,
        )

    def for_entry(self, unknown: Set[str] = frozenset()) -> Env:
        """Return a copy for an entry point: it changes objects and settings, no variables.

        Args:
            unknown: the variables of which it is not known what they hold then.
        """
        lost = dict.fromkeys(unknown & self.names.keys(), UNKNOWN)
        return replace(self, names={**self.names, **lost}) if lost else replace(self)

    def assign(self, name: str, value: Value) -> int:
        """Bind a local variable, and forget what was known of its parts.

        Returns:
            How much was looked at for that.
        """
        self.names[name] = value
        return self.forget_variable(name)

    def forget_variable(self, name: str) -> int:
        """Forget what is known beside the value of a variable that is bound anew.

        Returns:
            How much was looked at for that.
        """
        looked_at = self.forget_conditions({name})
        if self.paths:
            self.paths.pop(name, None)
            looked_at += self.paths.forget_below(name) + self.paths.forget_looked_up_by(name)
        return looked_at

    def forget_conditions(self, changed: Set[str]) -> int:
        """Forget the conditions that ask for variables or attributes which have changed.

        Returns:
            How many were looked at for that.
        """
        outcomes, choices = self.outcomes, self.choices
        if not outcomes and not choices:
            return 0
        stale = [
            text
            for text, outcome in outcomes.items()
            if not outcome.question.depends_on.isdisjoint(changed)
        ]
        if stale:
            self.outcomes = {t: o for t, o in outcomes.items() if t not in stale}
        old = [k for k, chosen in choices.items() if not chosen.depends_on.isdisjoint(changed)]
        if old:
            self.choices = {k: c for k, c in choices.items() if k not in old}
        return len(outcomes) + len(choices)


def join_environments(
    first: Env, second: Env, combine: Callable[[Value, Value], Value] = join
) -> Env:
    """Join the states at the ends of two branches.

    Args:
        combine: joins what one variable or attribute holds in them.
    """
    names = first.names | second.names
    for name, known in first.names.items():
        value = names[name]
        if value is not known:
            names[name] = combine(known, value)
    return Env(
        names,
        join_heaps(first.heap, second.heap, combine),
        _joined_paths(first, second, combine),
        first.settings.joined(second.settings),
        _common(first.outcomes, second.outcomes),
        _joined_choices(first, second, names, combine),
    )


def _joined_choices(
    first: Env, second: Env, names: dict[str, Value], combine: Callable[[Value, Value], Value]
) -> dict[frozenset[Literal], Choices]:
    """Join what conditions have chosen in two states.

    What one has chosen on the way to one of them alone stands beside what the other has.

    Args:
        names: what variables hold in either.
    """
    joined = _common(first.choices, second.choices)
    if len(first.choices) == len(second.choices) == len(joined):
        return joined
    for one, other in ((first, second), (second, first)):
        for literals, choices in one.choices.items():
            if literals in other.choices or len(joined) >= _MOST_CHOICES:
                continue
            found = {}
            for name, chosen in choices.names.items():
                if one.names.get(name) == chosen.joined and name in other.names:
                    beside = other.names[name]
                    when_true = combine(chosen.when_true, beside)
                    when_false = combine(chosen.when_false, beside)
                    found[name] = Chosen(names[name], when_true, when_false)
            if found:
                joined[literals] = replace(choices, names=found)
    return joined


def _joined_paths(first: Env, second: Env, combine: Callable[[Value, Value], Value]) -> Paths:
    """Join what two states know of parts."""
    joined: dict[str, Value] = {}
    others = second.paths
    for path, known in first.paths.items():
        if path in others:
            joined[path] = known if known is others[path] else combine(known, others[path])
    if not len(joined) == len(first.paths) == len(second.paths):
        for one, rest in ((first, second), (second, first)):
            for path, known in one.paths.items():
                if path not in joined and path.endswith("]"):
                    item = _item_in(rest, path)
                    joined[path] = UNKNOWN if item is None else combine(known, item)
    return Paths(joined, first.paths, second.paths)


def _item_in(env: Env, path: str) -> Value | None:
    """What an item is in a state that has not replaced it: where all is that it is an item of."""
    name, _, rest = path.partition("[")
    whole = env.names.get(name)
    if "[" in rest or not isinstance(whole, Bundle) or not whole.place.is_device:
        return None
    return Bundle(whole.place, part=True, stays=whole.stays)


def _common(first: dict[Key, Known], second: dict[Key, Known]) -> dict[Key, Known]:
    """What two states agree on."""
    if first is second:
        return first
    return {key: value for key, value in first.items() if second.get(key) == value}
