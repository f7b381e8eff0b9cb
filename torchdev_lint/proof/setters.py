"""What gives an object an attribute by a call that has its name as a text."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from typing import Generic, NamedTuple, TypeVar

from torchdev_lint.proof.building import positional
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.made_up import beginning_of, may_be_of
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import Syntax

T = TypeVar("T")

_GIVE_PARTS = frozenset({"named_children", "named_modules"})
"""Methods that give the modules in a module, with their names."""


class ByObject(Generic[T]):
    """What code does with objects, by the classes of which these may be.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._families = syntax.derived(Proof).modules.families
        self._by_class: dict[ast.ClassDef | None, list[T]] = defaultdict(list)

    def add(self, done: T, node: ast.expr) -> None:
        """Add what is done with an object, by the expression that gives the object."""
        owner = class_of_self(self._syntax, node)
        for heir in (None,) if owner is None else self._families.heirs(owner):
            self._by_class[heir].append(done)

    def of(self, owner: ast.ClassDef | None) -> list[T]:
        """Return what may be done with objects of a class; None: of any class."""
        classes = list(self._by_class) if owner is None else [*self._families.heirs(owner), None]
        return list(dict.fromkeys(each for key in classes for each in self._by_class.get(key, ())))


class _Setter(NamedTuple):
    """A call of `setattr`, or of `__setattr__`.

    Args:
        holder: what it gives an attribute.
        name: the attribute's, or what that certainly begins with.
        is_whole: whether that is all of it.
    """

    holder: ast.expr
    name: str
    is_whole: bool

    def may_set(self, attr: str) -> bool:
        """Whether it may set an attribute of this name."""
        return may_be_of(self.name, attr) if self.is_whole else attr.startswith(self.name)


class Setters:
    """The calls of a file that set attributes, by the classes of whose objects they may do so.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        proof = syntax.derived(Proof)
        self._syntax = syntax
        self._mentions, self._families = proof.mentions, proof.modules.families
        self._by_object = ByObject[_Setter](syntax)
        for setter in filter(None, map(self._setter, self._mentions.setting)):
            self._by_object.add(setter, setter.holder)
        self._with_own_way = {
            heir
            for owner in self._mentions.classes
            if "__setattr__" in syntax.names_of(owner)
            for heir in self._families.heirs(owner)
        }

    def of(self, attr: str, owner: ast.ClassDef | None) -> Iterator[ast.expr]:
        """Yield what may get an attribute, and may be an object of a class.

        That is what `register_buffer` is called of, and what `setattr` is called with, or
        `__setattr__` of, unless that exchanges a module's parts, by the names that it gives them.

        Args:
            attr: the attribute.
            owner: the class; None: it may be any.
        """
        for call in self._mentions.registrations(attr):
            if isinstance(call.func, ast.Attribute) and self._may_be(call.func.value, owner):
                yield call.func.value
        for setter in self._by_object.of(owner):
            if setter.may_set(attr):
                yield setter.holder

    def have_own_way(self, owner: ast.ClassDef | None) -> bool:
        """Return whether objects of a class may have a `__setattr__` of their own."""
        if owner is None:
            return bool(self._with_own_way)
        return not self._with_own_way.isdisjoint(self._families.heirs(owner))

    def _may_be(self, node: ast.expr, owner: ast.ClassDef | None) -> bool:
        """Whether an expression may be an object of a class."""
        its = class_of_self(self._syntax, node)
        return its is None or owner is None or self._families.have_common_heir(its, owner)

    def _setter(self, call: ast.Call) -> _Setter | None:
        """What a call sets; None if it exchanges a part of a module."""
        holder, name = _set_in(call)
        if isinstance(name, ast.Constant):
            return _Setter(holder, str(name.value), is_whole=True)
        if self._is_of_a_part(name, call):
            return None
        return _Setter(holder, beginning_of(name), is_whole=False)

    def _is_of_a_part(self, name: ast.expr, call: ast.Call) -> bool:
        """Whether a name is one that a loop gets from a module, of one of the modules in it."""
        if not isinstance(name, ast.Name):
            return False
        for around in self._syntax.around(call):
            if isinstance(around, ast.For) and isinstance(around.target, ast.Tuple):
                first = around.target.elts[0]
                if isinstance(first, ast.Name) and first.id == name.id:
                    given = around.iter
                    return isinstance(given, ast.Call) and last_component(given.func) in _GIVE_PARTS
        return False


def class_of_self(syntax: Syntax, node: ast.expr) -> ast.ClassDef | None:
    """Return the class around an expression that is the object of the method it stands in: `self`.

    So is `super()`, for what is set.
    """
    found = syntax.method(node)
    if found is None:
        return None
    method, owner = found
    if isinstance(node, ast.Call) and last_component(node.func) == "super" and not node.args:
        return owner
    if not isinstance(node, ast.Name):
        return None
    first = next(iter(positional(method)), None)
    return owner if first is not None and first.arg == node.id else None


def _set_in(call: ast.Call) -> tuple[ast.expr, ast.expr]:
    """The object that a call gives an attribute, and the name; the call for what isn't known."""
    given = call.args
    if isinstance(call.func, ast.Attribute) and len(given) < 3:
        given = [call.func.value, *given]
    if len(given) != 3 or any(isinstance(argument, ast.Starred) for argument in given):
        return call, call
    return given[0], given[1]
