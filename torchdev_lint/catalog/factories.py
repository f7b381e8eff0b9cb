"""Functions that make tensors, and where they put them.

Source: the "Creation Ops" table of https://docs.pytorch.org/docs/stable/torch.html and
`torch.utils._device._device_constructors`, which lists all functions that obey
`torch.device` as a context.
"""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


SIZED = _names("empty ones rand randn zeros")
"""Factories whose positional arguments are the size, as numbers or as one sequence."""

VECTORS = _names(
    """
    arange bartlett_window blackman_window hamming_window hann_window kaiser_window linspace
    logspace randperm range
    """
)
"""Factories whose result has one dimension, whatever the arguments."""

OTHER = _names(
    """
    empty_permuted empty_strided eye full normal randint sparse_bsc_tensor sparse_bsr_tensor
    sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor tril_indices
    triu_indices
    """
)
"""Further factories with a `device` argument."""

PINNED_AS_MADE = SIZED | {"full"}
"""Factories that ask for memory where they make a tensor, pinned if they are told so.

Those that copy data ask for it on the CPU, and move the tensor then.
Source: `torch/csrc/utils/tensor_new.cpp`.
"""

FROM_DATA = _names("as_tensor asarray scalar_tensor tensor")
"""Factories that copy data, and take a `device` argument."""

FFT = _names("fftfreq rfftfreq")
"""Factories in `torch.fft`; their results have one dimension."""

WINDOWS = _names(
    """
    bartlett blackman cosine exponential gaussian general_cosine general_hamming hamming hann kaiser
    nuttall
    """
)
"""Factories in `torch.signal.windows`; their results have one dimension."""

WITHOUT_DEVICE = _names("from_numpy frombuffer")
"""Factories that have no `device` argument: what they give is always on the host."""

LEGACY = _names(
    """
    BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor
    LongTensor ShortTensor Tensor
    """
)
"""Legacy constructors in `torch`: always on the host. Those in `torch.cuda` are not."""

TAKE_TENSORS = frozenset({"Tensor", "as_tensor", "asarray", "tensor"})
"""Factories that take a tensor wherever it is, and give one there.

The types of tensors, such as `FloatTensor`, take none but their own.
Source: `legacy_tensor_generic_ctor_new` in torch/csrc/utils/tensor_new.cpp (`BASE_CTOR`)
"""

MAKE_TENSORS = frozenset({"Tensor", "tensor"})
"""Those that nobody needs for what is a tensor already."""

CONVERTERS = FROM_DATA | WITHOUT_DEVICE | LEGACY
"""Factories that make a tensor of data, which is no tensor itself as a rule."""

TENSOR_CLASSES = LEGACY
"""Names of tensor classes, as annotations and tests of a type use them."""

TYPES_OF_HOST = frozenset(f"torch.{name}" for name in TENSOR_CLASSES - {"Tensor"})
"""What `x.type()` gives on the CPU alone, whether `cuda` is asked for beside it or not."""

LIKE = _names("empty_like full_like ones_like rand_like randint_like randn_like zeros_like")
"""Functions whose result lives where their first argument lives, unless told otherwise."""

NEW = _names("new_empty new_empty_strided new_full new_ones new_tensor new_zeros")
"""Tensor methods that make a tensor where the tensor lives, unless told otherwise."""

STATIC_METHODS = frozenset({"torch.nn.Transformer.generate_square_subsequent_mask"})
"""Factories that are static methods of a module; they have two dimensions."""

WITH_DIMENSIONS = (
    VECTORS
    | FFT
    | LEGACY
    | _names(
        """
    eye from_numpy frombuffer tril_indices triu_indices normal generate_square_subsequent_mask
    """
    )
)
"""Factories whose result has at least one dimension, whatever the arguments.

`normal` without a size takes a tensor, whose dimensions it has.
"""

DEAF = frozenset({"torch.normal", "torch.range"})
"""Factories with a `device` argument that don't obey `torch.device` as a context."""

TAKES_DEVICE = frozenset(
    STATIC_METHODS
    | {f"torch.{name}" for name in SIZED | VECTORS | OTHER | FROM_DATA}
    | {f"torch.fft.{name}" for name in FFT}
    | {f"torch.signal.windows.{name}" for name in WINDOWS}
)
"""Qualified names of the factories that take `device=`."""

HOST_ONLY = frozenset({f"torch.{name}" for name in WITHOUT_DEVICE | LEGACY})
"""Qualified names of the factories that always give a host tensor."""

ACCELERATOR_LEGACY = frozenset({f"torch.cuda.{name}" for name in LEGACY - {"Tensor"}})
"""Legacy constructors of accelerator tensors, also names for `Tensor.type`."""

FACTORIES = TAKES_DEVICE | HOST_ONLY
"""All functions whose result lives on the host when nothing says otherwise."""

DEVICE_BY_NAME = (FACTORIES - STATIC_METHODS) | {f"torch.{name}" for name in LIKE}
"""Factories that raise a `TypeError` if they are given a device by position."""

SIZE_IN_ONE = {"torch.normal": (2, "size"), "torch.full": (0, "size")}
"""Where factories take their size that raise a `TypeError` if it is a tensor.

Others take a tensor of one whole number.
"""

DISTRIBUTIONS = frozenset(
    f"torch.distributions.{name}"
    for name in _names(
        """
    Bernoulli Beta Binomial Cauchy Chi2 ContinuousBernoulli Exponential FisherSnedecor Gamma
    GeneralizedPareto Geometric Gumbel HalfCauchy HalfNormal InverseGamma Kumaraswamy Laplace
    LogNormal NegativeBinomial Normal Pareto Poisson StudentT Uniform VonMises Weibull
    """
    )
)
"""Distributions whose parameters may be numbers, of which they make tensors on the CPU.

Source: `broadcast_all` in `torch/distributions/utils.py`.
"""

DRAWING = frozenset({"sample", "rsample"})
"""Methods by which distributions make a tensor, of the shape that they are told."""

SHAPES = frozenset({"sample_shape"})
"""What that shape is called."""

MEASURING = frozenset({"log_prob", "entropy", "cdf", "icdf"})
"""Methods by which distributions compute with their parameters."""

PARAMETERS = _names(
    """
    mean mode variance stddev loc scale probs logits rate concentration concentration0
    concentration1 covariance_matrix scale_tril precision_matrix
    """
)
"""Attributes of distributions that are tensors, which live where their parameters do."""

DIVERGENCE = "kl_divergence"
"""The function of `torch.distributions` that computes with the parameters of two of them."""

FACTORY_NAMES = frozenset(name.rpartition(".")[2] for name in FACTORIES)
"""Last components of the factories' names, for the triage."""

DOUBLE = _names("float64 double")
"""The dtype of double precision."""

DTYPES = _names(
    """
    bool uint8 int8 short int16 int int32 long int64 uint16 uint32 uint64 half float16 bfloat16
    float float32 double float64 chalf complex32 cfloat complex64 cdouble complex128 float8_e4m3fn
    float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2 qint8 qint32 quint8
    """
)
"""Names of dtypes in `torch`."""

FILLED_ALIKE = frozenset({"torch.zeros", "torch.ones", "torch.full", "torch.eye", "torch.empty"})
"""Factories that give the same numbers on any device: none that compute or draw them."""
