"""Dicts that hold what an object has: what code does with them."""

from __future__ import annotations

import ast

from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax, root_name
from torchdev_lint.syntax.walking import walk

NAMESPACE = "__dict__"
"""The attribute that has all others, which code may set there."""
_READING = frozenset({"copy", "get", "items", "keys", "values"})
"""Methods of dicts that leave them as they are."""
_COPYING = frozenset(
    "copy deepcopy dict dump dumps format len list pformat pprint print repr sorted str".split()
)
"""Functions that leave the dict as it is which they are handed."""

_CHANGING = frozenset({"eval", "exec", "setattr", "update"})
"""What may set entries of the dict it is handed, or is no function that writes it down."""
_WRITTEN = (ast.keyword, ast.Dict, ast.List, ast.Tuple, ast.JoinedStr, ast.FormattedValue)
"""What a dict is put into, with others, to be written down."""


def is_only_read(node: ast.expr, syntax: Syntax) -> bool:
    """Return whether the dict that an expression gives is only read where it is given.

    Args:
        node: the expression.
        syntax: the file it stands in.
    """
    taker = syntax.parent(node)
    if isinstance(taker, ast.Attribute):
        return taker.attr in _READING
    if isinstance(taker, ast.Subscript):
        return taker.value is node and isinstance(taker.ctx, ast.Load)
    if isinstance(taker, ast.Call):
        return last_component(taker.func) in _COPYING
    if isinstance(taker, ast.keyword):
        return taker.arg is None  # `**vars(x)`
    if isinstance(taker, (ast.For, ast.comprehension)):
        return taker.iter is node
    if isinstance(taker, ast.Assign) and len(taker.targets) == 1:
        return _is_only_read_as(taker.targets[0], syntax)
    return isinstance(taker, ast.Compare)


def is_left_as_it_is(node: ast.expr, syntax: Syntax) -> bool:
    """Return whether the dict that an expression gives is only read, also by what it is handed to.

    What a program tells others of its settings, `wandb.init(config=vars(args))`, they write down.
    Functions that the file defines itself may set something in it, and so may code that is run.

    Args:
        node: the expression.
        syntax: the file it stands in.
    """
    if is_only_read(node, syntax):
        return True
    held: ast.AST = node
    taker = syntax.parent(held)
    while isinstance(taker, _WRITTEN):
        held, taker = taker, syntax.parent(taker)
    if isinstance(taker, ast.Assign):
        return isinstance(held, _WRITTEN)
    if not isinstance(taker, ast.Call) or taker.func is held:
        return isinstance(taker, ast.Expr)
    name = last_component(taker.func)
    if not name or name in _CHANGING:
        return False
    if name in _COPYING or root_name(taker.func) in syntax.derived(_imported):
        return True
    return isinstance(taker.func, ast.Attribute) and name not in syntax.derived(_defined)


def _is_only_read_as(target: ast.expr, syntax: Syntax) -> bool:
    """Whether the dict is only read by the variable that it is kept in, wherever that is read."""
    if not isinstance(target, ast.Name):
        return False
    reads = syntax.named(target.id, syntax.scope(target))
    return all(_is_read(read, syntax) for read in reads if isinstance(read.ctx, ast.Load))


def _is_read(node: ast.expr, syntax: Syntax) -> bool:
    """Whether a use of a dict reads it, and keeps it nowhere else."""
    return not isinstance(syntax.parent(node), ast.Assign) and is_only_read(node, syntax)


def _defined(syntax: Syntax) -> frozenset[str]:
    """The functions and classes of a file, by their names."""
    kinds = (*FUNCTIONS, ast.ClassDef)
    return frozenset(node.name for node in walk(syntax.tree) if isinstance(node, kinds))


def _imported(syntax: Syntax) -> frozenset[str]:
    """The names by which a file knows what it imports."""
    kinds = (ast.Import, ast.ImportFrom)
    return frozenset(
        (alias.asname or alias.name).partition(".")[0]
        for node in walk(syntax.tree)
        if isinstance(node, kinds)
        for alias in node.names
    )
