"""Calls of what is out of sight: what its uses tell, and what it may change."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.arrays import ARRAY_CAST
from torchdev_lint.catalog.checkpoints import OF_ANY_CLASS
from torchdev_lint.catalog.ecosystem import MODEL_LIBRARIES
from torchdev_lint.catalog.methods import MOVES, NUMBER_METHODS, TENSORS_FROM_TENSORS
from torchdev_lint.placement.defects.rebuilt import excuse
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.joins import choice, placeless
from torchdev_lint.placement.domain.values import (
    NUMERIC,
    UNKNOWN,
    Bundle,
    Const,
    Function,
    Instance,
    Place,
    Scalar,
    ScalarKind,
    Size,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.facts.events import ModuleMove
from torchdev_lint.placement.libraries.torch_moves import destination, moved_to_left
from torchdev_lint.placement.python import binding, functions
from torchdev_lint.placement.python.changing import lose_places
from torchdev_lint.placement.python.containers import rebind
from torchdev_lint.placement.python.left_behind import let_go
from torchdev_lint.placement.python.library_calls import library_called
from torchdev_lint.placement.python.module_containers import is_container
from torchdev_lint.placement.python.optimizers import handed_on
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.calls import is_type_of_objects
from torchdev_lint.syntax.names import dotted, path_of


def call_unknown_method(run: Run, name: str, arguments: Arguments, node: ast.Call) -> Value:
    """A method of something unknown: its uses may tell a module or a tensor."""
    receiver = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    for value in arguments.values():
        let_go(run, value)  # `tools.to(model, device)` may be a function
    if name in MOVES and (path := path_of(receiver)):
        place = destination(run, name, arguments, node)
        module = _moved_module(run, path, place, node) if place is not None else None
        if module is not None:
            rebind(run, receiver, module)
            return module
    if name in MOVES:
        place = destination(run, name, arguments, node)
        if place in {Place.ACCELERATOR, Place.NAMED, Place.HOST}:
            return moved_to_left(Bundle(place, stays=True), arguments.get(0, "device"))
    told = _by_name(name, arguments, node)
    if told is None and name not in MOVES:
        escape(run, arguments, node)
    return told or UNKNOWN


def _by_name(name: str, arguments: Arguments, node: ast.Call) -> Value | None:
    """What a method gives that only tensors have, or only arrays; None if the name doesn't tell."""
    if name in TENSORS_FROM_TENSORS:
        return Tensor(Place.UNKNOWN)
    if name == ARRAY_CAST and not _may_hold_anything(node):
        return NUMERIC
    if name == "size":
        return Scalar(ScalarKind.INT) if arguments.positional else Size(None)
    if name in NUMBER_METHODS and not arguments.positional:
        return Scalar(ScalarKind.FLOAT if name == "item" else ScalarKind.INT)
    return None


def _may_hold_anything(node: ast.Call) -> bool:
    """Whether an array or table is cast to one of objects."""
    named = {keyword.arg: keyword.value for keyword in node.keywords}
    given = node.args[0] if node.args else named.get("dtype")
    return given is None or is_type_of_objects(given)


def note_builder(run: Run, target: ast.expr, node: ast.expr, value: Value) -> None:
    """Note what is known of how something out of sight was built.

    With a device it may move its inputs itself; a class of a library of models doesn't, unlike one
    that was loaded. What is certainly a tensor or a number is neither, and most assignments are of
    those.
    """
    if isinstance(value, (Tensor, Scalar, Size, Const)):
        return
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        inner = node.func.value
        while isinstance(inner, (ast.Attribute, ast.Subscript)):  # a part: `f().encoder.to(d)`
            inner = inner.value
        if not isinstance(inner, ast.Call):
            break
        node = inner
    if not isinstance(node, ast.Call) or not (node.args or node.keywords):
        return
    path = path_of(target)
    if path is None or any(isinstance(o, Instance) and o.cls for o in alternatives(value)):
        return
    name = library_called(run, node)
    if name.startswith(MODEL_LIBRARIES) and name not in OF_ANY_CLASS:
        run.built_by[path] = name
    if any(run.is_about_devices(part) for part in (*node.args, *node.keywords)):
        run.self_moving.add(path)


def taken_for_module(run: Run, target: ast.expr, node: ast.expr, value: Value) -> Value:
    """Take `net = f(...).to(device)` for a module if the uses of `net` say so.

    Args:
        target: what the value is assigned to.
        node: the expression that gave the value.
    """
    if isinstance(value, Instance):
        _note_state(run, target, value)
    if value == UNKNOWN and isinstance(node, ast.Call) and _is_built_part(run, target):
        return run.allocate(Obj(Place.HOST, module=True, stateful=True), None, site=node)
    if not isinstance(value, Bundle) or not isinstance(node, ast.Call):
        return value
    if replace(value, stays=False) != Bundle(Place.ACCELERATOR):
        return value
    path = path_of(target)
    module = _moved_module(run, path, Place.ACCELERATOR, node) if path else None
    return value if module is None else module


