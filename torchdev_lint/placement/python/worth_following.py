"""Which functions of other files are followed: those that may lead to a finding."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from torchdev_lint.catalog.devices import DEVICE_NAMES, SETS_DEFAULT
from torchdev_lint.catalog.generators import GENERATOR
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping
from torchdev_lint.placement.domain.heap import UNBUILT, Obj, put_back_by
from torchdev_lint.placement.domain.imported import ProjectModule
from torchdev_lint.placement.domain.isomorphism import parts_of
from torchdev_lint.placement.domain.joins import leaves
from torchdev_lint.placement.domain.values import (
    NONE,
    Bundle,
    ClassValue,
    DeviceValue,
    Function,
    FunctionNode,
    Instance,
    Loader,
    Place,
    Tensor,
    Value,
)
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.making import makes_tensors
from torchdev_lint.placement.python.left_behind import has_parts_left, holds_left
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import last_component, path_of
from torchdev_lint.syntax.own_attributes import moved, moves_all, sets_any
from torchdev_lint.syntax.scopes import FUNCTIONS, own_nodes, parameter_names

_MOST_PARTS = 64
"""How many parts of a module are looked at for what they keep."""
_GENERATOR = frozenset({GENERATOR.rpartition(".")[2]})
"""Makes what random numbers are drawn with."""


def matters(run: Run, function: Function, arguments: Arguments) -> bool:
    """Return whether what another file's function does may lead to a finding in the file at hand.

    It makes something on the host, is given that, a module, what holds one that was left on the
    host, lengths for packing, or a function to be called, belongs to a layer that was built there,
    moves or replaces what its object has, tells the device of something, sets the default device,
    makes something where it is told that an accelerator is, builds an object of its class, gives a
    function that it defines, or is what a decorator has put around code of the file at hand.
    What a module's code does with nothing but its model's values and settings stays on its device.
    What a module's code does while a module is built moves with that.
    """
    if run.builds_module and _belongs_to_module(run, function):
        return False
    if run.leads(context_of(function.file).path, function.node):
        return True
    given = [leaf for value in arguments.values() for leaf in _held(value)]
    if any(_may_come_of(run, leaf) for leaf in given):
        return True
    if any(map(_is_told_accelerator, given)) and _gives_something(function.node):
        return True
    if any(holds_left(run, value) for value in arguments.values()):
        return True
    if _is_around_own(run, function) or _is_about_places(function) or _makes_code(function):
        return True
    if isinstance(function.bound, Instance):
        bound = run.obj(function.bound)
        if bound.module:
            return _changes_module(run, function, function.bound) or _gives_back(run, function)
        if _calls_back(run, function) or _may_replace(function, bound):
            return True
    return any(map(_is_there, given))


def _held(value: Value) -> Iterator[Value]:
    """Yield what a value is or holds, such as the entries of a batch."""
    for leaf in leaves(value):
        if isinstance(leaf, Mapping):
            for entry in parts_of(leaf):
                yield from leaves(entry)
        else:
            yield leaf


def _is_there(value: Value) -> bool:
    return isinstance(value, (Tensor, Bundle)) and value.place.is_device


def _is_about_places(function: Function) -> bool:
    """Whether a function tells a device, sets the default one, or wants something on the CPU.

    Or it makes what draws random numbers, which does so where it is.
    """
    tells = _tells_device(function.node) or _sets_default(function)
    return tells or _takes_lengths(function) or _calls_one_of(function, _GENERATOR)


def _calls_one_of(function: Function, names: Set[str]) -> bool:
    """Whether a function itself calls something of one of some names."""
    calls = (node for node in own_nodes(function.node) if isinstance(node, ast.Call))
    return any(last_component(call.func) in names for call in calls)


def _takes_lengths(function: Function) -> bool:
    """Whether a function has parameters for lengths of sequences, which have to be on the host."""
    names = context_of(function.file).length_names
    return bool(names) and not names.isdisjoint(parameter_names(function.node))


def _belongs_to_module(run: Run, function: Function) -> bool:
    """Whether a function is a method of a module, or of a class, which may be one's."""
    bound = function.bound
    return run.obj(bound).module if isinstance(bound, Instance) else bound is not None


