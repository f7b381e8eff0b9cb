"""Sample inputs for the operations of the catalog."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from torchdev_lint.catalog import operations

NAMESPACES = (F, torch.linalg, torch, torch.special, torch.fft)

BATCH = torch.rand(2, 4, 4) + 2 * torch.eye(4)
VECTOR = torch.rand(4)
IMAGE = torch.rand(1, 4, 8, 8)
VOLUME = torch.rand(1, 1, 4, 4, 4)
COUNTS = torch.tensor([1, 2, 3])
SQUARE = BATCH[0]

INPUTS: dict[str, Any] = {
    **dict.fromkeys(["bitwise_not", "one_hot", "bincount", "unravel_index"], COUNTS),
    **dict.fromkeys(["affine_grid"], torch.rand(2, 2, 3)),
    **dict.fromkeys(["dropout2d", "channel_shuffle", "pixel_shuffle", "interpolate"], IMAGE),
    **dict.fromkeys(["upsample_bilinear", "upsample_nearest", "pixel_unshuffle", "unfold"], IMAGE),
    **dict.fromkeys(["upsample_bilinear", "upsample_nearest", "pixel_unshuffle"], IMAGE),
    "unfold": IMAGE,
    **dict.fromkeys(["dropout3d", "fractional_max_pool3d", "lp_pool3d"], VOLUME),
    **dict.fromkeys(["trace", "cov", "corrcoef", "pdist", "t", "diagflat", "geqrf"], SQUARE),
    **dict.fromkeys(["combinations", "vander", "histc", "diag", "meshgrid"], VECTOR),
    **dict.fromkeys(["view_as_real", "imag"], torch.rand(4, dtype=torch.complex64)),
    "adaptive_avg_pool3d": VOLUME, "adaptive_max_pool3d": VOLUME,
    "adaptive_avg_pool2d": IMAGE, "adaptive_max_pool2d": IMAGE,
    "avg_pool2d": IMAGE, "max_pool2d": IMAGE, "avg_pool3d": VOLUME, "max_pool3d": VOLUME,
    "acosh": VECTOR + 1, "arccosh": VECTOR + 1, "fold": torch.rand(1, 4, 9),
    "lobpcg": torch.eye(9), "cholesky": torch.eye(4), "cholesky_ex": torch.eye(4),
    "tensorinv": torch.eye(4).reshape(4, 2, 2), "ldl_factor": torch.eye(4),
    "view_as_complex": torch.rand(4, 2), "unflatten": VECTOR, "as_strided": VECTOR,
    "fliplr": SQUARE, "quantize_per_tensor": VECTOR,
    "multinomial": VECTOR, "bernoulli": VECTOR, "poisson": VECTOR, "select": BATCH,
    "lu_unpack": SQUARE, "nuclear_norm": SQUARE, "frobenius_norm": SQUARE,
    "as_strided_scatter": VECTOR, "diagonal_scatter": SQUARE, "select_scatter": SQUARE,
    **dict.fromkeys(operations.HOST_READS, VECTOR), "item": VECTOR[0], "is_nonzero": VECTOR[0],
    **dict.fromkeys(["t_", "fill_diagonal_", "tril_", "triu_"], SQUARE),
    "slice_scatter": SQUARE, "ihfft": VECTOR, "ihfft2": SQUARE, "ihfftn": SQUARE,
}  # fmt: skip
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(
        """
        softmax log_softmax softmin cumsum cumprod logcumsumexp cummax cummin unbind argsort sort
        squeeze unsqueeze glu gumbel_softmax logsumexp tensorinv mvlgamma multigammaln
        """.split(),
        (1,),
    ),
    **dict.fromkeys(
        """
        chunk split tensor_split hsplit vsplit dsplit unsafe_chunk unsafe_split topk kthvalue
        matrix_power channel_shuffle roll tile repeat_interleave pixel_shuffle pixel_unshuffle
        local_response_norm avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d unfold
        adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
        adaptive_max_pool2d adaptive_max_pool3d interpolate upsample upsample_bilinear
        upsample_nearest svd_lowrank pca_lowrank
        """.split(),
        (2,),
    ),
    **dict.fromkeys(["clamp", "clip", "threshold"], (0.1, 0.2)),
    **dict.fromkeys(["clamp_min", "clamp_max", "quantile", "nanquantile"], (0.5,)),
    **dict.fromkeys(["lp_pool1d", "lp_pool2d", "lp_pool3d"], (2.0, 2)),
    **dict.fromkeys(["fractional_max_pool2d", "fractional_max_pool3d"], (2, 2)),
    **dict.fromkeys(["view", "reshape", "expand", "broadcast_to"], ((2, 4, 4),)),
    **dict.fromkeys(["view_as", "reshape_as", "expand_as"], (BATCH,)),
    **dict.fromkeys(["transpose", "swapaxes", "swapdims", "movedim", "moveaxis"], (0, 1)),
    **dict.fromkeys(["narrow", "narrow_copy"], (0, 0, 1)),
    "feature_dropout": (0.5, True), "renorm": (2, 0, 1.0), "frobenius_norm": ((0, 1),),
    "affine_grid": ((2, 3, 4, 4),), "flip": ((0,),), "permute": ((2, 0, 1),),
    "repeat": (2, 1, 1, 1), "unflatten": (0, (2, 2)), "as_strided": ((2, 2), (1, 1)),
    "pad": ((1, 1),), "fold": ((4, 4), (2, 2)), "split_with_sizes": ([1, 1],),
    "unravel_index": ((4, 4),), "multinomial": (2,), "select": (0, 0), "histc": (4,),
    "quantize_per_tensor": (0.1, 0, torch.qint8),
    "lu_unpack": (torch.tensor([1, 2, 3, 4], dtype=torch.int32),), "vsplit": ([1],),
    "as_strided_scatter": (torch.rand(2, 2), (2, 2), (1, 1)), "select_scatter": (VECTOR, 0, 0),
    "slice_scatter": (SQUARE,), "diagonal_scatter": (VECTOR,),
}  # fmt: skip
KEYWORDS: dict[str, dict[str, Any]] = {
    "nonzero_static": {"size": 2},
    "meshgrid": {"indexing": "ij"},
}
METHOD_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "unfold": (2, 2, 1), "fill_": (1.0,), "geometric_": (0.5,), "copy_": (torch.ones(2, 4, 4),),
    "cumsum_": (0,), "cumprod_": (0,), "unsqueeze_": (0,), "transpose_": (0, 1),
    "resize_": (2, 4, 4), "resize_as_": (torch.ones(2, 4, 4),), "fill_diagonal_": (1.0,),
    "equal": (VECTOR,), "is_same_size": (VECTOR,), "is_set_to": (VECTOR,),
}  # fmt: skip

ATTRIBUTES = frozenset({"T", "mT", "H", "mH", "real", "imag"})
NEEDS_ACCELERATOR = {"pin_memory"}


def function_named(name: str) -> Callable[..., Any] | None:
    """Return a function by its last component, from the first namespace that has it."""
    for space in NAMESPACES:
        found: Callable[..., Any] | None = getattr(space, name, None)
        if callable(found):
            return found
    return None


def moved_to(place: str, value: Any) -> Any:
    """Return an argument with its tensors on a device."""
    return value.to(place) if isinstance(value, torch.Tensor) else value


def call(name: str, place: str) -> Any:
    """Call an operation on a sample input that lives in a place."""
    subject = moved_to(place, INPUTS.get(name, BATCH)).clone()
    if name == "H":
        subject = moved_to(place, SQUARE)
    if name in ATTRIBUTES:
        return getattr(subject, name)
    given = ARGUMENTS.get(name, ())
    as_method = hasattr(torch.Tensor, name) and name not in operations.FUNCTIONS_ONLY
    if as_method:
        given = METHOD_ARGUMENTS.get(name, given)
    arguments = [moved_to(place, value) for value in given]
    if as_method:
        return getattr(subject, name)(*arguments, **KEYWORDS.get(name, {}))
    function = function_named(name)
    assert function is not None, name
    return function(subject, *arguments, **KEYWORDS.get(name, {}))


def subject_of(name: str) -> torch.Tensor:
    """Return the sample input of an operation."""
    value: torch.Tensor = SQUARE if name == "H" else INPUTS.get(name, BATCH)
    return value


def results(name: str) -> Iterator[list[torch.Tensor]]:
    """Yield the results of an operation on the host, and on `meta` where it has such a kernel."""
    for place in ("cpu", "meta"):
        try:
            value = call(name, place)
        except (NotImplementedError, RuntimeError):
            if place == "cpu":
                raise
            continue
        values = [value] if isinstance(value, torch.Tensor) else list(value)
        assert {part.device.type for part in values} == {place}, name
        yield values


# Operands of the lowest rank that each operation takes.
RANKED_CALLS = {
    "cat concat concatenate hstack vstack dstack row_stack column_stack": "OP([v, v])",
    "stack": "OP([s, s])",
    "block_diag cartesian_prod": "OP(v, v)",
    "chain_matmul mm spmm": "OP(m, m)",
    "bmm": "OP(b, b)",
    "mv": "OP(m, v)",
    "outer ger cross": "OP(v, v)",
    "addmm": "OP(s, m, m)",
    "addmv": "OP(s, m, v)",
    "addbmm baddbmm": "OP(s, b, b)",
    "addr": "OP(s, v, v)",
    "cdist": "OP(m, m)",
    "embedding": "OP(i, m)",
    "embedding_bag": "OP(i[None], m, i[None] * 0)",
    "conv1d conv_transpose1d": "OP(b[0], b)",
    "conv2d conv_transpose2d": "OP(b, torch.ones(3, 3, 3, 3))",
    "conv3d conv_transpose3d": "OP(b[None], b[None, None])",
    "layer_norm rms_norm": "OP(v, (3,))",
    "batch_norm": "OP(m, v, v)",
    "group_norm": "OP(m, 3)",
    "instance_norm": "OP(b)",
    "grid_sample": "OP(b[None], torch.zeros(1, 2, 2, 2))",
    "masked_select": "OP(s, s > 0)",
    "max_unpool1d": "OP(m, m.long() * 0, 2)",
    "max_unpool2d": "OP(b, b.long() * 0, 2)",
    "max_unpool3d": "OP(b[None], b[None].long() * 0, 2)",
    "scaled_dot_product_attention": "OP(m, m, m)",
    "stft": "OP(torch.rand(16), 8, return_complex=True)",
    "istft": "OP(torch.rand(5, 9, dtype=torch.complex64), 8)",
    "solve_triangular": "OP(m, m, upper=True)",
    "householder_product": "OP(m, v)",
    "cholesky_solve": "OP(m, m)",
    "lu_solve": "OP(*torch.linalg.lu_factor(m), m)",
    "ldl_solve": "OP(*torch.linalg.ldl_factor(m), m)",
    "ormqr": "OP(m, v, m)",
}


# Much in the catalog is deprecated, in beta or odd to call without a gradient: torch warns of that,
# and the tests ask for something else.
ignore_warnings = pytest.mark.filterwarnings("ignore")


def member(name: str) -> Any:
    """Return what a qualified name means."""
    value: Any = importlib.import_module(name.partition(".")[0])
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    return value
