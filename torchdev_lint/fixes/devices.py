"""Which expression names the device at some place of the program."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.placement.facts import Facts, View
from torchdev_lint.placement.names import path_of
from torchdev_lint.placement.syntax import FUNCTIONS, root_name

_OWNERS = ("self", "args", "cfg", "config", "opt", "hparams")


def device_in_view(facts: Facts, node: ast.AST, partner: ast.AST) -> str | None:
    """Return the device of what a value meets, as it can be had at a place in `forward`.

    A variable that holds the device comes first, then the tensor it meets, another tensor in
    sight, the module's own state, and what the script calls its device.

    Args:
        facts: what is known of the file.
        node: the place: where the value is made, or where it fails.
        partner: what it meets.
    """
    view = facts.views.get(node)
    if view is None or facts.syntax.in_string(node):
        return None
    for text in _candidates(facts, node, partner, view):
        if facts.syntax.is_visible(text, node):
            return text
    return None


def _candidates(facts: Facts, node: ast.AST, partner: ast.AST, view: View) -> Iterator[str]:
    yield from view.devices
    met = tensors_in(facts, partner, node)
    for path in sorted(view.tensors, key=lambda path: path not in met):
        yield f"{path}.device"
    yield from view.state
    yield from _named_by_script(facts, node)


def tensors_in(facts: Facts, partner: ast.AST, node: ast.AST) -> list[str]:
    """Return the paths that an expression is made of, if it is in the same function as a node."""
    if facts.syntax.scope(partner) is not facts.syntax.scope(node):
        return []
    return [path for part in ast.walk(partner) if (path := path_of(part))]


def _named_by_script(facts: Facts, node: ast.AST) -> Iterator[str]:
    """Settings that other code of the same class or file uses as its device."""
    method = facts.syntax.method(node)
    if method is not None and any(
        isinstance(part, ast.Attribute)
        and part.attr == "device"
        and isinstance(part.ctx, ast.Store)
        and root_name(part) == "self"
        for part in ast.walk(method[1])
    ):
        yield "self.device"
    for statement in facts.tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            name = path_of(statement.targets[0]) or ""
            if name in {"device", "DEVICE"} and facts.syntax.is_own(name, statement):
                yield name


def device_of_module(facts: Facts, module: ast.AST, node: ast.AST) -> str | None:
    """Return the argument that moved a module, where it can be used at a node; see `Style`."""
    for move in _moves_by_closeness(facts, module, node):
        arguments = [*move.args, *(k.value for k in move.keywords if k.arg == "device")]
        if not arguments or len(move.args) + len(move.keywords) > 1:
            continue
        text = facts.text(arguments[0])
        if "\n" not in text and is_usable(facts, arguments[0], node):
            return text
    return None


def _moves_by_closeness(facts: Facts, module: ast.AST, node: ast.AST) -> list[ast.Call]:
    """Moves of modules, that of the module at hand in the same function first."""
    scope = facts.syntax.scope(node)
    path = path_of(module)

    def distance(move: ast.Call) -> tuple[bool, bool]:
        return (
            facts.module_moves[move].module != path,
            facts.syntax.scope(move) is not scope,
        )

    return sorted((m.node for m in facts.module_moves.values()), key=distance)


def is_usable(facts: Facts, expression: ast.expr, node: ast.AST) -> bool:
    """Whether a device expression means the same at another place.

    Args:
        expression: where it is written.
        node: where it is to be used.
    """
    syntax = facts.syntax
    if any(isinstance(p, (ast.NamedExpr, ast.Await, ast.Yield)) for p in ast.walk(expression)):
        return False
    if not syntax.is_visible(ast.unparse(expression), node):
        return False
    here, there = syntax.scope(expression), syntax.scope(node)
    if here is there:
        return True
    names = {n.id for n in ast.walk(expression) if isinstance(n, ast.Name)}
    return all(_is_same(facts, name, expression, node) for name in names)


def _is_same(facts: Facts, name: str, first: ast.AST, second: ast.AST) -> bool:
    """Whether a name in two functions stands for the same thing."""
    syntax = facts.syntax
    if name == "self":
        methods = syntax.method(first), syntax.method(second)
        return all(methods) and methods[0][1] is methods[1][1]  # type: ignore[index]  # both are
    scopes = [_holder(facts, name, node) for node in (first, second)]
    if scopes[0] is scopes[1]:
        return True
    # A setting that is handed on keeps its name.
    return name == "device" or name in _OWNERS


def _holder(facts: Facts, name: str, node: ast.AST) -> ast.AST:
    """The function whose variable a name is at a node, or the module."""
    for part in (node, *facts.syntax.around(node)):
        if isinstance(part, (*FUNCTIONS, ast.Lambda)) and name in facts.syntax.names_of(part):
            return part
    return facts.tree