def _tells_device(function: FunctionNode) -> bool:
    """Whether a function gives back the device of something, which may be on the host.

    It may be the value of a variable, or one of several that are given back.
    """
    if not isinstance(function, FUNCTIONS):
        return False
    named, given = set[str](), list[ast.expr]()
    for node in own_nodes(function):
        if isinstance(node, ast.Return) and node.value is not None:
            given += _parts_given(node.value)
        elif isinstance(node, ast.Assign) and _is_device(node.value):
            named.update(path for target in node.targets if (path := path_of(target)))
    return any(_is_device(value) or path_of(value) in named for value in given)


def _sets_default(function: Function) -> bool:
    """Whether a function itself says where factories put their tensors from then on."""
    changes = context_of(function.file).default_changes
    return changes and _calls_one_of(function, SETS_DEFAULT)


def _parts_given(value: ast.expr) -> list[ast.expr]:
    """What an expression gives: each part of a tuple, either side of a condition."""
    if isinstance(value, ast.Tuple):
        return value.elts
    return [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]


def _is_device(value: ast.expr) -> bool:
    """Whether an expression reads a device, or makes one, by its name."""
    named = value.func if isinstance(value, ast.Call) else value
    return isinstance(named, (ast.Name, ast.Attribute)) and last_component(named) in DEVICE_NAMES


def _may_replace(function: Function, bound: Obj) -> bool:
    """Whether a method moves a part of its object, or assigns anew what that has on the host.

    Or makes a tensor, where it gives the object something that it hasn't had.
    """
    context = context_of(function.file)
    nodes = context.nodes_in(function.node)
    if not moved(nodes).isdisjoint(bound.attrs):
        return True
    assigned = context.own_attributes(function.node)[1]
    if any(bound.attrs.get(name, NONE) == NONE for name in assigned) and makes_tensors(nodes):
        return True
    names = bound.attrs.keys() if sets_any(nodes) else bound.attrs.keys() & assigned
    held = (leaf for name in names for leaf in leaves(bound.attrs[name]))
    return any(isinstance(v, (Tensor, Bundle)) and v.place is Place.HOST for v in held)


def _changes_module(run: Run, function: Function, module: Instance) -> bool:
    """Whether a method is that of a module that was left on the host, or keeps such, or moves it.

    Or exchanges parts of one that was moved, or is of one that keeps what the file at hand made.
    """
    obj = run.obj(module)
    is_left = obj.place is Place.HOST and obj.origin is not None
    is_left |= put_back_by(obj) is not None  # perhaps, where only some paths have moved it
    if is_left or moves_all(context_of(function.file).nodes_in(function.node)):
        return True
    return _exchanges(function, obj) or has_parts_left(run, module) or _keeps_own(run, module)


def _keeps_own(run: Run, module: Instance) -> bool:
    """Whether a module that was moved, or a part of it, keeps tensors of the file at hand.

    Those are still on the host: it has them in plain attributes.
    """
    pending, seen = [module], set[int]()
    while pending and len(seen) < _MOST_PARTS:
        obj = run.obj(pending.pop())
        run.budget.visited(len(obj.attrs))
        for value in obj.attrs.values():
            for leaf in _held(value):
                if isinstance(leaf, Instance):
                    if leaf.ref not in seen:
                        seen.add(leaf.ref)
                        pending.append(leaf)
                elif isinstance(leaf, (Tensor, Bundle)) and leaf.place is Place.HOST:
                    if leaf.origin is not None and leaf.origin.file is run.main:
                        return True
    return False


def _exchanges(function: Function, bound: Obj) -> bool:
    """Whether a method gives a module that was moved something else for a part of it."""
    if not bound.was_moved:
        return False
    assigned = context_of(function.file).own_attributes(function.node)[1]
    return bool(assigned) and (UNBUILT in bound.attrs or not assigned.isdisjoint(bound.attrs))


