"""Which entries what is saved has, and which are needed of what is loaded, as the code says it."""

from __future__ import annotations

import ast

from torchdev_lint.placement.evidence.given import Given
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import Syntax

Keys = frozenset[str] | None
"""The names of entries; none at all: it is the state of one module; None: that is not known."""
_STATE, _TAKES_STATE = "state_dict", "load_state_dict"
_ENTRIES = "items"
_MOST_READS = 100
"""How many places are looked at that read what was loaded."""


def keys_of(value: ast.expr) -> Keys:
    """Return the entries of what is saved.

    Args:
        value: its expression, or that of what the variable is given which is saved.
    """
    if isinstance(value, ast.Dict):
        keys = [text for key in value.keys if (text := _text(key)) is not None]
        return frozenset(keys) if len(keys) == len(value.keys) else None
    if isinstance(value, ast.Call) and last_component(value.func) == _STATE:
        return frozenset()
    return None


def keys_read(syntax: Syntax, call: ast.Call) -> Keys:
    """Return the entries that code can't do without of what a call loads.

    Args:
        syntax: the file's tree.
        call: what loads.
    """
    parent = syntax.parent(call)
    if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
        reads: list[ast.expr] = [
            *syntax.derived(Given).reads(syntax.scope(call)).get(parent.targets[0].id, [])
        ]
    else:
        reads = [call]
    if len(reads) > _MOST_READS:
        return None
    if any(_is_taken_whole(syntax, read) for read in reads):
        return frozenset()
    found = {key for read in reads if (key := _key_read(syntax, read)) is not None}
    found -= {key for read in reads if (key := _key_asked_for(syntax, read)) is not None}
    return frozenset(found) or None


def may_have(written: Keys, read: Keys) -> bool:
    """Return whether what has some entries may be what others are read of: it has them all."""
    if written is None or read is None:
        return True
    return written >= read if read else not written


def _key_read(syntax: Syntax, node: ast.AST) -> str | None:
    """The entry of a variable, or of what a call gives, that the code around needs."""
    parent = syntax.parent(node)
    is_read = isinstance(parent, ast.Subscript) and isinstance(parent.ctx, ast.Load)
    return _text(parent.slice) if isinstance(parent, ast.Subscript) and is_read else None


def _key_asked_for(syntax: Syntax, node: ast.AST) -> str | None:
    """The entry of which the code around asks whether it is there: `"epoch" in saved.keys()`."""
    around = syntax.parent(node)
    while isinstance(around, (ast.Attribute, ast.Call)):
        around = syntax.parent(around)
    is_asked = isinstance(around, ast.Compare) and isinstance(around.ops[0], (ast.In, ast.NotIn))
    return _text(around.left) if isinstance(around, ast.Compare) and is_asked else None


def _is_taken_whole(syntax: Syntax, node: ast.AST) -> bool:
    """Whether something is taken for the state of a module, as it is or entry by entry."""
    parent = syntax.parent(node)
    if isinstance(parent, ast.Attribute):
        return parent.attr == _ENTRIES
    takes = isinstance(parent, ast.Call) and last_component(parent.func) == _TAKES_STATE
    return takes and isinstance(parent, ast.Call) and node in parent.args


def _text(node: ast.AST | None) -> str | None:
    """The text that an expression is; None if it is none."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else None
