"""What makes arrays of the tensors that it is given, which PyTorch does only for those on the CPU.

The groups are held against the installed NumPy by `tests/catalog/test_catalog_arrays.py`. What the
functions of other libraries do was tried on a device: those that write a text, look at attributes
only, or refuse tensors wherever they are, are in no group. What estimators do was read in the
sources of scikit-learn.
"""

from __future__ import annotations

HAVE_NUMBERS = frozenset(("math", "numpy", "torch"))
NUMBERS = frozenset(("e", "euler_gamma", "inf", "nan", "pi", "tau", "Inf", "Infinity", "NaN"))
"""What stands for a number in these libraries, in each of them that has it at all.
Source: https://numpy.org/doc/stable/reference/constants.html and Python's `math`."""


def _members(package: str, names: str) -> frozenset[str]:
    return frozenset(f"{package}.{name}" for name in names.split())


_NUMPY = _members(
    "numpy",
    """
    abs absolute acos acosh add allclose angle append apply_along_axis arccos arccosh arcsin
    arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around array
    asanyarray asarray asarray_chkfinite ascontiguousarray asfortranarray asin asinh asmatrix
    atan atan2 atanh atleast_1d atleast_2d atleast_3d average bincount bitwise_and bitwise_not
    bitwise_or bitwise_xor broadcast_arrays broadcast_to cbrt ceil clip column_stack convolve
    copy copysign corrcoef correlate cos cosh count_nonzero cov cross cumprod cumsum deg2rad
    degrees delete diag diagflat digitize divide divmod dot dstack ediff1d einsum equal exp exp2
    expand_dims expm1 extract fabs fft.fft fft.fft2 fft.fftn fft.fftshift fft.ifft fft.ifft2
    fft.ifftshift fft.irfft fft.rfft fft.rfft2 flatnonzero fliplr flipud float16 float32
    float_power floor floor_divide fmax fmin fmod full_like gradient greater greater_equal
    heaviside histogram histogram2d histogramdd hstack hypot inner insert int16 int32 int64 int8
    interp intersect1d invert isclose isfinite isinf isnan isneginf isposinf kron ldexp less
    less_equal linalg.cholesky linalg.cond linalg.det linalg.eig linalg.eigh linalg.eigvals
    linalg.eigvalsh linalg.inv linalg.lstsq linalg.norm linalg.pinv linalg.qr linalg.slogdet
    linalg.solve linalg.svd log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not
    logical_or logical_xor matmul matrix maximum median meshgrid minimum mod modf multiply
    nan_to_num nanargmax nanargmin nancumsum nanmax nanmean nanmedian nanmin nanpercentile
    nanprod nanquantile nanstd nansum nanvar ndenumerate negative not_equal outer pad partition
    percentile piecewise polyfit polyval positive power quantile rad2deg radians random.choice
    random.permutation ravel reciprocal remainder repeat reshape resize rint roll rot90 round
    save savetxt savez savez_compressed searchsorted select setdiff1d setxor1d sign sin sinc
    sinh sort sqrt square stack subtract take tan tanh tensordot testing.assert_allclose
    testing.assert_array_almost_equal testing.assert_array_equal tile trace transpose trapezoid
    tril trim_zeros triu true_divide trunc uint16 uint32 uint64 uint8 union1d unique unwrap vdot
    vstack where
    """,
)
WRITE_ARRAYS = _members("numpy", "save savetxt savez savez_compressed")
"""Functions that are told first where to write. Source: numpy/lib/_npyio_impl.py"""
_NUMPY_OF_LISTS = _members(
    "numpy", "all amax amin any concatenate flip max mean min nonzero prod squeeze std sum var"
)
AXES = "matplotlib.axes.Axes"
FIGURE = "matplotlib.figure.Figure"
DRAWING = frozenset(
    """
    axhline axvline bar barh boxplot contour contourf errorbar fill_between hexbin hist hist2d
    hlines imshow loglog matshow pcolormesh pie plot quiver scatter semilogx semilogy stackplot
    stem step violinplot vlines
    """.split()
)
"""Methods of axes that draw what they are given; pyplot has a function for each, which calls it.
Source: https://matplotlib.org/stable/api/pyplot_summary.html"""
GIVES_AXES = (
    _members("matplotlib.pyplot", "axes gca subplot subplot2grid twinx twiny")
    | _members(FIGURE, "add_axes add_subplot gca subplots")
    | _members(AXES, "flatten inset_axes ravel reshape twinx twiny")
)
"""What gives axes, or an array of some. Source: https://matplotlib.org/stable/api/"""
GIVES_FIGURE = _members("matplotlib.pyplot", "figure gcf") | _members(FIGURE, "subfigures")
"""What gives a figure, or several."""
AXES_CLASSES = frozenset({AXES, "matplotlib.pyplot.Axes", "matplotlib.axes.Subplot"})
"""How the class of axes is called in annotations."""
_MATPLOTLIB = (
    _members("matplotlib.pyplot", " ".join(DRAWING))
    | _members(AXES, " ".join(DRAWING))
    | {"matplotlib.pyplot.imsave"}
)
LIMITS_OF_COLOURS = frozenset({"vmin", "vmax"})
"""Arguments of drawing functions of which no array is made: their `item()` is asked for.

Source: `_sanitize_extrema` in `matplotlib/colors.py`.
"""
_SEABORN = _members("seaborn", "histplot lineplot scatterplot")
_PANDAS = _members("pandas", "DataFrame Series")
_SCIPY = _members(
    "scipy",
    """
    linalg.inv linalg.norm linalg.sqrtm ndimage.gaussian_filter ndimage.zoom
    optimize.linear_sum_assignment signal.convolve spatial.distance.cdist spatial.distance.cosine
    special.expit special.softmax stats.entropy stats.gaussian_kde stats.kendalltau stats.norm.cdf
    stats.pearsonr stats.spearmanr
    """,
)
_SKLEARN = _members(
    "sklearn.metrics",
    """
    accuracy_score adjusted_rand_score auc average_precision_score balanced_accuracy_score
    classification_report cohen_kappa_score confusion_matrix davies_bouldin_score
    explained_variance_score f1_score fbeta_score hamming_loss jaccard_score log_loss
    matthews_corrcoef max_error mean_absolute_error mean_squared_error
    multilabel_confusion_matrix ndcg_score normalized_mutual_info_score
    precision_recall_curve precision_recall_fscore_support precision_score r2_score recall_score
    roc_auc_score roc_curve root_mean_squared_error silhouette_score top_k_accuracy_score
    pairwise.cosine_similarity pairwise.euclidean_distances pairwise_distances
    """,
)

