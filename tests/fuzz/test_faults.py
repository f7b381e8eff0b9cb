"""The programs find faults of the fixes: each is put in on purpose, and must show."""

from __future__ import annotations

import ast
import builtins
import random
from collections.abc import Callable
from typing import Any

import pytest

from tests.turns import in_turn
from torchdev_lint.fixes import keeping, layers, new_tensors
from torchdev_lint.proof.devices import Devices
from torchdev_lint.proof.mentions import Mentions
from torchdev_lint.proof.modules import Modules
from torchdev_lint.proof.proof import Proof
from torchdev_lint.proof.tensors import Tensors
from torchdev_lint.syntax.bindings import Bindings
from torchdev_lint.syntax.order import Order
from torchdev_lint.syntax.scopes import root_name

from .programs.author import Author
from .running import compare

pytestmark = pytest.mark.slow

LIMIT = 1500
"""How many programs may be needed."""


def always(value: object) -> Callable[..., Any]:
    return lambda *_, **__: value


def without_deletions(self: Bindings, name: str, node: ast.AST) -> object:
    return _reaching(self, name, node) - {None}


_reaching = Bindings.reaching


def names_are_devices(
    self: Devices, node: ast.expr, place: ast.AST, available: bool = False
) -> bool:
    return isinstance(node, ast.Name) or _is_device(self, node, place, available)


_is_device = Devices.is_device


def names_are_tensors(self: Tensors, node: ast.expr, place: ast.AST | None = None) -> bool:
    return isinstance(node, ast.Name) or _is_tensor(self, node, place)


_is_tensor = Tensors.is_tensor


def runs_at_all(self: Tensors, taker: ast.Call, place: ast.AST) -> bool:
    return self._order.runs_before(taker, place) or self._order.follows(place, taker)


def whatever_it_starts_from(target: ast.expr) -> ast.expr:
    names = [node for node in ast.walk(target) if isinstance(node, ast.Name)]
    return next((node for node in names if node.id == root_name(target)), target)


FAULTS: dict[str, tuple[bool, list[tuple[object, str, object]]]] = {
    "deletions are overlooked": (False, [(Bindings, "reaching", without_deletions)]),
    "names are devices": (False, [(Devices, "is_device", names_are_devices)]),
    "nothing changes": (False, [(Proof, "is_unchanged", always(True))]),
    "what stands before has run": (False, [(Order, "tests_before", always([]))]),
    "what stands behind runs": (
        False,
        # Where a module's parameters tell the device, no tensor behind is asked for it.
        [(Order, "follows", always(True)), (Modules, "has_parameters", always(False))],
    ),
    "errors are fatal": (False, [(Tensors, "_surely_runs", runs_at_all)]),
    "calls have no effects": (False, [(Proof, "may_be_repeated", always(True))]),
    "reading has no effects": (
        False,
        [(Proof, "reads_plainly", always(True)), (Mentions, "is_computed", always(False))],
    ),
    "builtins are not shadowed": (
        False,
        [(Bindings, "is_builtin", lambda _, name, __: hasattr(builtins, name))],
    ),
    "all modules have parameters": (
        False,
        [(Modules, "has_parameters", always(True)), (Mentions, "is_computed", always(False))],
    ),
    "all names are tensors": (False, [(Tensors, "is_tensor", names_are_tensors)]),
    "keywords hold no device": (
        False,
        [(new_tensors, "_BOUND_TO_THE_HOST", frozenset({"pin_memory", "generator", "out"}))],
    ),
    "a device may be given twice": (True, [(new_tensors, "_is_left_out", always(True))]),
    "all moves only move": (False, [(Proof, "only_moves", always(True))]),
    "nothing is frozen": (
        False,
        [(keeping, "is_closed", always(False)), (keeping, "is_open", always(True))],
    ),
    "anything is assigned to": (True, [(keeping, "_moved_value", whatever_it_starts_from)]),
    "all containers are lists": (True, [(Tensors, "container", always("list"))]),
    "loops keep their variables to themselves": (
        True,
        [(keeping, "_is_read_outside", always(False))],
    ),
    "no name is taken": (True, [(layers, "_untaken", lambda name, *_: (name, 1))]),
    "all modules are plain": (
        True,
        [
            (Modules, "is_plain_module", always(True)),
            (layers, "_untaken", lambda name, *_: (name, 1)),
        ],
    ),
    "nothing returns early": (True, [(Order, "follows", always(True))]),
}
"""What is broken, and whether it shows with unsafe fixes only."""


SEEDS = {
    "deletions are overlooked": 4,
    "errors are fatal": 127,
    "nothing is frozen": 65,
    "reading has no effects": 29,
    "what stands behind runs": 13,
}
"""Where the programs begin of which few show the fault, so that one comes soon."""


@pytest.mark.parametrize("fault", in_turn(FAULTS, 2))
def test_a_fault_shows(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    unsafe, patches = FAULTS[fault]
    for owner, name, broken in patches:
        monkeypatch.setattr(owner, name, broken)
    author = Author(random.Random(SEEDS.get(fault, 3)), plain=unsafe)
    for _ in range(LIMIT):
        try:
            compare(author.program(), unsafe)
        except AssertionError:
            return
    pytest.fail("no program shows it")
