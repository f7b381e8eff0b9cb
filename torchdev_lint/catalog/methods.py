"""Methods and attributes of tensors, modules and structures, and what they speak for.

`tests/catalog/test_catalog_methods.py` holds every group against the installed PyTorch.
"""

from __future__ import annotations

from torchdev_lint.catalog import operations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Moves.

TO_ACCELERATOR = _names("cuda xpu npu")
"""Methods of tensors and modules that move to the accelerator they are called after.

`npu` comes with `torch_npu`.
"""

MOVES = TO_ACCELERATOR | _names("to cpu")
"""Methods of tensors and modules that change where they live."""

MOVES_TO_DEVICE = MOVES - {"cpu"}
"""Those that may move to the accelerator."""

TENSOR_MOVES = MOVES | _names("type type_as")
"""Methods that may change where a tensor lives; a type's name says a place as well."""

MODULE_MOVES = MOVES | _names("to_empty type")
"""Methods that change where a module lives, in place; a type's name says a place as well."""

KEPT_BY_ASSIGNMENT = TENSOR_MOVES | operations.CASTS
"""Moves and casts that leave a tensor as it is and give another one, which has to be kept."""

# What speaks for a tensor.

ONLY_TENSOR_ATTRIBUTES = _names("shape ndim requires_grad is_cuda grad_fn")
"""Attributes that nothing with a `.to()` has but a tensor."""

_ARRAYS_TOO = _names("size item view reshape squeeze transpose argmax flatten")

ONLY_TENSOR_METHODS = _ARRAYS_TOO | _names(
    """
    dim ndimension nelement numel unsqueeze unsqueeze_ permute contiguous expand expand_as view_as
    backward new_zeros new_ones new_tensor new_empty new_full masked_fill masked_fill_ scatter_
    index_select type_as repeat_interleave long is_floating_point normal_ uniform_ zero_ fill_ clamp
    clamp_ softmax sigmoid detach
    """
)
"""Methods that nothing with a `.to()` has but a tensor."""

TENSORS_ALONE = _names(
    """
    unsqueeze unsqueeze_ expand_as view_as type_as masked_fill masked_fill_ scatter_ new_zeros
    new_ones new_tensor new_empty new_full repeat_interleave normal_ uniform_ zero_ fill_ clamp_
    """
)
"""Those of them that nothing else has: no array, distribution, sparse matrix or sequence."""

TENSORS_FROM_TENSORS = ONLY_TENSOR_METHODS - _ARRAYS_TOO - operations.HOST_READS
"""Those of them that arrays don't have either, and that give a tensor."""

IN_PLACE = _names(
    """
    add_ addbmm_ addcdiv_ addcmul_ addmm_ addmv_ addr_ atan2_ baddbmm_ copysign_ div_ divide_
    floor_divide_ fmod_ index_add_ index_copy_ index_fill_ index_put_ lerp_ masked_scatter_ mul_
    multiply_ pow_ remainder_ scatter_add_ sub_ subtract_ true_divide_
    """
)
"""Methods that compute in place, as only tensors do: `x.sub_(mean).div_(deviation)`."""

_SHARED = _names("clone data grad all any mode sort add where div sub mul t T pow round clip dist")
"""Members of tensors that structures, arrays, graphs or layers of a project may have as well."""

TENSOR_MEMBERS = (
    ONLY_TENSOR_ATTRIBUTES
    | ONLY_TENSOR_METHODS
    | (operations.NEUTRAL_FUNCTIONS - operations.ITEMIZED)
    | operations.ELEMENTWISE
    | operations.CHECKED
    | operations.STRICT
    | IN_PLACE
    | _names("squeeze_ copy_")
) - (operations.FUNCTIONS_ONLY | _SHARED)
"""Attributes that speak for a tensor: modules and in-place movers have none of them."""

