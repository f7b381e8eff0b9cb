"""Optimizers whose models are moved, or get other parts, after they were built or filled."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.gradients import GIVES_PARAMETERS
from torchdev_lint.catalog.optimizers import KEEP_TENSORS, ONLY_WITH_MOMENTUM, OPTIMIZERS
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.heap import Heap, Obj
from torchdev_lint.placement.domain.joins import leaves, sequence
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Const,
    Function,
    Instance,
    Place,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.optimizer_states import reaches_states
from torchdev_lint.placement.evidence.parsed_code import parsed_code
from torchdev_lint.placement.facts.optimizers import StaleState, Untaken
from torchdev_lint.placement.python.moving import parts_of, place_of_all
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.frozen import frozen_in
from torchdev_lint.syntax.held import walk_held
from torchdev_lint.syntax.names import last_component, names_on_the_way, path_of, short
from torchdev_lint.syntax.scopes import root_name
from torchdev_lint.syntax.stores import stores_in
from torchdev_lint.syntax.walking import walk

_HELD = "*held"
"""The attribute under which an optimizer keeps the modules whose parameters it was given."""
_PARTS = "*parts"
"""That for the parts that these had when it was built."""
_MADE = "*made"
"""That for a tensor that stands for its construction."""
_MODELS = "*models"
"""That for what the code calls these."""
_KEEPS = "*keeps"
"""That for whether it keeps tensors for parameters."""
_STATE = "*filled"
"""That for these tensors."""


def built(run: Run, name: str, parameters: ast.AST | None, node: ast.Call, keeps: bool) -> Instance:
    """Put an optimizer on the heap.

    Args:
        name: its qualified name.
        parameters: the expression of what it is given.
        keeps: whether it keeps tensors for parameters.
    """
    given = [] if parameters is None else list(_models_in(run, parameters))
    held = [module for module, _ in given]
    attrs: dict[str, Value] = {
        _HELD: sequence(list(held), SequenceKind.TUPLE),
        _KEEPS: Const(keeps),
        _MODELS: Const(tuple(model for _, model in given)),
        _MADE: Tensor(Place.UNKNOWN, origin=run.made(node, OriginKind.STATE, short(node.func))),
    }
    parts = parts_of(run, held)
    if parts is not None:
        attrs[_PARTS] = sequence(list(parts), SequenceKind.TUPLE)
    return run.allocate(Obj(Place.UNKNOWN, attrs=attrs), None, name, site=node)


def built_late(run: Run, module: Instance) -> None:
    """Have optimizers know of the parts that a module had all along, and that are built by now."""
    run.budget.visited(len(run.env.heap))
    changed: Heap = {}
    for ref, obj in run.env.heap.items():
        held = _held_by(obj) if _PARTS in obj.attrs else []
        if module in held:
            parts = parts_of(run, held)  # none if there are too many
            known = UNKNOWN if parts is None else sequence(list(parts), SequenceKind.TUPLE)
            changed[ref] = obj.with_attributes({**obj.attrs, _PARTS: known})
    if changed:
        run.put(changed)


def keeps_tensors(name: str, momentum: Value | None) -> bool:
    """Return whether an optimizer certainly keeps tensors.

    Args:
        name: its qualified name.
        momentum: what it is told of one.
    """
    if name in ONLY_WITH_MOMENTUM:
        return isinstance(momentum, Const) and bool(momentum.value)
    return name in KEEP_TENSORS


def _models_in(run: Run, parameters: ast.AST) -> Iterator[tuple[Instance, str]]:
    """Yield the modules whose parameters an expression gives, with what they are called."""
    held = run.file.held_in(run.frame.node)
    calls = [part for part in walk_held(parameters, held) if isinstance(part, ast.Call)]
    for call in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        function = call.func
        path = path_of(function.value) if isinstance(function, ast.Attribute) else None
        if not isinstance(function, ast.Attribute) or path is None:
            continue
        if _means_another_later(run, function.value, call, parameters):
            continue
        module = run.evaluate(function.value)
        if not isinstance(module, Instance) or not run.obj(module).module:
            continue
        if function.attr in GIVES_PARAMETERS or _gives_own_parameters(module, function.attr):
            yield module, path


def _gives_own_parameters(module: Instance, name: str) -> bool:
    """Whether a method of a module's class asks the module itself, or its parts, for parameters."""
    method = None if module.cls is None else module.cls.lookup(name)
    if not isinstance(method, Function) or not method.node.args.args:
        return False
    own = method.node.args.args[0].arg
    calls = (part.func for part in walk(method.node) if isinstance(part, ast.Call))
    return any(
        isinstance(function, ast.Attribute)
        and function.attr in GIVES_PARAMETERS
        and root_name(function) == own
        for function in calls
    )