ESTIMATOR = "sklearn.base.BaseEstimator"
"""What stands for any estimator of scikit-learn."""
ESTIMATOR_PACKAGES = tuple(
    f"sklearn.{name}"
    for name in """
    cluster covariance cross_decomposition decomposition discriminant_analysis ensemble
    gaussian_process isotonic kernel_ridge linear_model manifold mixture naive_bayes neighbors
    neural_network preprocessing svm tree
    """.split()
)
"""Where the estimators live that make arrays of all that they are given.

Source: `check_array` in sklearn/utils/validation.py.
"""
NO_ESTIMATORS = frozenset(
    f"sklearn.preprocessing.{name}"
    for name in ("FunctionTransformer", "MultiLabelBinarizer", "LabelBinarizer", "LabelEncoder")
)
"""Classes there that hand on what they are given, or go through it."""
FITTING = _members(ESTIMATOR, "fit partial_fit")
"""Methods that give the estimator itself."""
ESTIMATING = _members(
    ESTIMATOR,
    """
    decision_function fit_predict fit_transform inverse_transform predict predict_log_proba
    predict_proba score_samples transform
    """,
)
"""Methods that give an array with axes."""
ESTIMATOR_METHODS = FITTING | ESTIMATING | _members(ESTIMATOR, "kneighbors score")
"""Methods that make arrays of what they are given."""

ARRAYS_OF_TENSORS = (
    _NUMPY | _MATPLOTLIB | _SEABORN | _PANDAS | _SCIPY | _SKLEARN | ESTIMATOR_METHODS
)
"""Functions that make an array of each tensor among their arguments."""

ARRAYS_OF_LISTS = _NUMPY | _NUMPY_OF_LISTS | _MATPLOTLIB | _SCIPY | _SKLEARN
"""Functions that make an array of a list, and so of each tensor in it.

Those that are in this group only call a tensor's own method of the same name.
"""

LENGTHS = {"torch.nn.utils.rnn.pack_padded_sequence": (1, "lengths")}
"""Functions of PyTorch that take an argument only from the CPU, whatever the others are on: where
it stands, and what it is called.

Source: `_pack_padded_sequence` in aten/src/ATen/native/PackedSequence.cpp
"""