ARRAY_MEMBERS = _names(
    """
    T all any argmax argmin argpartition argsort astype base byteswap choose clip compress conj
    conjugate copy ctypes cumprod cumsum data diagonal dot dtype dump dumps fill flags flat flatten
    getfield imag item itemsize max mean min nbytes ndim nonzero partition prod put ravel real
    repeat reshape resize round searchsorted setflags shape size sort squeeze std strides sum
    swapaxes take tobytes tofile tolist trace transpose var view
    """
)
"""Members of NumPy's arrays."""

PICKED_ALONG = _names("index_select select")
"""Methods that are told an axis besides; those of data sets, by which samples are picked, aren't.

Source: `Dataset.index_select` in `torch_geometric/data/dataset.py`, `Dataset.select` in
`datasets/arrow_dataset.py`.
"""

NOT_OF_ARRAYS = TENSOR_MEMBERS - ARRAY_MEMBERS - PICKED_ALONG
"""Members that speak for a tensor also where an array would do."""

ANY_TENSOR_MEMBERS = (
    TENSOR_MEMBERS | _SHARED | MOVES | operations.CASTS | _names("device dtype int bool type")
) | _names("numpy tolist")
"""All attributes of a tensor that are in use."""

TENSOR_METHODS = ANY_TENSOR_MEMBERS | _names(
    """
    apply_ as_subclass byte cauchy_ ccol_indices cdouble cfloat chalf char chunk coalesce
    col_indices const_data_ptr crow_indices data_ptr dense_dim dequantize dim_order dsplit eig
    element_size equal exponential_ fill_diagonal_ geometric_ get_device hash_tensor hsplit index
    histogram index_fill index_put indices int_repr ipu is_coalesced is_complex is_conj
    is_contiguous is_distributed is_inference is_neg is_nonzero is_pinned is_same_size is_set_to
    is_shared is_signed log_normal_ lstsq lu map2_ map_ module_load mtia ndimension nelement new
    new_empty_strided orgqr polygamma put q_per_channel_axis q_per_channel_scales
    q_per_channel_zero_points q_scale q_zero_point qscheme random_ record_stream register_hook
    register_post_accumulate_grad_hook reinforce resize resize_as resize_as_sparse_ retain_grad
    row_indices set_ share_memory_ short slice_inverse smm solve sparse_dim sparse_mask
    sparse_resize_ sparse_resize_and_clear_ split split_with_sizes sspaddmm storage
    storage_offset storage_type stride sum_to_size svd symeig tensor_split to_dense to_mkldnn
    to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc
    to_sparse_csr triangular_solve unbind unsafe_chunk unsafe_split unsafe_split_with_sizes
    untyped_storage values vsplit
    """
)
"""All methods that tensors have, but for their in-place forms, and some of their attributes."""

TENSOR_ATTRIBUTES = ANY_TENSOR_MEMBERS | _names(
    """
    T mT H mH real imag is_leaf is_cpu is_sparse is_meta is_ipu is_maia is_mkldnn is_mps is_mtia
    is_nested is_quantized is_sparse_csr is_vulkan is_xla is_xpu nbytes itemsize grad_dtype layout
    name output_nr retains_grad volatile
    """
)
"""Attributes of tensors, those that are no methods among them.

What has one that is in neither group is no tensor.
"""


def may_be_of_tensor(name: str) -> bool:
    """Whether tensors have an attribute or a method of a name, be it the in-place form of one."""
    return name in TENSOR_ATTRIBUTES or not {name, name.rstrip("_")}.isdisjoint(TENSOR_METHODS)


NOT_OF_TENSORS = frozenset(
    name
    for name in ARRAY_MEMBERS.union(dir(list), dir(dict), dir(str))
    if not name.startswith("_") and not may_be_of_tensor(name)
)
"""Members of arrays, lists, dicts and texts that tensors lack: `copy`, `astype`, `append`."""

