"""What the catalog says of operations on tensors is true of the installed PyTorch."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.catalog.samples import (
    BATCH,
    METHOD_ARGUMENTS,
    NAMESPACES,
    NEEDS_ACCELERATOR,
    RANKED_CALLS,
    call,
    function_named,
    ignore_warnings,
    results,
    subject_of,
)
from tests.runtime.mixing_table import ROWS
from tests.runtime.simulated import schemas
from torchdev_lint.catalog import factories, operations

pytestmark = pytest.mark.slow


@ignore_warnings
@pytest.mark.parametrize("name", sorted(operations.POINTWISE - NEEDS_ACCELERATOR))
def test_pointwise_keeps_rank(name: str) -> None:
    """One tensor in, one of the same number of dimensions and in the same place out."""
    for values in results(name):
        assert [value.dim() for value in values] == [subject_of(name).dim()]


@ignore_warnings
@pytest.mark.parametrize("name", sorted(operations.SHAPED))
def test_shaped_has_dimensions(name: str) -> None:
    """The result has at least one dimension."""
    for values in results(name):
        assert len(values) == 1 and values[0].dim() >= 1


@ignore_warnings
@pytest.mark.parametrize("name", sorted(operations.ITEMIZED))
def test_itemized_gives_several(name: str) -> None:
    """A tuple or list of tensors."""
    assert isinstance(call(name, "cpu"), (tuple, list))
    for values in results(name):
        assert all(isinstance(value, torch.Tensor) for value in values)


@ignore_warnings
@pytest.mark.parametrize("name", sorted(operations.PAIRS))
def test_pairs_give_two(name: str) -> None:
    """Two tensors."""
    for values in results(name):
        assert len(values) == 2


@pytest.mark.parametrize("name", sorted(operations.ALIKE_PAIRS))
@pytest.mark.parametrize("operand", [torch.ones(()), torch.ones(1), torch.ones(2, 3)])
def test_alike_pairs_keep_the_rank(name: str, operand: torch.Tensor) -> None:
    """As many dimensions as the operand has, none included."""
    given = {"sort": (), "topk": (1,)}.get(name, (0,))
    pair = getattr(operand, name)(*given)
    assert [value.dim() for value in pair] == [operand.dim()] * 2
    assert name in operations.PAIRS


@ignore_warnings
@pytest.mark.parametrize("name", sorted(operations.PAIRS_BY_DIMENSION))
def test_pairs_by_dimension(name: str) -> None:
    """One tensor, or two if a dimension is named."""
    function = getattr(torch, name)
    assert isinstance(function(BATCH), torch.Tensor)
    assert len(function(BATCH, dim=0)) == 2


@ignore_warnings
@pytest.mark.parametrize("name", sorted(operations.REDUCTIONS))
def test_reductions(name: str) -> None:
    """One tensor, 0-dim where all dimensions are reduced."""
    for values in results(name):
        assert len(values) == 1
        if name in operations.FULL_REDUCTIONS:
            assert values[0].dim() == 0


@ignore_warnings
@pytest.mark.parametrize("name", sorted(operations.DIMENSION_FIRST))
def test_a_number_behind_the_tensor_is_the_dimension(name: str) -> None:
    """The second of two goes, and the first is left, or both are; `select` wants an index too."""
    matrix = torch.eye(3)
    rest = (0,) if name == "select" else ()
    results = getattr(torch, name)(matrix, 1, *rest)
    first = results if isinstance(results, torch.Tensor) else results[0]
    assert first.dim() in (1, 2)
    with pytest.raises(IndexError):
        getattr(torch, name)(matrix[0], 1, *rest)


def test_elementwise_broadcasts() -> None:
    """The result of 0-dim operands is 0-dim; one operand with dimensions is enough for them."""
    # Their operands are no two numbers alike, or their result is a bool.
    special = {"where", "masked_fill", "lerp", "addcmul", "addcdiv", "allclose"}
    for name in (operations.ELEMENTWISE | operations.CHECKED) - special:
        kinds = [torch.float32, torch.int64]
        function = function_named(name) or getattr(torch.Tensor, name)
        for left, right in (((), ()), ((), (3,)), ((3,), ())):
            value = first_that_works(function, left, right, kinds)
            assert value.dim() == max(len(left), len(right)), name


def first_that_works(
    function: Callable[..., Any], left: Any, right: Any, kinds: list[torch.dtype]
) -> torch.Tensor:
    """Call a function of two operands with the first dtype that it takes."""
    for kind in kinds:
        try:
            value: torch.Tensor = function(
                torch.ones(left, dtype=kind), torch.ones(right, dtype=kind)
            )
        except (RuntimeError, TypeError):
            continue
        return value
    raise AssertionError(function)


@ignore_warnings
@pytest.mark.parametrize(
    ("name", "code"),
    [(name, code) for names, code in RANKED_CALLS.items() for name in names.split()],
)
def test_ranked_has_dimensions(name: str, code: str) -> None:
    """At least one dimension comes out of operands with as few as possible."""
    one = torch.ones(())
    space: dict[str, Any] = {
        "torch": torch, "s": one, "i": one.long(), "v": torch.ones(3), "m": torch.eye(3),
        "b": torch.ones(3, 3, 3), "OP": function_named(name),
    }  # fmt: skip
    value = eval(code, space)
    assert value.dim() >= 1


def test_ranked_is_tested() -> None:
    """There is a call for each."""
    assert {name for names in RANKED_CALLS for name in names.split()} == operations.RANKED


def test_groups_do_not_overlap() -> None:
    """Each operation is in one group; part groups are parts."""
    groups = [
        operations.ELEMENTWISE, operations.CHECKED, operations.STRICT, operations.BROADCAST,
        operations.POINTWISE, operations.SHAPED, operations.ITEMIZED, operations.PAIRS,
        operations.REDUCTIONS,
    ]  # fmt: skip
    listed = [name for group in groups for name in group]
    assert sorted(listed) == sorted(set(listed))
    assert operations.FULL_REDUCTIONS <= operations.REDUCTIONS
    assert operations.RANKED <= operations.STRICT
    assert operations.ACCOMPANIED - operations.FILLED <= operations.NEUTRAL_FUNCTIONS
    # These methods raise: they are left over from functions that were removed.
    removed = {"solve", "eig"}
    for name in listed:
        is_method = hasattr(torch.Tensor, name) and name not in removed
        assert is_method is (name not in operations.FUNCTIONS_ONLY), name
        assert is_method or function_named(name) is not None, name


# Names of `torch`, its namespaces and `Tensor` that say nothing about placement.

INTERNAL = re.compile(
    r"_copy_?$|^(cudnn|miopen|mkldnn|fbgemm|quantized|native|sym|_?fused|batch_norm_|autocast|merge_type"
    r"|parse_|profiler|unify|grid_sampler|max_pool\dd_with|rnn_|fake_quantize|choose_qparams|q_|conv_tbc)"
)
STATE = re.compile(
    r"^(is|are|get|set|has|use|can|init|import|classproperty|compiled|clear_autocast|prepare)_|^handle_"
)
LEFT_OUT = frozenset(
    """
    Optional affine_grid_generator align_as align_tensors alias apply as_subclass assert_int_or_pair
    autocast backward binomial boolean_dispatch broadcast_shapes broadcast_tensors ccol_indices
    classproperty coalesce col_indices compile cond const_data_ptr constant_pad_nd convolution
    crow_indices ctc_loss dequantize dsmm eig embedding_renorm empty_quantized fill fork
    fractional_max_pool2d_with_indices fractional_max_pool3d_with_indices from_dlpack from_file
    adaptive_max_pool1d_with_indices adaptive_max_pool2d_with_indices
    adaptive_max_pool3d_with_indices grouped_mm gru gru_cell hash_tensor histogram histogramdd hsmm
    hspmm index index_fill index_put indices initial_seed int_repr ipu linear_cross_entropy load
    lstm lstm_cell lstsq manual_seed map2 map module_load mtia new norm_except_dim orgqr polygamma
    promote_types put qscheme record_stream refine_names register_hook
    register_post_accumulate_grad_hook reinforce rename resize resize_as resize_as_sparse
    result_type retain_grad row_indices saddmm save scaled_grouped_mm scaled_mm seed segment_reduce
    set slice_inverse smm solve_ex sparse_mask sparse_resize sparse_resize_and_clear spmm sspaddmm
    storage storage_type sum_to_size symeig thread_safe_generator to_dense to_dlpack to_mkldnn
    to_padded_tensor to_sparse to_sparse_bsc to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr
    triangular_solve typename untyped_storage unsafe_split_with_sizes values quantize_per_channel
    quantize_per_tensor_dynamic vmap wait while_loop cpu cuda to type type_as xpu
    """.split()
)
"""Moves (handled by the analysis itself), internals, sparse layouts, removed functions, what takes
some operands from the host (`ctc_loss`: lengths), what CUDA has no kernel for (`histogram`),
results that are neither a tensor nor a tuple of tensors in one place, and names that speak for too
much (`fill`, `index`, `put`, `values`)."""


@pytest.mark.parametrize("space", [*NAMESPACES, torch.Tensor], ids=lambda s: s.__name__)
def test_nothing_is_missing(space: Any) -> None:
    """Each function of PyTorch's is in the catalog, or left out for a reason."""
    known = (
        operations.ELEMENTWISE | operations.CHECKED | operations.STRICT | operations.BROADCAST
        | operations.NEUTRAL_FUNCTIONS | operations.HOST_READS | operations.IN_PLACE_SELF
        | operations.SAME_RANK_CASTS | factories.LIKE | factories.NEW | factories.FACTORY_NAMES
    )  # fmt: skip
    public = {
        name
        for name in dir(space)
        if not name.startswith("_")
        and callable(getattr(space, name))
        and not isinstance(getattr(space, name), type)
    }
    missing = {
        name
        for name in public - known
        if name.rstrip("_") not in known | LEFT_OUT
        and not INTERNAL.search(name)
        and not STATE.search(name)
    }
    assert not missing


