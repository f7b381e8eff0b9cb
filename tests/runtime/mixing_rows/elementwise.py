"""Rows on elementwise operations."""

from __future__ import annotations

from .row import (
    ITERATOR,
    KERNEL,
    PLAIN,
    SCALARS,
    STRICT,
    Kind,
    Rank,
    Row,
    both_ranks,
    checked,
    mixes,
    raises,
    unchecked,
)

_ARITHMETIC = (
    "torch.add torch.sub torch.subtract torch.mul torch.multiply torch.div torch.divide "
    "torch.true_divide torch.floor_divide torch.remainder torch.fmod torch.pow "
    "torch.Tensor.add torch.Tensor.sub torch.Tensor.mul torch.Tensor.div torch.Tensor.pow "
    "torch.Tensor.__add__ torch.Tensor.__sub__ torch.Tensor.__mul__ torch.Tensor.__truediv__ "
    "torch.Tensor.__floordiv__ torch.Tensor.__mod__ torch.Tensor.__pow__"
)
_REFLECTED = (
    "torch.Tensor.__radd__ torch.Tensor.__rsub__ torch.Tensor.__rmul__ "
    "torch.Tensor.__rtruediv__ torch.Tensor.__rfloordiv__ torch.Tensor.__rmod__ "
    "torch.Tensor.__rpow__"
)
_IN_PLACE = (
    "torch.Tensor.add_ torch.Tensor.sub_ torch.Tensor.mul_ torch.Tensor.div_ torch.Tensor.pow_ "
    "torch.Tensor.__iadd__ torch.Tensor.__isub__ torch.Tensor.__imul__ torch.Tensor.__itruediv__ "
    "torch.Tensor.__ipow__"
)
_COMPARISONS = (
    "torch.eq torch.ne torch.lt torch.le torch.gt torch.ge torch.less torch.less_equal "
    "torch.greater torch.greater_equal torch.not_equal torch.Tensor.eq torch.Tensor.lt "
    "torch.Tensor.__eq__ torch.Tensor.__ne__ torch.Tensor.__lt__ torch.Tensor.__le__ "
    "torch.Tensor.__gt__ torch.Tensor.__ge__"
)
_EXTREMES = "torch.maximum torch.minimum torch.fmax torch.fmin torch.max torch.min"
_LOGIC = "torch.logical_and torch.logical_or torch.logical_xor"
_BITS = (
    "torch.bitwise_and torch.bitwise_or torch.bitwise_xor torch.Tensor.__and__ "
    "torch.Tensor.__or__ torch.Tensor.__xor__"
)
_SHIFTS = "torch.bitwise_left_shift torch.bitwise_right_shift torch.Tensor.__lshift__"
_COMPOSITES = "torch.float_power torch.ldexp torch.rsub"
_OTHERS = (
    "torch.atan2 torch.copysign torch.hypot torch.heaviside torch.xlogy "
    "torch.special.xlogy torch.special.xlog1py"
)

_WHERE: tuple[tuple[str, str, Kind], ...] = (
    ("condition", "OP(host(kind=bool), dev(4), dev(4))", "bool"),
    ("input", "OP(dev(4, kind=bool), host(), dev(4))", "float"),
    ("other", "OP(dev(4, kind=bool), dev(4), host())", "float"),
    ("input and other", "OP(dev(4, kind=bool), host(), host())", "float"),
)
_BOUNDS: tuple[tuple[str, Rank, str], ...] = (("min", 0, ""), ("max", 0, ""), ("max", 1, "4"))

