"""Attributes that no object of a class ever has: to read one raises on every machine."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.modules import TAKEN_BY_DICTS
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.origins import Keeper, Keeping
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.rebinding_around import may_be_replaced_around
from torchdev_lint.syntax.reaching import reached_from

_BASES = frozenset({"torch.nn.Module", "abc.ABC", "object"})
"""Classes of libraries of which it is known what their objects have."""
_OF_THEIRS = TAKEN_BY_DICTS | {"dtype"}
"""What modules have, or what is taken for something that they have."""
_HOOKS = ("__getattr__", "__getattribute__", "__new__", "__slots__")
"""Members of a class by which its objects may have attributes that nothing sets."""


def lacks(info: ClassInfo, name: str) -> bool:
    """Return whether nothing in sight gives the objects of a class an attribute.

    Args:
        info: the class.
        name: an attribute that neither the class nor its ancestors in sight define.
    """
    if name not in info.lacking:
        info.lacking[name] = _lacks(info, name)
    return info.lacking[name]


def lacks_until_set(info: ClassInfo, name: str, constructor: ast.AST) -> bool:
    """Return whether nothing gives an object an attribute until its constructor does so itself.

    Args:
        info: the class.
        name: as for `lacks`.
        constructor: the `__init__` of the class, or of an ancestor.
    """
    if name in set_by_called(info, constructor):
        return False
    if context_of(info.file).hands_itself_over(constructor):
        return False
    return _lacks(info, name, Keeping.MODULE)


def set_by_called(info: ClassInfo, method: ast.AST) -> frozenset[str]:
    """Return the attributes that methods set which a method calls, directly or not.

    Args:
        info: the class.
        method: the `__init__` of the class, another method, or that of an ancestor.
    """
    if method not in info.set_by_called:
        info.set_by_called[method] = _set_by_called(info, method)
    return info.set_by_called[method]


def _set_by_called(info: ClassInfo, caller: ast.AST) -> frozenset[str]:
    does = [
        (each, *context_of(parent.file).own_attributes(method))
        for parent in info.lineage()
        for each, method in parent.methods().items()
        if method is not caller
    ]
    uses: dict[str, set[str]] = {}
    for method, read, _ in does:
        uses.setdefault(method, set()).update(read)
    context = context_of(info.file)
    first = context.own_attributes(caller)[0] | _inherited(context.nodes_in(caller))
    called = reached_from(first, uses)
    found = (assigned for method, _, assigned in does if method in called)
    return frozenset[str]().union(*found)


def _inherited(nodes: list[ast.AST]) -> set[str]:
    """The methods that code may call as an ancestor has them: `super().__init__()`."""
    return {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute)
        and (isinstance(node.value, ast.Call) or node.attr == "__init__")
    }


def _lacks(info: ClassInfo, name: str, kind: Keeping = Keeping.CLASS) -> bool:
    if name.startswith("_") or name in _OF_THEIRS or info.declared(name) is not None:
        return False
    if not is_plain(info) or any(_is_given(each, name, kind) for each in info.lineage()):
        return False
    methods = ((each.file, method) for each in info.lineage() for method in each.methods().values())
    return not any(context_of(file).hands_itself_over(method) for file, method in methods)


def _is_given(info: ClassInfo, name: str, kind: Keeping) -> bool:
    """Whether the file of a class, or one that imports it, may give something an attribute."""
    context, keeper = context_of(info.file), Keeper(name, kind, info.file)
    own = context.rebinding_in(info.closure[-1].node)
    if own.may_replace(keeper) or own.may_give_own(name):
        return True
    return bool(context.path) and may_be_replaced_around(context.path, keeper)


def is_plain(info: ClassInfo) -> bool:
    """Return whether the objects of a class have what is written there, and what a module has."""
    return all(
        not (parent.opaque or parent.node.decorator_list or parent.node.keywords)
        and _BASES.issuperset(parent.libraries)
        for parent in info.lineage()
    ) and not any(info.lookup(hook) is not None for hook in _HOOKS)
