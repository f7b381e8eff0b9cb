"""Calls into functions of the file: binding arguments, running the body, summing up."""

from __future__ import annotations

import ast
from dataclasses import replace

from torchdev_lint.placement.annotations import annotated_value
from torchdev_lint.placement.classes import ClassInfo
from torchdev_lint.placement.names import dotted
from torchdev_lint.placement.state import MAX_DEPTH, Env, Frame, Obj, Run, join_heaps
from torchdev_lint.placement.values import (
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
    Value,
    alternatives,
    choice,
    iterator,
)

Positional = list[tuple[Value, ast.AST]]
Keywords = dict[str, tuple[Value, ast.AST]]

TRANSPARENT_DECORATORS = frozenset({"property", "cached_property", "staticmethod", "classmethod"})


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
    positional: Positional,
    keywords: Keywords,
    node: ast.Call | None,
    in_forward: bool = False,
    construction: Origin | None = None,
    open_ended: bool = False,
) -> Value:
    """Run a function of the file with abstract arguments.

    Args:
        in_forward: whether it is the `forward` of a module, or an equal of it.
        construction: the expression that builds a layer, if this is that layer's `__init__`.
        open_ended: whether the call has `*args` or `**kwargs` whose content is not known.

    Returns:
        What it returns; unknown where it recurses, or is nested too deep.
    """
    if any(frame.node is function.node for frame in run.frames) or len(run.frames) > MAX_DEPTH:
        return UNKNOWN
    if run.frames and run.frame.in_forward:
        in_forward = True
    construction = construction or (run.frame.construction if run.frames else None)
    names = _bind(run, function, positional, keywords, open_ended, in_forward)
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
    if key is not None and key in run.memo:
        value, heap = run.memo[key]
        run.env.heap = heap
        return value
    run.evaluated.add(function.node)
    value = _run_body(run, frame, names)
    if key is not None:
        run.memo[key] = (value, run.env.heap)
    return value


def _memo_key(
    run: Run,
    function: Function,
    names: dict[str, Value],
    in_forward: bool,
    construction: Origin | None,
) -> object:
    """What a call depends on; the heap and the closure count by identity."""
    if function.closure or isinstance(function.node, ast.Lambda):
        return None
    try:
        key = (
            function.node,
            tuple(sorted(names.items())),
            id(run.env.heap),
            len(run.env.heap),
            run.env.default,
            in_forward,
            construction,
            run.doubt,
        )
        hash(key)
    except TypeError:
        return None
    return key


def _run_body(run: Run, frame: Frame, names: dict[str, Value]) -> Value:
    caller = run.env
    run.env = Env(names, dict(caller.heap), default=caller.default)
    run.frames.append(frame)
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


def _bind(
    run: Run,
    function: Function,
    positional: Positional,
    keywords: Keywords,
    open_ended: bool,
    in_forward: bool,
) -> dict[str, Value]:
    arguments = function.node.args
    parameters = parameters_of(function.node)
    values = [value for value, _ in positional]
    if function.bound is not None:
        values.insert(0, function.bound)
    names: dict[str, Value] = {}
    for parameter, value in zip(parameters, values, strict=False):
        names[parameter.arg] = value
    if arguments.vararg:
        extra = values[len(parameters) :]
        known = not open_ended
        names[arguments.vararg.arg] = Sequence(
            tuple(extra) if known else None, choice(extra) if extra else UNKNOWN, "tuple"
        )
    taken = {parameter.arg for parameter in (*parameters, *arguments.kwonlyargs)}
    for name, (value, _) in keywords.items():
        if name in taken:
            names[name] = value
    if arguments.kwarg:
        rest = tuple((n, v) for n, (v, _) in keywords.items() if n not in taken)
        names[arguments.kwarg.arg] = Mapping(rest, UNKNOWN)
    for parameter, default in defaults_of(function.node):
        if parameter.arg not in names:
            names[parameter.arg] = UNKNOWN if open_ended else _default(run, default)
    for parameter in (*parameters, *arguments.kwonlyargs):
        names.setdefault(parameter.arg, UNKNOWN)
        if names[parameter.arg] == UNKNOWN:
            names[parameter.arg] = annotated_value(run, parameter.annotation, Place.UNKNOWN)
    return names


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
    if isinstance(node, (ast.Name, ast.Attribute, ast.Tuple, ast.List)):
        return run.evaluate(node) if len(run.frames) else UNKNOWN
    return UNKNOWN


def construct(
    run: Run,
    info: ClassInfo,
    positional: Positional,
    keywords: Keywords,
    node: ast.AST,
    open_ended: bool = False,
) -> Value:
    """Build an instance of a class of the file, running its `__init__`."""
    module = info.is_module()
    origin = run.frame.construction
    if module and origin is None and run.frame.in_forward:
        origin = Origin(node, "layer", info.name, True, run.frame.scope)
    place = run.env.default if not run.doubt else Place.UNKNOWN
    base = Obj(place if module else Place.UNKNOWN, module=module, origin=origin)
    instance = run.allocate(base, info)
    init = info.lookup("__init__")
    if isinstance(init, Function) and not info.inherits("NamedTuple"):
        bound = replace(init, bound=instance)
        call_function(run, bound, positional, keywords, None, construction=origin, open_ended=open_ended)
    elif init is None:
        _fill_dataclass(run, info, instance, positional, keywords)
    return instance


def _fill_dataclass(
    run: Run, info: ClassInfo, instance: Instance, positional: Positional, keywords: Keywords
) -> None:
    """Store the arguments of a dataclass or named tuple as attributes."""
    fields = [
        item.target.id
        for parent in reversed(info.lineage())
        for item in parent.node.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    ]
    attrs = {name: value for name, (value, _) in zip(fields, positional, strict=False)}
    attrs |= {name: value for name, (value, _) in keywords.items() if name in fields}
    obj = run.obj(instance)
    run.update(instance, replace(obj, attrs={**obj.attrs, **attrs}))


def entering(positional: Positional, keywords: Keywords, call: ast.Call) -> tuple[Positional, Keywords]:
    """Mark host arguments as having come in through a module's call."""
    entered = [(_entered(v, n, call), n) for v, n in positional]
    return entered, {name: (_entered(v, n, call), n) for name, (v, n) in keywords.items()}


def _entered(value: Value, node: ast.AST, call: ast.Call) -> Value:
    marked: list[Value] = []
    for option in alternatives(value):
        if isinstance(option, (Tensor, Bundle)) and option.place is Place.HOST:
            if option.entered is None and isinstance(node, ast.expr):
                option = replace(option, entered=Entry(node, call))
        marked.append(option)
    return choice(marked)
