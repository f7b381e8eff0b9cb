"""How much work may be done, so that time stays linear in the size of the file.

Work is counted in ticks: so many for an expression that is evaluated, one for each variable that is
looked at where states are joined, compared or searched, far less where they are only copied: five
hundred variables are copied in the time of an expression. What is left out once a budget is spent
is unknown, hence silent.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import field

from torchdev_lint.records import dataclass

MAX_DEPTH = 12
"""Nested calls that are followed."""
MAX_NESTING = 1_000
"""Expressions and blocks that may be run at the same time, each in the one before."""
NESTING_OF_A_STACK = 40
"""How deep code may nest until it is gone on with on another stack.

Each level takes some six of the thousand calls that Python allows on one, and may take twenty.
"""
EXPRESSION = 32
"""Ticks for an expression."""
_CALL = 3 * EXPRESSION
"""Ticks for a call of one of the file's functions, beside those for what it evaluates."""
_HELD = 24
"""Ticks for each value with which a function is called, and each that one of these holds."""
_FEW = 8
"""How many of them are counted with the call."""
_STACK = 8 * EXPRESSION
"""Ticks for going on with another stack."""
_BASE = 18_000
"""Expressions that may be evaluated in any file."""
_FOR_EACH_NODE = 1
"""Expressions that may be evaluated for each node of the file's tree."""
_MOST = 180_000
"""Expressions that may be evaluated at the most, however large the file is."""
_SHARE = 2
"""The part of what is left that one entry point may use: the half."""
_ABROAD_BASE = 3_000
"""Expressions of other files that may be evaluated for any file."""
_FOR_EACH_CALLEE = 1_500
"""Expressions of other files that may be evaluated for all calls of one function there."""
_LEAST_FOR_EACH_CALLEE = 100
"""Those that may be in any case, whatever else has used up what there is for other files.

What is that small, as measures and losses are, is followed beside models of any size.
"""
_NEST_BASE = 600
_NEST_FOR_EACH_NODE = 8
"""Expressions that may be evaluated in a nest of loops for each of its nodes."""


@dataclass(slots=True)
class Budget:
    """What may still be done, in ticks.

    Args:
        total: how much in the whole file.
        used: how much was done so far.
        limit: how much may have been when the entry point at hand ends.
        abroad: how much of it may still be done in other files.
        ahead: how much may, besides, to learn what these hand over.
        spent_on: how much was done there already, by the function that was called.
        around: the limit of what is done in the file itself, while code of another one runs.
        returned: how much was done by what code of other files has called, and is not counted
            there: in the file itself, or what has a share of its own.
        elsewhere: how much of what was done was done in other files, with what they have called.
    """

    total: int = _BASE * EXPRESSION
    used: int = 0
    limit: int = _BASE * EXPRESSION
    abroad: int = _ABROAD_BASE * EXPRESSION
    ahead: int = _ABROAD_BASE * EXPRESSION
    spent_on: dict[object, int] = field(default_factory=dict)
    around: int | None = None
    returned: int = 0
    elsewhere: int = 0

    @classmethod
    def for_file(cls, nodes: int) -> Budget:
        """Make the budget of a file whose tree has so many nodes."""
        total = min(_BASE + _FOR_EACH_NODE * nodes, _MOST) * EXPRESSION
        abroad = (_ABROAD_BASE + nodes // 2) * EXPRESSION
        return cls(total, limit=total, abroad=abroad, ahead=abroad)

    def spend(self) -> bool:
        """Count an expression; False if there is nothing left for it."""
        self.used += EXPRESSION
        return self.used <= self.limit

    @property
    def is_spent(self) -> bool:
        """Whether nothing may be done any more by the entry point at hand."""
        return self.used >= self.limit

    @property
    def is_spent_for_good(self) -> bool:
        """Whether there is not even one expression left for another entry point."""
        return self.total - self.used < _SHARE * EXPRESSION

    def copied(self, entries: int) -> None:
        """Count that a state with so many entries was copied."""
        self.used += entries >> 4

    def called(self, held: int) -> None:
        """Count that a function of the file was called, or what it gave before was looked for.

        Args:
            held: how many values it was called with, those that these hold among them: all are
                gone through, and hashed.
        """
        self.used += _CALL + max(held - _FEW, 0) * _HELD

    def changed_stacks(self) -> None:
        """Count that it was gone on with on another stack."""
        self.used += _STACK

    def visited(self, entries: int) -> None:
        """Count that so many entries were looked at, one by one."""
        self.used += entries

    def joined(self, values: int) -> None:
        """Count that so many values were joined with others, or made anew."""
        self.used += values * EXPRESSION

    def begin_entry(self) -> int:
        """Begin another entry point, which may use half of what is left: others come behind it.

        Returns:
            The limit of the one around it, to be given back at its end.
        """
        around = self.limit
        self.limit = min(around, self.used + max(self.total - self.used, 0) // _SHARE)
        return around

    def end_entry(self, around: int) -> None:
        """Go on with the entry point around the one that ends."""
        self.limit = around

    @contextmanager
    def abroad_in(self, callee: object, ahead: bool = False) -> Iterator[None]:
        """Count what is done in a `with` for what is in another file: that has its share.

        Args:
            callee: what is called there, or builds what is; all calls of it have one share, and so
                have all such.
            ahead: whether it is read there what the file at hand is given, which comes first.
        """
        around, limit, began, returned = self.around, self.limit, self.used, self.returned
        spent = self.spent_on.get(callee, 0)
        share = _FOR_EACH_CALLEE * EXPRESSION - spent
        at_home = limit if around is None else around
        left = self.ahead if ahead else self.abroad
        least = _LEAST_FOR_EACH_CALLEE * EXPRESSION - spent
        self.limit = min(at_home, began + max(0, least, min(share, left)))
        self.around = at_home
        try:
            yield
        finally:
            used = self.used - began
            done = used - (self.returned - returned)
            self.around, self.limit = around, limit
            if ahead:
                self.ahead -= done
            else:
                self.abroad -= done
            self.spent_on[callee] = self.spent_on.get(callee, 0) + done
            if around is None:
                self.elsewhere += used
            else:  # what it is called by there has a share of its own
                self.limit += used
                self.returned += done

    @contextmanager
    def at_home(self) -> Iterator[None]:
        """Count what is done in a `with` for the file itself, which another one has called back."""
        around, limit, began = self.around, self.limit, self.used
        if around is None:
            yield
            return
        self.around, self.limit = None, around
        try:
            yield
        finally:
            done = self.used - began
            self.around, self.limit = around, limit + done
            self.returned += done

    @property
    def used_here(self) -> int:
        """How much was done in the file itself: what is in others has budgets of its own."""
        return self.used - self.elsewhere

    @property
    def expressions(self) -> int:
        """How much was done, counted in expressions."""
        return self.used // EXPRESSION

    def nest_limit(self, nodes: int) -> int:
        """How much may have been done in the file when a nest of loops with so many nodes ends."""
        return self.used_here + (_NEST_BASE + _NEST_FOR_EACH_NODE * nodes) * EXPRESSION
