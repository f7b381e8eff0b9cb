"""What operations on tensors do when their operands live in different places.

The policies follow PyTorch's dispatcher. Operations marked `device_check: NoCheck` in
`aten/src/ATen/native/native_functions.yaml` go through TensorIterator, which takes a 0-dim
host tensor beside accelerator tensors; all others demand one device of all tensors.
`tests/runtime/mixing_table.py` runs these statements, and
`tests/catalog/test_catalog_operations.py` holds every name here against the installed PyTorch.

Where a group is written in two halves, the first exists only as functions, in one of
`FUNCTION_NAMESPACES`: see `FUNCTIONS_ONLY`.
"""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Several tensors.

_ELEMENTWISE_FUNCTIONS = _names(
    """
    rsub xlog1py zeta chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v
    chebyshev_polynomial_w hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l
    legendre_polynomial_p shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u
    shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w
    """
)
ELEMENTWISE = _ELEMENTWISE_FUNCTIONS | _names(
    """
    add sub subtract mul multiply div divide true_divide floor_divide remainder fmod pow float_power
    atan2 arctan2 maximum minimum fmax fmin eq ne lt le gt ge greater greater_equal less less_equal
    not_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor
    bitwise_left_shift bitwise_right_shift hypot lerp addcmul xlogy copysign heaviside ldexp where
    masked_fill allclose isclose
    """
)
"""Elementwise: a 0-dim host tensor may be an input, never the target of an in-place form."""

_CHECKED_FUNCTIONS = _names("complex polar gammainc gammaincc")
CHECKED = _CHECKED_FUNCTIONS | _names(
    "addcdiv gcd lcm logaddexp logaddexp2 nextafter igamma igammac"
)
"""Elementwise, but all operands must live on one device, 0-dim ones too."""

_STRICT_FUNCTIONS = _names(
    """
    cat concat concatenate stack hstack vstack dstack row_stack column_stack block_diag
    cartesian_prod chain_matmul multi_dot einsum tensordot bilinear linear embedding embedding_bag
    conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d cdist
    solve solve_triangular tensorsolve ldl_solve householder_product vecdot
    max_unpool1d max_unpool2d max_unpool3d bucketize searchsorted isin
    cosine_similarity pairwise_distance cross_entropy nll_loss kl_div binary_cross_entropy
    binary_cross_entropy_with_logits triplet_margin_loss triplet_margin_with_distance_loss
    margin_ranking_loss cosine_embedding_loss hinge_embedding_loss multi_margin_loss
    multilabel_margin_loss multilabel_soft_margin_loss soft_margin_loss poisson_nll_loss
    gaussian_nll_loss layer_norm rms_norm batch_norm group_norm instance_norm grid_sample
    scaled_dot_product_attention multi_head_attention_forward trapezoid trapz spmm
    """
)
STRICT = _STRICT_FUNCTIONS | _names(
    """
    matmul mm bmm mv dot vdot inner outer ger addmm addmv addbmm baddbmm addr kron cross dist
    gather scatter scatter_add scatter_reduce index_select index_add index_copy index_reduce
    masked_select masked_scatter take take_along_dim prelu stft istft cholesky_solve lu_solve ormqr
    """
)
"""All tensor operands must live on one device, 0-dim ones too."""

RANKED = _names(
    """
    cat concat concatenate stack hstack vstack dstack row_stack column_stack block_diag
    cartesian_prod chain_matmul bmm mm spmm mv outer ger addmm addmv addbmm baddbmm addr cdist
    embedding embedding_bag conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d
    cross layer_norm rms_norm batch_norm group_norm instance_norm grid_sample masked_select
    max_unpool1d max_unpool2d max_unpool3d scaled_dot_product_attention stft istft
    solve_triangular householder_product cholesky_solve lu_solve ormqr ldl_solve
    """
)
"""Those of `STRICT` whose result has at least one dimension, whatever the operands."""

