"""Whether modules still have what they were built with: code may take it away from them."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property

from torchdev_lint.catalog.modules import AFFINE, WITH_PARAMETERS
from torchdev_lint.proof.grounds import Grounds
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import root_name
from torchdev_lint.syntax.walking import walk

_TAKE_PARTS = ("pop", "popitem", "clear", "update", "__setitem__", "__delitem__")
"""Methods after which a container may hold something else, as those that set parts by names."""
_SET_PARTS = ("add_module", "register_module", "set_submodule", "swap_module")
_NO_MODULES = (
    ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp, ast.JoinedStr, ast.BinOp, ast.Compare, ast.UnaryOp, ast.Lambda,
)  # fmt: skip


class Stripped:
    """What the code of a file takes away from modules that libraries have built.

    A parameter of a layer can be deleted, or set to `None`; PyTorch takes nothing else that is no
    parameter. The last one is gone then for whoever goes through them.

    Args:
        grounds: what is known of the names of the file.
    """

    def __init__(self, grounds: Grounds) -> None:
        self._syntax = grounds.syntax
        self._bindings = grounds.bindings
        self._mentions = grounds.mentions
        self._values = grounds.values

    @cached_property
    def layers(self) -> bool:
        """Whether any layer may have lost its parameters."""
        mentions = self._mentions
        return (
            mentions.sets_by_name
            or any(map(self._is_taken, mentions.every_store))
            or any(map(self._is_registered_as_none, mentions.lookups("register_parameter")))
            or any(map(self._is_built_again, mentions.lookups("__init__")))
        )

    @cached_property
    def containers(self) -> bool:
        """Whether any container of modules may hold others than it was built with, or none."""
        lookups = self._mentions.lookups
        holders = [node.value for method in _TAKE_PARTS for node in lookups(method)]
        holders += [n.value for m in _SET_PARTS for n in lookups(m) if not self._is_of_self(n)]
        return self.layers or any(map(self._may_be_module, (*holders, *self._items_changed())))

    def _is_taken(self, store: ast.Attribute) -> bool:
        """Whether an attribute that is set or deleted may be a layer's last parameter."""
        if isinstance(store.ctx, ast.Del):
            return store.attr != "bias"
        if not _is_weight(store.attr) or self._is_of_self(store):
            return False
        value = _value_given(self._syntax.parent(store), store)
        if isinstance(value, ast.Attribute):
            return not _is_weight(value.attr)
        return not isinstance(value, ast.Call)

    def _is_registered_as_none(self, method: ast.Attribute) -> bool:
        """Whether a parameter is registered that may be none, in somebody else's module."""
        if self._is_of_self(method):
            return False
        call = self._syntax.parent(method)
        if not isinstance(call, ast.Call) or len(call.args) != 2:
            return True
        name, value = call.args
        is_bias = isinstance(name, ast.Constant) and name.value == "bias"
        return not is_bias and not isinstance(value, ast.Call)

    def _is_built_again(self, method: ast.Attribute) -> bool:
        """Whether an `__init__` may be that of an object, not the one that a class has for it."""
        owner = method.value
        if isinstance(owner, ast.Call):
            return last_component(owner.func) != "super"
        if self._values.library(owner):
            return False
        bound = self._bindings.reaching(owner.id, owner) if isinstance(owner, ast.Name) else [None]
        return not all(isinstance(binding, ast.ClassDef) for binding in bound)

    def _is_of_self(self, node: ast.Attribute) -> bool:
        """Whether an attribute is that of an object of a class of the file, which is no layer."""
        found = self._syntax.method(node)
        if found is None or self._inherits_layers:
            return False
        arguments = found[0].args
        first = next(iter((*arguments.posonlyargs, *arguments.args)), None)
        holder = node.value
        return first is not None and isinstance(holder, ast.Name) and root_name(node) == first.arg

    @cached_property
    def _inherits_layers(self) -> bool:
        """Whether a class of the file is a layer of PyTorch, and so has its parameters."""
        bases = (base for info in self._mentions.classes for base in info.bases)
        return any(last_component(base) in WITH_PARAMETERS | AFFINE.keys() for base in bases)

    def _items_changed(self) -> Iterable[ast.expr]:
        """Yield what has an item deleted, or set to what may be a module."""
        for node in walk(self._syntax.tree):
            if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
                value = _value_given(self._syntax.parent(node), node)
                if isinstance(node.ctx, ast.Del) or value is None or self._may_be_module(value):
                    yield node.value

    def _may_be_module(self, node: ast.expr) -> bool:
        """Whether an expression may give a module, or nothing in place of one."""
        if isinstance(node, ast.Name):
            values = self._values.values(node.id, node)
            return not values or any(map(self._may_be_given, values))
        return self._may_be_given(node)

    def _may_be_given(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Constant):
            return value.value is None
        if isinstance(value, ast.Call):
            name = self._values.library(value.func)
            return not name or name.startswith("torch.nn.")
        return not isinstance(value, _NO_MODULES)


def _is_weight(name: str) -> bool:
    """Whether a layer of PyTorch may have a parameter of this name that is more than a bias."""
    return name == "weight" or name.startswith("weight_") or name.endswith("_weight")


def _value_given(parent: ast.AST | None, target: ast.expr) -> ast.expr | None:
    """What an assignment gives a target; None if that can't be told."""
    if isinstance(parent, ast.Assign) and target in parent.targets:
        return parent.value
    return parent.value if isinstance(parent, (ast.AnnAssign, ast.AugAssign)) else None
