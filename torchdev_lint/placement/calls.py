"""Calls: who is called, with what, and what happens to what is passed."""

from __future__ import annotations

import ast
from dataclasses import replace

from torchdev_lint.catalog.operations import CASTS
from torchdev_lint.placement import functions
from torchdev_lint.placement.arguments import Arguments, evaluate_arguments
from torchdev_lint.placement.assignment import assign
from torchdev_lint.placement.attributes import bind_method
from torchdev_lint.placement.devices import place_named
from torchdev_lint.placement.discards import statement_move
from torchdev_lint.placement.facts import ModuleMove
from torchdev_lint.placement.evidence import collect_uses
from torchdev_lint.placement.iteration import element_of, part_of
from torchdev_lint.placement.library_calls import (
    call_builtin,
    call_library,
    is_instance,
    make_loader,
    mentions_devices,
)
from torchdev_lint.placement.meetings import is_tensor_like
from torchdev_lint.placement.module_calls import (
    call_foreign,
    call_instance,
    call_module_method,
    encode,
)
from torchdev_lint.placement.names import dotted, path_of
from torchdev_lint.placement.state import Obj, Run
from torchdev_lint.placement.tensor_calls import MOVES, call_tensor_method, move
from torchdev_lint.placement.values import (
    NONE,
    UNKNOWN,
    Bundle,
    ClassValue,
    Const,
    Function,
    Instance,
    Library,
    Loader,
    Mapping,
    Method,
    Partial,
    Place,
    Scalar,
    Sequence,
    Size,
    Tensor,
    Unknown,
    Value,
    alternatives,
    certain_items,
    choice,
    iterator,
    join,
    sequence,
)

_ONLY_TENSORS_HAVE = frozenset(
    """
    unsqueeze masked_fill masked_fill_ permute new_zeros new_ones new_full detach contiguous
    index_select scatter_ type_as expand_as view_as backward
    """.split()
)
"""Methods that make their receiver a tensor, whatever else is known."""


def evaluate_call(run: Run, node: ast.Call) -> Value:
    """Evaluate a call expression."""
    if isinstance(node.func, ast.Name) and node.func.id == "super":
        return _super(run)
    function = run.evaluate(node.func)
    arguments = evaluate_arguments(run, node)
    results = [_call(run, option, arguments, node) for option in alternatives(function)]
    return choice(results)


def _super(run: Run) -> Value:
    """`super()`: the object itself, as an instance of the next class in line."""
    bound = run.frame.bound
    return Method(bound, "*super") if isinstance(bound, Instance) else UNKNOWN


def _call(run: Run, function: Value, arguments: Arguments, node: ast.Call) -> Value:
    if isinstance(function, Function):
        return _call_function(run, function, arguments, node)
    if isinstance(function, ClassValue):
        return _construct(run, function, arguments, node)
    if isinstance(function, Library):
        return _call_imported(run, function.name, arguments, node)
    if isinstance(function, Method):
        return _call_method(run, function, arguments, node)
    if isinstance(function, Instance):
        return call_instance(run, function, arguments, node)
    if isinstance(function, Partial):
        return _call_partial(run, function, arguments, node)
    if _is_part_of_module(run, node.func):
        if _some_on_accelerator(arguments):
            return Bundle(Place.ACCELERATOR)
        if _is_declared_module(run, node.func) and any(map(is_tensor_like, arguments.values())):
            return Bundle(Place.ACCELERATOR)
    escape(run, arguments, node)
    return UNKNOWN


def _is_part_of_module(run: Run, node: ast.expr) -> bool:
    """Whether `self.x` is called in a module, with an `x` that came in from outside."""
    bound = run.frame.bound
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and isinstance(bound, Instance)
        and run.look_up(node.value.id) == bound
        and run.frame.in_forward
        and run.obj(bound).module
    )


def _is_declared_module(run: Run, node: ast.expr) -> bool:
    """Whether `self.x` is an object with attributes that `__init__` was given under that name.

    Called with tensors by a module, it is one as well, and moves with it; a mere function has
    no attributes.
    """
    assert isinstance(node, ast.Attribute)
    init = run.frame.owner.lookup("__init__") if run.frame.owner else None
    if not isinstance(init, Function):
        return False
    if node.attr not in {parameter.arg for parameter in functions.parameters_of(init.node)}:
        return False
    uses = collect_uses(init.node, run.torch_names).get(node.attr)
    return uses is not None and bool(uses.members)


def _some_on_accelerator(arguments: Arguments) -> bool:
    for value in arguments.values():
        options = alternatives(value)
        if all(isinstance(o, (Tensor, Bundle)) and o.place is Place.ACCELERATOR for o in options):
            return True
    return False