def _calls_back(run: Run, function: Function, besides: tuple[str, ...] = ()) -> bool:
    """Whether a method of another file calls one that a class of the file at hand has for it.

    What builds the object is left out: to build models for it would take what its loops need.

    Args:
        besides: methods that it calls without their names.
    """
    cls = function.bound.cls if isinstance(function.bound, Instance) else None
    if cls is None or function.owner is cls or cls.file is not run.main:
        return False
    if getattr(function.node, "name", "") == "__init__":
        return False
    called = context_of(function.file).own_attributes(function.node)[0].union(besides)
    own = (info for info in cls.lineage() if info.file is run.main)
    return any(not called.isdisjoint(info.methods()) for info in own)


def _gives_back(run: Run, function: Function) -> bool:
    """Whether a module's method in another file gives what the module itself gives.

    Or what one of its methods in the file at hand does: `return self(x)`.
    """
    if not isinstance(function.node, FUNCTIONS) or not _calls_back(run, function, ("forward",)):
        return False
    returned = (n.value for n in own_nodes(function.node) if isinstance(n, ast.Return))
    return any(isinstance(value, ast.Call) and _is_own(value.func) for value in returned)


def _is_own(node: ast.expr) -> bool:
    """Whether an expression is the object at hand, or an attribute of it."""
    whole = node.value if isinstance(node, ast.Attribute) else node
    return isinstance(whole, ast.Name) and whole.id == "self"


def _is_around_own(run: Run, function: Function) -> bool:
    """Whether a function that another one has made sees a function of the file at hand."""
    seen = (value for frame in function.closure[:-1] for value in frame.env.names.values())
    return any(isinstance(value, Function) and value.file is run.main for value in seen)


def _makes_code(function: Function) -> bool:
    """Whether what a function gives is one that it defines, or an object of its own class."""
    return _gives_function(function.node) or _builds_own(function)


def _builds_own(function: Function) -> bool:
    """Whether a class method gives an object of its class, which may give back what it is given."""
    node = function.node
    if not isinstance(function.bound, ClassValue) or not isinstance(node, FUNCTIONS):
        return False
    parameters = [*node.args.posonlyargs, *node.args.args]
    cls = parameters[0].arg if parameters else ""
    returned = (each.value for each in own_nodes(node) if isinstance(each, ast.Return))
    return any(isinstance(value, ast.Call) and path_of(value.func) == cls for value in returned)


def _is_told_accelerator(value: Value) -> bool:
    """Whether a function is told a device, on which it may make what meets the host's."""
    return isinstance(value, DeviceValue) and value.place is Place.ACCELERATOR


def _gives_something(function: FunctionNode) -> bool:
    """Whether a function gives back what it has computed."""
    returned = (node.value for node in own_nodes(function) if isinstance(node, ast.Return))
    return any(value is not None and not isinstance(value, ast.Constant) for value in returned)


def _gives_function(function: FunctionNode) -> bool:
    """Whether a function gives one that it defines, or is one that has no name."""
    if not isinstance(function, FUNCTIONS):
        return True  # an expression: there is little to follow
    defined = {each.name for each in function.body if isinstance(each, FUNCTIONS)}
    returned = (node.value for node in own_nodes(function) if isinstance(node, ast.Return))
    parts = (part for value in returned if value is not None for part in _parts_given(value))
    return any(isinstance(p, ast.Lambda) or getattr(p, "id", "") in defined for p in parts)


def _may_come_of(run: Run, value: Value) -> bool:
    """Whether something may come of it that a function is given a value."""
    if isinstance(value, (Tensor, Bundle)):
        return value.place is Place.HOST
    if isinstance(value, Instance):
        return run.obj(value).module
    if isinstance(value, ProjectModule):
        return True  # one of its models may be given back
    return isinstance(value, Loader) or (isinstance(value, Function) and value.is_nested)
