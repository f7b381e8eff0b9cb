"""Making a tensor on a device, in the call that makes it."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.devices import HOST_TYPE
from torchdev_lint.catalog.factories import HOST_ONLY, TAKES_DEVICE, TYPES_OF_HOST
from torchdev_lint.change import (
    AddArgument,
    Fix,
    Insert,
    Replace,
    Stated,
    applicability,
    in_turn,
)
from torchdev_lint.fixes.devices import device_in_view, device_named
from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.facts.events import BesideGiven, TypedForHost
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import dotted, names_in, path_of
from torchdev_lint.syntax.parameters import argument_for, default_of
from torchdev_lint.syntax.scopes import FUNCTIONS

_BOUND_TO_THE_HOST = frozenset({None, "pin_memory", "generator", "out"})
"""Arguments beside which a factory takes no device: `**kwargs` may hold one."""
_DISTRIBUTIONS = "torch.distributions."
_DRAWING = frozenset({"rsample", "sample"})
"""Methods of distributions that give a tensor."""


def made_or_moved(facts: Facts, meeting: Meeting) -> Fix | None:
    """Make a tensor on the device of what it meets; where none is in sight, move it there.

    So is what comes of it where it is first computed with what is on the host for certain. Nothing
    mends a type of tensors that is given one on the accelerator: its call itself raises.
    """
    node = meeting.origin.node
    if not isinstance(node, ast.Call) or meeting.node is node:
        return None
    stays = facts.find(BesideGiven, meeting.origin.identity) is not None
    later = moved_at_meeting(facts, meeting, into_module=stays)
    if stays:
        return later
    device = device_in_view(facts, node, meeting.partner_node, meeting.given is not None)
    if device is None or is_handed_a_device(node) or meeting.origin.key is not None:
        return later
    if _may_refuse_its_data(node, meeting.origin, device):
        return None
    made = made_on(facts, node, meeting.origin, device)
    drawn = made is not None and meeting.origin.label.startswith(_DISTRIBUTIONS)
    return made if drawn else in_turn(made, later)  # what is drawn is mostly used several times


def made_in_view(facts: Facts, origin: Origin, of_caller: bool) -> Fix | None:
    """Make a tensor on the device of what is in sight where it is made.

    Args:
        of_caller: whether what it is made for is where a function's caller has it.
    """
    node = origin.node
    device = device_in_view(facts, node, node, of_caller)
    if not isinstance(node, ast.Call) or device is None or is_handed_a_device(node):
        return None
    if _may_refuse_its_data(node, origin, device):
        return None
    return made_on(facts, node, origin, device)


def made_where_named(facts: Facts, origin: Origin) -> Fix | None:
    """Return the fix that makes a tensor on the device that a script names; None if it names none.

    Which is unsafe: others may want it on the CPU, and where what it is handed to lives is only
    seen here.
    """
    device = device_named(facts, origin.node) if isinstance(origin.node, ast.Call) else None
    if device is None or not isinstance(origin.node, ast.Call):
        return None
    return made_on(facts, origin.node, origin, Stated(device, proven=False))


def _may_refuse_its_data(call: ast.Call, origin: Origin, device: Stated) -> bool:
    """Whether a factory that takes none from an accelerator may be given a tensor that is there.

    The device is asked of its data: a list or an array has none, a tensor on the CPU has the wrong
    one, and with any other the factory itself fails: `torch.FloatTensor(x).to(x.device)` mends
    nothing. Nor does `torch.BoolTensor(x == 0).to(device)`, unless `x` is an array.
    """
    if origin.label in TYPES_OF_HOST and any(isinstance(data, ast.Compare) for data in call.args):
        return True
    owner = device.text.removesuffix(".device")
    return origin.label in HOST_ONLY and any(path_of(data) == owner for data in call.args)


def made_on(facts: Facts, call: ast.Call, origin: Origin, device: Stated) -> Fix | None:
    """Return the fix that has a factory make its tensor on a device.

    Args:
        facts: what is known of the file.
        call: the factory's call.
        origin: what is known of what it makes.
        device: the expression of the device.

    Returns:
        The fix; unsafe where the code asks for the CPU in so many words. None if it
        takes no device.
    """
    last = call_to_move(facts, call, origin)
    if last is not call:
        move = Stated(f".to({device.text})", device.proven)
        return None if last is None else moved_to(facts, last, move)
    if origin.label.startswith(_DISTRIBUTIONS):
        drawn = _drawn_at_once(facts, call)
        move = Stated(f".to({device.text})", device.proven)
        return None if drawn is None else moved_to(facts, drawn, move)
    names = {keyword.arg for keyword in call.keywords}
    bound = origin.label in HOST_ONLY or bool(names & _BOUND_TO_THE_HOST)
    if origin.elsewhere is not None or bound:
        return moved_to(facts, call, Stated(f".to({device.text})", device.proven))
    given = by_keyword(call, "device")
    if not given:
        change = AddArgument(facts.span(call), f"device={device.text}")
        is_itself = bool(facts.derived(Proof).values.library(call.func))
        sureness = applicability(device.proven and is_itself)
        return Fix(f"Add `device={device.text}`", sureness, (change,))
    if not isinstance(given[0], ast.Constant):
        return None
    is_free = device.proven and given[0].value is None
    return Fix(
        f"Replace the device by `{device.text}`",
        applicability(is_free),
        (Replace(facts.span(given[0]), device.text),),
    )


def _drawn_at_once(facts: Facts, call: ast.Call) -> ast.Call | None:
    """The call that draws from a distribution where that is made, which takes no device itself.

    It draws where its parameters are.
    """
    method = facts.syntax.parent(call)
    if not isinstance(method, ast.Attribute) or method.attr not in _DRAWING:
        return None
    drawn = facts.syntax.parent(method)
    return drawn if isinstance(drawn, ast.Call) and drawn.func is method else None


def call_to_move(facts: Facts, call: ast.Call, origin: Origin) -> ast.Call | None:
    """Return the call behind which a move of what is made counts.

    `.type(torch.FloatTensor)` brings to the CPU what was made elsewhere: behind that, where it is
    part of the same expression; else None.
    """
    typed = facts.find(TypedForHost, origin.identity)
    if typed is None:
        return call
    return typed.node if typed.node in facts.syntax.around(call) else None


def is_handed_a_device(call: ast.Call) -> bool:
    """Whether a factory's device is what its function was called with, `None` for example."""
    return not all(isinstance(value, ast.Constant) for value in by_keyword(call, "device"))


