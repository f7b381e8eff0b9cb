"""Which variables of modules and classes the code of a file may give other values.

Only names are looked at: who assigns an attribute of that name, of whatever object, may mean the
module's or the class's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Set
from dataclasses import field

from torchdev_lint.catalog.builtins import BUILTINS, READING
from torchdev_lint.catalog.factories import DRAWING, MEASURING, PARAMETERS
from torchdev_lint.catalog.modules import REGISTERING_METHODS
from torchdev_lint.placement.domain.origins import Keeper, Keeping
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import dotted, last_component

_OWN = frozenset({"self", "cls"})
_NAMESPACES = frozenset({"globals", "vars"})
"""Functions that give the variables of a module by their names."""
WAYS_BY_NAME = ("setattr", "vars", "__dict__")
"""What code has to name that assigns variables of another file whose names it computes."""
_MEASURING = DRAWING | MEASURING
"""Methods of distributions, which leave them as they are: those that objects keep are told of."""
_HIDING = frozenset({*WAYS_BY_NAME, "__setattr__", "exec"})
"""That for attributes of its own object."""


@dataclass(slots=True)
class Rebinding:
    """What the code of a file may change of modules and classes.

    Args:
        attributes: the attributes that it assigns, what it gives other data, and what functions
            declare `global`.
        own: those that it assigns of `self` and `cls`.
        parts: the variables of which it may replace, add or remove a part.
        held: those of them that are attributes.
        by_name: whether it assigns attributes by names that it computes.
        texts: the names that it writes as texts.
        own_by_name: whether it may assign those of `self` without writing their names at all.
    """

    attributes: set[str] = field(default_factory=set)
    own: set[str] = field(default_factory=set)
    parts: set[str] = field(default_factory=set)
    held: set[str] = field(default_factory=set)
    by_name: bool = False
    texts: set[str] = field(default_factory=set)
    own_by_name: bool = False

    def may_replace(self, keeper: Keeper) -> bool:
        """Return whether a variable of a module or class may get another value.

        An object's own attribute stands before that of its class.
        """
        if keeper.kind is Keeping.DEFAULT:
            return False
        if self.by_name or keeper.name in self.attributes:
            return True
        return keeper.kind is Keeping.CLASS and keeper.name in self.own

    def may_give_own(self, name: str) -> bool:
        """Return whether something other than an assignment may give `self` an attribute."""
        return self.own_by_name or name in self.texts

    def may_change(self, keeper: Keeper) -> bool:
        """Return whether what a variable keeps may be replaced, or a part of it."""
        parts = self.held if keeper.kind is Keeping.OBJECT else self.parts
        return self.may_replace(keeper) or (keeper.inside and keeper.name in parts)

    def note_part(self, holder: ast.expr, is_held: bool = True) -> None:
        """Note of what an expression gives that a part of it may be another one from there on.

        Args:
            is_held: whether that may be so of an attribute.
        """
        name = last_component(holder)
        self.parts.add(name)
        if is_held and isinstance(holder, ast.Attribute):
            self.held.add(name)


def rebinding_in(nodes: Iterable[ast.AST], torch_names: Set[str]) -> Rebinding:
    """Return what code may change of modules and classes.

    Args:
        nodes: all of it.
        torch_names: first components of names that mean `torch` or something in it, whose
            functions change no list or dict.
    """
    found = Rebinding()
    for node in nodes:
        if isinstance(node, ast.Attribute):
            if not isinstance(node.ctx, ast.Load):
                _note_attribute(found, node)
        elif isinstance(node, ast.Subscript):
            if not isinstance(node.ctx, ast.Load):
                _note_part(found, node)
        elif isinstance(node, ast.Global):
            found.attributes.update(node.names)
        elif isinstance(node, ast.Call):
            _note_call(found, node, torch_names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.texts.add(node.value)
        found.own_by_name |= _hides_names(node)
    return found


def _hides_names(node: ast.AST) -> bool:
    """Whether code may set attributes of its object whose names it computes."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in REGISTERING_METHODS:
            return not (node.args and isinstance(node.args[0], ast.Constant))
    if isinstance(node, ast.Name):
        return node.id in _HIDING
    return isinstance(node, ast.Attribute) and node.attr in _HIDING


def _note_attribute(found: Rebinding, node: ast.Attribute) -> None:
    holder = node.value
    is_own = isinstance(holder, ast.Name) and holder.id in _OWN
    (found.own if is_own else found.attributes).add(node.attr)
    if node.attr == "data":  # the tensor itself may live elsewhere from there on
        found.attributes.add(last_component(holder))
    if node.attr in PARAMETERS:
        found.note_part(holder)


def _note_part(found: Rebinding, node: ast.expr) -> None:
    holder = _whole(node)
    found.note_part(holder)
    found.by_name |= _is_namespace(holder)


def _note_call(found: Rebinding, node: ast.Call, torch_names: Set[str]) -> None:
    function = node.func
    if isinstance(function, ast.Attribute) and function.attr not in READING:
        whole = _whole(function.value)
        found.note_part(whole, is_held=function.attr not in _MEASURING)
        found.by_name |= _is_namespace(whole)
    called = dotted(function) or ""
    if called == "setattr" and len(node.args) > 1:
        _note_setattr(found, node.args[0], node.args[1])
    if called not in BUILTINS and called.partition(".")[0] not in torch_names:
        for given in (*node.args, *(keyword.value for keyword in node.keywords)):
            found.note_part(given)


def _note_setattr(found: Rebinding, holder: ast.expr, name: ast.expr) -> None:
    is_own = isinstance(holder, ast.Name) and holder.id in _OWN
    if isinstance(name, ast.Constant):
        (found.own if is_own else found.attributes).add(str(name.value))
    else:
        found.by_name |= not is_own


def _whole(node: ast.expr) -> ast.expr:
    """What a part of a part is a part of: `x` for `x["a"][0]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node


def _is_namespace(node: ast.expr) -> bool:
    """Whether an expression gives the variables of a module by their names."""
    if isinstance(node, ast.Attribute):
        return node.attr == "__dict__" and last_component(node.value) not in _OWN
    return isinstance(node, ast.Call) and dotted(node.func) in _NAMESPACES
