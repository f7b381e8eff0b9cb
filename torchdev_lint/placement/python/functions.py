"""Calls into functions of the file: binding arguments, running the body, summing up."""

from __future__ import annotations

import ast
from dataclasses import replace

from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.run import (
    MAX_DEPTH,
    Env,
    Frame,
    Obj,
    Run,
    Summary,
    join_heaps,
)
from torchdev_lint.placement.domain.values import (
    ARGUMENT,
    ITEM,
    MISSING,
    NONE,
    UNKNOWN,
    Bundle,
    Const,
    Entry,
    Function,
    FunctionNode,
    Instance,
    Mapping,
    Origin,
    Place,
    Scalar,
    Sequence,
    Tensor,
    Unknown,
    Value,
    alternatives,
    choice,
    iterator,
)
from torchdev_lint.placement.evidence.annotations import annotated_value
from torchdev_lint.placement.facts.views import note_view
from torchdev_lint.placement.python.arguments import Arguments
from torchdev_lint.syntax.names import dotted


def decorated(node: FunctionNode, *names: str) -> bool:
    """Whether a function has a decorator with one of these last components."""
    if isinstance(node, ast.Lambda):
        return False
    return any((dotted(d) or "").rpartition(".")[2] in names for d in node.decorator_list)


def parameters_of(node: FunctionNode) -> list[ast.arg]:
    """The parameters that can be given by position."""
    return [*node.args.posonlyargs, *node.args.args]


def call_function(
    run: Run,
    function: Function,
    arguments: Arguments,
    in_forward: bool = False,
    construction: Origin | None = None,
) -> Value:
    """Run a function of the file with abstract arguments.

    Args:
        in_forward: whether it is the `forward` of a module, or an equal of it.
        construction: the expression that builds a layer, if this is that layer's `__init__`.

    Returns:
        What it returns; unknown where it recurses, or is nested too deep.
    """
    if any(frame.node is function.node for frame in run.frames) or len(run.frames) > MAX_DEPTH:
        return UNKNOWN
    if run.frames and run.frame.in_forward:
        in_forward = True
    construction = construction or (run.frame.construction if run.frames else None)
    names = _bind(run, function, arguments)
    frame = Frame(
        node=function.node,
        scope=run.scope_of(function),
        in_forward=in_forward,
        closure=function.closure,
        bound=function.bound,
        owner=function.owner,
        construction=construction,
    )
    key = _memo_key(run, function, names, in_forward, construction)
    if key is not None and (summary := run.memo.get(key)) is not None:
        if summary.before is run.env.heap:
            run.env.heap = summary.after
        return summary.value
    before = run.env.heap
    value = _run_body(run, frame, names)
    shared = construction is None and not run.wanted(function.node)
    if key is not None and not (shared and run.env.heap is not before):
        run.memo[key] = Summary(value, before, run.env.heap)
    return value


def _memo_key(
    run: Run,
    function: Function,
    names: dict[str, Value],
    in_forward: bool,
    construction: Origin | None,
) -> object:
    """What a call depends on; the heap counts by identity.

    A function that can't lead to a finding is summed up once for all objects of a class, if it
    changes none of them.
    """
    if function.closure or isinstance(function.node, ast.Lambda):
        return None
    heap: object = id(run.env.heap)
    values: list[tuple[str, object]] = [(name, names[name]) for name in sorted(names)]
    if not run.wanted(function.node) and construction is None:
        heap = None
        values = [(name, _blurred(run, names[name])) for name in sorted(names)]
    return (
        function.node,
        tuple(values),
        heap,
        run.env.default,
        in_forward,
        construction,
        run.doubt,
        run.expected,
        run.caught,
    )


def _blurred(run: Run, value: Value) -> object:
    """A value with one object standing for all of its class and place."""
    if isinstance(value, Instance):
        return (value.cls, value.library, run.obj(value).place)
    return value