def _means_another_later(run: Run, model: ast.expr, call: ast.Call, parameters: ast.AST) -> bool:
    """Whether a name of a model is bound anew before the parameters are used that it was asked for.

    Args:
        model: the variable or attribute that holds it.
        call: where it is asked.
        parameters: where they are used.
    """
    lines = range(call.lineno + 1, getattr(parameters, "lineno", 0) + 1)
    stores = stores_in(run.file.nodes_in(run.frame.node)) if lines else ()
    names = names_on_the_way(model)
    return any(name in names and node.lineno in lines for name, node in stores)


def filled(run: Run, optimizer: Instance, node: ast.Call) -> None:
    """Note that an optimizer makes, or is given, tensors for its parameters, where these are."""
    obj = run.obj(optimizer)
    if obj.attrs.get(_KEEPS) != Const(True):
        return
    origin = run.made(node, OriginKind.STATE, short(node.func))
    places = [place_of_all(run, module) for module in _held_by(obj)]
    if Mood.DOUBT in run.moods:
        places = [Place.UNKNOWN] * len(places)
    state = sequence([Tensor(place, origin=origin) for place in places], SequenceKind.TUPLE)
    run.update(optimizer, obj.assigned(_STATE, state))


def filled_elsewhere(run: Run, optimizer: Instance, call: ast.Call) -> None:
    """Have a state that another file's function has filled come from the call that leads there.

    Not one that the file reaches into, as it does to move it.
    """
    obj = run.obj(optimizer)
    state = obj.attrs.get(_STATE)
    if not isinstance(state, Sequence) or state.items is None:
        return
    brought = [_brought_by(run, tensor, call) for tensor in state.items]
    if any(new is not old for new, old in zip(brought, state.items, strict=True)):
        run.update(optimizer, obj.assigned(_STATE, sequence(brought, SequenceKind.TUPLE)))


def _brought_by(run: Run, tensor: Value, call: ast.Call) -> Value:
    origin = tensor.origin if isinstance(tensor, Tensor) else None
    if not isinstance(tensor, Tensor) or origin is None or origin.file is run.main:
        return tensor
    file = parsed_code(origin.file)
    if file is None or file.syntax.derived(reaches_states):
        return replace(tensor, place=Place.UNKNOWN)
    made = run.made(call, OriginKind.STATE, short(call.func))
    return replace(tensor, origin=replace(made, elsewhere=run.site(origin.file, origin.node)))


def stepped(run: Run, optimizer: Instance, node: ast.Call) -> None:
    """Note what is wrong with the step of an optimizer; after it, its state is filled."""
    obj = run.obj(optimizer)
    for state in alternatives(obj.attrs.get(_STATE, UNKNOWN)):
        if isinstance(state, Sequence) and state.items is not None:
            _find_stale(run, obj, state.items, node)
    _find_untaken(run, obj)
    if _STATE not in obj.attrs:
        filled(run, optimizer, node)


def _find_stale(run: Run, obj: Obj, state: tuple[Value, ...], node: ast.Call) -> None:
    """Note it if a model has been moved since the tensors for its parameters were made."""
    step = None if run.is_elsewhere else node
    left: dict[Origin, list[str]] = {}
    known = _models_of(obj)
    for tensor, (module, model) in zip(state, known, strict=bool(known)):
        for option in alternatives(tensor):
            if isinstance(option, Tensor) and option.place is Place.HOST and option.origin:
                if _was_moved(run, module) and not _may_be_replaced(run, obj, module, model):
                    left.setdefault(option.origin, []).append(model)
    for origin, models in left.items():
        run.note(StaleState(origin, step, tuple(models)))


def _may_be_replaced(run: Run, obj: Obj, module: Instance, model: str) -> bool:
    """Whether the variable of a model may hold another one: only the one that it held is moved."""
    made = obj.attrs.get(_MADE)
    if not isinstance(made, Tensor) or made.origin is None:
        return False
    current = alternatives(_held_in_its_frame(run, made.origin, model) or module)
    return module in current and len(current) > 1


def _was_moved(run: Run, module: Instance) -> bool:
    obj = run.obj(module)
    return obj.place is Place.ACCELERATOR and obj.was_moved


def _held_by(obj: Obj) -> list[Instance]:
    held = obj.attrs.get(_HELD)
    items = held.items or () if isinstance(held, Sequence) else ()
    return [item for item in items if isinstance(item, Instance)]


def _models_of(obj: Obj) -> list[tuple[Instance, str]]:
    """The modules that an optimizer holds, with what the code calls them.

    None where it has been out of sight on some path: what it holds then isn't known.
    """
    held, models = obj.attrs.get(_HELD), obj.attrs.get(_MODELS)
    items = held.items or () if isinstance(held, Sequence) else ()
    names = models.value if isinstance(models, Const) else ()
    # either of two modules, as paths that join leave it, isn't one
    named = zip(items, names, strict=True) if len(items) == len(names) else ()
    return [(module, model) for module, model in named if isinstance(module, Instance)]