def _is_built_part(run: Run, target: ast.expr) -> bool:
    """Whether what a module builds, and keeps, is asked for its parameters: a part of it.

    Of its class nothing is known, as where it is an argument: `self.encoder = base(dim)`.
    """
    if not (isinstance(target, ast.Attribute) and run.builds_module):
        return False
    is_own = isinstance(target.value, ast.Name) and target.value.id == "self"
    uses = run.uses_of(f"self.{target.attr}") if is_own else None
    return uses is not None and uses.lists_parameters()


def _note_state(run: Run, target: ast.expr, module: Instance) -> None:
    """Note that a module out of sight has state, where its uses say so.

    Args:
        target: what it is assigned to.
    """
    obj = run.obj(module)
    if obj.module and obj.stateful is None and module.cls is None and not is_container(obj):
        path = path_of(target)
        uses = run.uses_of(path) if path else None
        if uses is not None and uses.has_state():
            run.update(module, replace(obj, stateful=True))


def _moved_module(run: Run, path: str, place: Place, node: ast.Call) -> Instance | None:
    """Make the module that has been moved to a place, None if its uses don't tell that it is one.

    Args:
        path: what holds it.
        node: the call that moves it.
    """
    uses = run.uses_of(path)
    if uses is None or not (uses.speak_for_module() or uses.called):
        return None
    was_moved = place is Place.ACCELERATOR or place is Place.NAMED
    if was_moved:
        run.note(ModuleMove(node, path))
    obj = Obj(
        place,
        module=True,
        stateful=True if uses.has_state() else None,
        was_moved=was_moved,
        moves_inputs=path in run.self_moving or path in run.what_is_fed().parallel,
    )
    return run.allocate(obj, None, run.built_by.get(path, ""), site=node)


def escape(run: Run, arguments: Arguments, node: ast.Call) -> None:
    """Forget what unknown code may change in what it is passed.

    A module left on the host may be moved by it; a structure of tensors may be, if the call
    is about devices, as may one whose own method it is. A nested function may be called.
    """
    is_about_devices = run.is_about_devices(node)
    if is_about_devices and isinstance(node.func, ast.Attribute):
        _may_move_itself(run, node.func.value)
    for operand in arguments.operands():
        excuse(run, operand.value)
        handed_on(run, operand.value, node)
        let_go(run, operand.value)
        if is_about_devices:
            lose_places(run, operand.value)
        for option in alternatives(operand.value):
            if isinstance(option, Bundle) and is_about_devices:
                node_of = operand.node
                if isinstance(node_of, ast.Name):
                    run.bind(node_of.id, placeless(option))
            elif isinstance(option, Function) and option.is_nested:
                functions.call_function(run, option, Arguments(open_ended=True))
            elif isinstance(option, (Sequence, Mapping)) and is_about_devices:
                if isinstance(operand.node, ast.Name):
                    run.bind(operand.node.id, UNKNOWN)


def _may_move_itself(run: Run, receiver: ast.expr) -> None:
    """Forget where a structure is of which a method may have moved it: `batch.to_device(device)`.

    Tensors have no such method.
    """
    if path_of(receiver) is None:
        return
    options = alternatives(run.evaluate(receiver))
    if any(isinstance(option, Bundle) for option in options):
        moved = [placeless(o) if isinstance(o, Bundle) else o for o in options]
        rebind(run, receiver, choice(moved))


def is_part_of_module(run: Run, node: ast.expr) -> bool:
    """Whether `self.x` is called in a module, with an `x` that came in from outside.

    So is `getattr(self, name)` with a name that is made up.
    """
    bound = run.frame.bound
    if isinstance(node, ast.Attribute):
        owner = node.value
    elif isinstance(node, ast.Call) and dotted(node.func) == "getattr" and node.args:
        owner = node.args[0]
    else:
        return False
    return (
        isinstance(owner, ast.Name)
        and isinstance(bound, Instance)
        and run.look_up(owner.id) == bound
        and run.frame.in_forward
        and run.obj(bound).module
    )


def is_declared_module(run: Run, node: ast.expr) -> bool:
    """Whether `self.x` is an object with attributes that `__init__` was given under that name.

    Called with tensors by a module, it is one as well, and moves with it; a mere function has
    no attributes.
    """
    if not isinstance(node, ast.Attribute):
        return False
    init = run.frame.owner.lookup("__init__") if run.frame.owner else None
    if not isinstance(init, Function):
        return False
    if node.attr not in {parameter.arg for parameter in binding.positional_parameters(init.node)}:
        return False
    uses = run.file.uses_in(init.node).get(node.attr)
    return uses is not None and bool(uses.members)


def some_on_accelerator(arguments: Arguments) -> bool:
    """Whether some argument is certainly a tensor on the accelerator."""
    for value in arguments.values():
        options = alternatives(value)
        if all(isinstance(o, (Tensor, Bundle)) and o.place is Place.ACCELERATOR for o in options):
            return True
    return False