LISTED = _names(
    """
    cat concat concatenate stack hstack vstack dstack row_stack column_stack block_diag chain_matmul
    multi_dot einsum
    """
)
"""Those of `STRICT` that take their operands as a list; of others, lists are sizes and axes."""

BROADCAST = _names("mse_loss smooth_l1_loss l1_loss huber_loss")
"""Operands are broadcast to one shape before they meet: a 0-dim host tensor is 0-dim no more.

Source: `torch.nn.functional.mse_loss` in torch/nn/functional.py.
"""

LOSS_FUNCTIONS = BROADCAST | {
    name for name in _STRICT_FUNCTIONS if name.endswith(("_loss", "_div")) or "_entropy" in name
}
"""Losses: what is predicted and what is wanted, the first two arguments, are tensors."""

# One tensor.

_POINTWISE_FUNCTIONS = _names(
    """
    dropout dropout1d dropout2d dropout3d alpha_dropout feature_dropout feature_alpha_dropout
    celu elu gelu glu gumbel_softmax hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish
    normalize local_response_norm relu6 rrelu selu silu softmin softplus softshrink softsign
    tanhshrink threshold channel_shuffle poisson quantize_per_tensor
    fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 hfft2 ihfft2 fftn ifftn rfftn irfftn
    hfftn ihfftn fftshift ifftshift
    airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 entr erfcx expit gammaln i0e i1 i1e log_ndtr
    modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 multigammaln ndtr
    ndtri psi scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0 inv pinv
    """
)
POINTWISE = _POINTWISE_FUNCTIONS | _names(
    """
    abs absolute acos arccos acosh arccosh asin arcsin asinh arcsinh atan arctan atanh arctanh
    bitwise_not ceil clamp clamp_max clamp_min clip conj conj_physical cos cosh deg2rad digamma erf
    erfc erfinv exp exp2 expm1 fix floor frac i0 imag isfinite isinf isnan isneginf isposinf isreal
    lgamma log log10 log1p log2 logical_not logit mvlgamma nan_to_num neg negative positive rad2deg
    real reciprocal relu round rsqrt sgn sigmoid sign signbit sin sinc sinh softmax log_softmax sqrt
    square tan tanh trunc hardshrink angle bernoulli
    cumsum cumprod logcumsumexp msort renorm contiguous clone detach pin_memory resolve_conj
    resolve_neg flip fliplr flipud roll rot90 tril triu adjoint matrix_exp matrix_power
    inverse pinverse cholesky cholesky_inverse
    diagonal_scatter select_scatter slice_scatter as_strided_scatter
    """
)
"""One tensor in, one of the same number of dimensions and in the same place out.

What the `_scatter` ones are given to put into it is copied across.
"""

BOUNDED = _names("clamp clamp_max clamp_min clip")
"""Operations with one tensor and bounds. Bounds that are tensors must be on its device, 0-dim too.

Beside a bound that is a number, a 0-dim tensor is read as one: `clamp(x, 0, bound)` takes
`aten::clamp`, `clamp(x, max=bound)` takes `aten::clamp.Tensor`.
"""

FILLED = _names("index_fill")
"""Operations that fill one tensor with a number, or with a 0-dim tensor that is read as one."""

ACCOMPANIED = BOUNDED | FILLED | _names("repeat_interleave quantile nanquantile diff bincount")
"""Operations with one tensor whose further tensors must be on its device.

Those are bounds, counts, weights, what is put before and behind, or where to fill.
"""

WRAPPERS = _names("Variable")
"""What is called with a tensor, and gives it back.

Source: https://docs.pytorch.org/docs/stable/autograd.html#variable-deprecated
"""

NUMBERS = _names("alpha beta output_size minlength")
"""Arguments that are numbers: a tensor given for one is read with `item()`.

Source: `THPUtils_unpackIndex` in torch/csrc/utils/python_numbers.h, for the sizes among them.
"""

CASTS = _names("half float double bfloat16")
"""Tensor methods that change the dtype and can be thrown away by mistake."""

