"""What a name is, judged by its uses in a scope, where nothing else says so.

A name alone is never evidence; annotations win over uses.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from torchdev_lint.catalog import operations
from torchdev_lint.catalog.modules import MODULE_METHODS
from torchdev_lint.placement.names import dotted, path_of

TENSOR_MEMBERS = (
    frozenset(
        """
        shape size ndim view_as backward requires_grad is_cuda new_zeros new_ones new_tensor
        new_empty new_full unsqueeze_ squeeze_ masked_fill_ scatter_ item long clamp_ type_as fill_
        zero_ copy_ normal_ uniform_ dim numel grad_fn is_floating_point expand_as
        """.split()
    )
    | operations.POINTWISE
    | operations.SHAPED
    | operations.REDUCTIONS
    | operations.STRICT
    | operations.ELEMENTWISE
) - frozenset(
    "data grad pad all any mode sort add where div sub mul t T pow round clip linear dist fold stack embedding".split()
)
"""Attributes that speak for a tensor: modules and in-place movers have none of them."""

ONLY_TENSOR_MEMBERS = frozenset(
    """
    shape size ndim dim numel item view reshape unsqueeze unsqueeze_ squeeze permute transpose
    contiguous expand backward requires_grad is_cuda grad_fn new_zeros new_ones new_tensor new_empty
    new_full masked_fill masked_fill_ scatter_ index_select type_as repeat_interleave long
    is_floating_point normal_ uniform_ zero_ fill_ clamp clamp_ view_as expand_as argmax softmax
    sigmoid flatten detach
    """.split()
)
"""Attributes that nothing with a `.to()` has but a tensor."""

CONTAINER_MEMBERS = frozenset(
    {"keys", "items", "values", "get", "update", "append", "pop", "extend", "setdefault", "batch_size",
     "input_ids", "attention_mask", "pixel_values", "num_graphs", "edge_index", "edge_attr",
     "get_fields", "fields", "batch_sizes", "num_nodes", "pos"}
)  # fmt: skip
"""Attributes that speak against a plain tensor."""

_NOT_TENSOR_CALLS = (
    "save",
    "load",
    "is_tensor",
    "device",
    "manual_seed",
    "DataParallel",
    "compile",
)


@dataclass(slots=True)
class Uses:
    """How one name is used in a scope."""

    members: set[str] = field(default_factory=set)
    called: bool = False
    computed: bool = False
    passed_to_torch: bool = False
    keyed: bool = False
    sliced: bool = False

    def merge(self, other: Uses) -> Uses:
        """Return the uses in two scopes together."""
        return Uses(
            self.members | other.members,
            self.called or other.called,
            self.computed or other.computed,
            self.passed_to_torch or other.passed_to_torch,
            self.keyed or other.keyed,
            self.sliced or other.sliced,
        )

    def speak_for_tensor(self) -> bool:
        """Whether the name must be a tensor, given that it has a `.to()` or is used in `forward`."""
        if self.is_structure():
            return False
        return bool(self.members & TENSOR_MEMBERS) or self.passed_to_torch or self.sliced

    def is_structure(self) -> bool:
        """Whether the name holds a structure of tensors, which may move in place."""
        return (
            self.called or self.keyed or bool(self.members & (MODULE_METHODS | CONTAINER_MEMBERS))
        )

    def can_only_be_tensor(self) -> bool:
        """Whether something with a `.to()` or `.cuda()` that is used like this is a tensor."""
        if self.is_structure():
            return False
        return bool(self.members & ONLY_TENSOR_MEMBERS) or self.passed_to_torch or self.sliced

    def speak_for_module(self) -> bool:
        """Whether the name must be a module."""
        if self.members & (TENSOR_MEMBERS - {"requires_grad", "type", "size", "long", "dtype"}):
            return False
        return bool(self.members & MODULE_METHODS)


def collect_uses(scope: ast.AST, torch_names: frozenset[str]) -> dict[str, Uses]:
    """Collect how names and their attributes are used in a function or class.

    Args:
        scope: the function or class.
        torch_names: first components of names that mean `torch` or something in it.
    """
    uses: dict[str, Uses] = {}

    def of(node: ast.AST) -> Uses | None:
        path = path_of(node)
        if path is None or path.count(".") > 2:
            return None
        return uses.setdefault(path, Uses())

    for node in ast.walk(scope):
        if isinstance(node, ast.Attribute):
            if use := of(node.value):
                use.members.add(node.attr)
        elif isinstance(node, ast.Call):
            _collect_call(node, of, torch_names)
        elif isinstance(node, ast.BinOp):
            for side in (node.left, node.right):
                if use := of(side):
                    use.computed = True
                    if isinstance(node.op, ast.MatMult):
                        use.passed_to_torch = True
        elif isinstance(node, ast.Subscript) and (use := of(node.value)):
            if isinstance(node.slice, ast.Tuple):
                use.sliced |= any(_is_axis(item) for item in node.slice.elts)
            elif isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                use.keyed = True
    return uses


def _is_axis(item: ast.expr) -> bool:
    constant = isinstance(item, ast.Constant) and (item.value is None or item.value is Ellipsis)
    return isinstance(item, ast.Slice) or constant


def _collect_call(
    node: ast.Call, of: Callable[[ast.AST], Uses | None], torch_names: frozenset[str]
) -> None:
    if use := of(node.func):
        use.called = True
    name = dotted(node.func)
    if name is None:
        return
    for keyword in node.keywords:
        if keyword.arg is None and (use := of(keyword.value)):
            use.keyed = True
    root, _, _ = name.partition(".")
    last = name.rpartition(".")[2]
    if root not in torch_names or last in _NOT_TENSOR_CALLS or not last[:1].islower():
        return
    if last in {"tensor", "as_tensor", "from_numpy", "asarray"} or ".optim" in name:
        return
    sized = last in {
        "zeros",
        "ones",
        "rand",
        "randn",
        "empty",
        "full",
        "arange",
        "linspace",
        "eye",
        "randint",
        "randperm",
    }
    if sized or "utils" in name or "distributed" in name or "cuda" in name or "init" in name:
        return
    for argument in node.args[:2]:
        items = argument.elts if isinstance(argument, (ast.List, ast.Tuple)) else [argument]
        for item in items:
            if isinstance(item, ast.Constant):
                continue
            if (use := of(item)) and (item is node.args[0] or item in items and len(items) > 1):
                use.passed_to_torch = True
