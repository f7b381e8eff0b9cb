"""Rows on reading values on the host, and on functions that only look like meetings."""

from __future__ import annotations

from .row import ITERATOR, Row, checked, mixes, raises, unchecked

_NUMPY = "torch/csrc/utils/tensor_numpy.cpp"
_ONE = "one tensor, one device: its kernel has nothing to compare"
_ITEM = "aten/src/ATen/native/cuda/CUDAScalar.cu: _local_scalar_dense copies one value"

ROWS: list[Row] = [
    raises(
        "torch.Tensor.numpy torch.Tensor.__array__",
        "nothing",
        1,
        "OP(dev(4))",
        _NUMPY,
        error="TypeError",
        text="device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory",
    ),
    mixes("torch.Tensor.numpy", "nothing", 1, "OP(dev(4), force=True)", _NUMPY, result="neither"),
    mixes(
        "torch.Tensor.item torch.Tensor.__float__ torch.Tensor.__int__ torch.Tensor.__bool__ "
        "torch.Tensor.tolist torch.Tensor.__len__",
        "nothing",
        0,
        "OP(dev(1))",
        _ITEM,
        result="neither",
    ),
    mixes(
        "torch.Tensor.__index__", "nothing", 0, "range(dev(kind=int) + 3)", _ITEM, "int", "neither"
    ),
    mixes(
        "torch.tensor",
        "the new tensor",
        1,
        "OP([dev(), dev()])",
        "torch/csrc/utils/tensor_new.cpp: a list's scalars are read, the result is on the default "
        "device",
        result="host",
    ),
    mixes(
        "torch.tensor",
        "nothing",
        1,
        "OP(dev(4))",
        "torch/csrc/utils/tensor_new.cpp: a copy of a tensor is made where it is",
    ),
    mixes(
        "torch.as_tensor torch.asarray",
        "nothing",
        1,
        "OP(dev(4))",
        "torch/csrc/utils/tensor_new.cpp",
    ),
    mixes(
        "torch.full",
        "fill_value",
        0,
        "OP((2,), host(), device=device)",
        "torch/csrc/utils/python_arg_parser.cpp: a 0-dim tensor given for a number is read",
    ),
    mixes(
        "torch.full",
        "the new tensor",
        0,
        "OP((2,), dev())",
        "torch/csrc/utils/python_arg_parser.cpp: a 0-dim tensor given for a number is read",
        result="host",
    ),
    mixes(
        "torch.full_like",
        "fill_value",
        0,
        "OP(dev(4), host())",
        "torch/csrc/utils/python_arg_parser.cpp: a 0-dim tensor given for a number is read",
    ),
    mixes(
        "torch.Tensor.new_full",
        "fill_value",
        0,
        "OP(dev(4), (2,), host())",
        "torch/csrc/utils/python_arg_parser.cpp: a 0-dim tensor given for a number is read",
    ),
    mixes(
        "torch.zeros_like torch.ones_like torch.empty_like torch.rand_like torch.randn_like",
        "nothing",
        1,
        "OP(dev(4))",
        "torch/_torch_docs.py: device defaults to that of input",
    ),
    mixes(
        "torch.Tensor.new_zeros torch.Tensor.new_ones torch.Tensor.new_empty",
        "nothing",
        1,
        "OP(dev(4), 3)",
        "torch/_tensor_docs.py: device defaults to that of this tensor",
    ),
    mixes(
        "torch.Tensor.new_tensor",
        "data",
        1,
        "OP(dev(4), [1.0, 2.0])",
        "torch/_tensor_docs.py: device defaults to that of this tensor",
    ),
    mixes(
        "torch.Tensor.new_tensor",
        "data, a tensor",
        1,
        "OP(dev(4), host(2))",
        "torch/_tensor_docs.py: device defaults to that of this tensor (not run on CUDA)",
    ),
    mixes(
        "torch.Tensor.new_tensor",
        "self",
        1,
        "OP(host(4), dev(2))",
        "torch/_tensor_docs.py: device defaults to that of this tensor (not run on CUDA)",
        result="host",
    ),
    mixes(
        "torch.Tensor.type_as torch.Tensor.to",
        "self",
        1,
        "OP(host(4), dev(4))",
        "torch/_tensor_docs.py",
    ),
    mixes(
        "torch.Tensor.type_as torch.Tensor.to",
        "other",
        1,
        "OP(dev(4), host(4))",
        "torch/_tensor_docs.py",
        result="host",
    ),
    mixes(
        "F.one_hot",
        "nothing",
        1,
        "OP(dev(4, kind=int), 3)",
        "aten/src/ATen/native/Onehot.cpp: made like its input",
        "int",
    ),
    mixes("F.normalize F.softmax F.log_softmax", "nothing", 1, "OP(dev(2, 3), dim=1)", _ONE),
    mixes("torch.sort torch.max torch.cumsum", "nothing", 1, "OP(dev(2, 4), dim=0)", _ONE),
    mixes("torch.topk", "nothing", 1, "OP(dev(4), 2)", _ONE),
    mixes("F.dropout F.alpha_dropout", "nothing", 1, "OP(dev(4), 0.5, training=True)", _ONE),
    mixes(
        "torch.multinomial",
        "nothing",
        1,
        "OP(dev(4), 2)",
        "aten/src/ATen/native/Distributions.cpp: made like its input",
    ),
    mixes("torch.bernoulli torch.poisson", "nothing", 1, "OP(dev(4))", _ONE),
    raises("torch.normal", "std", 1, "OP(dev(4), host(4))", checked("normal.Tensor_Tensor")),
    mixes(
        "torch.Tensor.bernoulli_",
        "p",
        1,
        "OP(dev(4), host(4))",
        unchecked("bernoulli_.Tensor")
        + "; aten/src/ATen/native/cuda/DistributionTemplates.h: moves p (not run on CUDA)",
    ),
    mixes(
        "torch.distributions.Normal.log_prob",
        "loc and scale",
        0,
        "torch.distributions.Normal(host(), host() + 1).log_prob(dev(4))",
        "torch/distributions/normal.py: elementwise arithmetic; " + unchecked("sub.Tensor"),
    ),
    raises(
        "torch.distributions.Normal.log_prob",
        "loc and scale",
        1,
        "torch.distributions.Normal(host(4), host(4) + 1).log_prob(dev(4))",
        "torch/distributions/normal.py: elementwise arithmetic; " + unchecked("sub.Tensor"),
        text=ITERATOR,
    ),
    raises(
        "torch.distributions.Normal.sample",
        "scale",
        1,
        "torch.distributions.Normal(dev(4), host(4) + 1).sample()",
        "torch/distributions/normal.py: ends in torch.normal; " + checked("normal.Tensor_Tensor"),
    ),
    mixes(
        "F.interpolate F.avg_pool2d",
        "nothing",
        1,
        "OP(dev(1, 1, 4, 4), 2)",
        _ONE,
    ),
    mixes("torch.nonzero torch.unique", "nothing", 1, "OP(dev(4))", _ONE),
    mixes(
        "torch.arange torch.linspace",
        "an end read from the device",
        0,
        "OP(0, dev(kind=int) + 3, **({} if 'arange' in OP.__name__ else {'steps': 3}))",
        "torch/csrc/autograd/python_torch_functions_manual.cpp: bounds are read, the result is on "
        "the default device (not run on CUDA)",
        result="host",
    ),
    mixes(
        "torch.result_type torch.can_cast",
        "other",
        1,
        "torch.result_type(dev(4), host(4))",
        "aten/src/ATen/native/TypeProperties.cpp: only dtypes are looked at",
        result="neither",
    ),
    mixes(
        "torch.Tensor.set_",
        "nothing",
        1,
        "x = dev(4); x.set_(dev(2)); x",
        unchecked("set_.source_Tensor"),
    ),
]
