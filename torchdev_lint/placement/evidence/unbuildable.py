"""Classes of which there is no object: their constructor fails on every machine."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from torchdev_lint.catalog.builtins import THERE
from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.catalog.modules import LAYERS
from torchdev_lint.placement.domain.classes import ClassInfo, Function
from torchdev_lint.placement.domain.values import Library
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.lacking import is_plain
from torchdev_lint.syntax.always import always_reached
from torchdev_lint.syntax.names import dotted, path_of
from torchdev_lint.syntax.walking import walk

_HOOKS = ("__getattr__", "__getattribute__", "__new__")
"""Methods by which an object may have attributes that nothing sets."""
_BY_NAME = frozenset({"setattr", "vars", "__dict__", "__setattr__"})
"""How attributes are set without writing their names."""


def raises_when_built(info: ClassInfo) -> bool:
    """Return whether the constructor of a class reads an attribute that nothing ever sets.

    Or a variable that nothing binds, or calls `super` for a class that it has no part of, or gives
    a module layers before that can take any. Nobody has seen the object by then who could have set
    the attribute; classes that inherit from others, or are made by a metaclass, may have any.
    """
    if info.unbuildable is None:
        info.unbuildable = _reads_what_is_missing(info) or any(
            _reads_unbound(owner, init) or _is_no_heir(info, init) or _builds_too_early(info, init)
            for owner, init in _constructors(info)
        )
    return info.unbuildable


def _constructors(info: ClassInfo) -> Iterator[tuple[ClassInfo, Function]]:
    """The constructors that certainly run for an object of a class, with their own classes."""
    for owner in info.lineage():
        init = owner.methods().get("__init__")
        if init is not None:
            yield owner, init
            if not any(map(_is_init, context_of(owner.file).always_run(init))):
                return


def _is_init(part: ast.AST) -> bool:
    """Whether code is the name of a constructor: `super().__init__`, or that of a base."""
    return isinstance(part, ast.Attribute) and part.attr == "__init__"


def _reads_unbound(info: ClassInfo, init: Function) -> bool:
    """Whether a constructor reads a variable that nothing in the file binds, as it holds a value.

    A program that is shown may leave out functions, classes, modules, constants and the device.
    """
    context, tree = context_of(info.file), info.closure[-1].node
    parts = context.always_run(init)
    left_out = {part.func for part in parts if isinstance(part, ast.Call)}
    left_out |= {part.value for part in parts if isinstance(part, ast.Attribute)}
    names = {part.id for part in parts if isinstance(part, ast.Name) and part not in left_out}
    names = {name for name in names - DEVICE_NAMES - THERE if name.islower()}
    unbound = any(not context.may_bind(tree, name) for name in names)
    return unbound and not context.of_nodes(_import_all, tree)


def _is_no_heir(info: ClassInfo, init: Function) -> bool:
    """Whether a constructor calls `super(Other, self)`, of a class that it doesn't inherit from.

    Python refuses: `obj must be an instance or subtype of type`.
    """
    if info.opaque:
        return False
    ancestors = {parent.name for parent in info.lineage()}
    ancestors |= {name.rpartition(".")[2] for name in info.library_bases()}
    others = {
        part.args[0].id
        for part in context_of(info.file).always_run(init)
        if isinstance(part, ast.Call)
        and isinstance(part.func, ast.Name)
        and part.func.id == "super"
        and part.args
        and isinstance(part.args[0], ast.Name)
    } - ancestors
    return bool(others) and any(
        isinstance(node, ast.ClassDef) and node.name in others
        for node in context_of(info.file).nodes_in(info.closure[-1].node)
    )


def _builds_too_early(info: ClassInfo, init: Function) -> bool:
    """Whether a module is given a layer before `Module.__init__` has run.

    PyTorch refuses: `cannot assign module before Module.__init__() call` (`nn/modules/module.py`).
    """
    if not (is_plain(info) and "torch.nn.Module" in info.library_bases()):
        return False
    if info.lookup("__setattr__") is not None or not init.args.args:
        return False
    own = init.args.args[0].arg
    for statement in always_reached(init.body):
        if any(map(_is_init, walk(statement))):
            return False
        if isinstance(statement, ast.Assign) and _is_layer(info, statement.value):
            if any((path_of(target) or "").startswith(f"{own}.") for target in statement.targets):
                return True
    return False


def _is_layer(info: ClassInfo, node: ast.expr) -> bool:
    """Whether an expression builds a layer of PyTorch, as its name in the class's file says."""
    called = dotted(node.func) if isinstance(node, ast.Call) else None
    root, _, rest = (called or "").partition(".")
    meant = info.closure[-1].env.names.get(root)
    if not isinstance(meant, Library):
        return False
    where, _, name = f"{meant.name}.{rest}".rstrip(".").rpartition(".")
    return where == "torch.nn" and name in LAYERS


def _import_all(nodes: list[ast.AST]) -> bool:
    """Whether some code imports all that a module has."""
    return any(isinstance(node, ast.alias) and node.name == "*" for node in nodes)


def _reads_what_is_missing(info: ClassInfo) -> bool:
    init = info.methods().get("__init__")
    if init is None or info.bases or info.libraries or info.opaque:
        return False
    if info.node.decorator_list or info.node.keywords or any(map(info.lookup, _HOOKS)):
        return False
    read, assigned = context_of(info.file).own_attributes(info.node)
    missing = {name for name in read - assigned if info.lookup(name) is None}
    missing = {name for name in missing if not name.startswith("__")}
    return bool(missing) and not missing.isdisjoint(_read_in_any_case(info, init, missing))


def _read_in_any_case(info: ClassInfo, init: Function, names: Set[str]) -> Iterator[str]:
    """Those of some attributes that a constructor reads, and nothing in the file sets."""
    stored = context_of(info.file).of_nodes(_stored, info.closure[-1].node)
    if stored is None:
        return
    for part in _own_parts(info, init):
        if part.attr in names - stored:
            yield part.attr
        method = info.methods().get(part.attr)
        if method is not None and method is not init:
            yield from (
                inner.attr for inner in _own_parts(info, method) if inner.attr in names - stored
            )


def _stored(nodes: list[ast.AST]) -> frozenset[str] | None:
    """The attributes that code sets or deletes; None if it may do so by their names."""
    found = set[str]()
    for node in nodes:
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            found.add(node.attr)
        if getattr(node, "id", "") in _BY_NAME or getattr(node, "attr", "") in _BY_NAME:
            return None
    return frozenset(found)


def _own_parts(info: ClassInfo, method: Function) -> Iterator[ast.Attribute]:
    """The attributes of its object that a method reads whenever it is called, unless it raises."""
    own = method.args.args[0].arg if method.args.args else ""
    for part in context_of(info.file).always_run(method):
        if (
            isinstance(part, ast.Attribute)
            and isinstance(part.value, ast.Name)
            and part.value.id == own
            and isinstance(part.ctx, ast.Load)
        ):
            yield part
