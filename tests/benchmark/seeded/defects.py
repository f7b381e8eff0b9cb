"""Defects made on purpose: a program with one of its placements taken away.

What can be taken away is told from the text alone, and knows nothing of the linter: a move, a
`device=` that names where an argument is, the registering of a buffer or of modules, a
`map_location`, a copy to the CPU before NumPy.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from dataclasses import dataclass

_FACTORIES = frozenset(
    {"arange", "empty", "eye", "full", "linspace", "ones", "rand", "randint", "randn", "randperm"}
    | {"tensor", "tril_indices", "triu_indices", "zeros"}
)
_MOVES = frozenset({"to", "cuda"})
_DTYPES = frozenset(
    {"bfloat16", "bool", "double", "dtype", "float", "float16", "float32", "float64", "half", "int"}
    | {"int16", "int32", "int64", "int8", "long", "uint8"}
)
_WEIGHTED = frozenset({"CrossEntropyLoss", "NLLLoss", "BCEWithLogitsLoss"})
_OF_MODULES = frozenset(
    {"parameters", "train", "eval", "state_dict", "load_state_dict", "modules", "named_parameters"}
)
_PARALLEL = frozenset({"DataParallel", "DistributedDataParallel", "DDP"})
_USUAL_MODELS = frozenset(
    {"decoder", "discriminator", "encoder", "generator", "model", "module", "net", "network"}
)
_MADE = (ast.Call, ast.Name, ast.BinOp, ast.Subscript)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Defect:
    """A placement that can be taken away.

    Args:
        kind: which one it is.
        line: where it stands.
        text: the file's text without it.
    """

    kind: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class _Scene:
    """Where in the program a node stands.

    Args:
        function: the name of the function around it; empty outside of functions.
        taken: the variables that loops around it take their elements with.
        modules: the names that the file calls, or asks for parameters: their bare move is right.
        parent: the node it is part of.
    """

    function: str
    taken: Set[str]
    modules: Set[str]
    parent: ast.AST


@dataclass(frozen=True, slots=True)
class _Change:
    """What is written in whose stead."""

    kind: str
    node: ast.expr | ast.stmt
    new: str


def defects_of(text: str) -> list[Defect]:
    """Return what can be taken away in a file, one at a time, in order of places.

    Args:
        text: its text, with lines that end in a newline character alone.

    Raises:
        SyntaxError: it is no Python.
    """
    tree = ast.parse(text)
    lines = text.encode().splitlines(keepends=True)  # a text would end lines at page breaks, too
    scene = _Scene("", frozenset(), _modules(tree), tree)
    changes = sorted(_changes(tree, scene), key=lambda c: (c.node.lineno, c.node.col_offset))
    return [Defect(c.kind, c.node.lineno, _written(lines, c)) for c in changes]


def _written(lines: list[bytes], change: _Change) -> str:
    node = change.node
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    first, last = lines[node.lineno - 1], lines[node.end_lineno - 1]
    return b"".join(
        [
            *lines[: node.lineno - 1],
            first[: node.col_offset] + change.new.encode() + last[node.end_col_offset :],
            *lines[node.end_lineno :],
        ]
    ).decode()


def _changes(node: ast.AST, scene: _Scene) -> Iterator[_Change]:
    parts = scene.taken
    for child in ast.iter_child_nodes(node):
        function, taken = scene.function, parts
        if isinstance(child, _FUNCTIONS):
            function, taken = child.name, frozenset()
        elif isinstance(child, ast.ClassDef):
            function = ""
        elif isinstance(child, ast.For):
            taken = parts | _names(child.target)
        here = _Scene(function, taken, scene.modules, node)
        if isinstance(child, ast.Assign):
            parts = parts | _unpacked(child, taken)
            yield from _lost_moves(child, here)
        elif isinstance(child, ast.Call):
            yield from _lost_devices(child, here)
            yield from _lost_calls(child, here)
        yield from _changes(child, _Scene(function, taken, scene.modules, child))


def _unpacked(node: ast.Assign, taken: Set[str]) -> Set[str]:
    """What an assignment takes out of an element of a loop: `images, labels = batch`."""
    target, value = node.targets[0], node.value
    is_part = isinstance(value, ast.Name) and value.id in taken
    return _names(target) if is_part and isinstance(target, ast.Tuple) else frozenset()


def _lost_moves(node: ast.Assign, scene: _Scene) -> Iterator[_Change]:
    """`x = x.to(device)`, whose result is thrown away, or which is left out."""
    target, value = node.targets[0], node.value
    pairs: list[tuple[ast.expr, ast.expr]] = []
    if isinstance(target, ast.Name):
        pairs = [(target, value)]
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = list(zip(target.elts, value.elts, strict=False))
    for name, given in pairs:
        moved = _moved(given)
        if moved is None or not isinstance(name, ast.Name) or moved.id in scene.modules:
            continue
        if moved.id in scene.taken:
            yield _Change("batch", given, moved.id)
        elif moved.id == name.id:
            yield _Change("input", given, moved.id)
        if len(pairs) == 1 and moved.id == name.id:
            yield _Change("statement", node, ast.unparse(value))


def _moved(node: ast.expr) -> ast.Name | None:
    """The variable that is moved, and not cast."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return None
    if node.func.attr not in _MOVES or (node.func.attr == "to" and _only_casts(node)):
        return None
    return node.func.value if isinstance(node.func.value, ast.Name) else None


