"""What a name is, judged by its uses in a scope, where nothing else says so.

A name alone is never evidence; annotations win over uses.
"""

from __future__ import annotations

import ast
from dataclasses import field

from torchdev_lint.catalog.methods import (
    ANY_TENSOR_MEMBERS,
    NOT_OF_ARRAYS,
    ONLY_TENSOR_ATTRIBUTES,
    ONLY_TENSOR_METHODS,
    STRUCTURE_MEMBERS,
    TENSOR_MEMBERS,
    may_be_of_tensor,
)
from torchdev_lint.catalog.modules import MODULE_METHODS, PARAMETERS
from torchdev_lint.records import dataclass

_NOT_OF_ARRAYS_IF_CALLED = frozenset({"float", "size"})
"""Methods that tell a tensor from an array, and hardly from a module: those are cast otherwise."""


@dataclass(slots=True)
class Uses:
    """How one name is used in a scope.

    Args:
        members: the attributes that are read from it.
        computed: whether it is an operand of arithmetic or of an ordering.
        keyed: whether it is looked up by strings, or spread as keywords.
        sliced: whether it is indexed along several axes.
        converted: whether a tensor is made of it, as of a list or an array.
        size: whether a tensor of that size is made.
        plain: whether it is used as no tensor is: as a size, an index, a flag, an iterable.
        methods: those of its attributes that are called.
        picked: whether single elements are picked by number, as from a tuple.
        asked_for_none: whether it is compared with `None` by `is`.
        moves: the calls of `.to()` and `.cuda()` on it.
        handed_over: whether a module or a loss takes it: a tensor, if it can be moved.
        combined: whether something that computes with tensors takes it, wherever among its
            operands: a tensor, if it can be moved.
        has_axes: whether it has at least one, if it is a tensor: a part of it is picked, or the
            size of an axis is asked for.
        apart: whether it is one of several parts of one thing, of which none is a structure.
        precedes_tensor: whether it is the left operand of an operator, beside a tensor: no array or
            list can be.
        asked_for_tensor: whether it is tested for being a tensor.
        asked_for_other: whether it is tested for being of another type.
    """

    members: set[str] = field(default_factory=set)
    called: bool = False
    computed: bool = False
    passed_to_torch: bool = False
    keyed: bool = False
    sliced: bool = False
    converted: bool = False
    size: bool = False
    plain: bool = False
    picked: bool = False
    methods: set[str] = field(default_factory=set)
    asked_for_none: bool = False
    moves: list[ast.Call] = field(default_factory=list)
    handed_over: bool = False
    combined: bool = False
    has_axes: bool = False
    apart: bool = False
    precedes_tensor: bool = False
    asked_for_tensor: bool = False
    asked_for_other: bool = False

    def merge(self, other: Uses) -> Uses:
        """Return the uses in two scopes together."""
        return Uses(
            self.members | other.members,
            self.called or other.called,
            self.computed or other.computed,
            self.passed_to_torch or other.passed_to_torch,
            self.keyed or other.keyed,
            self.sliced or other.sliced,
            self.converted or other.converted,
            self.size or other.size,
            self.plain or other.plain,
            self.picked or other.picked,
            self.methods | other.methods,
            self.asked_for_none or other.asked_for_none,
            self.moves + other.moves,
            self.handed_over or other.handed_over,
            self.combined or other.combined,
            self.has_axes or other.has_axes,
            self.apart or other.apart,
            self.precedes_tensor or other.precedes_tensor,
            self.asked_for_tensor or other.asked_for_tensor,
            self.asked_for_other or other.asked_for_other,
        )

    def may_be_tensor(self) -> bool:
        """Whether nothing speaks against a tensor, and something for one."""
        if self.is_structure() or self.plain or self.picked or self.members - ANY_TENSOR_MEMBERS:
            return False
        return self.computed or bool(self.members)

    def speak_for_tensor(self) -> bool:
        """Whether the name must be a tensor, given that it is a parameter of `forward`."""
        return self.is_computed_with() or (self.handed_over and not self.is_structure())

    def is_computed_with(self) -> bool:
        """Whether the code at hand itself computes with the name as with a tensor."""
        if self.is_structure():
            return False
        return bool(self.members & TENSOR_MEMBERS) or self.passed_to_torch or self.sliced

    def is_structure(self) -> bool:
        """Whether the name holds something else than a tensor, which may move in place."""
        return (
            self.called
            or self.keyed
            or bool(self.members & (MODULE_METHODS | STRUCTURE_MEMBERS))
            or self.has_other_members()
        )

    def has_other_members(self) -> bool:
        """Whether it has attributes that tensors don't have, such as the fields of a graph."""
        return any(not name.startswith("_") and not may_be_of_tensor(name) for name in self.members)

    def can_only_be_tensor(self) -> bool:
        """Whether something with a `.to()` or `.cuda()` that is used like this is a tensor."""
        if self.is_structure():
            return False
        certain = self.members & ONLY_TENSOR_ATTRIBUTES or self.methods & ONLY_TENSOR_METHODS
        return bool(certain) or self.passed_to_torch or self.sliced or self.handed_over

    def moved_is_tensor(self) -> bool:
        """Whether something that certainly has a `.to()`, and is used like this, is a tensor."""
        return self.can_only_be_tensor() or (self.combined and not self.is_structure())

    def are_of_tensor_alone(self) -> bool:
        """Whether an argument of any function that is used like this is a tensor, and no array."""
        return not self.converted and self._are_of_tensor()

    def may_be_of_tensor(self) -> bool:
        """Whether such an argument may be a tensor, or else something that the code asks for."""
        return self.asked_for_tensor or (self.asked_for_other and self._are_of_tensor())

    def _are_of_tensor(self) -> bool:
        if self.is_structure() or self.size:
            return False
        if self.is_no_array() or (self.precedes_tensor and self.has_axes):
            return True
        return self.passed_to_torch and not (self.plain or self.picked)

    def is_no_array(self) -> bool:
        """Whether it has what tensors have and arrays don't."""
        return bool(self.members & NOT_OF_ARRAYS or self.methods & _NOT_OF_ARRAYS_IF_CALLED)

    def has_state(self) -> bool:
        """Whether a module is trained, loaded or the like: a mere loss has nothing to train."""
        return bool(self.members & (MODULE_METHODS - {"children", "modules", "apply"}))

    def lists_parameters(self) -> bool:
        """Whether it is asked for its parameters or buffers, which nothing but a module has."""
        return not self.methods.isdisjoint(PARAMETERS)

    def speak_for_module(self) -> bool:
        """Whether the name must be a module."""
        if self.members & (TENSOR_MEMBERS - {"requires_grad", "type", "size", "long", "dtype"}):
            return False
        return bool(self.members & MODULE_METHODS)
