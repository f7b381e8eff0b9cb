"""Which place an expression names that is used as a device."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Set

from torchdev_lint.catalog.devices import (
    ACCELERATOR_NUMBER,
    ACCELERATOR_TYPES,
    DEVICE_CONSTANTS,
    DEVICE_NAMES,
    DEVICE_TYPES,
    GIVEN_SETTINGS,
    SETTINGS,
)
from torchdev_lint.catalog.factories import ACCELERATOR_LEGACY, HOST_ONLY
from torchdev_lint.catalog.methods import MOVES_TO_DEVICE
from torchdev_lint.placement.domain.values import (
    LEFT_OPEN,
    NO_TENSOR,
    NONE,
    UNKNOWN,
    Const,
    DeviceValue,
    DtypeValue,
    Library,
    Method,
    Place,
    Scalar,
    ScalarKind,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.conditions import device_place
from torchdev_lint.syntax.calls import destination
from torchdev_lint.syntax.names import constant_beginning, names_on_the_way
from torchdev_lint.syntax.scopes import Syntax
from torchdev_lint.syntax.walking import walk

_OWNERS = SETTINGS | {"self"}
"""What has a `device` that is the one the user runs on."""
_SAID_ELSEWHERE = frozenset({UNKNOWN, NO_TENSOR, Scalar(ScalarKind.STR)})
"""What holds what a user says, which is not in sight."""
_MOST_DIGITS = 4
"""Of how many digits the number of an accelerator is, at the most."""
_MOST_CARDS = 10**_MOST_DIGITS
_MOST_VARIABLES = 4
"""Over how many variables it is followed what a device is."""


def place_named(value: Value, node: ast.AST | None) -> Place | None:
    """Return the place that a device argument names.

    Under the assumption that an accelerator is present, a `device` that nothing else is
    known of is the accelerator.

    Args:
        value: what the argument holds.
        node: its expression.

    Returns:
        The place; None if it is no device but, for example, a dtype.
    """
    options = alternatives(value)
    places = {_place(option, node) for option in options}
    if len(places) == 1:
        return places.pop()
    return Place.ACCELERATOR if _is_beside_accelerator(options) else Place.UNKNOWN


def _is_beside_accelerator(options: Iterable[Value]) -> bool:
    """Whether what the user says may be the name of an accelerator, if nothing is said.

    So it is behind `if name == "auto": name = "cuda"`.
    """
    said = [option for option in options if not isinstance(option, Const)]
    named = [option for option in options if isinstance(option, Const)]
    is_open = all(option in _SAID_ELSEWHERE for option in said)
    places = {_place_by_type(option) for option in named}
    return is_open and bool(said) and places == {Place.ACCELERATOR}


def _place(value: Value, node: ast.AST | None) -> Place | None:
    if isinstance(value, DtypeValue) or value == NONE:
        # an attribute that is None where it is asked for a device is there to be set by others
        return Place.UNKNOWN if value == NONE and isinstance(node, ast.Attribute) else None
    if isinstance(value, Tensor):
        return value.place
    if isinstance(value, (DeviceValue, Const)):
        return device_place(value)
    if isinstance(value, Library):
        return _of_library(value.name)
    if isinstance(value, Scalar) and value.kind is ScalarKind.INT:
        return Place.ACCELERATOR
    if isinstance(value, (Unknown, Scalar, Method)) and node is not None and value != LEFT_OPEN:
        return _by_name(node)
    return Place.UNKNOWN


def names_device(node: ast.expr) -> bool:
    """Return whether a part of an expression is the name of a device, as it is written."""
    return any(
        isinstance(part, ast.Constant)
        and isinstance(part.value, str)
        and part.value.partition(":")[0] in DEVICE_TYPES
        for part in walk(node)
    )


def made_up(beginning: str) -> Value:
    """Return what a string is that is made up, of which the beginning is known.

    With `cuda:` it names a device: which one of them is not known.
    """
    kind, colon, _ = beginning.partition(":")
    is_device = bool(colon) and kind in ACCELERATOR_TYPES
    return DeviceValue(Place.ACCELERATOR) if is_device else Scalar(ScalarKind.STR)


def one_device(options: Iterable[Value]) -> Value | None:
    """Return the device that all of some values name, None where they name several, or others."""
    places = {device_place(option) for option in options}
    return DeviceValue(places.pop()) if places in ({Place.ACCELERATOR}, {Place.HOST}) else None


def either_device(first: Value, second: Value) -> Value | None:
    """Return the device that a program works on which chooses between an accelerator and the CPU.

    An accelerator is supposed to be there, and chosen; also beside what the user may say.

    Args:
        first: one of what is chosen.
        second: the other one.
    """
    options = (*alternatives(first), *alternatives(second))
    places = {_place_by_type(option) for option in options}
    is_chosen = places == {Place.ACCELERATOR, Place.HOST} or _is_beside_accelerator(options)
    return DeviceValue(Place.ACCELERATOR) if is_chosen else None


def _place_by_type(value: Value) -> Place:
    """Where a device points that is no mere number: those are steps and signs as well."""
    is_number = isinstance(value, Const) and not isinstance(value.value, str)
    return Place.UNKNOWN if is_number else device_place(value)


def index_named(value: Value) -> int | None:
    """Return which one of several accelerators a device argument certainly is, if it says so."""
    found = {_index(option) for option in alternatives(value)}
    return found.pop() if len(found) == 1 else None


def _index(value: Value) -> int | None:
    if isinstance(value, DeviceValue):
        return value.index
    if not isinstance(value, Const) or isinstance(value.value, bool):
        return None
    if isinstance(value.value, int):
        return value.value if 0 <= value.value < _MOST_CARDS else None
    kind, _, number = str(value.value).partition(":")
    is_card = kind in ACCELERATOR_TYPES and number.isdecimal() and len(number) <= _MOST_DIGITS
    return int(number) if is_card else None


def is_setting(node: ast.Attribute) -> bool:
    """Whether `x.device` may be what the user chose, rather than where something lives."""
    return _holds_settings(names_on_the_way(node.value))


def type_named(node: ast.AST) -> str:
    """Return the type of device that a text names, which may be made up; empty: none."""
    return constant_beginning(node).partition(":")[0] if isinstance(node, ast.expr) else ""


def is_of_tensor(node: ast.AST) -> bool:
    """Whether an expression is the device of something else, where that is: `x.device`."""
    return isinstance(node, ast.Attribute) and node.attr == "device" and not is_setting(node)


def _holds_settings(names: list[str]) -> bool:
    """Whether what is looked up by some names has settings, `cfg.train` and `cfg["train"]` too."""
    return bool(names) and (names[-1] in _OWNERS or not GIVEN_SETTINGS.isdisjoint(names))


def _of_library(name: str) -> Place | None:
    if name in ACCELERATOR_LEGACY:
        return Place.ACCELERATOR
    if name in HOST_ONLY:
        return Place.HOST
    last = name.rpartition(".")[2]
    return Place.ACCELERATOR if last in DEVICE_CONSTANTS else Place.UNKNOWN


def _by_name(node: ast.AST) -> Place | None:
    """Where something points of which nothing is known but what it is called."""
    if isinstance(node, (ast.IfExp, ast.BoolOp)):
        parts = node.values if isinstance(node, ast.BoolOp) else [node.body, node.orelse]
        found = {_by_name(part) for part in parts if not isinstance(part, ast.Constant)}
        return Place.ACCELERATOR if found == {Place.ACCELERATOR} else Place.UNKNOWN
    *owners, last = names_on_the_way(_whole_of_first(node)) or [""]
    if "dtype" in last:
        return None
    if _holds_settings(owners):
        is_device = is_device_of_settings(last)
    else:
        is_device = last in DEVICE_NAMES and not owners
    return Place.ACCELERATOR if is_device else Place.UNKNOWN


def is_device_of_settings(name: str) -> bool:
    """Return whether a setting is a device, as its name says."""
    return name in DEVICE_NAMES or ACCELERATOR_NUMBER.match(name) is not None


def _whole_of_first(node: ast.AST) -> ast.AST:
    """The list of which an expression is the first element: that of `args.gpus[0]`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return node.value if node.slice.value == 0 else node
    return node


