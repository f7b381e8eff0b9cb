"""Tensors without dimensions, going by the calls that make them, and what asks them."""

from __future__ import annotations

import ast
from collections.abc import Set

from torchdev_lint.catalog.factories import FROM_DATA, SIZED
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.walking import walk


def is_coin(node: ast.Call) -> bool:
    """Whether a call makes a tensor without dimensions: `torch.rand([])`."""
    if last_component(node.func) not in SIZED:
        return False
    shapes = [*node.args, *by_keyword(node, "size")]
    return any(isinstance(shape, (ast.List, ast.Tuple)) and not shape.elts for shape in shapes)


def is_number(node: ast.Call) -> bool:
    """Whether a call makes a tensor without dimensions: also `torch.tensor(0)`."""
    if last_component(node.func) not in FROM_DATA or not node.args:
        return is_coin(node)
    data = node.args[0].operand if isinstance(node.args[0], ast.UnaryOp) else node.args[0]
    return isinstance(data, ast.Constant)


def are_only_compared(names: Set[str], scope: ast.AST) -> bool:
    """Whether variables are there for conditions to ask.

    A comparison takes a tensor without dimensions from the host, whatever it is compared with.
    What it gives may be kept in a variable, which conditions ask then.

    Args:
        scope: the function, class or module that gives them values.
    """
    tests: list[ast.expr] = []
    kept: dict[ast.AST, str] = {}
    read: list[ast.Name] = []
    for node in walk(scope):
        if isinstance(node, (ast.If, ast.IfExp)):
            tests.append(node.test)
        elif isinstance(node, ast.BoolOp):
            tests += node.values
        elif isinstance(node, ast.Assign):
            target = node.targets[0] if len(node.targets) == 1 else None
            if isinstance(node.value, ast.Compare) and isinstance(target, ast.Name):
                kept[node.value] = target.id
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            read.append(node)
    asked = {test.operand if isinstance(test, ast.UnaryOp) else test for test in tests}
    compared: dict[ast.AST, ast.AST] = {
        part: test
        for test in asked | kept.keys()
        if isinstance(test, ast.Compare)
        for part in (test.left, *test.comparators)
    }
    coins = [node for node in read if node.id in names]
    flags = {kept[compared[node]] for node in coins if compared.get(node) in kept}
    return all(node in compared for node in coins) and all(
        node in asked for node in read if node.id in flags
    )