PACKERS = frozenset(name.rpartition(".")[2] for name in LENGTHS)
"""What they are called, by the last component of their names."""

NEW_ARRAYS = _members(
    "numpy",
    """
    arange array asarray ascontiguousarray empty eye frombuffer full genfromtxt identity linspace
    loadtxt ones random.normal random.rand random.randint random.randn random.random random.uniform
    zeros
    """,
)
"""Functions of NumPy that give an array, or a number, and never a tensor."""

READERS = _members("numpy", "load")
"""Functions of NumPy that give what a file holds: arrays, unless they may unpickle what it is."""

TABLE_READERS = _members(
    "pandas",
    "read_csv read_excel read_feather read_fwf read_json read_parquet read_stata read_table",
)
"""Functions of Pandas that give a table of what a file holds: numbers and texts."""

TO_BE_FILLED = _members("numpy", "zeros ones empty")
"""Functions of NumPy that make an array of a shape: first that, then the dtype."""

OF_ONE_NUMBER = _members(
    "numpy", "array asarray float16 float32 float64 int8 int16 int32 int64 uint8"
)
"""Functions of NumPy that make something without dimensions of a single number."""

TO_ONE_NUMBER = _members("numpy", "amax amin max mean median min prod std sum var")
"""Functions of NumPy that make one number of a list, if they are told no axis."""

WITH_AXES = _members(
    "numpy",
    """
    arange ascontiguousarray atleast_1d atleast_2d atleast_3d bartlett blackman
    column_stack concatenate diag dstack eye flatnonzero frombuffer fromfile geomspace hamming
    hanning hstack identity kaiser linspace logspace outer stack tri vander vstack
    """,
)
"""Functions of NumPy that give an array with at least one axis, whatever they are given.

Not `repeat`, nor `argwhere`: those of a tensor are tensors, as its own methods of that name are
asked for first, and what these give is wrapped again.
"""

OF_A_SHAPE = _members("numpy", "empty full ones zeros")
"""Functions of NumPy that give an array of the shape that is their first argument."""

OF_SIZES = _members("numpy", "random.rand random.randn")
"""Functions of NumPy that give an array of as many axes as they have arguments."""

OF_A_SIZE = {
    f"numpy.random.{name}": at
    for name, at in (
        ("choice", 1), ("normal", 2), ("randint", 2), ("random", 0), ("random_sample", 0),
        ("standard_normal", 0), ("uniform", 2),
    )
}  # fmt: skip
"""Functions of NumPy that give an array of the shape `size`, and where that stands."""

OF_THE_SAME_AXES = _members(
    "numpy",
    """
    abs absolute arccos arcsin arctan array asanyarray asarray cbrt ceil clip copy cos cosh
    cumprod cumsum deg2rad degrees exp exp2 expand_dims expm1 fabs flip float16 float32 float64
    floor int16 int32 int64 int8 log log10 log1p log2 nan_to_num negative rad2deg radians ravel
    reciprocal rint roll round sign sin sinc sinh sort sqrt square tan tanh tile transpose tril
    triu trunc uint8
    """,
)
"""Functions of NumPy that give an array with axes if the first argument is one."""

OF_ANY_AXES = _members(
    "numpy",
    """
    add arctan2 copysign divide equal float_power floor_divide fmax fmin fmod greater greater_equal
    heaviside hypot less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor maximum
    minimum mod multiply not_equal power remainder subtract true_divide
    """,
)
"""Functions of NumPy that give an array with axes if one of their two arguments is one."""

SAME_AXES = frozenset(
    """
    astype byteswap clip conj conjugate copy cumprod cumsum flatten ravel repeat round
    swapaxes transpose view
    """.split()
)
"""Methods of an array with axes that give one.
Source: https://numpy.org/doc/stable/reference/arrays.ndarray.html"""

ARRAY_CAST = "astype"
"""The method by which arrays and tables are cast, and nothing of PyTorch's."""

OF_NUMBERS = SAME_AXES | frozenset(
    """
    abs all any diff dot drop dropna fillna head max mean min prod reset_index reshape sample
    squeeze std sum tail to_numpy unique var
    """.split()
)
"""Methods of arrays, and of tables of Pandas', that give arrays, tables or numbers."""

HELD_NUMBERS = frozenset("T at flat iat iloc imag loc real values".split())
"""Attributes of arrays, and of tables of Pandas', that hold arrays, tables or numbers."""