TAKING_TENSORS = frozenset(
    name
    for name in operations.ELEMENTWISE | operations.CHECKED | operations.STRICT
    if name not in operations.FUNCTIONS_ONLY | _SHARED
) - _names("cross dot gather inner outer scatter take")
"""Methods that combine a tensor with others, by names that say so.

All of them do that in their in-place forms: `set.add` takes anything, `add_` doesn't.
"""

TENSOR_ARGUMENTS = {
    **dict.fromkeys(
        ("masked_fill", "masked_fill_", "masked_select", "masked_scatter", "masked_scatter_"), 0
    ),
    **dict.fromkeys(("expand_as", "view_as", "type_as", "bmm", "mm"), 0),
    **dict.fromkeys(("index_select", "scatter_"), 1),
    **dict.fromkeys(
        ("scatter_add_", "scatter_reduce", "scatter_reduce_", "index_add",
         "index_add_", "index_copy", "index_copy_", "index_reduce", "index_reduce_"), 2
    ),
}  # fmt: skip
"""Methods that only tensors have, and the argument of theirs that must be a tensor."""

SAME_TENSOR = _names("data grad T mT H mH real imag")
"""Attributes of a tensor that are tensors in the same place."""

HOST_ONLY_METHODS = _names("numpy apply_ map_")
"""Methods of a tensor that fail unless it is on the CPU."""

NUMBER_METHODS = _names("item numel nelement ndimension element_size")
"""Methods that give a number, whatever has them: nothing but tensors and arrays does."""

NUMBER_ATTRIBUTES = _names("ndim nbytes itemsize")
"""Attributes of a tensor that are numbers."""

HOST_VALUES = _names("numpy tolist item")
"""Methods of a tensor that give what is on the host, and no tensor."""

FLAG_ATTRIBUTES = _names("requires_grad is_leaf is_cuda is_cpu is_sparse is_meta")
"""Attributes of a tensor that are booleans."""

# Iterators.

NEXT_METHODS = _names("__next__ next")
"""Methods of iterators that give what comes next; those of loaders had a `next` as well.

Source: https://github.com/pytorch/pytorch/issues/87955, which came with torch 1.13.
"""

# Structures of tensors.

ON_HOST_ALWAYS = _names("batch_sizes")
"""Fields of packed sequences that are on the CPU wherever the sequences are.

Source: `PackedSequence` in `torch/nn/utils/rnn.py`: they "should always be a CPU int64 tensor".
"""

STRUCTURE_MEMBERS = _names(
    """
    keys items values get update append pop extend setdefault batch_size input_ids attention_mask
    pixel_values num_graphs edge_index edge_attr get_fields fields batch_sizes num_nodes pos
    """
)
"""Attributes that speak against a plain tensor: those of dicts, lists, encodings and graphs."""

STRUCTURE_COUNTS = _names("num_graphs batch_size num_nodes num_edges num_features size")
"""Attributes of batches that are numbers."""

STRUCTURE_METHODS = (
    _names("append copy extend get items keys pop update values")
    | TENSOR_MOVES
    | operations.SAME_RANK_CASTS
    | ONLY_TENSOR_METHODS
    | _names(
        """
        abs add chunk clone cumsum data_ptr div eq exp gather log matmul max mean min mul ne norm
        numpy pin_memory pow repeat requires_grad_ sort split sqrt sub sum t tolist topk unbind
        """
    )
)
"""Methods of structures, and of the tensor that one may turn out to be: no field is called so."""

TYPE_TESTS = _names("isinstance is_tensor")
"""Functions that tell whether something is of a type: the one they are given, or a tensor."""

STAND_INS = frozenset({"torch.fx.Proxy", "torch.fx.proxy.Proxy"})
"""Classes of what stands in for a tensor while a model is recorded."""
RECORDING_TESTS = frozenset(
    {
        "torch.jit.is_scripting",
        "torch.jit.is_tracing",
        "torch.onnx.is_in_onnx_export",
        "transformers.utils.is_torch_fx_proxy",
    }
)
"""Functions that are true only while a model is recorded or compiled.
Source of the last: src/transformers/utils/generic.py."""
