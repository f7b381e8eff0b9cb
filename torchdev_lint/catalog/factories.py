"""Functions that make tensors, and where they put them.

Source: the "Creation Ops" table of https://docs.pytorch.org/docs/stable/torch.html and
`torch.utils._device._device_constructors`, which lists all functions that obey
`torch.device` as a context.
"""

from __future__ import annotations

SIZED = frozenset({"empty", "ones", "rand", "randn", "zeros"})
"""Factories whose positional arguments are the size, as numbers or as one sequence."""

VECTORS = frozenset(
    {
        "arange",
        "bartlett_window",
        "blackman_window",
        "hamming_window",
        "hann_window",
        "kaiser_window",
        "linspace",
        "logspace",
        "randperm",
        "range",
    }
)
"""Factories whose result has one dimension, whatever the arguments."""

OTHER = frozenset(
    {"empty_strided", "eye", "full", "normal", "randint", "tril_indices", "triu_indices"}
)
"""Further factories with a `device` argument."""

FROM_DATA = frozenset({"as_tensor", "asarray", "scalar_tensor", "tensor"})
"""Factories that copy data, and take a `device` argument."""

FFT = frozenset({"fftfreq", "rfftfreq"})
"""Factories in `torch.fft`."""

WITHOUT_DEVICE = frozenset({"from_numpy", "frombuffer"})
"""Factories that have no `device` argument: what they give is always on the host."""

LEGACY = frozenset(
    {
        "BFloat16Tensor",
        "BoolTensor",
        "ByteTensor",
        "CharTensor",
        "DoubleTensor",
        "FloatTensor",
        "HalfTensor",
        "IntTensor",
        "LongTensor",
        "ShortTensor",
        "Tensor",
    }
)
"""Legacy constructors in `torch`: always on the host. Those in `torch.cuda` are not."""

LIKE = frozenset(
    {
        "empty_like",
        "full_like",
        "ones_like",
        "rand_like",
        "randint_like",
        "randn_like",
        "zeros_like",
    }
)
"""Functions whose result lives where their first argument lives, unless told otherwise."""

NEW = frozenset({"new_empty", "new_full", "new_ones", "new_tensor", "new_zeros"})
"""Tensor methods that make a tensor where the tensor lives, unless told otherwise."""

TAKES_DEVICE = frozenset(
    {f"torch.{name}" for name in SIZED | VECTORS | OTHER | FROM_DATA}
    | {f"torch.fft.{name}" for name in FFT}
)
"""Qualified names of the factories that take `device=`."""

HOST_ONLY = frozenset({f"torch.{name}" for name in WITHOUT_DEVICE | LEGACY})
"""Qualified names of the factories that always give a host tensor."""

ACCELERATOR_LEGACY = frozenset({f"torch.cuda.{name}" for name in LEGACY - {"Tensor"}})
"""Legacy constructors of accelerator tensors, also names for `Tensor.type`."""

FACTORIES = TAKES_DEVICE | HOST_ONLY
"""All functions whose result lives on the host when nothing says otherwise."""

FACTORY_NAMES = frozenset(name.rpartition(".")[2] for name in FACTORIES)
"""Last components of the factories' names, for the triage."""

INTEGER_DTYPES = frozenset(
    {
        "int",
        "int8",
        "int16",
        "int32",
        "int64",
        "long",
        "short",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
    }
)
DTYPES = INTEGER_DTYPES | frozenset(
    {
        "bfloat16",
        "bool",
        "cdouble",
        "cfloat",
        "chalf",
        "complex128",
        "complex32",
        "complex64",
        "double",
        "float",
        "float16",
        "float32",
        "float64",
        "half",
        "float8_e4m3fn",
        "float8_e5m2",
    }
)
"""Names of dtypes in `torch`."""
