"""Which of Python's types a value has, as far as a test of its type is decided by what is known."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.values import (
    NO_TENSORS,
    Bundle,
    Instance,
    Method,
    Unknown,
    Value,
    is_one_tensor,
)
from torchdev_lint.syntax.names import last_component

_ANY_ORDER = frozenset({"Collection", "Iterable", "Sized", "Container"})
_ABOVE = {
    SequenceKind.LIST: frozenset({"list", "Sequence", "MutableSequence"}) | _ANY_ORDER,
    SequenceKind.TUPLE: frozenset({"tuple", "Sequence"}) | _ANY_ORDER,
    SequenceKind.DEQUE: frozenset({"deque", "Sequence", "MutableSequence"}) | _ANY_ORDER,
    SequenceKind.SET: frozenset({"set", "Set", "MutableSet"}) | _ANY_ORDER,
}
"""The types of what holds elements, and the abstract ones above them."""
_OF_DICTS = frozenset({"dict", "Mapping", "MutableMapping"}) | _ANY_ORDER
_OF_TENSORS = frozenset({"Tensor"})
_KNOWN = frozenset({"str", "bytes", "int", "float", "bool", "ndarray", "Tensor"}).union(
    _OF_DICTS, *_ABOVE.values()
)
"""Types of which it is known whether containers are of them."""


def is_of_type(value: Value, wanted: ast.expr) -> bool | None:
    """Whether a value is an instance of a type, or of one of several; None if that isn't known.

    A tuple may well be a named one, of which code asks by another name.

    Args:
        wanted: the expression of the type, or of a tuple of types.
    """
    if isinstance(wanted, ast.Tuple):
        verdicts = {is_of_type(value, each) for each in wanted.elts}
        if True in verdicts:
            return True
        return None if None in verdicts else False
    name = last_component(wanted)
    if name == "Tensor":
        return _is_tensor(value)
    above = _types_of(value)
    return name in above if above is not None and name in _KNOWN else None


def _is_tensor(value: Value) -> bool | None:
    if is_one_tensor(value):
        return True
    if value in NO_TENSORS:
        return False
    if isinstance(value, Method):
        value = value.bound  # an attribute of what isn't known may as well be no method
    return None if isinstance(value, (Unknown, Bundle)) else False


def _types_of(value: Value) -> frozenset[str] | None:
    """The names of the types that a container or a tensor is of, None for what is neither."""
    if isinstance(value, Mapping):
        return _OF_DICTS
    if is_one_tensor(value):
        return _OF_TENSORS
    if is_named(value):
        return _ABOVE[SequenceKind.TUPLE]
    return _ABOVE.get(value.kind) if isinstance(value, Sequence) else None


def is_named(value: Value) -> bool:
    """Return whether a value is a named tuple."""
    cls = value.cls if isinstance(value, Instance) else None
    return cls is not None and cls.inherits("NamedTuple")