def _call_function(run: Run, function: Function, arguments: Arguments, node: ast.Call) -> Value:
    """Call a function of the file; a method of a module on the accelerator is like its `forward`."""
    bound = function.bound
    on_device = (
        isinstance(bound, Instance)
        and not run.frame.in_forward
        and run.obj(bound).module
        and run.obj(bound).place is Place.ACCELERATOR
    )
    if not run.frame.in_forward:
        arguments = functions.entering(arguments, node, module=on_device)
    value = functions.call_function(run, function, arguments, in_forward=on_device)
    return functions.left(value, node)


def _construct(run: Run, value: ClassValue, arguments: Arguments, node: ast.Call) -> Value:
    info = value.info
    if any(name.rpartition(".")[2] == "DataLoader" for name in info.library_bases()):
        return Loader(UNKNOWN) if mentions_devices(info.node) else make_loader(arguments)
    return functions.construct(run, info, arguments, node)


def _call_imported(run: Run, name: str, arguments: Arguments, node: ast.Call) -> Value:
    if not name.startswith("builtins."):
        value = call_library(run, name, arguments, node)
        if value == UNKNOWN:
            escape(run, arguments, node)
        return value
    name = name.removeprefix("builtins.")
    if name == "map" and len(arguments.positional) == 2:
        return _map(run, arguments, node)
    if name == "isinstance" and len(node.args) == 2:
        last = (dotted(node.args[1]) or "").rpartition(".")[2]
        return is_instance(arguments.get(0), "tensor") if last == "Tensor" else Scalar("bool")
    if name == "setattr" and len(arguments.positional) == 3:
        return _setattr(run, arguments, node)
    if name == "getattr" and len(arguments.positional) >= 2:
        return _getattr(run, arguments, node)
    return call_builtin(run, name, arguments, node)


def _map(run: Run, arguments: Arguments, node: ast.Call) -> Value:
    function, source = arguments.positional[0][0], arguments.positional[1][0]
    if isinstance(source, Sequence) and source.items is not None and len(source.items) <= 8:
        items = [_apply(run, function, item, node) for item in source.items]
        return sequence(items, "tuple")
    return iterator(_apply(run, function, element_of(run, source, node), node))


def _apply(run: Run, function: Value, value: Value, node: ast.Call) -> Value:
    arguments = Arguments(positional=[(value, node.args[1])])
    return choice([_call(run, option, arguments, node) for option in alternatives(function)])


def _getattr(run: Run, arguments: Arguments, node: ast.Call) -> Value:
    name = arguments.positional[1][0]
    if isinstance(name, Const) and isinstance(name.value, str) and name.value.isidentifier():
        read = ast.Attribute(value=node.args[0], attr=name.value, ctx=ast.Load())
        ast.copy_location(read, node)
        return run.evaluate(read)
    return UNKNOWN


def _setattr(run: Run, arguments: Arguments, node: ast.Call) -> Value:
    """`setattr` with a name that is not known may replace any attribute."""
    base, name, value = arguments.values()[:3]
    for option in alternatives(base):
        if isinstance(option, Instance):
            obj = run.obj(option)
            if isinstance(name, Const) and isinstance(name.value, str):
                attrs = {**obj.attrs, name.value: value}
            else:
                attrs = {known: UNKNOWN for known in obj.attrs}
            run.update(option, replace(obj, attrs=attrs))
    return NONE


def _call_partial(run: Run, function: Partial, arguments: Arguments, node: ast.Call) -> Value:
    merged = Arguments(
        positional=[*function.positional, *arguments.positional],
        keywords={**{n: (v, e) for n, v, e in function.keywords}, **arguments.keywords},
        bundles=arguments.bundles,
        open_ended=arguments.open_ended,
        any_keyword=arguments.any_keyword,
    )
    return _call(run, function.function, merged, node)


def _call_method(run: Run, method: Method, arguments: Arguments, node: ast.Call) -> Value:
    base, name = method.bound, method.name
    if isinstance(base, Tensor):
        return call_tensor_method(run, base, name, arguments, node)
    if isinstance(base, Bundle):
        return _call_bundle_method(run, base, name, arguments, node)
    if isinstance(base, Instance):
        return _call_instance_method(run, base, name, arguments, node)
    if isinstance(base, (Sequence, Mapping)):
        return _call_container_method(run, base, name, arguments, node)
    if isinstance(base, Method) and base.name == "*super" and isinstance(base.bound, Instance):
        return _call_super_method(run, base.bound, name, arguments, node)
    if isinstance(base, Size):
        return Scalar("int")
    if isinstance(base, Unknown):
        return _call_unknown_method(run, name, arguments, node)
    return UNKNOWN