def _only_casts(call: ast.Call) -> bool:
    """Whether `to` names a data type: `x.to(torch.half)`, `x.to(previous_dtype)`, `x.to(dtype=d)`.

    One that is told a device as well moves.
    """
    named = {
        getattr(part, "attr", getattr(part, "id", ""))
        for arg in call.args
        for part in ast.walk(arg)
    }
    keywords = {keyword.arg for keyword in call.keywords}
    is_cast = bool(named & _DTYPES) or any(name.endswith("dtype") for name in named)
    return (is_cast and len(call.args) == 1) or (keywords == {"dtype"} and not call.args)


def _lost_devices(call: ast.Call, scene: _Scene) -> Iterator[_Change]:
    """`torch.zeros(n, device=x.device)` without that, `torch.load` without `map_location`."""
    name = _of_torch(call)
    for keyword in call.keywords:
        is_device = keyword.arg == "device" and getattr(keyword.value, "attr", "") == "device"
        if name in _FACTORIES and is_device and scene.function and not _moves_on(scene.parent):
            kind = "forward" if scene.function == "forward" else "function"
            yield _Change(kind, call, _without(call, keyword))
        if name == "load" and keyword.arg == "map_location":
            yield _Change("load", call, _without(call, keyword))


def _lost_calls(call: ast.Call, scene: _Scene) -> Iterator[_Change]:
    """What a call does to something, left out: `nn.ModuleList(layers)`, `x.cpu().numpy()`."""
    function, args = call.func, call.args
    last = getattr(function, "attr", getattr(function, "id", ""))
    inner = function.value if isinstance(function, ast.Attribute) else None
    if last == "register_buffer" and isinstance(scene.parent, ast.Expr) and len(args) > 1:
        name = getattr(args[0], "value", None)
        if isinstance(name, str) and isinstance(args[1], _MADE) and _is_self(inner):
            text = f"self.{name} = {ast.unparse(args[1])}"
            yield _Change("buffer", scene.parent, text)
    elif last == "ModuleList" and len(args) == 1:
        yield _Change("list", call, ast.unparse(args[0]))
    elif last == "numpy" and isinstance(inner, ast.Call):
        if isinstance(inner.func, ast.Attribute) and inner.func.attr == "cpu":
            yield _Change("numpy", inner, ast.unparse(inner.func.value))
    elif last in _MOVES and isinstance(inner, ast.Call):
        built = getattr(inner.func, "attr", getattr(inner.func, "id", ""))
        if built in _WEIGHTED and {k.arg for k in inner.keywords} & {"weight", "pos_weight"}:
            yield _Change("loss", call, ast.unparse(inner))


def _of_torch(call: ast.Call) -> str:
    """The name of what is called, if that is a function of `torch` itself."""
    function = call.func
    is_torch = isinstance(function, ast.Attribute) and getattr(function.value, "id", "") == "torch"
    return function.attr if is_torch and isinstance(function, ast.Attribute) else ""


def _moves_on(node: ast.AST) -> bool:
    """Whether what is made is moved at once."""
    return isinstance(node, ast.Attribute) and node.attr in _MOVES | {"type_as"}


def _is_self(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _without(call: ast.Call, keyword: ast.keyword) -> str:
    kept = [other for other in call.keywords if other is not keyword]
    return ast.unparse(ast.Call(call.func, call.args, kept))


def _modules(tree: ast.AST) -> frozenset[str]:
    """What the file calls by a name, asks for parameters, or wraps to run in parallel."""
    found = set(_USUAL_MODELS)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Name):
            found.add(function.id)
        elif isinstance(function, ast.Attribute) and function.attr in _OF_MODULES:
            found |= _names(function.value) if isinstance(function.value, ast.Name) else set()
        if getattr(function, "attr", "") in _PARALLEL:
            found.update(arg.id for arg in node.args if isinstance(arg, ast.Name))
    return frozenset(found)


def _names(node: ast.AST) -> frozenset[str]:
    return frozenset(part.id for part in ast.walk(node) if isinstance(part, ast.Name))