SAME_RANK_CASTS = CASTS | _names("long int short byte char bool cfloat cdouble chalf")
"""All tensor methods that only change the dtype."""

_SHAPED_FUNCTIONS = _names(
    """
    fold pad one_hot vander view_as_real affine_grid combinations cumulative_trapezoid pdist
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
    adaptive_max_pool2d adaptive_max_pool3d avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d
    max_pool3d lp_pool1d lp_pool2d lp_pool3d fractional_max_pool2d fractional_max_pool3d interpolate
    upsample upsample_bilinear upsample_nearest pixel_shuffle pixel_unshuffle
    atleast_1d atleast_2d atleast_3d eigvals eigvalsh svdvals tensorinv
    """
)
SHAPED = _SHAPED_FUNCTIONS | _names(
    """
    view reshape flatten ravel unflatten expand expand_as view_as reshape_as broadcast_to repeat
    tile repeat_interleave permute transpose swapaxes swapdims movedim moveaxis unsqueeze unfold
    t T mT H mH diag_embed diagflat diag narrow narrow_copy as_strided argsort nonzero
    nonzero_static argwhere diff multinomial
    """
)
"""One tensor in, out comes one in the same place with at least one dimension.

Some can be asked for none (`view(())`, `transpose` of a 0-dim tensor), which nobody does.
"""

_ITEMIZED_FUNCTIONS = _names(
    "meshgrid gradient unravel_index lu_unpack lu_factor_ex ldl_factor_ex svd_lowrank pca_lowrank"
)
ITEMIZED = _ITEMIZED_FUNCTIONS | _names(
    """
    chunk split unbind tensor_split split_with_sizes hsplit vsplit dsplit unsafe_chunk unsafe_split
    svd lu
    """
)
"""Give a tuple of tensors in the same place."""

_PAIRS_FUNCTIONS = _names(
    "std_mean var_mean eig eigh lobpcg cholesky_ex inv_ex lu_factor ldl_factor"
)
PAIRS = _PAIRS_FUNCTIONS | _names(
    "sort topk cummax cummin kthvalue mode aminmax frexp slogdet qr geqrf"
)
"""Give two tensors in the same place."""

RESULT_FIELDS = {
    **dict.fromkeys(_names("values eigenvalues Q sign mantissa min U LU L LD inverse"), 0),
    **dict.fromkeys(_names("indices eigenvectors R logabsdet exponent max S pivots info"), 1),
    **dict.fromkeys(_names("V Vh"), 2),
}
"""What the parts of such tuples are called, and where they are: `x.max(dim=1).values`.

Source: `torch.return_types`, whose classes have them by name, and `torch.linalg` of its operations.
"""

ALIKE_PAIRS = _names("sort topk cummax cummin")
"""Those of them that give two tensors with as many dimensions as their operand has."""

PAIRS_BY_DIMENSION = _names("max min median nanmedian")
"""Reductions that give values and indices when a dimension is named."""

_REDUCTIONS_FUNCTIONS = _names(
    "nuclear_norm frobenius_norm matrix_norm vector_norm matrix_rank view_as_complex"
)
REDUCTIONS = (
    PAIRS_BY_DIMENSION
    | _REDUCTIONS_FUNCTIONS
    | _names(
        """
        sum mean prod std var norm amax amin all any argmax argmin logsumexp nansum nanmean
        count_nonzero quantile nanquantile trace det logdet corrcoef cov squeeze select diagonal
        unique unique_consecutive bincount histc
        """
    )
)
"""One tensor in, out comes one in the same place; without `dim` most give a 0-dim one."""

FULL_REDUCTIONS = PAIRS_BY_DIMENSION | _names(
    """
    sum mean prod std var norm all any amax amin argmax argmin count_nonzero trace nansum nanmean
    vector_norm
    """
)
"""Reductions that give a 0-dim tensor when no dimension is named."""

DIMENSION_FIRST = _names(
    """
    sum mean prod std var all any amax amin argmax argmin count_nonzero nansum nanmean logsumexp
    max min median nanmedian mode sort cummax cummin select squeeze
    """
)
"""Those whose first argument behind the tensor, if it is a number, is the dimension."""