def _recognize_tensors(run: Run, names: dict[str, Value]) -> None:
    """Take what was only handed on so far for a tensor, if the function uses it as one.

    Of what a structure holds, arithmetic says nothing: it may be a number.
    """
    for name, value in names.items():
        if value in (ARGUMENT, ITEM):
            uses = run.uses_of(name)
            if uses is None:
                continue
            if uses.speak_for_tensor() or (value == ARGUMENT and uses.may_be_tensor()):
                names[name] = Tensor(Place.ACCELERATOR, scalar=False)


def _run_body(run: Run, frame: Frame, names: dict[str, Value]) -> Value:
    caller = run.env
    run.env = Env(names, caller.heap, default=caller.default)
    run.frames.append(frame)
    _recognize_tensors(run, names)
    body = frame.node.body if not isinstance(frame.node, ast.Lambda) else None  # type: ignore[attr-defined]  # a function node
    try:
        if body is None:
            assert isinstance(frame.node, ast.Lambda)
            frame.returns.append((run.evaluate(frame.node.body), run.env.heap))
        elif run.execute(run, body):
            frame.returns.append((NONE, run.env.heap))
    finally:
        run.frames.pop()
        run.env = caller
    if not frame.returns:
        return iterator(choice(frame.yields)) if frame.yields else UNKNOWN
    heap = frame.returns[0][1]
    for _, other in frame.returns[1:]:
        heap = join_heaps(heap, other)
    caller.heap = heap
    if frame.yields:
        return iterator(choice(frame.yields))
    return choice([value for value, _ in frame.returns])


def _bind(run: Run, function: Function, arguments: Arguments) -> dict[str, Value]:
    """What the parameters hold when the body begins."""
    node = function.node.args
    parameters = parameters_of(function.node)
    values = [value for value, _ in arguments.positional]
    if function.bound is not None:
        values.insert(0, function.bound)
    names = {p.arg: value for p, value in zip(parameters, values, strict=False)}
    if node.vararg:
        names[node.vararg.arg] = _rest_of(values[len(parameters) :], arguments)
    taken = {parameter.arg for parameter in (*parameters, *node.kwonlyargs)}
    given = {name: value for name, (value, _) in arguments.keywords.items()}
    names |= {name: value for name, value in given.items() if name in taken}
    if node.kwarg:
        rest = tuple((name, value) for name, value in given.items() if name not in taken)
        names[node.kwarg.arg] = Mapping(rest, UNKNOWN if arguments.any_keyword else MISSING)
    spread = _spread_value(arguments)
    for parameter, default in defaults_of(function.node):
        if parameter.arg not in names:
            names[parameter.arg] = spread if arguments.open_ended else _default(run, default)
    for parameter in (*parameters, *node.kwonlyargs):
        names.setdefault(parameter.arg, spread)
        value = names[parameter.arg]
        if parameter.annotation and not isinstance(value, (Const, Scalar)):
            place = Place.ACCELERATOR if value in (ARGUMENT, ITEM) else Place.UNKNOWN
            declared = annotated_value(run, parameter.annotation, place)
            learned = isinstance(value, Unknown) and declared != UNKNOWN
            if learned or isinstance(declared, Scalar):
                names[parameter.arg] = declared
    return names


def _rest_of(extra: list[Value], arguments: Arguments) -> Value:
    items = None if arguments.open_ended else tuple(extra)
    return Sequence(items, choice(extra) if extra else UNKNOWN, "tuple")


def _spread_value(arguments: Arguments) -> Value:
    """What a parameter gets that only `**batch` can have given."""
    values = [value for value, _ in arguments.bundles if isinstance(value, Bundle)]
    return values[0] if len(values) == 1 else UNKNOWN


def defaults_of(node: FunctionNode) -> list[tuple[ast.arg, ast.expr]]:
    """The parameters that have defaults, with these."""
    parameters = parameters_of(node)
    defaults = node.args.defaults
    pairs = list(zip(parameters[len(parameters) - len(defaults) :], defaults, strict=True))
    for parameter, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        if default is not None:
            pairs.append((parameter, default))
    return pairs