# Where operands live.

# Composites: made of elementwise operations, which are NoCheck.
COMPOSITE = {
    "float_power",
    "isclose",
    "allclose",
    "ldexp",
    "ge",
    "true_divide",
    "divide",
    "multiply",
}
IN_PIECES = {"dist": "its 0-dim form is not worth a rule of its own"}


def overloads(name: str) -> list[str]:
    """Return the ATen overloads of an operation that take two or more tensors."""
    aten = [name, f"special_{name}", f"linalg_{name}"]
    return [
        full
        for full in schemas.operations().names
        if full.partition(".")[0] in aten and not full.endswith("out")
    ]


def takes_scalars(full: str) -> bool:
    """Whether an overload's name says that an operand is a number."""
    return re.search(r"\.(\w*[Ss]calar\w*|Tensor_mode|out\w*|int_\w+)$", full) is not None


@pytest.mark.parametrize("name", sorted(operations.ELEMENTWISE - COMPOSITE))
def test_elementwise_is_unchecked(name: str) -> None:
    """`native_functions.yaml` leaves the check to TensorIterator."""
    found = [full for full in overloads(name) if not takes_scalars(full)]
    composites = {"sub", "subtract", "less", "greater", "not_equal"}
    plain = [full for full in found if full in schemas.operations().unchecked]
    assert plain or not found or name in composites or _is_composite(found), found


