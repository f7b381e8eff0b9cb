"""What one comparison tells of another one holds for every value that it holds for."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchdev_lint.placement.domain.comparisons import Comparison, told_by

_VALUES = [-1, 0, 0.5, 1, 1.0, 1.5, 2, 3, False, True, "a", "b", "c", None]
_NUMBERS = st.sampled_from([0, 0.5, 1, 2])
_CONSTANTS = st.sampled_from([0, 1, 2, False, True, "a", "b", None])
_ORDER: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.Gt: operator.gt,
}
_COMPARISONS = st.one_of(
    st.builds(Comparison, st.sampled_from([ast.Lt, ast.Gt]), st.tuples(_NUMBERS)),
    st.builds(Comparison, st.sampled_from([ast.Eq, ast.Is]), st.tuples(_CONSTANTS)),
    st.builds(Comparison, st.just(ast.In), st.lists(_CONSTANTS, max_size=3).map(tuple)),
)


def _compare(comparison: Comparison, value: object) -> bool | None:
    """What Python gives, None where it raises."""
    if comparison.operator is ast.Is:
        return value is comparison.constants[0]
    if comparison.operator not in _ORDER:
        return value in comparison.constants
    limit = comparison.constants[0]
    if not isinstance(value, (int, float)) or not isinstance(limit, (int, float)):
        return None
    return _ORDER[comparison.operator](value, limit)


@given(_COMPARISONS, st.booleans(), _COMPARISONS)
def test_no_value_says_otherwise(known: Comparison, holds: bool, asked: Comparison) -> None:
    verdict = told_by([(known, holds)], asked)
    fitting = [value for value in _VALUES if _compare(known, value) is holds]
    answers = {_compare(asked, value) for value in fitting} - {None}
    if verdict is not None:
        assert answers <= {verdict}


@given(st.lists(st.tuples(_COMPARISONS, st.booleans()), max_size=4), _COMPARISONS)
def test_no_value_says_otherwise_for_which_several_hold(
    known: list[tuple[Comparison, bool]], asked: Comparison
) -> None:
    verdict = told_by(known, asked)
    fitting = [
        value
        for value in _VALUES
        if all(_compare(comparison, value) is holds for comparison, holds in known)
    ]
    answers = {_compare(asked, value) for value in fitting} - {None}
    if verdict is not None:
        assert answers <= {verdict}


def test_the_last_one_that_is_left() -> None:
    known = [_read("x in ('a', 'b', 'c')"), _read("x != 'a'"), _read("x != 'b'")]
    assert told_by(known, _read("x == 'c'")[0]) is True
    assert told_by(known[:2], _read("x == 'c'")[0]) is None


@pytest.mark.parametrize(
    ("known", "asked", "verdict"),
    [
        ("x >= 2", "x > 1", True),
        ("x > 1", "x >= 2", None),
        ("x > 1", "x == 1", False),
        ("x < 1", "x > 1", False),
        ("x <= 1", "x < 1", None),
        ("x <= 1", "x < 2", True),
        ("x == 3", "x > 1", True),
        ("x == 'a'", "x == 'b'", False),
        ("x == 'a'", "x in ('a', 'b')", True),
        ("x in ('a', 'b')", "x == 'c'", False),
        ("x in ('a', 'b')", "x == 'a'", None),
        ("x not in ('a', 'b')", "x == 'a'", False),
        ("x != 'a'", "x == 'b'", None),
        ("x is None", "x == 'b'", False),
        ("x == 1", "x is True", None),
        ("x is not True", "x == 1", None),
        ("x is True", "x == 1", True),
        ("x != 1", "x is True", False),
        ("x > 1", "x in ()", False),
    ],
)
def test_what_is_told(known: str, asked: str, verdict: bool | None) -> None:
    (first, holds), (second, stands) = _read(known), _read(asked)
    told = told_by([(first, holds)], second)
    assert (told if told is None else told is stands) == verdict


_POSITIVE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.GtE: ast.Lt,
    ast.LtE: ast.Gt,
    ast.NotEq: ast.Eq,
    ast.IsNot: ast.Is,
    ast.NotIn: ast.In,
}


def _read(text: str) -> tuple[Comparison, bool]:
    """A comparison in its positive form, and whether it stands there in that."""
    test = ast.parse(text, mode="eval").body
    assert isinstance(test, ast.Compare)
    constants = ast.literal_eval(test.comparators[0])
    several = constants if isinstance(constants, tuple) else (constants,)
    written = type(test.ops[0])
    return Comparison(_POSITIVE.get(written, written), several), written not in _POSITIVE
