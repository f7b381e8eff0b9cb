"""Calls of what is out of sight, judged by other calls of it in the file."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Set

from torchdev_lint.placement.defects.meetings import find_meeting
from torchdev_lint.placement.domain.arguments import Arguments, Operand
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.imported import ProjectModule
from torchdev_lint.placement.domain.joins import as_tensors
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Bundle,
    Function,
    Instance,
    Library,
    Place,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.devices import mentions_devices
from torchdev_lint.placement.evidence.feeding import MOST_MOVERS, is_move, leaves_device
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.flags import is_asked_for
from torchdev_lint.placement.evidence.packing import packs_sequences
from torchdev_lint.placement.evidence.wrapped_elsewhere import may_be_wrapped
from torchdev_lint.placement.interpreter.unknown_calls import some_on_accelerator
from torchdev_lint.placement.libraries.torch_modules import given_by_module, with_its_input
from torchdev_lint.placement.python.giving_back import may_be_brought_back
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.calls import applied
from torchdev_lint.syntax.decided import are_alternatives
from torchdev_lint.syntax.names import names_in, path_of, short
from torchdev_lint.syntax.scopes import own_nodes, root_name

_WHERE_OTHERS_CALL_IT = frozenset({Place.ACCELERATOR, Place.GIVEN, Place.UNKNOWN})
"""Where a module may be that is called with what was moved: of none it is known that it stays."""


def as_elsewhere(run: Run, arguments: Arguments, node: ast.Call) -> Arguments:
    """Take parts of a batch for tensors that stand where other calls in the file move theirs."""
    for value in arguments.values():
        if isinstance(value, Bundle) and value.supposed:
            break
    else:
        return arguments
    if _may_be_lengths(run, arguments):
        return arguments
    fed = run.what_is_fed().moved_by_others(node)
    positional = [
        (as_tensors(value), item) if position in fed else (value, item)
        for position, (value, item) in enumerate(arguments.positional)
    ]
    keywords = {
        name: (as_tensors(value), item) if name in fed else (value, item)
        for name, (value, item) in arguments.keywords.items()
    }
    return replace(arguments, positional=positional, keywords=keywords)


def call_as_elsewhere(run: Run, arguments: Arguments, node: ast.Call) -> Value:
    """Call what is out of sight with what other calls of it in the file move first.

    A module that takes one thing on the accelerator is there itself, and so is what it gives.
    What the training loop computes with something there, it can't compute with the host's. A module
    that takes the host's, and moves nothing, gives what is there as well. What it gives may have
    been brought to the CPU, if a class that it may be of does so.
    """
    forgotten = [] if _may_be_left(run, node) else _moved_elsewhere(run, arguments, node)
    if not forgotten and not some_on_accelerator(arguments):
        used = _is_used_as_module(run, applied(node))
        return with_its_input(run, arguments, node) if used else UNKNOWN
    module = _is_used_as_module(run, applied(node))
    _meet(run, forgotten, arguments, node, module)
    is_there = module and not may_be_brought_back(run)
    return given_by_module(Place.ACCELERATOR, arguments) if is_there else UNKNOWN


def _may_be_left(run: Run, node: ast.Call) -> bool:
    """Whether what is called may as well be a module in sight that nothing has moved so far.

    That the other calls move what they give it is the defect then, and not that this one doesn't.
    """
    options = alternatives(run.evaluate(node.func)) if path_of(node.func) is not None else ()
    return any(
        isinstance(option, Instance)
        and option.cls is not None
        and run.obj(option).place is Place.HOST
        for option in options
    )


def meet_as_elsewhere(run: Run, instance: Instance, arguments: Arguments, node: ast.Call) -> None:
    """Hold a call of a module that knows nothing of devices against its other calls in the file.

    One that a function is given lives where its caller has it: there, the other calls tell, as they
    do of one of which nobody knows where it was moved, but not of one that was built here, and
    which only code out of sight may have moved. What its code in sight does with something
    that is made at once tells by itself: an index may stay on the CPU.
    """
    obj = run.obj(instance)
    if instance.library or obj.place not in _WHERE_OTHERS_CALL_IT:
        return
    if obj.moves_inputs or obj.kept or obj.handed_out:
        return
    if instance.cls is not None and not (obj.module and _leaves_moving(run, instance.cls)):
        return
    forgotten = _moved_elsewhere(run, arguments, node)
    if instance.cls is not None:
        forgotten = [operand for operand in forgotten if _is_of_batch(operand.value)]
    module = obj.stateful or _is_used_as_module(run, node.func)
    _meet(run, forgotten, arguments, node, module=bool(module))


def _leaves_moving(run: Run, info: ClassInfo) -> bool:
    """Whether all code of a class is in sight, and moves nothing, nor has a function do so."""
    if info.opaque or not isinstance(info.lookup("forward"), Function):
        return False
    for parent in info.lineage():
        for name, method in parent.methods().items():
            if name == "__init__":
                continue
            context = context_of(parent.file)
            parts = context.of_nodes(_names_of_parts, method)
            calls = context.of_nodes(_calls_among, method)
            run.budget.visited(len(calls))
            if any(_may_move(run, parent, call, parts) for call in calls):
                return False
    return True


def _calls_among(nodes: list[ast.AST]) -> list[ast.Call]:
    """The calls of a method, one of those that `_may_move` can't tell apart."""
    calls = (node for node in nodes if isinstance(node, ast.Call))
    return list({(*_function_of(call), _moves(call)): call for call in calls}.values())


def _function_of(call: ast.Call) -> tuple[str | None, bool]:
    return root_name(call.func), isinstance(call.func, ast.Name)


def _moves(call: ast.Call) -> bool:
    return is_move(call) or leaves_device(call)


