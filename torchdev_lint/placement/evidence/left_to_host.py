"""Methods that their class calls only where there is no accelerator: nothing fails in them there.

As in `if self.device.type == "cuda": return self.on_device(x)`, `return self.without(x)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Set

from torchdev_lint.catalog.devices import ACCELERATOR_TYPES, BEGINNING, HOST_TYPE
from torchdev_lint.placement.evidence.flags import by_assumption, says_device
from torchdev_lint.syntax.blocks import JUMPS
from torchdev_lint.syntax.names import last_component, path_of
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax

_TYPE = "type"
"""What a device tells its kind by."""


def left_to_host(syntax: Syntax, nodes: Iterable[ast.AST], names: Set[str]) -> set[str]:
    """Return the methods of a class that it calls itself, each time where no accelerator is.

    Args:
        syntax: the tree of its file.
        nodes: those of all its methods.
        names: the methods that are asked about.
    """
    found: dict[str, bool] = {}
    for node in nodes:
        if isinstance(node, ast.Attribute) and node.attr in names and path_of(node.value) == "self":
            found[node.attr] = found.get(node.attr, True) and _is_without(syntax, node)
    return {name for name, is_left in found.items() if is_left}


def _is_without(syntax: Syntax, node: ast.AST) -> bool:
    """Whether code runs only where no accelerator is, by the conditions in its function."""
    child = node
    for part in syntax.around(node):
        if isinstance(part, (ast.If, ast.IfExp)) and child is not part.test:
            body = part.body if isinstance(part.body, list) else [part.body]
            if asks_for_accelerator(part.test) is (child not in body):
                return True
        if isinstance(child, ast.stmt) and any(map(_has_left, _before(syntax, child))):
            return True
        if isinstance(part, FUNCTIONS):
            break
        child = part
    return False


def _before(syntax: Syntax, statement: ast.stmt) -> list[ast.stmt]:
    """The statements of its block before one."""
    block = syntax.block(statement)
    return block[: block.index(statement)] if block else []


def _has_left(statement: ast.stmt) -> bool:
    """Whether nothing goes on behind a statement where an accelerator is."""
    if not isinstance(statement, ast.If):
        return False
    asked = asks_for_accelerator(statement.test)
    taken = statement.body if asked else statement.orelse
    return asked is not None and any(isinstance(each, JUMPS) for each in taken)


def asks_for_accelerator(test: ast.expr) -> bool | None:
    """Return how a condition turns out that asks whether there is an accelerator; None if not."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        verdict = asks_for_accelerator(test.operand)
        return None if verdict is None else not verdict
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and _is_device(test.left):
        kind, operator = test.comparators[0], test.ops[0]
        if isinstance(operator, (ast.Eq, ast.NotEq)):
            return _asks_kind([kind], is_same=isinstance(operator, ast.Eq))
    if isinstance(test, ast.Call) and last_component(test.func) == BEGINNING and test.args:
        owner = test.func.value if isinstance(test.func, ast.Attribute) else test.func
        return _asks_kind(test.args, is_same=True) if _is_device(owner) else None
    return by_assumption(test)


def _is_device(node: ast.expr) -> bool:
    """Whether an expression is a device or its type, as its names say."""
    if isinstance(node, ast.Call) and node.args:
        return _is_device(node.args[0])
    last = last_component(node)
    owner = last_component(node.value) if isinstance(node, ast.Attribute) else ""
    return says_device(owner if last == _TYPE else last)


def _asks_kind(kinds: Iterable[ast.expr], is_same: bool) -> bool | None:
    """Whether what is compared with the names of kinds of devices is an accelerator."""
    named = {kind.value if isinstance(kind, ast.Constant) else None for kind in kinds}
    if named == {HOST_TYPE}:
        return not is_same
    return is_same if named <= ACCELERATOR_TYPES else None
