"""Lists and dicts that a function is handed, and changes: its caller holds the same ones.

`def fill(batch): batch["x"] = ...` changes what was handed over, whatever becomes of its result.
"""

from __future__ import annotations

import ast

from torchdev_lint.catalog.builtins import CHANGING
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.values import Function, Value
from torchdev_lint.placement.python.assignment import change
from torchdev_lint.placement.python.carried import written_arguments
from torchdev_lint.placement.python.changing import can_change, lose, widened
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.scopes import own_nodes, root_name


def changed_by(frame: Frame, names: dict[str, Value]) -> dict[str, Value]:
    """Return what the lists and dicts have become that a function was handed, by its parameters.

    Args:
        frame: the call, which has come to its end.
        names: what the parameters held when it began.
    """
    changed: dict[str, Value] = {}
    for name, before in names.items():
        if not can_change(before):
            continue
        after = [env.names.get(name, before) for _, env in frame.returns]
        if all(value is before for value in after):
            continue
        if not _is_bound_anew(frame.node, name):
            changed[name] = choice(after)
        elif _changes(frame.node, name):
            changed[name] = widened(before)
    return changed


def _is_bound_anew(function: ast.AST, name: str) -> bool:
    """Whether a function binds a parameter to something else, so that it is not what was handed."""
    nodes = list(own_nodes(function))
    in_place = {node.target for node in nodes if isinstance(node, ast.AugAssign)}
    named = (node for node in nodes if isinstance(node, ast.Name) and node.id == name)
    return any(not isinstance(node.ctx, ast.Load) and node not in in_place for node in named)


def _changes(function: ast.AST, name: str) -> bool:
    """Whether a function changes what a variable holds in place, somewhere."""
    for node in own_nodes(function):
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            if root_name(node) == name:
                return True
        if isinstance(node, ast.Attribute) and node.attr in CHANGING and root_name(node) == name:
            return True
    return False


def hand_back(
    run: Run,
    function: Function,
    arguments: Arguments,
    site: ast.AST | None,
    names: dict[str, Value],
    changed: dict[str, Value],
) -> None:
    """Have the caller hold what a call has made of the lists and dicts that it was handed.

    Args:
        site: the expression that leads to the call.
        names: what the parameters held when it began.
        changed: what they hold now, of those that hold what was changed.
    """
    if not changed:
        return
    written = written_arguments(function, arguments, site) if isinstance(site, ast.Call) else {}
    for name, after in changed.items():
        node = written.get(name)
        if node is not None:
            change(run, node, names[name], after)
        else:
            lose(run, names[name])