def moved_to(facts: Facts, node: ast.expr, move: Stated) -> Fix | None:
    """Return the fix that appends a move to an expression, which is a tensor.

    Args:
        move: the call to append, such as `.to(device)`.
    """
    if facts.syntax.in_string(node) or isinstance(node, ast.Starred):
        return None
    span = facts.span(node)
    start, end = (span.line, span.column), (span.end_line, span.end_column)
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
        return Fix(f"Append `{move.text}`", move.applicability, (Insert(*end, move.text),))
    changes = (Insert(*start, "("), Insert(*end, f"){move.text}"))
    return Fix(f"Append `{move.text}`", move.applicability, changes)


def moved_at_meeting(facts: Facts, meeting: Meeting, into_module: bool = False) -> Fix | None:
    """Return the fix that moves a value where it comes into the function that uses it, or there.

    For values that are made where nothing tells the device.

    Args:
        into_module: whether that is asked for as well where a module takes it.
    """
    host, syntax = meeting.host_node, facts.syntax
    if not isinstance(host, ast.expr) or (meeting.module_call and not into_module):
        return None
    if meeting.within:
        return None  # a distribution can't be moved
    if syntax.scope(host) is not syntax.scope(meeting.node):
        return None
    of_caller, told = meeting.given is not None, _told_at(meeting.origin.node)
    device = device_in_view(facts, meeting.node, meeting.partner_node, of_caller, told)
    if device is None or is_written_to(facts, host):
        return None
    place = _place_to_move(facts, host, device)
    parameter = _device_parameter(facts, meeting.origin.node, place)
    if parameter is not None:
        argument = f"{parameter}={device.text}"
        change = AddArgument(facts.span(place), argument)
        sure = device.proven and _only_places(facts, meeting.origin.node, place, parameter)
        return Fix(f"Add `{argument}`", applicability(sure), (change,))
    return moved_to(facts, place, Stated(f".to({device.text})", device.proven))


def _told_at(made: ast.AST) -> frozenset[str]:
    """The device that what is on the CPU was made on, which is the CPU then."""
    told = by_keyword(made, "device") if isinstance(made, ast.Call) else []
    return frozenset(path for each in told if (path := path_of(each)) is not None)