def _call_bundle_method(
    run: Run, base: Bundle, name: str, arguments: Arguments, node: ast.Call
) -> Value:
    if name in MOVES:
        value = move(run, base, name, arguments)
        if base.in_place and isinstance(node.func, ast.Attribute):
            _rebind(run, node.func.value, value)
        return value
    if name in {"items", "keys", "values"}:
        part = part_of(base, "*", node)
        element = part if name != "keys" else Scalar("str")
        return iterator(sequence([Scalar("str"), part], "tuple") if name == "items" else element)
    if name in {"get", "pop"} and arguments.positional:
        key = arguments.positional[0][0]
        return run.evaluate(ast.copy_location(ast.Subscript(node.func.value, node.args[0], ast.Load()), node)) if isinstance(key, Const) and isinstance(node.func, ast.Attribute) else UNKNOWN  # fmt: skip
    if name in {"update", "append", "extend"}:
        return NONE
    return call_tensor_method(run, base, name, arguments, node)


def _rebind(run: Run, node: ast.expr, value: Value) -> None:
    if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and path_of(node):
        assign(run, node, value)


def _call_instance_method(
    run: Run, base: Instance, name: str, arguments: Arguments, node: ast.Call
) -> Value:
    if run.obj(base).module:
        value = call_module_method(run, base, name, arguments, node)
    elif base.library == "tokenizer":
        return encode(run, arguments, node)
    else:
        value = UNKNOWN
    if value == UNKNOWN:
        escape(run, arguments, node)
    return value


def _call_super_method(
    run: Run, base: Instance, name: str, arguments: Arguments, node: ast.Call
) -> Value:
    """Call a method as `super()` finds it: behind the class that the call is written in."""
    owner = run.frame.owner
    if base.cls is not None and owner is not None:
        line = base.cls.lineage()
        behind = line[line.index(owner) + 1 :] if owner in line else []
        for info in behind:
            found = info.namespace.get(name)
            if isinstance(found, Function):
                bound = bind_method(found, base)
                assert isinstance(bound, Function)
                return functions.call_function(run, bound, arguments)
    if name in {"forward", "__call__"} and run.obj(base).module:
        return call_foreign(run, base, replace(run.obj(base), stateful=True), arguments, node)
    if name == "__init__":
        return NONE
    return _call_instance_method(run, base, name, arguments, node)


def _call_container_method(
    run: Run, base: Sequence | Mapping, name: str, arguments: Arguments, node: ast.Call
) -> Value:
    receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
    first = arguments.get(0)
    if isinstance(base, Sequence):
        if (
            receiver is not None
            and name in {"append", "extend", "insert", "add"}
            and first is not None
        ):
            _rebind(run, receiver, _grown(run, base, name, arguments, node))
            return NONE
        if base.kind == "distribution":
            return _draw(base, name, arguments)
        return base.element if name == "pop" else UNKNOWN
    if name in {"items", "values", "keys"}:
        return _view(base, name)
    if name == "get" and isinstance(first, Const):
        return base.get(first.value) or choice([base.rest, arguments.get(1) or NONE])
    if name == "copy":
        return base
    if name == "update" and receiver is not None:
        merged = _updated(base, arguments)
        _rebind(run, receiver, merged)
        return NONE
    return UNKNOWN


def _draw(base: Sequence, name: str, arguments: Arguments) -> Value:
    """`sample()` of a distribution; with a shape, the result has dimensions."""
    if name not in {"sample", "rsample"}:
        return UNKNOWN
    if isinstance(base.element, Tensor) and arguments.positional:
        return replace(base.element, scalar=False)
    return base.element


def _grown(run: Run, base: Sequence, name: str, arguments: Arguments, node: ast.Call) -> Sequence:
    added = arguments.values()[-1]
    if name == "extend":
        added = element_of(run, added, node)
    if base.items == ():
        return Sequence(None, added, base.kind)
    known = certain_items(base)
    together = known if added in known or len(known) > 3 else (*known, added)
    return Sequence(None, join(base.element, added), base.kind, together)


def _view(base: Mapping, name: str) -> Value:
    if base.items and base.rest == Scalar("missing"):
        pairs: list[Value] = [sequence([Const(k), v], "tuple") for k, v in base.items]
        parts: dict[str, list[Value]] = {
            "items": pairs,
            "values": [v for _, v in base.items],
            "keys": [Const(k) for k, _ in base.items],
        }
        return sequence(parts[name], "list")
    rest = choice([*(v for _, v in base.items), base.rest])
    if name == "keys":
        return iterator(Scalar("str"))
    return iterator(sequence([Scalar("str"), rest], "tuple") if name == "items" else rest)


def _updated(base: Mapping, arguments: Arguments) -> Mapping:
    first = arguments.get(0)
    added = dict(first.items) if isinstance(first, Mapping) else {}
    added |= {name: value for name, (value, _) in arguments.keywords.items()}
    known = isinstance(first, Mapping) or first is None
    rest = base.rest if known and not arguments.open_ended else UNKNOWN
    kept = {k: v for k, v in base.items if known} | added
    return Mapping(tuple(kept.items()), rest)


