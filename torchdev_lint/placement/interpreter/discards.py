"""Moves and casts whose result is thrown away."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchdev_lint.catalog.modules import JOINING, LAYERS, LOSSES, STATELESS
from torchdev_lint.catalog.operations import CASTS
from torchdev_lint.placement.defects.left_open import leave_to_users
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.joins import leaves
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.values import (
    NO_TENSORS,
    UNKNOWN,
    Bundle,
    DtypeValue,
    Function,
    Instance,
    Library,
    Method,
    Place,
    Tensor,
    Unknown,
    Value,
    alternatives,
    is_one_tensor,
)
from torchdev_lint.placement.evidence.collecting import collect_uses
from torchdev_lint.placement.evidence.declared_results import is_given_back_as_tensor
from torchdev_lint.placement.evidence.uses import Uses
from torchdev_lint.placement.facts.events import Discard, Excused, NoTensor
from torchdev_lint.placement.python import binding
from torchdev_lint.placement.python.annotations import annotated_class
from torchdev_lint.placement.python.assignment import assign
from torchdev_lint.placement.python.module_containers import contained
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.copying import gives_a_copy
from torchdev_lint.syntax.names import path_of
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS, root_name

STAYS = "stays where it is"
"""What becomes of a tensor whose move, and not only a cast, is thrown away."""
_PARTS = (ast.Attribute, ast.Subscript)
_MOST_PARTS = 3
"""How deep parts of a module are looked at that are handed what it is given."""


def statement_move(run: Run, node: ast.Call, func: ast.Attribute) -> bool:
    """Handle `x.to(device)` as a statement.

    A chain that starts from a library, such as `torch.zeros(1).cuda()`, warms the device up:
    nothing is lost with its result.

    Args:
        node: the call.
        func: its function, a method that moves or casts.

    Returns:
        Whether it is a tensor's, so that nothing more is to be done.
    """
    is_cast = func.attr in CASTS | {"type"}
    if Mood.EXPECTED in run.moods or (is_cast and not _is_cast(node, func)):
        return False
    root = root_name(func.value)
    if root is None or isinstance(run.look_up(root), Library) or _is_only_moved(run, root):
        return False
    if isinstance(func.value, ast.Call) and _may_be_structure(run, func.value):
        return False
    receiver = run.evaluate(func.value)
    if all(_is_copied(run, option, func) for option in alternatives(receiver)):
        _note_lost(run, node, func, receiver, copied=True)
        return False
    verdicts = {is_tensor(run, option, func.value) for option in alternatives(receiver)}
    if False in verdicts:
        run.note(NoTensor(node))
    if True not in verdicts or False in verdicts or _has_what_no_tensor_has(run, receiver, func):
        leave_to_users(run, [receiver])
        if path_of(func.value) and any(isinstance(o, Bundle) for o in alternatives(receiver)):
            assign(run, func.value, taken_as_moved(receiver))
        return False
    _note_lost(run, node, func, receiver)
    if path_of(func.value):
        assign(run, func.value, taken_as_moved(receiver))
    return True


def _has_what_no_tensor_has(run: Run, receiver: Value, func: ast.Attribute) -> bool:
    """Whether what may be something else is asked for what tensors lack: `graph.get("empty")`."""
    is_tensor_alone = all(map(is_one_tensor, alternatives(receiver)))
    return not is_tensor_alone and run.has_other_members(func.value)


def _note_lost(
    run: Run, node: ast.Call, func: ast.Attribute, receiver: Value, copied: bool = False
) -> None:
    """Note that what a move gives is thrown away, and excuse what stays where it is.

    Args:
        copied: whether it is an object of the project, of which a moved copy is given.
    """
    target = func.value
    run.note(
        Discard(
            node,
            target,
            method=func.attr,
            scope=run.frame.scope,
            receiver=receiver,
            holder=run.evaluate(target.value) if isinstance(target, _PARTS) else UNKNOWN,
            lost=what_is_lost(run, node, func.attr),
            copied=copied,
        )
    )
    excuse_moved(run, receiver)


def _is_copied(run: Run, value: Value, func: ast.Attribute) -> bool:
    """Whether a value is an object of the project, whose method gives a moved copy of it."""
    info = _class_of(run, value, func.value)
    function = None if info is None else info.lookup(func.attr)
    if info is None or not isinstance(function, Function):
        return False
    if not isinstance(function.node, ast.FunctionDef):
        return False
    return gives_a_copy(function.node, frozenset(each.name for each in info.lineage()))


def _class_of(run: Run, value: Value, node: ast.expr) -> ClassInfo | None:
    """The class of an object that is no module, or of what a parameter is said to be."""
    if isinstance(value, Instance):
        return None if run.obj(value).module else value.cls
    function = run.frame.node
    if value != UNKNOWN or not isinstance(node, ast.Name) or not isinstance(function, FUNCTIONS):
        return None
    declared = [p.annotation for p in parameters_of(function) if p.arg == node.id]
    return annotated_class(run, declared[0]) if declared else None


def _may_be_structure(run: Run, node: ast.expr) -> bool:
    """Whether methods are called on an argument that is declared to be something unknown.

    A class of the project may have a `detach` as tensors do, and move in place.
    """
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value
    function = run.frame.node
    if not isinstance(node, ast.Name) or not isinstance(function, FUNCTIONS):
        return False
    declared = {p.arg for p in parameters_of(function) if p.annotation is not None}
    return node.id in declared and UNKNOWN in alternatives(run.evaluate(node))


def excuse_moved(run: Run, receiver: Value) -> None:
    """Excuse tensors whose move is lost: that they stay where they are has been told with it."""
    options = alternatives(receiver)
    objects = [run.obj(option) for option in options if isinstance(option, Instance)]
    held = (option for obj in objects for each in obj.attrs.values() for option in leaves(each))
    for option in (*options, *held):
        if isinstance(option, (Tensor, Bundle)) and option.origin is not None:
            for excused in Excused.with_wholes(option.origin):
                run.note(excused)


def what_is_lost(run: Run, node: ast.Call, method: str) -> str:
    """What becomes of a tensor whose move or cast is thrown away, in words."""
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    values = [(argument, run.evaluate(argument)) for argument in (*node.args, *given.values())]
    if method in CASTS:
        return "keeps its dtype"
    if method not in {"to", "type"} or not values or "device" in given:
        return STAYS
    if not node.args and "memory_format" in given:
        return "keeps its memory format"
    argument, value = values[0]
    if isinstance(value, DtypeValue) or getattr(argument, "attr", "") == "dtype":
        return "keeps its dtype"
    return "stays as it is" if isinstance(value, Unknown) and method == "type" else STAYS


def _is_only_moved(run: Run, name: str) -> bool:
    """Whether nothing reads what a local variable was given but its moves: they are for the copy.

    So a connection between two cards is warmed up, or their memory is filled. What came from
    another variable, or from a loop, is read there.
    """
    scope = run.frame.node
    if not isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    if name in run.frame.global_names | run.frame.nonlocal_names:
        return False
    return name in run.file.only_moved(scope)


def _is_cast(node: ast.Call, func: ast.Attribute) -> bool:
    """Whether the statement may be there for the cast: not for what gives the tensor, in place."""
    if path_of(func.value) is None:
        return False
    if func.attr == "type":
        return len(node.args) == 1
    return not node.args


def taken_as_moved(receiver: Value) -> Value:
    """The value after the statement, so that one defect gives one finding.

    A structure may have moved in place.
    """
    if isinstance(receiver, Bundle):
        place = Place.ACCELERATOR if receiver.in_place else Place.UNKNOWN
        return replace(receiver, place=place, origin=None)
    if isinstance(receiver, Tensor):
        return replace(receiver, place=Place.UNKNOWN, origin=None)
    return UNKNOWN


def is_tensor(run: Run, value: Value, node: ast.expr) -> bool | None:
    """Whether the receiver of a move is a tensor; None where nothing tells."""
    if isinstance(value, Tensor):
        return True
    if isinstance(value, Bundle):
        if value.in_place:
            return False
        if value.part and value.loaded and value.in_place is None:
            return _by_uses(run, node, otherwise=True)
        return _by_uses(run, node)
    if value in NO_TENSORS:
        return False  # an array has no moves: that raises, and nothing is thrown away
    if isinstance(value, Unknown) or (isinstance(value, Method) and value.bound == UNKNOWN):
        return _by_uses(run, node)
    return False if isinstance(value, Instance) else None


def _by_uses(run: Run, node: ast.expr, otherwise: bool | None = None) -> bool | None:
    path = path_of(node)
    uses = run.uses_of(path) if path else None
    if path is None or uses is None:
        return otherwise
    if uses.is_structure():
        return None
    nodes = _that_see(run, node, path)
    seen = uses if nodes is None else collect_uses(nodes, run.file.torch_names).get(path)
    if seen is None:
        return otherwise
    if seen.moved_is_tensor():
        return True
    scope = run.frame.node
    sight = run.file.sight_in(scope)
    given_back, takers = sight.given_back, sight.takers(path)
    if nodes is not None:
        seeing = set(nodes)
        given_back = [node for node in given_back if node in seeing]
        takers = [taker for taker in takers if taker[0] in seeing]
    if is_given_back_as_tensor(path, scope, given_back):
        return True
    return True if _goes_into_module(run, takers, seen) else otherwise


def _that_see(run: Run, node: ast.expr, path: str) -> list[ast.AST] | None:
    """The code that sees a variable hold what is moved; None if that is all of the scope."""
    root, scope = root_name(node), run.frame.node
    if root is None or path.startswith("self."):
        return None
    nodes = run.file.sight_in(scope).nodes_that_see(root, node)
    run.budget.visited(4 * len(nodes or ()))  # they are found, collected from, and concluded from
    return nodes


def _goes_into_module(run: Run, takers: Iterable[tuple[ast.Call, int]], uses: Uses) -> bool:
    """Whether something that can be moved goes, as it is, into a module that takes a tensor there.

    Of a module out of sight that is known where others are given to it that were parts of one
    thing: one that stands alone may be a structure.

    Args:
        takers: the calls that are given it, each with its position.
        uses: how it is used there.
    """
    for call, position in takers:
        if path_of(call.func) is not None:
            callee = _called_module(run.evaluate(call.func))
            if isinstance(callee, Instance) and run.obj(callee).module:
                if uses.apart or _takes_tensor(run, callee, position):
                    return True
    return False


def _called_module(function: Value) -> Value:
    """What is called, for `model.forward` the model."""
    if isinstance(function, Function) and getattr(function.node, "name", "") == "forward":
        return function.bound or UNKNOWN
    return function


def _takes_tensor(run: Run, module: Instance, position: int, parts: int = _MOST_PARTS) -> bool:
    """Whether an argument of a module is a tensor: of a layer or loss, or going by `forward`.

    Args:
        parts: how deep it is looked at the parts to which that hands it.
    """
    if module.cls is None:
        first = next(iter(contained(run.obj(module)) or ()), None)
        if module.library == "torch.nn.Sequential" and isinstance(first, Instance) and parts > 0:
            return _takes_tensor(run, first, position, parts - 1)
        owner, _, last = module.library.rpartition(".")
        return owner == "torch.nn" and last in LAYERS | LOSSES | JOINING | STATELESS
    forward = module.cls.lookup("forward")
    if not isinstance(forward, Function):
        return False
    parameters = binding.positional_parameters(forward.node)[1:]
    if position >= len(parameters):
        return False
    name = parameters[position].arg
    uses = run.file.uses_in(forward.node).get(name)
    if uses is None or uses.is_structure():
        return False
    return uses.is_computed_with() or any(
        isinstance(part, Instance) and parts > 0 and _takes_tensor(run, part, at, parts - 1)
        for call, at in run.file.sight_in(forward.node).takers(name)
        for part in [_part_called(run, module, call)]
    )


def _part_called(run: Run, module: Instance, call: ast.Call) -> Value:
    """The part of a module that a method of it calls."""
    own, _, attribute = (path_of(call.func) or "").partition(".")
    return run.obj(module).attrs.get(attribute, UNKNOWN) if own == "self" else UNKNOWN
