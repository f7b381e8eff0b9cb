"""What a function is given that nobody calls here, and the parts of that."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.placement.domain.containers import SequenceKind
from torchdev_lint.placement.domain.joins import sequence
from torchdev_lint.placement.domain.values import (
    ARGUMENT,
    ITEM,
    NO_TENSOR,
    UNKNOWN,
    Function,
    Instance,
    Method,
    Place,
    Tensor,
    Unknown,
    Value,
)
from torchdev_lint.placement.evidence.classes import is_module
from torchdev_lint.placement.evidence.uses import Uses
from torchdev_lint.placement.python.annotations import annotated_class, annotated_value
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import path_of
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS, root_name


def tensor_given(uses: Uses | None) -> Tensor:
    """Return a tensor that a function is given: of no axes, unless its uses tell of one."""
    return Tensor(Place.GIVEN, scalar=False if uses is not None and uses.has_axes else None)


def is_given(run: Run, name: str, at: ast.expr) -> bool:
    """Whether a variable is an argument of the entry point at hand, and still what that was given.

    A module's `forward` is left out, what the host's code is given, and constructors: what is
    built may be moved afterwards.

    Args:
        at: where it is read.
    """
    if run.frame.in_forward or run.serves_host or run.frame.node is not run.entry:
        return False
    return _parameter_read(run, name, at) is not None


def is_built_with(run: Run, name: str, at: ast.expr) -> bool:
    """Whether a variable is what a module was built with that nobody builds here, and still is.

    Args:
        at: where it is read.
    """
    node, owner = run.frame.node, run.frame.owner
    if node is not run.entry or owner is None or not is_module(owner):
        return False
    return getattr(node, "name", "") == "__init__" and _parameter(run, name, at) is not None


def _parameter_read(run: Run, name: str, at: ast.expr) -> ast.arg | None:
    """The parameter that a variable is, if it is one and still what that was given."""
    if getattr(run.frame.node, "name", "") == "__init__":
        return None
    return _parameter(run, name, at)


def _parameter(run: Run, name: str, at: ast.expr) -> ast.arg | None:
    node = run.frame.node
    if not isinstance(node, FUNCTIONS):
        return None
    first = run.file.first_stores(node).get(name)
    if first is not None and at.lineno > first:
        return None
    return next((parameter for parameter in parameters_of(node) if parameter.arg == name), None)


def part_given(run: Run, value: Value, node: ast.Attribute | ast.Subscript) -> Value:
    """Return a part of what a function is given: a tensor, if its uses leave nothing else.

    Args:
        value: what is known of it so far.
        node: the expression that reads it.
    """
    if isinstance(value, Unknown):
        is_open = value in (UNKNOWN, NO_TENSOR) or (value == ITEM and run.frame.in_forward)
    else:
        is_open = isinstance(value, Method) and value.bound == UNKNOWN
    if not is_open:
        return value
    path, name = path_of(node), root_name(node)
    if path is None or name is None:
        return value
    if not run.frame.in_forward and not is_given(run, name, node):
        return value
    if _is_moved(run, name):
        return value
    if isinstance(run.look_up(name), Instance) or _is_computed(run, name, node):
        return value
    if run.frame.in_forward:
        # what a caller in sight gives is not known to be anywhere, just because it isn't known
        handed = run.look_up(name) in (ARGUMENT, ITEM)
        return (_field_declared(run, name, node, Place.ACCELERATOR) if handed else None) or value
    uses = run.uses_of(path)
    if uses is not None and uses.are_of_tensor_alone():
        return tensor_given(uses)
    return _field_declared(run, name, node, Place.GIVEN) or value


def parts_given(run: Run, target: ast.expr, source: ast.expr, value: Value) -> Value:
    """Return what is unpacked of what a function is given: tensors, where uses leave nothing else.

    Args:
        target: what it is unpacked to.
        source: the expression that is unpacked.
        value: what is known of it so far.
    """
    if not isinstance(target, (ast.Tuple, ast.List)) or not isinstance(source, ast.Name):
        return value
    if value not in (UNKNOWN, NO_TENSOR) or run.frame.in_forward:
        return value
    if not is_given(run, source.id, source) or _is_moved(run, source.id):
        return value
    parts = [_unpacked(run, element) for element in target.elts]
    return sequence(parts, SequenceKind.TUPLE) if any(p != UNKNOWN for p in parts) else value


def _unpacked(run: Run, element: ast.expr) -> Value:
    """The tensor that a variable is bound to; unknown if it may be something else."""
    if not isinstance(element, ast.Name) or _is_moved(run, element.id):
        return UNKNOWN
    uses = run.uses_as_given(element.id)
    return tensor_given(uses) if uses is not None and uses.are_of_tensor_alone() else UNKNOWN


def _is_moved(run: Run, name: str) -> bool:
    """Whether the function at hand moves a variable, or has it on the host."""
    uses = run.uses_of(name)
    is_moved = uses is not None and bool(uses.moves or uses.members & MOVES)
    return is_moved or name in run.file.off_accelerator(run.frame.node)


def _is_computed(run: Run, name: str, node: ast.Attribute | ast.Subscript) -> bool:
    """Whether an attribute of an argument is a method or property of its class, as annotated.

    What that gives may be made there, wherever the fields are.
    """
    if not isinstance(node, ast.Attribute):
        return False
    parameter = _parameter_read(run, name, node)
    cls = None if parameter is None else annotated_class(run, parameter.annotation)
    return cls is not None and isinstance(cls.lookup(node.attr), Function)


def _field_declared(
    run: Run, name: str, node: ast.Attribute | ast.Subscript, place: Place
) -> Tensor | None:
    """A field of an argument, if that is annotated with a class which declares it as a tensor.

    Args:
        name: the argument.
        node: the expression that reads the field.
        place: where tensors live that come in as arguments.
    """
    if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
        return None
    if node.attr in run.file.length_names:
        return None
    parameter = _parameter_read(run, name, node)
    cls = None if parameter is None else annotated_class(run, parameter.annotation)
    if cls is None or is_module(cls):
        return None
    declared = annotated_value(run, cls.declared(node.attr), place)
    return declared if isinstance(declared, Tensor) else None


def as_it_is_used(run: Run, name: str, value: Value) -> Value:
    """Take a part of what `forward` was handed for a tensor, if the function uses it as one.

    Of what a structure holds, arithmetic says nothing: it may be a number.

    Args:
        name: the variable that holds it.
        value: what it is given.
    """
    if not isinstance(value, Unknown) or value not in (ARGUMENT, ITEM):
        return value
    uses = run.uses_as_given(name)
    if uses is None or name in run.file.off_accelerator(run.frame.node):
        return value
    is_list = value == ITEM and uses.converted
    if (uses.speak_for_tensor() and not is_list) or (value == ARGUMENT and uses.may_be_tensor()):
        return Tensor(Place.ACCELERATOR, scalar=False)
    return value


def recognize_tensors(run: Run, names: dict[str, Value]) -> None:
    """Take what was only handed on so far for a tensor, if the function uses it as one.

    What is moved in parts was not on the accelerator, nor is what a library of the host takes;
    whoever that is handed to takes it from somewhere else as well.
    """
    for name, value in names.items():
        if value not in (ARGUMENT, ITEM):
            continue
        if name in run.file.off_accelerator(run.frame.node):
            if run.frame.node is not run.entry:
                run.bind(name, UNKNOWN)
        else:
            run.bind(name, as_it_is_used(run, name, value))