def _call_unknown_method(run: Run, name: str, arguments: Arguments, node: ast.Call) -> Value:
    """A method of something unknown: its uses may tell a module or a tensor."""
    receiver = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    if name in MOVES - {"type", "type_as"} and (path := path_of(receiver)):
        uses = run.uses_of(path)
        if uses is not None and (uses.speak_for_module() or uses.called):
            place = _module_place(name, arguments)
            if place is not None:
                moved_here = place is Place.ACCELERATOR
                moves = path in run.self_moving
                stateful = True if uses.has_state() else None
                obj = Obj(
                    place, module=True, stateful=stateful, was_moved=moved_here, moves_inputs=moves
                )
                instance = run.allocate(obj, None, site=node)
                if moved_here:
                    run.facts.module_moves.setdefault(node, ModuleMove(node, path))
                _rebind(run, receiver, instance)
                return instance
    if name in MOVES - {"type", "type_as"} and _module_place(name, arguments) is Place.ACCELERATOR:
        return Bundle(Place.ACCELERATOR)
    if name in _ONLY_TENSORS_HAVE:
        return Tensor(Place.UNKNOWN)
    if name not in {"to", "cuda", "cpu"}:
        escape(run, arguments, node)
    return UNKNOWN


def note_own_device(run: Run, target: ast.expr, node: ast.expr, value: Value) -> None:
    """Note that something out of sight was built with a device: it may move its inputs itself."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        inner = node.func.value
        if not isinstance(inner, ast.Call):
            break
        node = inner
    path = path_of(target)
    known = any(isinstance(o, Instance) and o.cls for o in alternatives(value))
    if path is None or known or not isinstance(node, ast.Call):
        return
    if any(run.is_about_devices(part) for part in (*node.args, *node.keywords)):
        run.self_moving.add(path)


def taken_for_module(run: Run, target: ast.expr, node: ast.expr, value: Value) -> Value:
    """Take `net = f(...).to(device)` for a module if the uses of `net` say so.

    Args:
        target: what the value is assigned to.
        node: the expression that gave the value.
    """
    if value != Bundle(Place.ACCELERATOR) or not isinstance(node, ast.Call):
        return value
    path = path_of(target)
    uses = run.uses_of(path) if path else None
    if uses is None or not (uses.speak_for_module() or uses.called):
        return value
    stateful = True if uses.has_state() else None
    obj = Obj(
        Place.ACCELERATOR,
        module=True,
        stateful=stateful,
        was_moved=True,
        moves_inputs=path in run.self_moving,
    )
    run.facts.module_moves.setdefault(node, ModuleMove(node, path or ""))
    return run.allocate(obj, None, site=node)


def _module_place(name: str, arguments: Arguments) -> Place | None:
    if name == "cpu":
        return Place.HOST
    if name != "to":
        return Place.ACCELERATOR
    value = arguments.get(0, "device")
    return None if value is None else place_named(value, arguments.node(0, "device"))


def escape(run: Run, arguments: Arguments, node: ast.Call) -> None:
    """Forget what unknown code may change in what it is passed.

    A module left on the host may be moved by it; a structure of tensors may be, if the call
    is about devices.
    """
    for operand in arguments.operands():
        for option in alternatives(operand.value):
            if isinstance(option, Instance):
                obj = run.obj(option)
                if obj.module and obj.place is Place.HOST and obj.origin is None:
                    run.move_object(option, Place.UNKNOWN)
            elif isinstance(option, Bundle) and run.is_about_devices(node):
                node_of = operand.node
                if isinstance(node_of, ast.Name):
                    run.env.assign(node_of.id, replace(option, place=Place.UNKNOWN, origin=None))
            elif isinstance(option, Function) and option.closure:
                functions.call_function(run, option, Arguments(open_ended=True))
            elif isinstance(option, (Sequence, Mapping)) and run.is_about_devices(node):
                if isinstance(operand.node, ast.Name):
                    run.env.assign(operand.node.id, UNKNOWN)


def statement_call(run: Run, node: ast.expr) -> None:
    """Evaluate an expression statement: what it gives is thrown away."""
    if isinstance(node, (ast.ListComp, ast.SetComp)):
        saved = dict(run.env.names)
        for generator in node.generators:
            source = run.evaluate(generator.iter)
            assign(run, generator.target, element_of(run, source, generator.target))
        statement_call(run, node.elt)
        run.env.names = saved
        return
    if isinstance(node, ast.IfExp):
        run.evaluate(node.test)
        statement_call(run, node.body)
        statement_call(run, node.orelse)
        return
    if isinstance(node, ast.BoolOp):
        for operand in node.values[:-1]:
            run.evaluate(operand)
        statement_call(run, node.values[-1])
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in MOVES | CASTS and statement_move(run, node, node.func):
            return
    run.evaluate(node)
