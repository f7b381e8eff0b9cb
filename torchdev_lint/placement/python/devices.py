"""Which place a device argument names, in the code at hand."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchdev_lint.catalog.factories import ACCELERATOR_LEGACY
from torchdev_lint.placement.domain.file import File
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Const,
    DeviceValue,
    Library,
    Method,
    Place,
    Scalar,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.conditions import compare, unplaced
from torchdev_lint.placement.evidence.devices import (
    is_device_of_settings,
    is_of_settings,
    is_setting,
    names_device,
    place_named,
)
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.host_settings import HostSettings
from torchdev_lint.placement.run import Run
from torchdev_lint.project.users import is_test
from torchdev_lint.syntax.cuda import names_cuda
from torchdev_lint.syntax.names import path_of, short
from torchdev_lint.syntax.scopes import FUNCTIONS, bound_in, parameter_names


def begins_with(text: Value, beginning: Value) -> Value:
    """Evaluate `str(device).startswith("cuda")`, or the same of a text that is known.

    Args:
        text: the device or text.
        beginning: what it may begin with.
    """
    if isinstance(text, Const) and isinstance(beginning, Const):
        if isinstance(text.value, str) and isinstance(beginning.value, str):
            return Const(text.value.startswith(beginning.value))
    return compare(ast.Eq(), text, beginning) if isinstance(text, DeviceValue) else UNKNOWN


def place_of(run: Run, value: Value, node: ast.AST | None) -> Place | None:
    """Return the place that a device argument names; None if it is no device.

    Where nothing is supposed of devices, a variable that holds CUDA's name is a setting like any
    other: only the name itself, in the very call, is CUDA.

    Args:
        value: what the argument holds.
        node: its expression.
    """
    place = place_named(value, node)
    if place is Place.UNKNOWN and _is_open(value) and _is_on_command_line(run, node):
        place = Place.ACCELERATOR
    if place is Place.ACCELERATOR and _goes_by_name(value) and runs_for_host(run):
        return Place.UNKNOWN
    if place is Place.UNKNOWN and _is_open(value) and run.supposing and node is not None:
        return Place.ACCELERATOR if _is_card(run, node) else place
    if run.supposing or place not in (Place.ACCELERATOR, Place.NAMED):
        return place
    if names_cuda(node):
        return Place.NAMED
    written = (Const, Library)
    is_set = place is Place.NAMED or any(isinstance(o, written) for o in alternatives(value))
    return Place.UNKNOWN if is_set else place


def chosen_beside(run: Run, value: Value, node: ast.expr, others: Iterable[ast.expr]) -> Value:
    """Return what an expression gives that is one of several, as of `device or "cuda"`.

    Beside the name of a device, what goes by a device's name is the one that the user runs on.

    Args:
        value: what the expression holds.
        node: the expression.
        others: those that are chosen in its stead.
    """
    is_open = all(isinstance(option, (Unknown, Scalar, Method)) for option in alternatives(value))
    if not is_open or place_of(run, value, node) is not Place.ACCELERATOR:
        return value
    return DeviceValue(Place.ACCELERATOR) if any(map(names_device, others)) else value


def _is_open(value: Value) -> bool:
    """Whether nothing is known of a value, be it looked up in something unknown."""
    return value == UNKNOWN or (isinstance(value, Method) and value.bound == UNKNOWN)


def _is_card(run: Run, node: ast.AST) -> bool:
    """Whether something of which nothing is known says which accelerator to use."""
    if path_of(node) in run.file.cards_in(run.module.node):
        return True
    options = run.file.options_for_cards(run.module.node)
    return is_of_settings(node, options, run.file.command_lines_in(run.module.node))


def _is_on_command_line(run: Run, node: ast.AST | None) -> bool:
    """Whether an expression is a device, by its name, that the command line says."""
    if not isinstance(node, ast.Attribute) or not is_device_of_settings(node.attr):
        return False
    return _holds_command_line(run, node.value)


def _holds_command_line(run: Run, node: ast.expr) -> bool:
    """Whether a variable is one that holds what the command line says, and no namesake."""
    path, code = path_of(node), run.frame.node
    if path is None or path not in run.file.command_lines_in(run.module.node):
        return False
    if code is run.module.node or path in run.file.command_lines_in(code):
        return True
    own = bound_in(code)
    if isinstance(code, (*FUNCTIONS, ast.Lambda)):
        own |= parameter_names(code)
    return path.partition(".")[0] not in own


def may_be_setting(run: Run, node: ast.Attribute) -> bool:
    """Return whether `x.device` may be what the user chose, rather than where something lives."""
    return is_setting(node) or _holds_command_line(run, node.value)


def runs_for_host(run: Run, file: File | None = None) -> bool:
    """Whether code is that of another file, which the one at hand may have run on the CPU.

    What settings, and choices by them, say there is not known.

    Args:
        file: the file of the code; that of the code at hand if none is given.
    """
    if (file or run.frame.file) is run.main:
        return False
    path = context_of(run.main).path
    return bool(path and is_test(path)) or run.facts.derived(HostSettings).say_host


def _goes_by_name(value: Value) -> bool:
    """Whether nothing is known of a device but what it is called."""
    known = (DeviceValue, Const, Library)
    return not any(isinstance(option, known) for option in alternatives(value))


def of_either_place(called: Iterable[Value], made: Value) -> Value:
    """Return what one of several functions gives, if it is chosen where that is.

    So it is where one of them is a type of CUDA's tensors, and another one isn't: whichever
    condition has chosen it, what else is on CUDA may go by that.
    """
    names = {function.name for function in called if isinstance(function, Library)}
    chosen = not names.isdisjoint(ACCELERATOR_LEGACY) and not names <= ACCELERATOR_LEGACY
    return unplaced(alternatives(made)) if chosen else made


def asked_here(run: Run, node: ast.Attribute) -> DeviceValue:
    """Return the device of a parameter or buffer whose module has not been moved yet.

    Args:
        node: the expression that asks for it.
    """
    return DeviceValue(Place.HOST, asked=run.made(node, OriginKind.ASKED, short(node)))
