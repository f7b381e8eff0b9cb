"""Rows on reading and writing parts of tensors."""

from __future__ import annotations

from .row import ITERATOR, STRICT, WRAPPER, Row, checked, mixes, raises, unchecked

_INDEX = (
    "; aten/src/ATen/native/TensorAdvancedIndexing.cpp: indices may be on the CPU and are moved to "
    "the tensor's device"
)
_SLICE = (
    "; torch/csrc/autograd/python_variable_indexing.cpp: what needs no index tensor is written "
    "with copy_, which crosses devices"
)
_VALUE = (
    "; aten/src/ATen/native/TensorAdvancedIndexing.cpp, _index_put_impl_: a 0-dim value is moved"
)
_ITEM = (
    "torch/csrc/autograd/python_variable_indexing.cpp: a 0-dim integer tensor is read with item()"
)
_ONE = (
    "; torch/csrc/autograd/python_variable_indexing.cpp: leading dimensions of size 1 are taken "
    "from the value, which makes one element 0-dim"
)
_WRITE = (
    "; aten/src/ATen/native/TensorAdvancedIndexing.cpp, make_info: moves the indices of a write to "
    "the tensor's device (not run on CUDA)"
)
_GET = "torch.Tensor.__getitem__"
_SET = "torch.Tensor.__setitem__"