def _find_untaken(run: Run, obj: Obj) -> None:
    """Note it if a model has got a part since, with parameters, that no optimizer was given.

    Or if it was built anew as a whole.
    """
    known, made = obj.attrs.get(_PARTS), obj.attrs.get(_MADE)
    if not isinstance(known, Sequence) or not isinstance(made, Tensor) or made.origin is None:
        return
    taken = {part.ref for part in known.items or () if isinstance(part, Instance)}
    found: list[tuple[Instance, Untaken]] = []
    for module, model in _models_of(obj):
        for name, value in _trained_parts(run, module):
            if value.ref not in taken and _is_new(run, value):
                found.append((value, Untaken(made.origin, name, model)))
        current = _held_in_its_frame(run, made.origin, model)
        if isinstance(current, Instance) and current.ref not in taken and current != module:
            if _is_rebuilt(run, module, current):
                found.append((current, Untaken(made.origin, "", model)))
    if found:
        elsewhere = _taken_by_others(run, obj)
        for part, untaken in found:
            if part.ref not in elsewhere:
                run.note(untaken)


def _trained_parts(run: Run, module: Instance) -> Iterator[tuple[str, Instance]]:
    """Yield the parts of a module with their names, but for what is taken out of training."""
    frozen = _frozen_around(run, module)
    for name, value in run.obj(module).attrs.items():
        if isinstance(value, Instance) and name not in frozen:
            yield name, value


def _frozen_around(run: Run, module: Instance) -> frozenset[str]:
    """What the file at hand, or a module's class, takes out of training, by its name."""
    frozen = run.file.of_nodes(frozen_in, run.module.node)
    for each in () if module.cls is None else module.cls.lineage():
        frozen |= context_of(each.file).of_nodes(frozen_in, each.node)
    return frozen


def _taken_by_others(run: Run, optimizer: Obj) -> set[int]:
    """The modules of which other optimizers than one were given the parameters."""
    taken: set[int] = set()
    run.budget.visited(len(run.env.heap))
    for other in run.env.heap.values():
        if other is not optimizer and _HELD in other.attrs:
            taken |= {part.ref for part in parts_of(run, _held_by(other)) or ()}
    return taken


def _is_rebuilt(run: Run, module: Instance, current: Instance) -> bool:
    """Whether a module has taken the place of another one of its class, which nobody uses now."""
    is_alike = current.cls is module.cls and current.library == module.library
    return is_alike and _is_new(run, current) and not _is_in_use(run, module)


def _held_in_its_frame(run: Run, made: Origin, model: str) -> Value | None:
    """What the variable of a model holds by now, in the function that built the optimizer.

    A parameter that the function never assigns differs between its calls only.
    """
    for frame in run.frames:
        if frame.scope == made.scope and frame.file is made.file:
            is_assigned = model in context_of(frame.file).first_stores(frame.node)
            return frame.env.names.get(model) if is_assigned else None
    return None


def _is_in_use(run: Run, module: Instance) -> bool:
    """Whether some variable, or an attribute of an object, still holds a module."""
    run.budget.visited(len(run.env.heap))
    objects = (obj for obj in run.env.heap.values() if _HELD not in obj.attrs)
    kept = (value for obj in objects for value in obj.attrs.values())
    named = (value for frame in run.frames for value in frame.env.names.values())
    return any(leaf == module for value in (*kept, *named) for leaf in leaves(value))


def _is_new(run: Run, part: Instance) -> bool:
    """Whether a part certainly has parameters, and was not built in `forward`."""
    obj = run.obj(part)
    in_forward = obj.origin is not None and obj.origin.kind is OriginKind.LAYER
    if not obj.module or in_forward:
        return False
    return any(run.obj(each).stateful is True for each in parts_of(run, [part]) or ())


def handed_on(run: Run, value: Value, node: ast.Call) -> None:
    """Note that code out of sight is handed an optimizer: it may do with it whatever it likes.

    A scaler of gradients steps it.
    """
    name = last_component(node.func)
    for option in alternatives(value):
        if not isinstance(option, Instance) or option.library not in OPTIMIZERS:
            continue
        if name == "step":
            stepped(run, option, node)
        elif name != "unscale_":
            forget(run, option)


def forget(run: Run, optimizer: Instance) -> None:
    """Forget what is known of an optimizer that other code has changed."""
    obj = run.obj(optimizer)
    run.update(optimizer, replace(obj, attrs={_KEEPS: Const(False)}))
