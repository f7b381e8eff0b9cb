"""Modules that are in other places on other paths: joined in any order, and no place is made up."""

from __future__ import annotations

import ast
from itertools import product

import pytest

from tests.placement.domain.strategies import FILE
from torchdev_lint.placement.domain.heap import Obj, join_heaps, put_back_by
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import Place


def _origin(kind: OriginKind, line: int) -> Origin:
    node = ast.parse("\n" * (line - 1) + "x").body[0]
    return Origin(node, FILE, kind, "x", False, "")


_PUT_BACK, _PUT_BACK_LATER = _origin(OriginKind.PUT_BACK, 3), _origin(OriginKind.PUT_BACK, 5)
STATES = {
    "moved": Obj(Place.ACCELERATOR, module=True, was_moved=True),
    "moved to a number": Obj(
        Place.ACCELERATOR,
        module=True,
        was_moved=True,
        origin=_origin(OriginKind.NUMBERED, 1),
    ),
    "there as is supposed": Obj(Place.ACCELERATOR, module=True),
    "put back": Obj(Place.HOST, module=True, kept=True, origin=_PUT_BACK),
    "put back later": Obj(Place.HOST, module=True, kept=True, origin=_PUT_BACK_LATER),
    "left": Obj(Place.HOST, module=True, origin=_origin(OriginKind.MODULE, 1)),
    "on the host": Obj(Place.HOST, module=True),
    "anywhere": Obj(Place.UNKNOWN, module=True),
}


def _joined(first: Obj, second: Obj) -> Obj:
    return join_heaps({1: first}, {1: second})[1]


@pytest.mark.parametrize("names", list(product(STATES, repeat=3)), ids=", ".join)
def test_three_paths_are_joined_in_any_order(names: tuple[str, str, str]) -> None:
    first, second, third = (STATES[name] for name in names)
    assert _joined(first, second) == _joined(second, first)
    assert _joined(_joined(first, second), third) == _joined(first, _joined(second, third))


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ("moved", "put back", _PUT_BACK),
        ("moved to a number", "put back", _PUT_BACK),
        ("put back later", "put back", _PUT_BACK),
        ("there as is supposed", "put back", None),
        ("left", "put back", None),
        ("anywhere", "put back", None),
    ],
)
def test_what_moved_a_module_to_the_cpu_is_known_where_all_else_is(
    first: str, second: str, told: Origin | None
) -> None:
    assert put_back_by(_joined(STATES[first], STATES[second])) == told
