"""What operations on tensors do when their operands live in different places.

The three policies follow PyTorch's dispatcher. Operations marked `device_check: NoCheck`
in `aten/src/ATen/native/native_functions.yaml` go through TensorIterator, which takes a
0-dim host tensor beside accelerator tensors; all others demand one device of all tensors.
`tests/runtime/mixing_table.py` runs these statements.
"""

from __future__ import annotations

ELEMENTWISE = frozenset(
    """
    add sub subtract mul multiply div divide true_divide floor_divide remainder fmod pow float_power
    atan2 arctan2 maximum minimum fmax fmin eq ne lt le gt ge greater greater_equal less less_equal
    not_equal logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor
    bitwise_left_shift bitwise_right_shift hypot lerp addcmul addcdiv xlogy logaddexp logaddexp2
    copysign nextafter heaviside rsub where masked_fill dist allclose isclose
    """.split()
)
"""Elementwise: a 0-dim host tensor may be an input, never the target of an in-place form."""

STRICT = frozenset(
    """
    cat concat concatenate stack hstack vstack dstack row_stack column_stack block_diag
    matmul mm bmm mv dot vdot inner outer ger addmm addmv addbmm baddbmm addr einsum tensordot
    chain_matmul kron cross cdist bilinear linear embedding embedding_bag
    conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d
    gather scatter scatter_add scatter_reduce index_select index_add index_reduce
    masked_select take take_along_dim take_along_axis bucketize searchsorted isin
    cross_entropy nll_loss kl_div binary_cross_entropy binary_cross_entropy_with_logits
    cosine_similarity pairwise_distance triplet_margin_loss margin_ranking_loss
    cosine_embedding_loss hinge_embedding_loss multi_margin_loss multilabel_margin_loss
    multilabel_soft_margin_loss soft_margin_loss poisson_nll_loss gaussian_nll_loss ctc_loss
    layer_norm batch_norm group_norm instance_norm prelu grid_sample
    scaled_dot_product_attention multi_head_attention_forward masked_scatter stft istft
    cartesian_prod combinations
    """.split()
)
"""All tensor operands must live on one device, 0-dim ones too."""

BROADCAST = frozenset({"mse_loss", "smooth_l1_loss", "l1_loss", "huber_loss"})
"""Operands are broadcast to one shape before they meet: a 0-dim host tensor is 0-dim no more.

Source: `torch.nn.functional.mse_loss` in torch/nn/functional.py.
"""

POINTWISE = frozenset(
    """
    abs absolute acos arccos acosh arccosh asin arcsin asinh arcsinh atan arctan atanh arctanh
    bitwise_not ceil clamp clamp_max clamp_min clip conj cos cosh deg2rad digamma erf erfc erfinv exp
    exp2 expm1 fix floor frac imag isfinite isinf isnan isneginf isposinf lgamma log log10 log1p log2
    logical_not logit nan_to_num neg negative positive rad2deg real reciprocal relu relu6 round rsqrt
    selu sgn sigmoid sign signbit sin sinc sinh softmax log_softmax softmin softplus softsign sqrt
    square tan tanh trunc gelu elu celu silu mish leaky_relu hardtanh hardsigmoid hardswish
    logsigmoid threshold dropout dropout1d dropout2d dropout3d alpha_dropout feature_dropout
    cumsum cumprod cummax cummin logcumsumexp bernoulli angle hardshrink softshrink tanhshrink
    fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn fftshift ifftshift
    contiguous clone detach detach_ requires_grad_ retain_grad pin_memory flip fliplr flipud roll rot90 tril triu normalize
    gumbel_softmax glu quantize_per_tensor data grad resolve_conj special_log1p i0
    """.split()
)
"""One tensor in, one of the same number of dimensions and in the same place out."""

CASTS = frozenset({"half", "float", "double", "bfloat16"})
"""Tensor methods that change the dtype and can be thrown away by mistake."""