def _place_to_move(facts: Facts, host: ast.expr, device: Stated) -> ast.expr:
    """Where a value gets its name, if it is certainly used, and the device is the same there."""
    proof, source = facts.derived(Proof), _assigned_value(facts, host)
    if source is None or not proof.order.follows(source, host):
        return host
    if device.proven:
        return source if proof.gives_device(device.text, source) else host
    return source if _is_steady(facts, device.text, source) else host


def _device_parameter(facts: Facts, made: ast.AST, call: ast.expr) -> str | None:
    """The parameter for the device of the function that makes a tensor, if a call leaves it out."""
    function = facts.syntax.scope(made)
    if not isinstance(call, ast.Call) or not isinstance(function, ast.FunctionDef):
        return None
    if (dotted(call.func) or "").rpartition(".")[2] != function.name:
        return None
    for keyword in made.keywords if isinstance(made, ast.Call) else ():
        if keyword.arg == "device" and isinstance(keyword.value, ast.Name):
            if _is_left_out(call, function, keyword.value.id):
                return keyword.value.id
    return None


def _is_left_out(call: ast.Call, function: ast.FunctionDef, parameter: str) -> bool:
    """Whether a call certainly gives nothing for a parameter of a function."""
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return False
    if any(keyword.arg in {None, parameter} for keyword in call.keywords):
        return False
    if parameter in {argument.arg for argument in function.args.kwonlyargs}:
        return True
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    given = len(call.args) + isinstance(call.func, ast.Attribute)
    return parameter in names[len(function.args.posonlyargs) :] and names.index(parameter) >= given


def _only_places(facts: Facts, made: ast.AST, call: ast.expr, parameter: str) -> bool:
    """Whether a device that is given for a parameter only says where tensors are made.

    On the CPU that changes nothing, where none is given by default, or the CPU.
    """
    proof, function = facts.derived(Proof), facts.syntax.scope(made)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return False
    own = next(part for part in ast.walk(function.args) if getattr(part, "arg", "") == parameter)
    assert isinstance(own, ast.arg)
    given = argument_for(facts.syntax, call, own)
    is_called = proof.bindings.reaching(call.func.id, call) == {function}
    is_default = isinstance(given, ast.Constant) and given.value in {None, HOST_TYPE}
    is_default &= given is default_of(facts.syntax, own)
    if not is_called or not is_default:
        return False
    return all(
        isinstance(taker := facts.syntax.parent(read), ast.keyword)
        and taker.arg == "device"
        and proof.values.library(getattr(facts.syntax.parent(taker), "func", taker)) in TAKES_DEVICE
        for read in proof.mentions.reads(parameter)
        if facts.syntax.scope(read) is function
    )


def _argument_names(scope: ast.AST) -> set[str]:
    if not isinstance(scope, (*FUNCTIONS, ast.Lambda)):
        return set()
    return {part.arg for part in ast.walk(scope.args) if isinstance(part, ast.arg)}


def _assigned_value(facts: Facts, host: ast.expr) -> ast.expr | None:
    """The expression that a variable holds which is assigned once."""
    if not isinstance(host, ast.Name):
        return None
    bindings = facts.syntax.bindings(host.id, facts.syntax.scope(host))
    statement = facts.syntax.parent(bindings[0]) if len(bindings) == 1 else None
    if isinstance(statement, ast.Assign) and statement.targets == bindings:
        return statement.value
    return None


def _is_steady(facts: Facts, device: str, node: ast.expr) -> bool:
    """Whether an expression gives at an earlier place what it gives later on."""
    scope = facts.syntax.scope(node)
    names, given = names_in(ast.parse(device)), _argument_names(scope)
    once = all(len(facts.syntax.bindings(name, scope)) + (name in given) <= 1 for name in names)
    return once and facts.derived(Proof).is_bound(device, node)


def is_written_to(facts: Facts, node: ast.expr) -> bool:
    """Return whether an operation changes a value, which a moved copy of it would not see."""
    if isinstance(getattr(node, "ctx", None), ast.Store):
        return True
    parent = facts.syntax.parent(node)
    if isinstance(parent, ast.Attribute):
        return parent.attr.endswith("_")
    return isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Store)
