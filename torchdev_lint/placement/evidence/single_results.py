"""Whether a module of another file gives one tensor, and no structure of such."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.methods import NUMBER_METHODS, ONLY_TENSOR_METHODS
from torchdev_lint.catalog.operations import HOST_READS
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.values import Function
from torchdev_lint.placement.evidence.declared_results import is_tensor_class
from torchdev_lint.placement.evidence.parsed_code import parsed_code
from torchdev_lint.proof.grounds import Grounds
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax, own_nodes

_GIVING_TENSORS = (
    ONLY_TENSOR_METHODS - NUMBER_METHODS - HOST_READS - {"dim", "size", "backward"}
) - {"is_floating_point"}
"""Methods that a tensor has, and that give one."""


def gives_one_tensor(info: ClassInfo) -> bool:
    """Return whether the `forward` of a class certainly gives a tensor, as its code has it.

    Args:
        info: the class, of whatever file.
    """
    if info.gives_tensor is None:
        info.gives_tensor = _gives_one_tensor(info)
    return info.gives_tensor


def _gives_one_tensor(info: ClassInfo) -> bool:
    method = info.lookup("forward")
    parsed = parsed_code(method.file) if isinstance(method, Function) else None
    if parsed is None or not isinstance(method, Function):
        return False
    function = method.node
    if not isinstance(function, FUNCTIONS) or parsed.syntax.parent(function) is None:
        return False  # the file was parsed anew
    if function.returns is not None and is_tensor_class(function.returns):
        return True
    returned = [node.value for node in own_nodes(function) if isinstance(node, ast.Return)]
    results = _Results(parsed.syntax)
    return bool(returned) and all(v is not None and results.is_tensor(v) for v in returned)


class _Results:
    """What the functions of a file give.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._grounds = syntax.derived(Grounds)
        self._tensors = syntax.derived(Proof).tensors
        self._asked = set[str]()

    def is_tensor(self, node: ast.expr) -> bool:
        """Whether an expression gives a tensor, if it gives anything."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _GIVING_TENSORS:
                return True
        if isinstance(node, ast.Name) and node.id not in self._asked:
            self._asked.add(node.id)
            bound = self._grounds.bindings.reaching(node.id, node)
            given = [self._grounds.values.given(binding) for binding in bound]
            if given and all(values and all(map(self.is_tensor, values)) for values in given):
                return True
        return self._tensors.is_tensor(node)