def _is_composite(found: list[str]) -> bool:
    """Whether an operation only calls others: then it has no check of its own."""
    return all(_composite(full) for full in found)


def _composite(full: str) -> bool:
    text = schemas.native_functions_path().read_text(encoding="utf-8")
    entry = text[text.index(f"- func: {full}(") :].split("\n\n")[0]
    return "dispatch:" not in entry and "structured_delegate" not in entry


@pytest.mark.parametrize("name", sorted(operations.CHECKED - {"addcdiv"}))
def test_checked_is_checked(name: str) -> None:
    """All tensors must be on one device. (`addcdiv` is refused by its kernel, see the table.)"""
    found = [full for full in overloads(name) if not takes_scalars(full)]
    assert found and not set(found) & schemas.operations().unchecked


@pytest.mark.parametrize("name", sorted(operations.STRICT - IN_PIECES.keys()))
def test_strict_is_checked(name: str) -> None:
    """No overload leaves the check to TensorIterator."""
    found = [full for full in overloads(name) if not takes_scalars(full)]
    refused = {"binary_cross_entropy", "binary_cross_entropy_with_logits"}
    assert name in refused or not set(found) & schemas.operations().unchecked


# Rows whose 0-dim host operand is a special argument, for which the groups don't speak.
SPECIAL = {
    "binary_cross_entropy_with_logits": "weight and pos_weight may be 0-dim",
    "addcmul": "only tensor2 may be 0-dim",
    "lerp": "only weight may be 0-dim",
    "masked_fill": "only the value may be 0-dim",
    "index_fill": "only the value may be 0-dim",
}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.title)
def test_the_catalog_agrees_with_the_table(row: Any) -> None:
    """A 0-dim host operand mixes in elementwise operations, and in no strict one."""
    if "OP" not in row.code or row.rank != 0 or row.host in {"self", "out", "nothing"}:
        return
    for qualified in row.names:
        space, _, name = qualified.rpartition(".")
        if not space.startswith(("torch", "F")) or name in SPECIAL:
            continue
        if name in operations.ELEMENTWISE:
            assert row.expected == "mixes", qualified
        strict = operations.STRICT | operations.CHECKED | operations.BROADCAST
        if name in strict | operations.ACCOMPANIED:
            assert row.expected == "raises", qualified


# Methods.


@pytest.mark.parametrize("name", sorted(operations.HOST_READS))
def test_host_reads_leave_the_tensor_world(name: str) -> None:
    """What they give is no tensor."""
    subject = torch.ones(1)
    arguments: dict[str, tuple[Any, ...]] = {
        "equal": (subject,), "is_same_size": (subject,), "is_set_to": (subject,),
    }  # fmt: skip
    if name in {"is_coalesced", "sparse_dim", "dense_dim"}:
        subject = subject.to_sparse()
    if name == "get_device":
        assert subject.get_device() == -1
    value = getattr(subject, name)(*arguments.get(name, ()))
    assert not isinstance(value, torch.Tensor)


@pytest.mark.parametrize("name", sorted(operations.SAME_RANK_CASTS))
@ignore_warnings
def test_casts(name: str) -> None:
    """A new tensor of the same rank."""
    assert getattr(BATCH, name)().dim() == BATCH.dim()


@pytest.mark.parametrize("name", sorted(operations.IN_PLACE_SELF))
def test_in_place_methods_return_their_tensor(name: str) -> None:
    """They change it and return it."""
    subject = subject_of(name).clone()
    assert getattr(subject, name)(*METHOD_ARGUMENTS.get(name, ())) is subject


def test_namespaces_exist() -> None:
    """Each is a module with at least one function."""
    for namespace in operations.FUNCTION_NAMESPACES + operations.ACROSS_DEVICES:
        module = importlib.import_module(namespace.strip("."))
        assert any(callable(member) for member in vars(module).values())
