"""The device that a program has chosen to run on, where it can be had."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from itertools import islice

from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.fixes.styles import is_usable, names_host
from torchdev_lint.placement.evidence.devices import is_of_tensor, is_setting
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.calls import by_keyword, destination
from torchdev_lint.syntax.names import last_component, path_of, text_of
from torchdev_lint.syntax.walking import walk

_MAX_MOVES = 16
"""How many moves to a device are looked at for one that can be had where CUDA is named."""


class Chosen:
    """The moves of a file to a device that it, or its user, has chosen.

    Args:
        facts: what is known of the file.
        calls: the calls in it.
        making: whether what is made on a device counts as if it were moved there.
    """

    def __init__(self, facts: Facts, calls: Iterable[ast.Call], making: bool = False) -> None:
        self._facts = facts
        self._making = making
        self.moves = [(call, device) for call in calls if (device := self._device_of(call))]
        self._scopes = {move: facts.syntax.scope(move) for move, _ in self.moves}

    def _device_of(self, call: ast.Call) -> ast.expr | None:
        """The variable or setting of a device to which a call moves something, if it does."""
        is_move = isinstance(call.func, ast.Attribute) and call.func.attr == "to"
        made = by_keyword(call, "device") if self._making else []
        given = destination(call) if is_move else next(iter(made), None)
        if given is None or last_component(given) not in DEVICE_NAMES:
            return None
        return given if self._is_chosen(given, call) else None

    def _is_chosen(self, device: ast.expr, place: ast.AST) -> bool:
        """Whether a variable or setting may hold, at a place, what the program runs on."""
        if not isinstance(device, ast.Name):
            return isinstance(device, ast.Attribute) and is_setting(device)
        values = self._facts.derived(Proof).values.values(device.id, place)
        if any(map(is_of_tensor, values)):
            return False
        return not names_host(self._facts, device, place)

    def in_reach(self, call: ast.Call, beside: bool = False) -> tuple[ast.Call, ast.expr] | None:
        """Return the nearest move to a device that can be had where CUDA is named, and that device.

        Args:
            call: what names CUDA.
            beside: whether it has to be in the same function, or for an attribute in the class.
        """
        facts, proof = self._facts, self._facts.derived(Proof)
        for move, device in islice(self._nearest(call), _MAX_MOVES):
            if beside and not self._is_beside(move, device, call):
                continue
            if not is_usable(facts, device, call) or not self._is_chosen(device, call):
                continue
            if proof.may_hold_device(text_of(device), call) and not self._asks(device, call):
                return move, device
        return None

    def _is_beside(self, move: ast.Call, device: ast.expr, call: ast.Call) -> bool:
        """Whether a move is in the function of a call; for what `self` has, in its class."""
        syntax = self._facts.syntax
        if self._scopes[move] is syntax.scope(call):
            return True
        one, other = syntax.method(move), syntax.method(call)
        return one is not None and other is not None and one[1] is other[1] and _is_own(device)

    def _nearest(self, call: ast.Call) -> Iterator[tuple[ast.Call, ast.expr]]:
        """Yield the moves, the nearest first: those in the function of a call, then others."""
        scope = self._facts.syntax.scope(call)
        for is_near in (True, False):
            moves = [pair for pair in self.moves if (self._scopes[pair[0]] is scope) == is_near]
            yield from sorted(moves, key=lambda pair: abs(pair[0].lineno - call.lineno))

    def _asks(self, device: ast.expr, call: ast.Call) -> bool:
        """Whether a condition that leads to a call within its function asks for that device."""
        path = path_of(device)
        tests = self._facts.syntax.conditions(call)
        return any(path_of(node) == path for test in tests for node in walk(test))


def _is_own(device: ast.expr) -> bool:
    """Whether a device is an attribute of the object at hand."""
    return isinstance(device, ast.Attribute) and text_of(device.value) == "self"
