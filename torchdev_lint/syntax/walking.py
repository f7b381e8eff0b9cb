"""Going through a syntax tree, several times faster than `ast.walk`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

# Fields that never hold an expression, a statement or a part of one that says something.
_BARREN = frozenset(
    """
    ctx op ops id attr arg name asname kind type_comment conversion level module is_async simple
    type_ignores tag rest str
    """.split()
)


class _FieldsByType(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each type of node that may hold other nodes, worked out when first asked."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        barren = kind in (ast.Constant, ast.Global, ast.Nonlocal, type(None))
        fields = () if barren else tuple(name for name in kind._fields if name not in _BARREN)
        self[kind] = fields
        return fields


CHILD_FIELDS = _FieldsByType()
"""For loops of one's own where even a generator costs too much."""


def walk(root: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and everything below it, in no particular order.

    Operators (`ast.Add`) and contexts (`ast.Load`) are left out.
    """
    pending: list[ast.AST | None] = [root]
    while pending:
        node = pending.pop()
        if node is None:  # a key of `{**other}`, a field that is not there
            continue
        yield node
        for name in CHILD_FIELDS[type(node)]:
            value = getattr(node, name, None)
            if type(value) is list:
                pending += value
            else:
                pending.append(value)
