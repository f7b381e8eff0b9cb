"""Which expressions certainly give a device of the machine that runs them."""

from __future__ import annotations

import ast
import re

from torchdev_lint.catalog.classes import ClassKind, kinds_of
from torchdev_lint.catalog.devices import AVAILABLE, DEVICE_TYPES, HOST_TYPE
from torchdev_lint.proof.grounds import Grounds, Steps
from torchdev_lint.proof.modules import Modules
from torchdev_lint.proof.tensors import Tensors
from torchdev_lint.syntax.parameters import default_of
from torchdev_lint.syntax.scopes import FUNCTIONS

DEVICE = re.compile(rf"({'|'.join(sorted(DEVICE_TYPES))})(:\d+)?$")
"""How a device is written."""


class Devices:
    """What is certain about the devices of a file.

    Args:
        grounds: what is known of its names.
        modules: what its modules are.
        tensors: what its tensors are.
    """

    def __init__(self, grounds: Grounds, modules: Modules, tensors: Tensors) -> None:
        self._syntax = grounds.syntax
        self._bindings = grounds.bindings
        self._values = grounds.values
        self._annotations = grounds.annotations
        self._modules = modules
        self._tensors = tensors
        self._steps = Steps()

    def is_device(self, node: ast.expr, place: ast.AST, available: bool = False) -> bool:
        """Return whether an expression certainly gives a device that can be used, or `None`.

        `None` means the device where things are anyway.

        Args:
            place: where it is read.
            available: whether it is only read where there is an accelerator.
        """
        if isinstance(node, ast.Constant):
            match = DEVICE.match(node.value) if isinstance(node.value, str) else None
            is_there = match is not None and (available or match[1] == HOST_TYPE)
            return is_there or node.value is None
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            return all(self.is_device(value, place, available) for value in node.values)
        if isinstance(node, ast.IfExp):
            one, other = self._needs_accelerator(node.test, place)
            return self.is_device(node.body, place, available or one) and self.is_device(
                node.orelse, place, available or other
            )
        if isinstance(node, ast.Call):
            if self._values.library(node.func, place) != "torch.device":
                return False
            is_plain = len(node.args) == 1 and not node.keywords
            return available or (is_plain and self.is_device(node.args[0], place))
        if isinstance(node, ast.Attribute):
            part = self._modules.part(node, place)
            if part is not None:
                return self.is_device(part, part, available)
            has_device = self._tensors.is_tensor(node.value, place) or self._is_its_own(node, place)
            return node.attr == "device" and has_device
        return isinstance(node, ast.Name) and self._holds_device(node.id, place, available)

    def _is_its_own(self, node: ast.Attribute, place: ast.AST) -> bool:
        """Whether it is the `device` that an object has from a class of a library."""
        kinds = kinds_of(self._modules.inherits(node, place))
        return kinds is not None and ClassKind.DEVICE in kinds

    def _holds_device(self, name: str, place: ast.AST, available: bool) -> bool:
        """Whether each binding of a name gives it a device."""
        with self._steps.one() as allowed:
            bound = self._bindings.reaching(name, place) if allowed else ()
            return bool(bound) and all(self._binds_device(binding, available) for binding in bound)

    def _binds_device(self, binding: ast.AST | None, available: bool) -> bool:
        if self._annotations.is_device(binding):
            return self._keeps_its_promise(binding, available)
        given = self._values.given(binding)
        available |= binding is not None and self._is_where_available(binding)
        return bool(given) and all(self.is_device(value, value, available) for value in given)

    def _keeps_its_promise(self, binding: ast.AST | None, available: bool) -> bool:
        """Whether what is annotated as a device has no default that is none."""
        default = default_of(self._syntax, binding) if isinstance(binding, ast.arg) else None
        return default is None or self.is_device(default, default, available)

    def only_says_where(self, node: ast.expr) -> bool:
        """Return whether what something is moved to by an expression can't be a type of numbers.

        The move has succeeded with it: it is a device, or the name or number of one.
        """
        if self.is_device(node, node, available=True):
            return True
        bound = self._bindings.reaching(node.id, node) if isinstance(node, ast.Name) else ()
        return bool(bound) and all(
            self._annotations.names_device(binding) and self._keeps_its_promise(binding, True)
            for binding in bound
        )

    def _is_where_available(self, node: ast.AST) -> bool:
        """Whether code only runs where there is an accelerator."""
        child = node
        for part in self._syntax.around(node):
            if isinstance(part, FUNCTIONS):
                return False
            if isinstance(part, ast.If):
                one, other = self._needs_accelerator(part.test, part.test)
                if (one and child in part.body) or (other and child in part.orelse):
                    return True
            child = part
        return False

    def _needs_accelerator(self, test: ast.expr, place: ast.AST) -> tuple[bool, bool]:
        """Whether a condition is only true, and only false, where there is an accelerator."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            one, other = self._needs_accelerator(test.operand, place)
            return other, one
        if isinstance(test, ast.BoolOp):
            parts = [self._needs_accelerator(value, place) for value in test.values]
            if isinstance(test.op, ast.And):
                return any(one for one, _ in parts), False
            return False, any(other for _, other in parts)
        if isinstance(test, ast.Call):
            return self._values.library(test.func, place) in AVAILABLE, False
        if isinstance(test, ast.Name):
            with self._steps.one() as allowed:
                values = self._values.values(test.id, place) if allowed else []
                found = [self._needs_accelerator(value, value) for value in values]
                return bool(found) and all(one for one, _ in found), False
        return False, False
