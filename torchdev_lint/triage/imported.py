"""What the files offer that a file imports, so that triage counts what it does with them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.project.files import parsed_file
from torchdev_lint.project.resolution import find_module, find_submodule
from torchdev_lint.project.seen import remembered
from torchdev_lint.triage.offered import offered
from torchdev_lint.triage.offers import NOTHING, Offer, Position, position_of
from torchdev_lint.triage.triggers import Trigger

DEPTH = 2
"""Over how many files an offer is followed: what is imported may itself only be handed on."""

_Offered = tuple[Offer, frozenset[Position]]


def imported_by(
    tree: ast.Module, path: str, triggers: frozenset[Trigger], depth: int = DEPTH
) -> Offer:
    """Return what a file imports that may lead to something, by the names it has there.

    Args:
        tree: the file's syntax tree.
        path: where it lies, absolute; empty if it is of no project.
        triggers: what the rules need to find something.
        depth: over how many files an offer is followed.
    """
    offer = NOTHING
    if not path or not depth:
        return offer
    for node in _imports_in(tree.body):
        for part in _offers_of(node, path, triggers, depth):
            offer |= part
    return offer


def _imports_in(body: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports among statements, and in those that they hold."""
    pending = list(reversed(body))
    while pending:
        statement = pending.pop()
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield statement
        else:
            for field in ("body", "orelse", "handlers", "finalbody"):
                pending += getattr(statement, field, None) or ()


def _offers_of(
    node: ast.Import | ast.ImportFrom, path: str, triggers: frozenset[Trigger], depth: int
) -> Iterator[Offer]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            found = find_module(path, 0, alias.name)
            if found is not None:
                yield _offered_by(found, triggers, depth)[0]
        return
    module = find_module(path, node.level, node.module or "")
    if module is None:
        return
    offer = _offered_by(module, triggers, depth)[0]
    for alias in node.names:
        submodule = find_submodule(module, alias.name)
        if alias.name == "*":
            yield offer
        elif submodule is not None:
            yield _offered_by(submodule, triggers, depth)[0]
        else:
            yield offer.named(alias.name, alias.asname or alias.name)


@remembered
def _offered_by(path: str, triggers: frozenset[Trigger], depth: int) -> _Offered:
    """What a file offers. A circle of imports ends, since each step has less to go."""
    parsed = parsed_file(path)
    if parsed is None:
        return NOTHING, frozenset()
    imported = imported_by(parsed.tree, path, triggers, depth - 1)
    return offered(parsed.tree, triggers, imported)


def leads_to_something(path: str, node: ast.AST, triggers: frozenset[Trigger]) -> bool:
    """Whether a function or class of another file may lead to a finding where it is used.

    Args:
        path: the file.
        node: its definition.
        triggers: what the rules need to find something.
    """
    return position_of(node) in _offered_by(path, triggers, DEPTH)[1]
