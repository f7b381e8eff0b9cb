"""Moving a model before an optimizer is filled that holds its parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.methods import MOVES_TO_DEVICE
from torchdev_lint.change import Change, DeleteStatement, Fix, InsertStatement
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.optimizers import StaleState
from torchdev_lint.syntax.names import names_in, path_of
from torchdev_lint.syntax.scopes import stored


def moved_before(facts: Facts, event: StaleState) -> Fix | None:
    """Return the fix that has models moved before their optimizer is filled.

    The statements that move them go up, if they stand behind the other one, in the same block or
    in one around it, and nothing between gives their variables other values.
    """
    filling = facts.syntax.statement(event.origin.node)
    if filling is None or facts.syntax.in_string(event.origin.node):
        return None
    changes: list[Change] = []
    for model in event.models:
        going_up = list(_going_up(facts, filling, model))
        if not going_up:
            return None
        changes += going_up
    names = " and ".join(f"`{model}`" for model in event.models)
    return Fix(f"Move {names} before", "unsafe", tuple(changes))


def _going_up(facts: Facts, filling: ast.stmt, model: str) -> Iterator[Change]:
    """Yield what puts the statement that moves a model before another one."""
    for first, following in _blocks(facts, filling):
        for index, statement in enumerate(following):
            if _moved_by(statement) == model:
                if not _assigned(following[:index]) & (names_in(statement) - {model}):
                    yield InsertStatement(facts.span(first), facts.text(statement))
                    yield DeleteStatement(facts.span(statement))
                return


def _blocks(facts: Facts, statement: ast.stmt) -> Iterator[tuple[ast.stmt, list[ast.stmt]]]:
    """Yield a statement and those around it, in its function, with what stands behind each."""
    child: ast.AST = statement
    for parent in facts.syntax.around(statement):
        block = facts.syntax.block(child)
        if isinstance(child, ast.stmt) and block:
            yield child, block[block.index(child) + 1 :]
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return
        child = parent


def _moved_by(statement: ast.stmt) -> str | None:
    """What a statement moves: `model.to(device)`, `model = model.cuda()`."""
    if not isinstance(statement, (ast.Expr, ast.Assign)):
        return None
    call = statement.value
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
        return None
    path = path_of(call.func.value) if call.func.attr in MOVES_TO_DEVICE else None
    if isinstance(statement, ast.Assign) and [path_of(t) for t in statement.targets] != [path]:
        return None
    return path


def _assigned(statements: list[ast.stmt]) -> set[str]:
    """The variables that statements give values."""
    return {name for statement in statements for name in stored(statement)}
