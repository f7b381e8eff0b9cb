"""Rows on writing into tensors: by an index, and by copying."""

from __future__ import annotations

from .row import ITERATOR, STRICT, Row, mixes, raises, unchecked

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
_ONE = (
    "; torch/csrc/autograd/python_variable_indexing.cpp: leading dimensions of size 1 are taken "
    "from the value, which makes one element 0-dim"
)
_WRITE = (
    "; aten/src/ATen/native/TensorAdvancedIndexing.cpp, make_info: moves the indices of a write to "
    "the tensor's device"
)
_SET = "torch.Tensor.__setitem__"

ROWS: list[Row] = [
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
        unchecked("_index_put_impl_") + _VALUE + _ONE,
    ),
    mixes(
        _SET,
        "value, one element",
        1,
        "x = dev(4); x[dev(2, kind=int)] = host(1); x",
        unchecked("_index_put_impl_") + _VALUE + _ONE,
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
