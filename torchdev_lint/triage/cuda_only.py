"""Which calls do what not each accelerator does, or not at once, going by names."""

from __future__ import annotations

import ast
from functools import cached_property

from torchdev_lint.catalog.devices import MPS_TYPE
from torchdev_lint.catalog.factories import DOUBLE
from torchdev_lint.syntax.calls import destination
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.apart import may_be_host

_PINS = "pin_memory"
_DOUBLE = DOUBLE | {"DoubleTensor"}


class CudaOnly:
    """Such calls in a file.

    Args:
        tree: its syntax tree.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree

    def may_be(self, node: ast.Call) -> bool:
        """Whether a call pins memory, copies to the host in the background, or asks for `float64`.

        The last one counts where the file names an accelerator that hasn't got that.
        """
        return _pins(node) or _copies(node) or (_may_be_double(node) and self._names_mps)

    @cached_property
    def _names_mps(self) -> bool:
        return any(isinstance(n, ast.Constant) and n.value == MPS_TYPE for n in walk(self._tree))


def _pins(node: ast.Call) -> bool:
    if isinstance(node.func, ast.Attribute) and node.func.attr == _PINS:
        return True
    return any(keyword.arg == _PINS for keyword in node.keywords)


def _copies(node: ast.Call) -> bool:
    if all(keyword.arg != "non_blocking" for keyword in node.keywords):
        return False
    given = destination(node)
    return given is not None and may_be_host(given)


def _may_be_double(node: ast.Call) -> bool:
    """Whether a call gives numbers of double precision."""
    given = (*node.args, *(keyword.value for keyword in node.keywords))
    return any(last_component(part) in _DOUBLE for part in (node.func, *given))
