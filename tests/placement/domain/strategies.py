"""Abstract values of all kinds, for the laws that hold for any of them."""

from __future__ import annotations

import ast

from hypothesis import strategies as st

from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.file import File
from torchdev_lint.placement.domain.joins import choice, sequence
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import (
    NONE,
    UNKNOWN,
    WIDENED,
    Bundle,
    Const,
    Place,
    Scalar,
    ScalarKind,
    Tensor,
    Value,
)

_NODES = [ast.Pass() for _ in range(4)]
FILE = File()
ORIGINS = [Origin(node, FILE, OriginKind.FACTORY, "torch.zeros", False, "") for node in _NODES]
"""Four places in which host values are made."""


def _tensors() -> st.SearchStrategy[Value]:
    hosts = st.builds(
        Tensor, st.just(Place.HOST), st.sampled_from([None, True, False]), st.sampled_from(ORIGINS)
    )
    moved_ones = st.builds(
        Tensor,
        st.just(Place.ACCELERATOR),
        st.sampled_from([None, False]),
        moved_from=st.frozensets(st.sampled_from(ORIGINS), max_size=2),
    )
    return hosts | moved_ones | st.just(Tensor(Place.UNKNOWN))


def _bundles() -> st.SearchStrategy[Value]:
    hosts = st.builds(
        Bundle,
        st.just(Place.HOST),
        st.sampled_from(ORIGINS),
        in_place=st.sampled_from([None, True]),
        part=st.booleans(),
    )
    others = st.builds(
        Bundle,
        st.sampled_from([Place.ACCELERATOR, Place.UNKNOWN]),
        moved_from=st.frozensets(st.sampled_from(ORIGINS), max_size=2),
    )
    return hosts | others


_simple = (
    _tensors()
    | _bundles()
    | st.sampled_from([NONE, Const(1), Const(True), Const(1.0), Const("cuda")])
    | st.sampled_from([Scalar(ScalarKind.INT), UNKNOWN])
)


def _containers(inner: st.SearchStrategy[Value]) -> st.SearchStrategy[Value]:
    kinds = st.sampled_from([SequenceKind.LIST, SequenceKind.TUPLE])
    known = st.builds(sequence, st.lists(inner, max_size=3), kinds)
    open_ended = st.builds(
        lambda element, kind, held: Sequence(None, element, kind, tuple(held)),
        inner,
        kinds,
        st.lists(inner, max_size=2),
    )
    mappings = st.builds(lambda value: Mapping((("x", value),), UNKNOWN), inner)
    joined = st.builds(choice, st.lists(inner, min_size=1, max_size=4))
    return known | open_ended | mappings | joined


values = st.recursive(_simple, _containers, max_leaves=6) | st.just(WIDENED)
"""Any value a variable may hold."""