def _names_of_parts(nodes: list[ast.AST]) -> set[str]:
    """The variables of a method that loops over what the object itself keeps give its parts."""
    return {
        name
        for node in nodes
        if isinstance(node, (ast.For, ast.comprehension)) and _is_own(node.iter)
        for name in names_in(node.target)
    }


def _is_own(node: ast.expr) -> bool:
    """Whether an expression asks nothing but the object itself, and functions of Python's."""
    names = names_in(node)
    return "self" in names and all(name == "self" or hasattr(builtins, name) for name in names)


def _may_move(run: Run, info: ClassInfo, call: ast.Call, parts: Set[str]) -> bool:
    """Whether a call in a class moves something that was not made at once, or may do so.

    What makes an array of it takes it from wherever it is.

    Args:
        parts: the variables that hold parts of the object.
    """
    name = root_name(call.func)
    value = None if name is None else run.read_outer(info.closure[-1], name)
    if _moves(call):
        return not isinstance(value, Library)
    if isinstance(value, Function):
        return mentions_devices(value.node) or any(map(_leaves, own_nodes(value.node)))
    if isinstance(value, Library):
        owner = value.name.partition(".")[0]
        return not (owner.startswith("torch") or owner in sys.stdlib_module_names)
    is_free = isinstance(call.func, ast.Name) and value is None and name not in parts
    return isinstance(value, ProjectModule) or (is_free and not hasattr(builtins, name or ""))


def _leaves(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and leaves_device(node)


def _meet(
    run: Run, forgotten: list[Operand], arguments: Arguments, node: ast.Call, module: bool
) -> None:
    """Record what is on the host that other calls of the same thing move first.

    Args:
        module: whether what is called is certainly a module on the accelerator, no loss.
    """
    for part in forgotten:
        if module:
            find_meeting(run, short(node.func), node, [part], Policy.STRICT, module=node.func)
        elif path_of(applied(node)) in run.what_is_fed().losses:
            others = [o for o in arguments.operands() if o.node is not part.node]
            find_meeting(run, short(node.func), node, [part, *others], Policy.STRICT)


def _moved_elsewhere(run: Run, arguments: Arguments, node: ast.Call) -> list[Operand]:
    """The parts of a batch on the host that stand where other calls have what they moved."""
    given = [*enumerate(arguments.positional), *arguments.keywords.items()]
    parts = [(position, v, n) for position, (v, n) in given if _is_data(v)]
    path = path_of(applied(node)) if parts else None
    if path is None or not run.supposing:
        return []
    fed = run.what_is_fed()
    if path in fed.parallel or path in fed.brought_back or fed.own:
        return []
    moved = fed.moved_by_others(node)
    forgotten = {at for at, movers in moved.items() if not _is_alternative(run, node, movers)}
    found = [
        Operand(value, item)
        for position, value, item in parts
        if position in forgotten
        and (_is_of_batch(value) or _calls_the_same(run, node, moved[position]))
        and not _is_meant_for_host(run, value)
    ]
    if found and may_be_wrapped(run.file.path, run.frame.scope.partition(".")[0]):
        return []
    return [] if found and _may_be_lengths(run, arguments) else found


def _may_be_lengths(run: Run, arguments: Arguments) -> bool:
    """Whether one of several arguments may be the lengths of what another one holds.

    Where models pack sequences those have to be on the CPU, and a call that moves them is wrong.
    """
    return len(list(arguments.values())) > 1 and packs_sequences(run.file.path)


def _is_alternative(run: Run, call: ast.Call, movers: list[ast.AST]) -> bool:
    """Whether a condition decides that something is moved, or a call is made without that.

    What it asks may tell whether the model reads it.
    """
    if run.is_elsewhere or len(movers) > MOST_MOVERS:
        return False
    return all(are_alternatives(run.facts.syntax, call, mover) for mover in movers)


def _calls_the_same(run: Run, call: ast.Call, movers: list[ast.AST]) -> bool:
    """Whether something is moved for a call of the very same thing, not just of one name.

    That is what a variable of the function holds, or an attribute of the object at hand.
    """
    if run.is_elsewhere:
        return False
    syntax, method = run.facts.syntax, run.facts.syntax.method(call)
    if method is not None and root_name(call.func) == "self":
        around = (syntax.method(mover) for mover in movers)
        return any(other is not None and other[1] is method[1] for other in around)
    return any(syntax.scope(mover) is syntax.scope(call) for mover in movers)


def _is_meant_for_host(run: Run, value: Value) -> bool:
    """Whether a condition about devices has something made on the CPU: it is not forgotten."""
    origin = value.origin if isinstance(value, (Bundle, Tensor)) else None
    if origin is None or origin.kind is not OriginKind.FACTORY or origin.file is not run.main:
        return False
    return is_asked_for(run.facts.syntax, origin.node)


def _is_data(value: Value) -> bool:
    """Whether something comes from a batch, or is made at once, and has axes."""
    if _is_of_batch(value):
        return True
    if not isinstance(value, Tensor) or value.origin is None or value.scalar is not False:
        return False
    return value.origin.kind is OriginKind.FACTORY and value.origin.holder is None


def _is_of_batch(value: Value) -> bool:
    """Whether something is a part of a batch, or what is computed of one."""
    return (
        isinstance(value, (Bundle, Tensor))
        and value.origin is not None
        and value.origin.kind is OriginKind.BATCH
    )


def _is_used_as_module(run: Run, node: ast.expr) -> bool:
    """Whether what is called is a module, going by its other uses: `model.eval()`.

    Called with what is on the accelerator, it is there as well, and so is what it gives.
    """
    path = path_of(node)
    uses = run.uses_of(path) if path else None
    return uses is not None and uses.speak_for_module()