ROWS: list[Row] = [
    # Two operands, out of place.
    *both_ranks(
        _ARITHMETIC, "other", "OP(dev(4), HOST)", unchecked("add.Tensor", "mul.Tensor") + SCALARS
    ),
    *both_ranks(
        _ARITHMETIC, "self", "OP(HOST, dev(4))", unchecked("sub.Tensor", "div.Tensor") + SCALARS
    ),
    *both_ranks(_REFLECTED, "other", "OP(dev(4), HOST)", unchecked("pow.Tensor_Tensor") + SCALARS),
    *both_ranks(_COMPARISONS, "other", "OP(dev(4), HOST)", unchecked("eq.Tensor") + SCALARS),
    *both_ranks(_COMPARISONS, "self", "OP(HOST, dev(4))", unchecked("lt.Tensor") + SCALARS),
    *both_ranks(_EXTREMES, "other", "OP(dev(4), HOST)", unchecked("maximum") + SCALARS),
    *both_ranks(
        _LOGIC,
        "other",
        "OP(dev(4, kind=bool), HOST)",
        unchecked("logical_and", "logical_or") + SCALARS,
        "bool",
    ),
    *both_ranks(
        _BITS,
        "other",
        "OP(dev(4, kind=int), HOST)",
        unchecked("bitwise_and.Tensor") + SCALARS,
        "int",
    ),
    *both_ranks(_OTHERS, "other", "OP(dev(4), HOST)", unchecked("atan2", "xlogy.Tensor") + SCALARS),
    *both_ranks(
        _SHIFTS,
        "other",
        "OP(dev(4, kind=int), HOST)",
        unchecked("bitwise_left_shift.Tensor") + SCALARS,
        "int",
    ),
    *both_ranks(
        _COMPOSITES,
        "other",
        "OP(dev(4), HOST)",
        unchecked("pow.Tensor_Tensor", "mul.Tensor", "rsub.Tensor") + SCALARS,
    ),
    mixes("torch.isclose", "other", 0, "OP(dev(4), host())", unchecked("eq.Tensor") + SCALARS),
    mixes(
        "torch.allclose",
        "other",
        0,
        "OP(dev(4), host())",
        unchecked("eq.Tensor") + SCALARS,
        result="neither",
    ),
    mixes(
        "torch.add torch.sub",
        "alpha",
        0,
        "OP(dev(4), dev(4), alpha=host())",
        "torch/csrc/utils/python_arg_parser.cpp: a 0-dim tensor given for a number is read",
    ),
    mixes("torch.add", "other", 0, "OP(dev(), host())", unchecked("add.Tensor") + SCALARS),
    raises(
        "torch.add torch.mul torch.Tensor.__sub__",
        "self",
        1,
        "OP(host(4), dev())",
        unchecked("add.Tensor") + SCALARS + "; the host tensor with dimensions is the odd one",
        text=ITERATOR,
    ),
    raises(
        "torch.add torch.Tensor.__mul__",
        "other, one element",
        1,
        "OP(dev(4), host(1))",
        unchecked("add.Tensor") + SCALARS + "; one element is not 0-dim",
        text=ITERATOR,
    ),
    raises(
        "torch.gcd torch.lcm",
        "other",
        0,
        "OP(dev(4, kind=int), host(kind=int))",
        checked("gcd", "lcm") + "; elementwise, but without NoCheck",
        "int",
    ),
    raises(
        "torch.nextafter torch.logaddexp torch.logaddexp2",
        "other",
        0,
        "OP(dev(4), host())",
        checked("nextafter", "logaddexp", "logaddexp2") + "; elementwise, but without NoCheck",
    ),
    # In place and into an output.
    *both_ranks(_IN_PLACE, "other", "OP(dev(4), HOST)", unchecked("add_.Tensor") + SCALARS),
    raises(
        _IN_PLACE,
        "self",
        0,
        "OP(host(), dev())",
        unchecked("add_.Tensor") + SCALARS + "; never the output",
        text=ITERATOR,
    ),
    raises(
        _IN_PLACE,
        "self",
        1,
        "OP(host(4), dev())",
        unchecked("mul_.Tensor") + SCALARS + "; never the output",
        text=ITERATOR,
    ),
    raises(
        "torch.add torch.mul torch.eq",
        "out",
        1,
        "OP(dev(4), dev(4), out=host(4))",
        unchecked("add.out", "mul.out") + SCALARS + "; never the output",
        text=ITERATOR,
    ),
    raises(
        "torch.exp torch.sigmoid torch.neg",
        "out",
        0,
        "OP(dev(), out=host())",
        unchecked("exp.out", "sigmoid.out") + STRICT,
        text=ITERATOR,
    ),
    # Three operands.
    *[
        mixes(
            "torch.where",
            name,
            0,
            code,
            unchecked("where.self")
            + "; aten/src/ATen/native/TensorCompare.cpp: where_self_out moves 0-dim CPU tensors",
            kind,
        )
        for name, code, kind in _WHERE
    ],
    mixes(
        "torch.Tensor.where",
        "other",
        0,
        "OP(dev(4), dev(4, kind=bool), host())",
        unchecked("where.self") + "; aten/src/ATen/native/TensorCompare.cpp: where_self_out",
    ),
    raises(
        "torch.where",
        "condition",
        1,
        "OP(host(4, kind=bool), dev(4), dev(4))",
        unchecked("where.self") + STRICT,
        "bool",
        text=ITERATOR,
    ),
    raises(
        "torch.where",
        "other",
        1,
        "OP(dev(4, kind=bool), dev(4), host(4))",
        unchecked("where.self") + STRICT,
        text=ITERATOR,
    ),
    mixes(
        "torch.lerp torch.Tensor.lerp torch.Tensor.lerp_",
        "weight",
        0,
        "OP(dev(4), dev(4), host())",
        unchecked("lerp.Tensor") + "; aten/src/ATen/native/Lerp.cpp: allow_cpu_scalars",
    ),
    raises(
        "torch.lerp torch.Tensor.lerp",
        "weight",
        1,
        "OP(dev(4), dev(4), host(4))",
        unchecked("lerp.Tensor") + STRICT,
        text=ITERATOR,
    ),
    raises(
        "torch.lerp",
        "end",
        0,
        "OP(dev(4), host(), dev(4))",
        unchecked("lerp.Tensor") + "; its kernel reads a host scalar for weight only" + PLAIN,
        text=KERNEL,
    ),
    mixes(
        "torch.addcmul torch.Tensor.addcmul torch.Tensor.addcmul_",
        "tensor2",
        0,
        "OP(dev(4), dev(4), host())",
        unchecked("addcmul") + "; aten/src/ATen/native/cuda/PointwiseOpsKernel.cu",
    ),
    raises(
        "torch.addcmul",
        "tensor1",
        0,
        "OP(dev(4), host(), dev(4))",
        unchecked("addcmul") + "; aten/src/ATen/native/cuda/PointwiseOpsKernel.cu",
        text="CPU Scalar support for tensor1 argument is not supported",
    ),
    raises(
        "torch.addcmul",
        "input",
        0,
        "OP(host(), dev(4), dev(4))",
        unchecked("addcmul") + "; aten/src/ATen/native/cuda/PointwiseOpsKernel.cu",
        text="CPU Scalar support for self argument is not supported",
    ),
    raises(
        "torch.addcmul",
        "tensor1 and tensor2",
        0,
        "OP(dev(4), host(), host())",
        unchecked("addcmul") + "; aten/src/ATen/TensorIterator.cpp: one scalar at most",
        text="Trying to pass too many CPU scalars",
    ),
    raises(
        "torch.addcmul torch.addcdiv",
        "tensor2",
        1,
        "OP(dev(4), dev(4), host(4))",
        unchecked("addcmul", "addcdiv") + STRICT,
        text=ITERATOR,
    ),
    raises(
        "torch.addcdiv torch.Tensor.addcdiv_",
        "tensor2",
        0,
        "OP(dev(4), dev(4), host())",
        unchecked("addcdiv") + "; aten/src/ATen/native/PointwiseOps.cpp: build_ternary_op" + STRICT,
        text=ITERATOR,
    ),
    # Clamping: structured without NoCheck, so even a 0-dim bound must be on the device.
    *[
        raises(
            "torch.clamp torch.clip torch.Tensor.clamp torch.Tensor.clamp_",
            bound,
            rank,
            f"OP(dev(4), {bound}=host({shape}))",
            checked("clamp.Tensor"),
        )
        for bound, rank, shape in _BOUNDS
    ],
    mixes(
        "torch.clamp",
        "bound beside a number",
        0,
        "torch.clamp(dev(4), 0, host())",
        unchecked("clamp") + "; a number beside it makes the parser read the bound with item()",
    ),
    raises(
        "torch.clamp_min torch.clamp_max",
        "bound",
        0,
        "OP(dev(4), host())",
        checked("clamp_min.Tensor", "clamp_max.Tensor"),
    ),
    raises("torch.prelu F.prelu", "weight", 1, "OP(dev(2, 3), host(3))", checked("_prelu_kernel")),
    # masked_fill.
    mixes(
        "torch.masked_fill torch.Tensor.masked_fill torch.Tensor.masked_fill_",
        "value",
        0,
        "OP(dev(4), dev(4, kind=bool), host())",
        unchecked("masked_fill.Tensor") + "; masked_fill__cuda in aten/src/ATen/native/cuda",
    ),
    raises(
        "torch.masked_fill torch.Tensor.masked_fill torch.Tensor.masked_fill_",
        "mask",
        1,
        "OP(dev(4), host(4, kind=bool), 0.0)",
        unchecked("masked_fill.Scalar") + "; masked_fill__cuda in aten/src/ATen/native/cuda",
        "bool",
        text="expected self and mask to be on the same device, but got mask on cpu and self on",
    ),
    raises(
        "torch.Tensor.masked_fill torch.Tensor.masked_fill_",
        "mask",
        0,
        "OP(dev(4), host(kind=bool), 0.0)",
        unchecked("masked_fill.Scalar") + "; masked_fill__cuda in aten/src/ATen/native/cuda",
        "bool",
        text="expected self and mask to be on the same device",
    ),
    raises(
        "torch.Tensor.masked_fill torch.Tensor.masked_fill_",
        "self",
        1,
        "OP(host(4), dev(4, kind=bool), 0.0)",
        unchecked("masked_fill_.Scalar") + "; masked_fill__cuda in aten/src/ATen/native/cuda",
        text="expected self and mask to be on the same device, but got mask on",
    ),
    raises(
        "torch.Tensor.masked_fill",
        "self and mask",
        1,
        "OP(host(4), host(4, kind=bool), dev())",
        unchecked("masked_fill_.Tensor") + "; masked_fill__cuda in aten/src/ATen/native/cuda",
        text="masked_fill_: Expected inputs to be on same device",
    ),
]