def _default(run: Run, node: ast.expr) -> Value:
    if isinstance(node, ast.Constant):
        return Const(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        return Scalar("int")
    if isinstance(node, ast.Call) and (dotted(node.func) or "").endswith("device"):
        return run.evaluate(node)
    if isinstance(node, (ast.Name, ast.Attribute, ast.Tuple, ast.List)):
        return run.evaluate(node) if len(run.frames) else UNKNOWN
    return UNKNOWN


def construct(run: Run, info: ClassInfo, arguments: Arguments, node: ast.AST) -> Value:
    """Build an instance of a class of the file, running its `__init__`.

    What the same expression has built before, in a loop, is the same abstract object; where
    its parts live is not known any more.
    """
    if run.has_built(node):
        run.doubt += 1
        try:
            return _construct_once(run, info, arguments, node)
        finally:
            run.doubt -= 1
    return _construct_once(run, info, arguments, node)


def _construct_once(run: Run, info: ClassInfo, arguments: Arguments, node: ast.AST) -> Value:
    module = info.is_module()
    origin = run.frame.construction
    if module and origin is None and run.frame.in_forward:
        note_view(run, node)
        origin = Origin(node, "layer", info.name, True, run.frame.scope)
    place = run.env.default if not run.doubt else Place.UNKNOWN
    base = Obj(place if module else Place.UNKNOWN, module=module, origin=origin)
    instance = run.allocate(base, info, site=node)
    init = info.lookup("__init__")
    if isinstance(init, Function) and not info.inherits("NamedTuple"):
        call_function(run, replace(init, bound=instance), arguments, construction=origin)
    elif init is None:
        _fill_dataclass(run, info, instance, arguments)
    return instance


def _fill_dataclass(run: Run, info: ClassInfo, instance: Instance, arguments: Arguments) -> None:
    """Store the arguments of a dataclass or named tuple as attributes."""
    fields = [
        item.target.id
        for parent in reversed(info.lineage())
        for item in parent.node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    ]
    attrs = {name: value for name, (value, _) in zip(fields, arguments.positional, strict=False)}
    attrs |= {name: value for name, (value, _) in arguments.keywords.items() if name in fields}
    obj = run.obj(instance)
    run.update(instance, replace(obj, attrs={**obj.attrs, **attrs}))


def entering(run: Run, arguments: Arguments, call: ast.Call, module: bool) -> Arguments:
    """Mark host arguments as having come in through a call, which is about to be made.

    Args:
        call: the call.
        module: whether a module on the accelerator is called, or a method of one.
    """
    scope = run.frame.scope

    def mark(pair: tuple[Value, ast.AST]) -> tuple[Value, ast.AST]:
        value, node = pair
        options = [_entered(option, node, call, module, scope) for option in alternatives(value)]
        return choice(options), node

    return replace(
        arguments,
        positional=[mark(pair) for pair in arguments.positional],
        keywords={name: mark(pair) for name, pair in arguments.keywords.items()},
        bundles=[mark(pair) for pair in arguments.bundles],
    )


def left(value: Value, call: ast.Call) -> Value:
    """Forget of what a call gave that it had come in through that call."""
    options: list[Value] = []
    for option in alternatives(value):
        if isinstance(option, (Tensor, Bundle)) and option.entered and option.entered.call is call:
            option = replace(option, entered=None)
        options.append(option)
    return choice(options)


def _entered(value: Value, node: ast.AST, call: ast.Call, module: bool, scope: str) -> Value:
    if not isinstance(value, (Tensor, Bundle)) or value.place is not Place.HOST:
        return value
    if value.entered is not None or not isinstance(node, ast.expr):
        return value
    if not module and (value.origin is None or value.origin.kind != "batch"):
        return value
    return replace(value, entered=Entry(node, call, module, scope))
