"""What modules keep of the tensors that they make while they are built, told from names."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.scope import Scope

_TAKEN_ALONG = frozenset({"Parameter", "Buffer", "ParameterList"})
"""What moves with a module that has it as an attribute."""


def kept_in(method: ast.AST, makes: Callable[[ast.Call], bool]) -> set[str]:
    """Return the attributes to which code assigns what it makes, at once or by way of variables.

    Args:
        method: the code.
        makes: whether a call makes a tensor on the host.
    """
    given = [pair for node in walk(method) for pair in _given(node)]
    given.sort(key=lambda pair: pair[0].lineno)
    holding, kept = set[str](), set[str]()
    for target, value in given:
        if not _holds_tensor(value, holding, makes):
            continue
        for part in walk(target):
            if isinstance(part, ast.Name):
                holding.add(part.id)
            elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
                kept.add(part.attr)
                holding.add(part.attr)
    return kept


def _given(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what a statement or call gives a value to, or puts it into, with that."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield target, node.value
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign)) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in {"append", "extend"} and isinstance(node.func.value, ast.Name):
            for argument in node.args:
                yield node.func.value, argument


def methods_using(names: set[str], methods: list[Scope], owner: ast.ClassDef) -> set[ast.AST]:
    """Return the methods that mention some attributes, or methods that do, and their class."""
    methods = [scope for scope in methods if scope.node is not owner]
    found, pending = set[ast.AST](), set(names)
    while pending:
        users = [s for s in methods if s.node not in found and not pending.isdisjoint(s.mentions)]
        found.update(scope.node for scope in users)
        pending = {scope.name for scope in users}
    return {*found, owner} if found else found


def _holds_tensor(value: ast.expr, holding: set[str], makes: Callable[[ast.Call], bool]) -> bool:
    """Whether something may be computed from a tensor that was made, and is not moved along."""
    pending: list[ast.AST] = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call):
            if last_component(node.func) in _TAKEN_ALONG:
                continue
            if makes(node):
                return True
        elif isinstance(node, (ast.Name, ast.Attribute)) and last_component(node) in holding:
            return True
        pending += ast.iter_child_nodes(node)
    return False
