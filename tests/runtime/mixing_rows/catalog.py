"""Rows on the operations of the catalog that have no row about an operand of theirs.

Those with one tensor have nothing that could meet: the result lives where the tensor does. `call`
calls each, by its `NAME`, on the sample input with which the catalog's own tests call it.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch

from torchdev_lint.catalog import operations

from .row import (
    ITERATOR,
    SAME,
    SCALARS,
    STRICT,
    Place,
    Rank,
    Row,
    both_ranks,
    checked,
    mixes,
    raises,
    unchecked,
)

_POLYNOMIALS = (
    "chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w "
    "hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p "
    "shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v "
    "shifted_chebyshev_polynomial_w"
).split()
_GAMMAS = "torch.igamma torch.igammac torch.special.gammainc torch.special.gammaincc"
_GAMMAS_SOURCE = checked("igamma", "igammac") + "; elementwise, but without NoCheck"
_HOSTS: tuple[tuple[Rank, str], ...] = ((0, "host()"), (1, "host(4)"))
_CONV = "aten/src/ATen/native/Convolution.cpp: check_input_same_type_as_parameters"
_ATTENTION = (
    "x = dev(4, 1, 8)\n"
    "OP(x, x, x, 8, 2, host(24, 8), host(24), None, None, False, 0.0, host(8, 8), host(8))"
)

_ASKED = frozenset({"numpy", "is_coalesced", "sparse_dim", "dense_dim"})
"""`numpy` has rows of its own; the others are questions to sparse tensors."""
_ELSEWHERE = frozenset({"pin_memory"})
"""It makes pinned memory for a real accelerator, and has nothing to say on others."""


def _qualified(name: str) -> str:
    """Spell the name of an operation out, as the catalog's tests call it."""
    if hasattr(torch.Tensor, name) and name not in operations.FUNCTIONS_ONLY:
        return f"torch.Tensor.{name}"
    functional, linear = torch.nn.functional, torch.linalg
    for space in (functional, linear, torch, torch.special, torch.fft):
        if callable(getattr(space, name, None)):
            return f"{space.__name__}.{name}"
    raise AttributeError(name)


def _alone(group: str, names: Iterable[str], result: Place = "accelerator") -> Row:
    """Write a row for operations with one tensor, out of a group of the catalog."""
    known = sorted(map(_qualified, names))
    return mixes(
        " ".join(known),
        f"nothing, {group}",
        1,
        "call(NAME)",
        "one tensor: its kernel has nothing to compare",
        result=result,
    )


ROWS: list[Row] = [
    _alone("POINTWISE", operations.POINTWISE - _ELSEWHERE),
    _alone("SHAPED", operations.SHAPED),
    _alone("ITEMIZED", operations.ITEMIZED),
    _alone("PAIRS", operations.PAIRS),
    _alone("REDUCTIONS", operations.REDUCTIONS),
    _alone("SAME_RANK_CASTS", operations.SAME_RANK_CASTS),
    _alone("IN_PLACE_SELF", operations.IN_PLACE_SELF),
    _alone("HOST_READS", operations.HOST_READS - _ASKED, result="neither"),
    # Elementwise.
    *both_ranks(
        " ".join(f"torch.special.{name}" for name in (*_POLYNOMIALS, "zeta")) + " torch.arctan2",
        "other",
        "OP(dev(4), HOST)",
        unchecked("special_chebyshev_polynomial_t", "special_zeta", "atan2") + SCALARS,
    ),
    *[
        raises(_GAMMAS, "other", rank, f"OP(dev(4), {host})", _GAMMAS_SOURCE)
        for rank, host in _HOSTS
    ],
    # Linear algebra.
    raises(
        "torch.addbmm", "batch1", 1, "OP(dev(2, 2), host(3, 2, 2), dev(3, 2, 2))", checked("addbmm")
    ),
    raises("torch.vdot torch.linalg.vecdot", "other", 1, "OP(dev(3), host(3))", checked("vdot")),
    raises(
        "torch.linalg.householder_product",
        "tau",
        1,
        "OP(dev(3, 3), host(3))",
        checked("linalg_householder_product"),
    ),
    raises(
        "torch.linalg.solve_triangular",
        "B",
        1,
        "OP(dev(3, 3), host(3, 1), upper=True)",
        checked("linalg_solve_triangular"),
    ),
    raises(
        "torch.linalg.tensorsolve",
        "B",
        1,
        "OP(dev(3, 3), host(3))",
        checked("_linalg_solve_ex") + "; torch.linalg.tensorsolve ends in solve",
    ),
    *[
        raises(
            f"torch.linalg.{name}",
            "B",
            1,
            "OP(dev(3, 3), dev(3, kind=int).int() + 1, host(3, 1))",
            checked(f"linalg_{name}"),
        )
        for name in ("ldl_solve", "lu_solve")
    ],
    raises("torch.ormqr", "tau", 1, "OP(dev(3, 3), host(3), dev(3, 3))", checked("ormqr")),
    # Layers as functions.
    raises(
        "F.conv3d F.conv_transpose3d",
        "bias",
        1,
        "OP(dev(1, 3, 8, 8, 8), dev(3, 3, 3, 3, 3), host(3))",
        _CONV,
        text="Input type (torch.cuda.FloatTensor) and bias type (torch.FloatTensor) should be",
    ),
    raises(
        "F.conv_transpose1d",
        "weight",
        1,
        "OP(dev(1, 3, 8), host(3, 3, 3))",
        _CONV,
        text="Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be",
    ),
    *[
        raises(
            f"F.max_unpool{size}d",
            "indices",
            1,
            f"OP(dev({shape}), host({shape}, kind=int), 2)",
            checked(f"max_unpool{max(size, 2)}d"),
            "int",
        )
        for size, shape in ((1, "1, 1, 2"), (2, "1, 1, 2, 2"), (3, "1, 1, 2, 2, 2"))
    ],
    raises(
        "F.multi_head_attention_forward",
        "the weights",
        1,
        _ATTENTION,
        checked("addmm") + "; torch/nn/functional.py: it begins with linear",
    ),
    raises(
        "F.triplet_margin_with_distance_loss",
        "positive",
        1,
        "OP(dev(2, 3), host(2, 3), dev(2, 3))",
        unchecked("sub.Tensor") + STRICT,
        text=SAME,
    ),
    # Along a dimension.
    raises(
        "torch.Tensor.index_reduce",
        "index",
        1,
        "OP(dev(4), 0, host(2, kind=int), dev(2), 'mean')",
        checked("index_reduce"),
        "int",
    ),
    raises(
        "torch.trapezoid torch.trapz",
        "x",
        1,
        "OP(dev(4), host(4))",
        unchecked("mul.Tensor") + STRICT,
        text=ITERATOR,
    ),
]
