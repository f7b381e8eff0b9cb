"""How a script moves things: `.to(device)`, `.cuda()`, with `non_blocking=True` or without."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.factories import DTYPES
from torchdev_lint.placement.facts import Facts
from torchdev_lint.placement.module_calls import ENTRY_METHODS
from torchdev_lint.placement.names import dotted, path_of
from torchdev_lint.placement.syntax import FUNCTIONS, own_nodes

_MOVES = frozenset({"to", "cuda", "xpu", "npu"})
_OWNERS = frozenset({"args", "cfg", "config", "opt", "opts", "hparams", "accelerator", "fabric"})
"""Names that are handed from function to function with the same meaning."""
_UNFIT = (ast.NamedExpr, ast.Await, ast.Yield, ast.IfExp, ast.BoolOp, ast.Lambda)
"""What an expression must not hold that is to be written once more."""


def move_for(facts: Facts, module: ast.AST | None, node: ast.AST) -> str | None:
    """Return how an input is moved to where a module is, such as `.to(device)`.

    As its neighbours in the same function are, else as the module was.

    Args:
        facts: what is known of the file.
        module: the expression of the module, if one is called.
        node: where the move is to be put.
    """
    for call in _neighbours(facts, node):
        if _is_usable_call(facts, call, node):
            return _as_written(facts, call)
    for call in _module_moves(facts, module, node):
        text = _like_module(facts, call, node)
        if text is not None:
            return text
    model = _model(facts, module) if module is not None else None
    if model is not None and _is_in_sight(facts, model, node):
        return f".to(next({facts.text(model)}.parameters()).device)"
    return None


def device_of(facts: Facts, module: ast.AST | None, node: ast.AST) -> str | None:
    """Return the device of a module as an argument for a factory at a node."""
    move = move_for(facts, module, node)
    if move is None:
        return None
    call = ast.parse(f"x{move}", mode="eval").body
    assert isinstance(call, ast.Call)
    if not move.startswith(".to("):
        return '"cuda"' if move == ".cuda()" else None
    given = [*call.args, *(k.value for k in call.keywords if k.arg == "device")]
    argument = move[4:-1].partition(", non_blocking")[0].removeprefix("device=")
    return argument if given and ast.unparse(given[0]) == _normal(argument) else None


def _normal(text: str) -> str:
    return ast.unparse(ast.parse(text, mode="eval"))


def _neighbours(facts: Facts, node: ast.AST) -> Iterator[ast.Call]:
    """Moves of other tensors in the same function, the nearest loop's first."""
    scope, loop = facts.syntax.scope(node), facts.syntax.loop(node)
    found: list[ast.Call] = []
    for part in own_nodes(scope):
        if not isinstance(part, ast.Assign) or not isinstance(part.value, ast.Call):
            continue
        call = part.value
        if not isinstance(call.func, ast.Attribute) or call.func.attr not in _MOVES:
            continue
        same = path_of(part.targets[0]) == path_of(call.func.value) is not None
        if same and call not in facts.module_moves and call not in facts.discards:
            found.append(call)
    yield from sorted(found, key=lambda call: (facts.syntax.loop(call) is not loop, call.lineno))


def _module_moves(facts: Facts, module: ast.AST | None, node: ast.AST) -> list[ast.Call]:
    """Moves of modules, that of the module at hand in the same function first."""
    scope = facts.syntax.scope(node)
    path = path_of(module) if module is not None else None

    def distance(call: ast.Call) -> tuple[bool, bool]:
        return facts.module_moves[call].module != path, facts.syntax.scope(call) is not scope

    return sorted((move.node for move in facts.module_moves.values()), key=distance)


def _is_usable_call(facts: Facts, call: ast.Call, node: ast.AST) -> bool:
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    if len(call.args) > 1 or any(k.arg not in {"device", "non_blocking"} for k in call.keywords):
        return False
    return all(_is_device(a) and is_usable(facts, a, node) for a in arguments)


def _is_device(node: ast.expr) -> bool:
    return (dotted(node) or "").rpartition(".")[2] not in DTYPES | {"dtype"}


def _as_written(facts: Facts, call: ast.Call) -> str | None:
    assert isinstance(call.func, ast.Attribute)
    arguments = [facts.text(argument) for argument in call.args]
    arguments += [f"{k.arg}={facts.text(k.value)}" for k in call.keywords]
    text = ", ".join(arguments)
    return None if "\n" in text else f".{call.func.attr}({text})"


def _like_module(facts: Facts, call: ast.Call, node: ast.AST) -> str | None:
    """How an input is moved like a module: without the other arguments, a dtype for example."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _MOVES:
        return None
    given = [k.value for k in call.keywords if k.arg == "device"] or call.args[:1]
    if not given:
        return f".{call.func.attr}()" if call.func.attr != "to" else None
    text = facts.text(given[0])
    if "\n" in text or not _is_device(given[0]) or not is_usable(facts, given[0], node):
        return None
    return f".{call.func.attr}({text})"


def _model(facts: Facts, module: ast.AST) -> ast.AST | None:
    """The model itself, where one of its methods is called, such as `model.generate`."""
    if isinstance(module, ast.Attribute):
        methods = {s.name for c in ast.walk(facts.tree) if isinstance(c, ast.ClassDef)
                   for s in c.body if isinstance(s, ast.FunctionDef)}  # fmt: skip
        if module.attr in ENTRY_METHODS | methods:
            return module.value
    return module


def _is_in_sight(facts: Facts, model: ast.AST, node: ast.AST) -> bool:
    """Whether a model can be asked for its parameters at a node."""
    return (
        path_of(model) is not None
        and facts.syntax.scope(model) is facts.syntax.scope(node)
        and facts.syntax.is_visible(ast.unparse(model), node)
    )


def is_usable(facts: Facts, expression: ast.expr, node: ast.AST) -> bool:
    """Whether an expression of a device means the same at another place.

    Args:
        facts: what is known of the file.
        expression: where it is written.
        node: where it is to be used.
    """
    syntax = facts.syntax
    if any(isinstance(part, _UNFIT) for part in ast.walk(expression)):
        return False
    if not syntax.is_visible(ast.unparse(expression), node):
        return False
    names = {n.id for n in ast.walk(expression) if isinstance(n, ast.Name)}
    return all(_is_same(facts, name, expression, node) for name in names)


def _is_same(facts: Facts, name: str, first: ast.AST, second: ast.AST) -> bool:
    """Whether a name in two places stands for the same thing."""
    syntax = facts.syntax
    if _holder(facts, name, first) is _holder(facts, name, second):
        return True
    if name == "self":
        one, other = syntax.method(first), syntax.method(second)
        return one is not None and other is not None and one[1] is other[1]
    return name in _OWNERS or "device" in name.lower()


def _holder(facts: Facts, name: str, node: ast.AST) -> ast.AST:
    """The function whose variable a name is at a node, or the module."""
    for part in facts.syntax.around(node):
        if isinstance(part, (*FUNCTIONS, ast.Lambda)) and name in facts.syntax.names_of(part):
            return part
    return facts.tree
