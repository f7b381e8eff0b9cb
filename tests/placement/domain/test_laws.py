"""The laws of the domain: joining says the same in whatever order, and never knows more again."""

from __future__ import annotations

from random import Random

from hypothesis import example, given
from hypothesis import strategies as st

from tests.placement.domain.strategies import ORIGINS, values
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.environment import Env, join_environments
from torchdev_lint.placement.domain.heap import Obj, join_heaps
from torchdev_lint.placement.domain.joins import (
    MAX_ALTERNATIVES,
    choice,
    join,
    leaves,
    moved,
    sequence,
)
from torchdev_lint.placement.domain.paths import Paths
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    WIDENED,
    Bundle,
    Choice,
    Const,
    Place,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.domain.weight import MAX_WEIGHT, Holder
from torchdev_lint.placement.evidence.conditions import blur

places = st.sampled_from(list(Place))
UNPLACED = Tensor(Place.UNKNOWN)


def is_below(value: Value, other: Value) -> bool:
    """Whether all that `other` leaves open, `value` leaves open at least: it promises no less."""
    if join(value, other) == other or WIDENED in alternatives(other):
        return True
    return all(any(says_no_more(o, v) for o in alternatives(other)) for v in alternatives(value))


def says_no_more(other: Value, value: Value) -> bool:
    """Whether whatever is said of one alternative holds of another as well.

    One structure that stands for several says of itself only what holds for each of them.
    """
    if not isinstance(other, Bundle) or not isinstance(value, Bundle):
        return join(value, other) == other
    return (
        other.place in {value.place, Place.UNKNOWN}
        and other.origin in {value.origin, None}
        and other.in_place in {value.in_place, None}
        and other.part <= value.part
        and other.loaded <= value.loaded
        and other.own >= value.own
        and other.sources >= value.sources
    )


def size_of(value: Value) -> int:
    """How many values a value is made of."""
    return 1 + sum(map(size_of, value.held())) if isinstance(value, Holder) else 1


def depth_of(value: Value) -> int:
    """How deep values are nested in a value."""
    return 1 + max(map(depth_of, value.held())) if isinstance(value, Holder) else 1


def certain_places(value: Value) -> set[Place]:
    """Where the tensors in a value certainly live."""
    return {o.place for o in leaves(value) if isinstance(o, (Tensor, Bundle))} - {Place.UNKNOWN}


@given(values)
def test_join_is_idempotent(value: Value) -> None:
    assert join(value, value) == value


@example(sequence([UNPLACED]), sequence([UNPLACED, UNPLACED]))
@example(sequence([UNPLACED, UNKNOWN]), sequence([UNKNOWN, UNPLACED, Const(1)]))
@given(values, values)
def test_join_is_commutative(first: Value, second: Value) -> None:
    assert join(first, second) == join(second, first)


@given(values, values, values)
@example(
    Tensor(Place.HOST, None, ORIGINS[0]), Bundle(Place.UNKNOWN), Bundle(Place.HOST, ORIGINS[0])
)
def test_join_is_associative_up_to_unknown(first: Value, second: Value, third: Value) -> None:
    left, right = join(join(first, second), third), join(first, join(second, third))
    assert left == right or WIDENED in (*leaves(left), *leaves(right))


@given(values, values)
def test_a_join_is_certain_of_nothing_that_was_not_certain_before(
    first: Value, second: Value
) -> None:
    known = certain_places(first) | certain_places(second)
    assert certain_places(join(first, second)) <= known


@given(values)
def test_what_was_widened_stays_unknown(value: Value) -> None:
    assert join(value, WIDENED) == WIDENED
    assert join(WIDENED, value) == WIDENED


@given(st.lists(values, min_size=1, max_size=12))
def test_no_more_alternatives_are_kept_than_the_limit(options: list[Value]) -> None:
    joined = choice(options)
    assert len(alternatives(joined)) <= MAX_ALTERNATIVES
    assert not any(isinstance(option, Choice) for option in alternatives(joined))


@given(st.lists(values, min_size=2, max_size=6), st.randoms())
def test_the_order_of_alternatives_says_nothing(options: list[Value], random: Random) -> None:
    shuffled = list(options)
    random.shuffle(shuffled)
    first, second = choice(options), choice(shuffled)
    assert first == second or WIDENED in (*leaves(first), *leaves(second))
    if first == second:
        assert hash(first) == hash(second)


@example(Bundle(Place.HOST, ORIGINS[0]), Bundle(Place.UNKNOWN), Place.HOST)
@given(values, values, places)
def test_moving_is_monotone(first: Value, second: Value, place: Place) -> None:
    assert is_below(moved(first, place), moved(join(first, second), place))


@given(values, values)
def test_blurring_is_monotone(first: Value, second: Value) -> None:
    def blurred(value: Value) -> Value:
        return choice([blur(option) for option in alternatives(value)])

    assert is_below(blurred(first), blurred(join(first, second)))


@given(values)
def test_a_moved_value_is_nowhere_else(value: Value) -> None:
    assert certain_places(moved(value, Place.ACCELERATOR)) <= {Place.ACCELERATOR}


def test_what_one_path_moved_is_on_no_path_certainly_unmoved() -> None:
    for origin in ORIGINS:
        here = Tensor(Place.HOST, False, origin)
        joined = join(here, moved(here, Place.ACCELERATOR))
        assert Place.HOST not in certain_places(joined)


def test_constants_are_told_apart_by_their_type() -> None:
    assert len({Const(1), Const(True), Const(1.0)}) == 3


@given(values, values)
def test_lists_are_joined_element_by_element(first: Value, second: Value) -> None:
    joined = join(Sequence(None, first), Sequence(None, second))
    assert isinstance(joined, Sequence)
    assert joined.element in (join(first, second), WIDENED)


@given(values)
def test_no_value_grows_beyond_a_bound(value: Value) -> None:
    for _ in range(60):
        value = join(sequence([value, value]), Mapping((("x", value),), value))
        assert size_of(value) <= MAX_WEIGHT
        assert depth_of(value) < 30


@given(values, values, values, values)
def test_environments_are_joined_in_any_order(a: Value, b: Value, c: Value, d: Value) -> None:
    first = Env({"x": a, "y": b}, {1: Obj(Place.HOST, attrs={"w": c})})
    second_objects = {1: Obj(Place.ACCELERATOR, attrs={"w": d, "v": a})}
    second = Env({"x": c}, second_objects, Paths({"x.y": b}))
    one, other = join_environments(first, second), join_environments(second, first)
    assert (one.names, one.paths, one.heap) == (other.names, other.paths, other.heap)
    assert one.heap[1].place is Place.UNKNOWN


@given(values, values)
def test_joining_a_heap_with_itself_changes_nothing(first: Value, second: Value) -> None:
    heap = {1: Obj(Place.HOST, module=True, attrs={"a": first, "b": second}, was_moved=True)}
    assert join_heaps(heap, dict(heap)) == heap
