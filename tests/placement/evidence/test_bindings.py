"""Which code sees what a variable holds at a place."""

from __future__ import annotations

import ast

import pytest

from torchdev_lint.placement.evidence.bindings import Sight


@pytest.mark.parametrize(
    "inner",
    [
        "[part.unsqueeze(0) for part in tensors]",
        "{part: part.unsqueeze(0) for part in tensors}",
        "(lambda part: part.unsqueeze(0))(tensors)",
        "def stacked(part): return part.unsqueeze(0)",
        "def stacked():\n    part = tensors[0]\n    return part.unsqueeze(0)",
    ],
)
def test_a_variable_of_something_inside_is_another(inner: str) -> None:
    assert "unsqueeze" not in _seen(f"{inner}\npart.to(device)")


@pytest.mark.parametrize(
    "same",
    [
        "[part.unsqueeze(0) for other in tensors]",
        "[other for other in part.unsqueeze(0)]",
        "def stacked(): return part.unsqueeze(0)",
        "(lambda other: part.unsqueeze(0))(tensors)",
    ],
)
def test_what_binds_nothing_sees_the_same(same: str) -> None:
    assert "unsqueeze" in _seen(f"{same}\npart.to(device)")


def _seen(text: str) -> set[str]:
    """The attributes that are read by code which sees what `part` holds in the last statement."""
    tree = ast.parse(text)
    last = tree.body[-1]
    assert isinstance(last, ast.Expr)
    nodes = Sight(tree).nodes_that_see("part", last.value)
    return {n.attr for n in nodes or ast.walk(tree) if isinstance(n, ast.Attribute)}