ROWS: list[Row] = [
    # Reading.
    mixes(_GET, "index", 1, "dev(4)[host(2, kind=int)]", unchecked("index.Tensor") + _INDEX, "int"),
    mixes(
        _GET, "index", 1, "dev(4)[host(4, kind=bool)]", unchecked("index.Tensor") + _INDEX, "bool"
    ),
    mixes(_GET, "index", 0, "dev(4)[host(kind=int)]", _ITEM, "int"),
    mixes(
        _GET,
        "index",
        1,
        "dev(4, 4)[host(2, kind=int), dev(2, kind=int)]",
        unchecked("index.Tensor") + _INDEX + " (not run on CUDA)",
        "int",
    ),
    raises(
        _GET,
        "self",
        1,
        "host(4)[dev(2, kind=int)]",
        unchecked("index.Tensor") + _INDEX + "; the other way round it is refused",
        text="indices should be either on cpu or on the same device as the indexed tensor (cpu)",
    ),
    raises(
        _GET,
        "self",
        1,
        "host(4)[dev(4, kind=bool)]",
        unchecked("index.Tensor") + _INDEX + "; the other way round it is refused",
        text="indices should be either on cpu or on the same device as the indexed tensor (cpu)",
    ),
    mixes(_GET, "self", 1, "host(4)[dev(kind=int)]", _ITEM, result="host"),
    mixes(
        _GET,
        "index, a list",
        1,
        "dev(4)[[0, 1]]",
        unchecked("index.Tensor") + _INDEX + "; a list becomes an index on the CPU",
        "int",
    ),
    raises(
        _GET,
        "self, next to a slice",
        1,
        "host(4, 4)[:, dev(2, kind=int)]",
        unchecked("index.Tensor") + _INDEX + "; the other way round it is refused",
        text="indices should be either on cpu or on the same device as the indexed tensor (cpu)",
    ),
    # Writing.
    mixes(_SET, "value", 0, "x = dev(4); x[0] = host(); x", unchecked("copy_") + _SLICE),
    mixes(_SET, "value", 1, "x = dev(4); x[:2] = host(2); x", unchecked("copy_") + _SLICE),
    mixes(_SET, "value", 1, "x = dev(3, 4); x[1] = host(4); x", unchecked("copy_") + _SLICE),
    mixes(_SET, "value", 1, "x = dev(3, 4); x[..., 0] = host(3); x", unchecked("copy_") + _SLICE),
    mixes(
        _SET,
        "self",
        1,
        "x = host(4); x[:2] = dev(2); x",
        unchecked("copy_") + _SLICE,
        result="host",
    ),
    mixes(
        _SET, "self", 1, "x = host(4); x[0] = dev(); x", unchecked("copy_") + _SLICE, result="host"
    ),
    mixes(
        _SET,
        "index",
        1,
        "x = dev(4); x[host(2, kind=int)] = 0.0; x",
        unchecked("index_put_") + _INDEX,
        "int",
    ),
    mixes(
        _SET,
        "index",
        1,
        "x = dev(4); x[host(4, kind=bool)] = 0.0; x",
        unchecked("index_put_") + _INDEX,
        "bool",
    ),
    mixes(
        _SET,
        "index",
        1,
        "x = dev(4); x[host(2, kind=int)] = dev(2); x",
        unchecked("index_put_") + _INDEX,
        "int",
    ),
    mixes(
        _SET,
        "value",
        0,
        "x = dev(4); x[dev(2, kind=int)] = host(); x",
        unchecked("_index_put_impl_") + _VALUE,
    ),
    mixes(
        _SET,
        "value",
        0,
        "x = dev(4); x[dev(4, kind=bool)] = host(); x",
        unchecked("_index_put_impl_") + _VALUE,
    ),
    mixes(
        _SET,
        "value, one element",
        1,
        "x = dev(4); x[dev(4, kind=bool)] = host(1); x",
        unchecked("_index_put_impl_") + _VALUE + _ONE + " (not run on CUDA)",
    ),
    mixes(
        _SET,
        "value, one element",
        1,
        "x = dev(4); x[dev(2, kind=int)] = host(1); x",
        unchecked("_index_put_impl_") + _VALUE + _ONE + " (not run on CUDA)",
    ),
    mixes(
        _SET,
        "index and value",
        0,
        "x = dev(4); x[host(2, kind=int)] = host(); x",
        unchecked("_index_put_impl_") + _VALUE + "; indices are moved by make_info",
    ),
    raises(
        _SET,
        "index and value",
        1,
        "x = dev(4); x[host(2, kind=int)] = host(2); x",
        unchecked("_index_put_impl_") + _VALUE + STRICT,
        text=ITERATOR,
    ),
    raises(
        _SET,
        "mask and value",
        1,
        "x = dev(4); x[host(4, kind=bool)] = host(4); x",
        unchecked("_index_put_impl_") + _VALUE + STRICT,
        text=ITERATOR,
    ),
    raises(
        _SET,
        "value, indexed by a list",
        1,
        "x = dev(4); x[[0, 1]] = host(2); x",
        unchecked("_index_put_impl_") + _VALUE + STRICT,
        text=ITERATOR,
    ),
    raises(
        _SET,
        "value",
        1,
        "x = dev(4); x[dev(2, kind=int)] = host(2); x",
        unchecked("_index_put_impl_") + _VALUE + STRICT,
        text=ITERATOR,
    ),
    raises(
        _SET,
        "value",
        1,
        "x = dev(4); x[dev(4, kind=bool)] = host(4); x",
        unchecked("_index_put_impl_") + _VALUE + STRICT,
        text=ITERATOR,
    ),
    mixes(
        _SET,
        "self",
        1,
        "x = host(4); x[dev(2, kind=int)] = 0.0; x",
        unchecked("_index_put_impl_") + _WRITE,
        result="host",
    ),
    mixes(
        _SET,
        "self",
        1,
        "x = host(4); x[dev(4, kind=bool)] = 0.0; x",
        unchecked("_index_put_impl_") + _WRITE,
        "bool",
        result="host",
    ),
    raises(
        _SET,
        "self",
        1,
        "x = host(4); x[dev(2, kind=int)] = dev(2); x",
        unchecked("_index_put_impl_") + _VALUE + STRICT,
        text=ITERATOR,
    ),
    raises(
        _SET,
        "self and index",
        1,
        "x = host(4); x[host(2, kind=int)] = dev(2); x",
        unchecked("_index_put_impl_") + _VALUE + STRICT,
        text=ITERATOR,
    ),
    raises(
        _SET,
        "self, indexed by a list",
        1,
        "x = host(4); x[[0, 1]] = dev(2); x",
        unchecked("_index_put_impl_") + _VALUE + STRICT,
        text=ITERATOR,
    ),
    mixes(
        _SET,
        "self and mask",
        1,
        "x = host(4); x[host(4, kind=bool)] = dev(); x",
        unchecked("_index_put_impl_") + _VALUE,
        result="host",
    ),
    mixes(
        "torch.Tensor.index_put_ torch.Tensor.index_put torch.index_put",
        "indices",
        1,
        "OP(dev(4), (host(2, kind=int),), dev(2))",
        unchecked("index_put_", "index_put") + _INDEX,
        "int",
    ),
    # Functions with an index argument are strict.
    raises(
        "torch.index_select torch.Tensor.index_select",
        "index",
        1,
        "OP(dev(4), 0, host(2, kind=int))",
        checked("index_select"),
        "int",
        text=f"{WRAPPER} index is on cpu",
    ),
    raises(
        "torch.gather torch.Tensor.gather",
        "index",
        1,
        "OP(dev(4), 0, host(2, kind=int))",
        checked("gather"),
        "int",
        text=f"{WRAPPER} index is on cpu",
    ),
    raises(
        "torch.take torch.Tensor.take",
        "index",
        1,
        "OP(dev(4), host(2, kind=int))",
        checked("take"),
        "int",
        text=f"{WRAPPER} index is on cpu",
    ),
    raises(
        "torch.take_along_dim",
        "indices",
        1,
        "OP(dev(4), host(2, kind=int), dim=0)",
        checked("gather") + "; aten/src/ATen/native/TensorAdvancedIndexing.cpp (not run on CUDA)",
        "int",
    ),
    raises(
        "torch.masked_select torch.Tensor.masked_select",
        "mask",
        1,
        "OP(dev(4), host(4, kind=bool))",
        checked("masked_select"),
        "bool",
        text=f"{WRAPPER} mask is on cpu",
    ),
    raises(
        "torch.scatter torch.Tensor.scatter torch.Tensor.scatter_",
        "index",
        1,
        "OP(dev(4), 0, host(2, kind=int), 1.0)",
        checked("scatter.value", "scatter_.value"),
        "int",
        text=f"{WRAPPER} index is on cpu",
    ),
    raises(
        "torch.scatter torch.Tensor.scatter_",
        "src",
        1,
        "OP(dev(4), 0, dev(2, kind=int), host(2))",
        checked("scatter.src", "scatter_.src"),
        text=f"{WRAPPER} src is on cpu",
    ),
    raises(
        "torch.Tensor.scatter_",
        "self",
        1,
        "OP(host(4), 0, dev(2, kind=int), 1.0)",
        checked("scatter_.value"),
        text=f"{WRAPPER} index is on cuda:0, different from other tensors on cpu",
    ),
    raises(
        "torch.scatter_add torch.Tensor.scatter_add_",
        "index",
        1,
        "OP(dev(4), 0, host(2, kind=int), dev(2))",
        checked("scatter_add", "scatter_add_"),
        "int",
        text=f"{WRAPPER} index is on cpu",
    ),
    raises(
        "torch.scatter_reduce torch.Tensor.scatter_reduce_",
        "src",
        1,
        "OP(dev(4), 0, dev(2, kind=int), host(2), 'sum')",
        checked("scatter_reduce.two", "scatter_reduce_.two"),
        text=f"{WRAPPER} src is on cpu",
    ),
    raises(
        "torch.index_add torch.Tensor.index_add torch.Tensor.index_add_",
        "index",
        1,
        "OP(dev(4), 0, host(2, kind=int), dev(2))",
        checked("index_add", "index_add_"),
        "int",
        text=f"{WRAPPER} index is on cpu",
    ),
    raises(
        "torch.index_add torch.Tensor.index_add_",
        "source",
        1,
        "OP(dev(4), 0, dev(2, kind=int), host(2))",
        checked("index_add", "index_add_"),
        text=f"{WRAPPER} source is on cpu",
    ),
    raises(
        "torch.index_copy torch.Tensor.index_copy_",
        "source",
        1,
        "OP(dev(4), 0, dev(2, kind=int), host(2))",
        checked("index_copy", "index_copy_"),
        text=f"{WRAPPER} source is on cpu",
    ),
    raises(
        "torch.index_fill torch.Tensor.index_fill_",
        "index",
        1,
        "OP(dev(4), 0, host(2, kind=int), 1.0)",
        unchecked("index_fill.int_Scalar", "index_fill_.int_Scalar")
        + STRICT
        + " (not run on CUDA)",
        "int",
        text=ITERATOR,
    ),
    mixes(
        "torch.index_fill torch.Tensor.index_fill_",
        "value",
        0,
        "OP(dev(4), 0, dev(2, kind=int), host())",
        unchecked("index_fill.int_Tensor", "index_fill_.int_Tensor")
        + "; aten/src/ATen/native/TensorAdvancedIndexing.cpp reads the value with item()",
    ),
    raises(
        "torch.masked_scatter torch.Tensor.masked_scatter_",
        "source",
        1,
        "OP(dev(4), dev(4, kind=bool), host(4))",
        checked("masked_scatter_"),
        text=f"{WRAPPER} source is on cpu",
    ),
    raises(
        "torch.Tensor.put_",
        "source",
        1,
        "OP(dev(4), dev(2, kind=int), host(2))",
        checked("put_"),
        text=f"{WRAPPER} source is on cpu",
    ),
    # Copies cross devices.
    mixes("torch.Tensor.copy_", "src", 1, "OP(dev(4), host(4))", unchecked("copy_")),
    mixes(
        "torch.Tensor.copy_", "self", 1, "OP(host(4), dev(4))", unchecked("copy_"), result="host"
    ),
    mixes(
        "torch.Tensor.fill_",
        "value",
        0,
        "OP(dev(4), host())",
        unchecked("fill_.Tensor") + "; aten/src/ATen/native/Fill.cpp reads the value",
    ),
    mixes(
        "torch.Tensor.fill_",
        "self",
        1,
        "OP(host(4), dev())",
        unchecked("fill_.Tensor") + "; aten/src/ATen/native/Fill.cpp reads the value",
        result="host",
    ),
]
