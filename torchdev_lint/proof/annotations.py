"""What annotations promise: a contract that type checkers hold every caller to.

It counts as a proof where the code itself trusts it. A function that asks what it was given, or a
default that breaks the promise, says that it may be something else.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.factories import TENSOR_CLASSES
from torchdev_lint.proof.values import Values
from torchdev_lint.source.annotated import annotation_of
from torchdev_lint.syntax.bindings import Bindings
from torchdev_lint.syntax.parameters import default_of
from torchdev_lint.syntax.scopes import Syntax

NONE = "None"
"""How the type of `None` is written."""

_DEVICES = frozenset({"torch.device", NONE})
"""What can be moved to; to `None` means: where it is."""
_NAMES_OF_DEVICES = _DEVICES | {"str", "int"}
"""What a move takes for a device, or for nothing at all, but never for a type of numbers."""
_TENSORS = frozenset({"torch.nn.Parameter"} | {f"torch.{name}" for name in TENSOR_CLASSES})
_NUMBERS = frozenset({"int", "float", "bool"})
_ASKS = frozenset({"isinstance", "issubclass", "hasattr", "getattr", "type", "callable"})
"""Built-in functions that are called where something may be this or that."""
_OPTIONAL = "typing.Optional"
_UNION = "typing.Union"


class Annotations:
    """What the annotations of a file promise.

    Args:
        syntax: the file's tree.
        bindings: what its names are bound to.
        values: what its names may hold.
    """

    def __init__(self, syntax: Syntax, bindings: Bindings, values: Values) -> None:
        self._syntax = syntax
        self._bindings = bindings
        self._values = values
        self._known: dict[ast.AST, frozenset[str]] = {}

    def is_tensor(self, binding: ast.AST | None) -> bool:
        """Return whether a binding gives a tensor, by its annotation."""
        return self._only(binding, _TENSORS)

    def is_device(self, binding: ast.AST | None) -> bool:
        """Return whether a binding gives a device, or `None`, by its annotation."""
        return self._only(binding, _DEVICES)

    def names_device(self, binding: ast.AST | None) -> bool:
        """Return whether a binding gives what can't be moved to if it is no device."""
        return self._only(binding, _NAMES_OF_DEVICES)

    def is_number(self, binding: ast.AST | None) -> bool:
        """Return whether a binding gives a number, by its annotation."""
        return self._only(binding, _NUMBERS)

    def _only(self, binding: ast.AST | None, types: frozenset[str]) -> bool:
        if binding is None:
            return False
        if binding not in self._known:
            self._known[binding] = frozenset(self._promised(binding))
        return bool(self._known[binding]) and self._known[binding] <= types

    def _promised(self, binding: ast.AST) -> set[str]:
        """The types that a binding may give, by their dotted names; none: nothing is promised."""
        parent = self._syntax.parent(binding)
        if isinstance(binding, ast.arg) and isinstance(parent, ast.arguments):
            if binding.annotation is None or binding in {parent.vararg, parent.kwarg}:
                return set()
            types = set(self._types(binding.annotation, binding))
            default = default_of(self._syntax, binding)
            broken = isinstance(default, ast.Constant) and default.value is None
            doubted = (broken and NONE not in types) or self._is_doubted(binding, types)
            return set() if doubted else types
        if isinstance(parent, ast.AnnAssign) and parent.target is binding:
            return set(self._types(parent.annotation, binding))
        noted = annotation_of(parent) if isinstance(parent, ast.Assign) else None
        return set() if noted is None else set(self._types(noted, binding))

    def _types(self, node: ast.expr, place: ast.AST) -> Iterator[str]:
        """The types that an annotation names; what is not understood is named as well."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                node = ast.parse(node.value, mode="eval").body
            except SyntaxError:
                yield ""
                return
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            yield from self._types(node.left, place)
            yield from self._types(node.right, place)
        elif isinstance(node, ast.Subscript):
            yield from self._parts(node, place)
        elif isinstance(node, ast.Constant) and node.value is None:
            yield NONE
        elif isinstance(node, ast.Name) and self._bindings.is_builtin(node.id, place):
            yield node.id
        else:
            yield self._values.library(node, place)

    def _parts(self, node: ast.Subscript, place: ast.AST) -> Iterator[str]:
        """The types of which something may be any."""
        general = self._values.library(node.value, place)
        if general not in {_OPTIONAL, _UNION}:
            yield ""
            return
        if general == _OPTIONAL:
            yield NONE
        for part in node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]:
            yield from self._types(part, place)

    def _is_doubted(self, parameter: ast.arg, types: set[str]) -> bool:
        """Whether code asks what a parameter is, and not only whether it was given."""
        function = self._syntax.parent(self._syntax.parent(parameter) or parameter)
        for read in self._syntax.named(parameter.arg, function or self._syntax.tree):
            parent = self._syntax.parent(read)
            if isinstance(parent, ast.Call):
                doubts = getattr(parent.func, "id", "") in _ASKS
            else:
                doubts = isinstance(parent, ast.Compare) and NONE not in types and _asks(parent)
            if doubts and parameter in self._bindings.reaching(parameter.arg, read):
                return True
        return False


def _asks(comparison: ast.Compare) -> bool:
    """Whether a comparison asks for an identity."""
    return any(isinstance(operator, (ast.Is, ast.IsNot)) for operator in comparison.ops)
