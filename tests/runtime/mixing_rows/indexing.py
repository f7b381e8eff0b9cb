"""Rows on reading parts of tensors, and on functions that take an index."""

from __future__ import annotations

from .row import ITERATOR, STRICT, WRAPPER, Row, checked, mixes, raises, unchecked

_INDEX = (
    "; aten/src/ATen/native/TensorAdvancedIndexing.cpp: indices may be on the CPU and are moved to "
    "the tensor's device"
)
_ITEM = (
    "torch/csrc/autograd/python_variable_indexing.cpp: a 0-dim integer tensor is read with item()"
)
_GET = "torch.Tensor.__getitem__"

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
        unchecked("index.Tensor") + _INDEX,
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
        "aten/src/ATen/native/TensorAdvancedIndexing.cpp: _take_along_dim_helper",
        "int",
        text="Expected tensor to have cuda:0 Device, but got tensor with cpu Device",
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
        unchecked("index_fill.int_Scalar", "index_fill_.int_Scalar") + STRICT,
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
]