NEUTRAL_FUNCTIONS = POINTWISE | SHAPED | ITEMIZED | PAIRS | REDUCTIONS
"""Functions in `torch` and `torch.nn.functional` with one tensor operand."""

JOINS = _names("cat concat concatenate stack hstack vstack dstack row_stack column_stack")
"""Functions whose first argument is a sequence of tensors, and nothing else."""

TENSOR_FIRST = (POINTWISE | SHAPED | PAIRS | REDUCTIONS | CHECKED | BROADCAST | STRICT) - (
    JOINS | _names("atleast_1d atleast_2d atleast_3d multi_dot bucketize isin einsum")
)
"""Functions whose first argument is a tensor: they take no number, list or array for it."""

WITHOUT_DEVICE = (
    ELEMENTWISE | CHECKED | STRICT | BROADCAST | NEUTRAL_FUNCTIONS | JOINS
) - _names("pin_memory")  # fmt: skip
"""Operations that raise a `TypeError` if they are told a `device`, as functions and as methods."""

COUNTED_FIRST = _names(
    """
    unique unique_consecutive bincount histc repeat_interleave nonzero argwhere masked_select
    matrix_rank lobpcg
    """
)
"""Operations of whose result the host has to know the size: it waits until that is computed."""

FUNCTIONS_ONLY = (
    _ELEMENTWISE_FUNCTIONS
    | _CHECKED_FUNCTIONS
    | _STRICT_FUNCTIONS
    | BROADCAST
    | _POINTWISE_FUNCTIONS
    | _SHAPED_FUNCTIONS
    | _ITEMIZED_FUNCTIONS
    | _PAIRS_FUNCTIONS
    | _REDUCTIONS_FUNCTIONS
)
"""Operations that tensors don't have as methods: `x.dropout` does not speak for a tensor."""

QUANTIZED = ("torch.nn.quantized.", "torch.ao.nn.quantized.", "torch.ops.quantized.")
"""Packages whose operations are the CPU's: for CUDA there are prototypes of a few only.

Where such operations are, a model that uses them is on the CPU.
Source: https://discuss.pytorch.org/t/quantization-frequently-asked-questions/161251
"""

# Methods.

HOST_READS = _names(
    """
    item tolist numpy __len__ dim ndimension size numel nelement stride element_size data_ptr
    storage_offset get_device equal is_contiguous is_complex is_floating_point is_signed is_nonzero
    is_same_size is_inference is_conj is_neg is_pinned is_shared is_set_to is_coalesced sparse_dim
    dense_dim dim_order
    """
)
"""Tensor methods that leave the tensor world."""

IN_PLACE_SELF = _names(
    """
    zero_ fill_ normal_ uniform_ random_ bernoulli_ exponential_ geometric_ cauchy_ log_normal_
    copy_ abs_ neg_ exp_ log_ sqrt_ rsqrt_ sigmoid_ tanh_ relu_ round_ floor_ ceil_ cumsum_ cumprod_
    requires_grad_ detach_ squeeze_ unsqueeze_ transpose_ t_ resize_ resize_as_ tril_ triu_
    share_memory_ fill_diagonal_
    """
)
"""In-place methods that never fail for a device: they take no tensor or copy its value across."""

IN_PLACE_RESHAPING = _names("squeeze_ unsqueeze_ transpose_ t_ resize_ resize_as_")
"""Those of them that may change how many axes there are, or in which order."""

FUNCTION_NAMESPACES = (
    "torch.",
    "torch.nn.functional.",
    "torch.linalg.",
    "torch.special.",
    "torch.fft.",
    "torch.nn.utils.rnn.",
)
"""Where the operations above live as functions."""

ACROSS_DEVICES = ("torch.nn.parallel.", "torch.cuda.comm.", "torch.distributed.")
"""Where functions live that take tensors from device to device, some by names of operations."""