def is_of_settings(node: ast.AST, names: Set[str], holders: Set[str]) -> bool:
    """Return whether an expression looks up one of some settings: `args.card`.

    Args:
        names: what they are called.
        holders: the variables that hold settings, whatever they are called.
    """
    *owners, last = names_on_the_way(node) or [""]
    return last in names and (_holds_settings(owners) or ".".join(owners) in holders)


def names_accelerator(syntax: Syntax, call: ast.Call) -> bool:
    """Whether what a call moves something to is an accelerator, as far as the text tells.

    Args:
        syntax: the file it stands in.
        call: `model.to(…)`.
    """
    given = destination(call)
    return given is not None and _is_accelerator(syntax, given, _MOST_VARIABLES)


def _is_accelerator(syntax: Syntax, node: ast.expr, variables: int) -> bool:
    if isinstance(node, ast.Constant):
        is_number = isinstance(node.value, int) and not isinstance(node.value, bool)
        return is_number or str(node.value).partition(":")[0] in ACCELERATOR_TYPES
    if isinstance(node, ast.JoinedStr):
        return type_named(node) in ACCELERATOR_TYPES
    if isinstance(node, ast.IfExp):
        parts = [node.body, node.orelse]
    elif isinstance(node, ast.Call):
        parts = node.args
    elif isinstance(node, ast.BoolOp):
        parts = node.values
    else:
        parts = assigned(syntax, node) if variables else []
        variables -= 1
        if not parts:
            return _by_name(node) is Place.ACCELERATOR
    return any(_is_accelerator(syntax, part, variables) for part in parts)


def assigned(syntax: Syntax, node: ast.expr) -> list[ast.expr]:
    """Return what a variable of the function at hand, or of the module, is assigned."""
    if not isinstance(node, ast.Name):
        return []
    for scope in (syntax.scope(node), syntax.tree):
        statements = [syntax.parent(name) for name in syntax.bindings(node.id, scope)]
        values = [s.value for s in statements if isinstance(s, ast.Assign)]
        if values:
            return values
    return []


def mentions_devices(scope: ast.AST) -> bool:
    """Whether code may put something on a device: it moves, or names a device."""
    for node in walk(scope):
        if isinstance(node, ast.Attribute):
            if node.attr == "device" or node.attr in MOVES_TO_DEVICE:
                return True
        if isinstance(node, ast.Name) and "device" in node.id.lower():
            return True
        if isinstance(node, ast.keyword) and node.arg == "device":
            return True
    return False