SAME_RANK_CASTS = CASTS | frozenset({"long", "int", "short", "byte", "char", "bool", "cfloat"})
"""All tensor methods that only change the dtype."""

SHAPED = frozenset(
    """
    view reshape flatten expand expand_as view_as reshape_as repeat tile permute transpose swapaxes
    swapdims movedim moveaxis unsqueeze unfold fold t T mT H mH diag_embed diagflat diag ravel narrow
    pad adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d
    adaptive_max_pool2d adaptive_max_pool3d avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d
    max_pool3d interpolate upsample pixel_shuffle pixel_unshuffle one_hot triu_indices
    repeat_interleave sort argsort topk nonzero argwhere broadcast_to unflatten as_strided
    cumulative_trapezoid diff atleast_1d atleast_2d atleast_3d multinomial lp_pool1d lp_pool2d
    """.split()
)
"""One tensor in, out comes one in the same place with at least one dimension."""

ITEMIZED = frozenset(
    {"chunk", "split", "unbind", "tensor_split", "split_with_sizes", "hsplit", "vsplit", "meshgrid"}
)
"""Give a tuple of tensors in the same place."""

PAIRS = frozenset(
    {"sort", "topk", "cummax", "cummin", "kthvalue", "std_mean", "var_mean", "slogdet"}
)
"""Give two tensors in the same place."""

REDUCTIONS = frozenset(
    """
    sum mean prod std var norm amax amin all any argmax argmin logsumexp nansum nanmean count_nonzero
    max min median nanmedian mode quantile nanquantile trace numel_tensor det logdet squeeze select
    diagonal nanstd unique unique_consecutive bincount histc pinverse inverse cholesky
    """.split()
)
"""One tensor in, out comes one in the same place; without `dim` most give a 0-dim one."""

FULL_REDUCTIONS = frozenset(
    {"sum", "mean", "prod", "std", "var", "norm", "all", "any", "logsumexp", "max", "min", "median",
     "amax", "amin", "argmax", "argmin", "count_nonzero", "trace", "det", "logdet", "nansum", "nanmean"}
)  # fmt: skip
"""Reductions that give a 0-dim tensor when no dimension is named."""

HOST_READS = frozenset({"item", "tolist", "numpy", "__len__", "dim", "ndimension", "size", "numel",
    "nelement", "stride", "is_floating_point", "is_complex", "element_size", "data_ptr",
    "is_contiguous", "get_device", "storage_offset", "equal", "is_pinned", "is_shared"})  # fmt: skip
"""Tensor methods that leave the tensor world."""

IN_PLACE_SELF = frozenset(
    """
    zero_ fill_ normal_ uniform_ random_ bernoulli_ exponential_ geometric_ cauchy_ log_normal_
    copy_ clamp_ clip_ abs_ neg_ exp_ log_ sqrt_ rsqrt_ sigmoid_ tanh_ relu_ round_ floor_ ceil_
    requires_grad_ detach_ squeeze_ unsqueeze_ transpose_ t_ resize_ resize_as_ tril_ triu_
    clamp_min_ clamp_max_ cumsum_ cumprod_ share_memory_ fill_diagonal_ retain_grad
    """.split()
)
"""In-place methods that never fail for a device: they take no tensor or copy its value across."""

NEUTRAL_FUNCTIONS = POINTWISE | SHAPED | ITEMIZED | PAIRS | REDUCTIONS
"""Functions in `torch` and `torch.nn.functional` with one tensor operand."""

FUNCTION_NAMESPACES = (
    "torch.",
    "torch.nn.functional.",
    "torch.linalg.",
    "torch.special.",
    "torch.fft.",
    "torch.nn.utils.rnn.",
)
"""Where the operations above live as functions."""

HOST_ARGUMENTS = {"pack_padded_sequence": (1, "lengths")}
"""Arguments that must be on the host (position, keyword)."""
