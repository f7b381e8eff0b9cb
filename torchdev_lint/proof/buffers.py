"""Whether it makes a difference that a module has a tensor as a buffer, and not as an attribute.

It moves with the module then, which is what is wanted. But it is also among the buffers, and is
converted with them where the module is told to have other numbers.
"""

from __future__ import annotations

import ast
from itertools import chain

from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import Syntax

_GO_THROUGH = frozenset(
    """
    buffers named_buffers _buffers get_buffer _apply to_empty stack_module_state
    register_module_buffer_registration_hook vars
    """.split()
)
"""What goes through all buffers of a module, or all its plain attributes."""
_CONVERT = frozenset({"half", "float", "double", "bfloat16"})
"""Methods of modules that convert their buffers; tensors have them as well."""
_MAY_CONVERT = ("to", "type")
_OF_MOVES = frozenset({"device", "non_blocking", "copy", "memory_format"})
"""Arguments beside which `to` changes no numbers."""


class Buffers:
    """Looks for what a file does to modules besides moving them.

    Args:
        syntax: the file.
        proof: what is proven of it.
    """

    def __init__(self, syntax: Syntax, proof: Proof) -> None:
        self._syntax = syntax
        self._proof = proof

    def are_as_good_as_attributes(self) -> bool:
        """Return whether nothing in the file tells buffers from plain attributes."""
        mentions = self._proof.mentions
        if _GO_THROUGH & mentions.words or any(map(mentions.texts, _CONVERT)):
            return False
        methods = chain.from_iterable(map(mentions.lookups, (*_CONVERT, *_MAY_CONVERT)))
        return all(self._only_moves(method) or self._is_of_tensor(method) for method in methods)

    def _is_of_tensor(self, method: ast.Attribute) -> bool:
        """Whether a method is certainly that of a tensor, or no method: `torch.float` is a type."""
        if self._proof.values.library(method) == f"torch.{method.attr}":
            return True
        return self._proof.tensors.is_tensor(method.value)

    def _only_moves(self, method: ast.Attribute) -> bool:
        """Whether a method that may convert is told nothing but a device, or is the type of one."""
        call = self._syntax.parent(method)
        if not isinstance(call, ast.Call) or call.func is not method:
            return method.attr == "type"
        if method.attr == "to":
            is_plain = (
                len(call.args) <= 1 and {keyword.arg for keyword in call.keywords} <= _OF_MOVES
            )
            return is_plain and all(map(self._is_device, call.args))
        return method.attr == "type" and not call.args and not call.keywords

    def _is_device(self, given: ast.expr) -> bool:
        return last_component(given) in DEVICE_NAMES or self._proof.says_where(given)
