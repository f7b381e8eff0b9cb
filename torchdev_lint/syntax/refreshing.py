"""Methods by which an object makes again what it has outgrown: `if n > self.size: self._make(n)`.

Until it has outgrown it, there is what the method made when the object was built.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.syntax.walking import walk

_OWN = "self"
_ORDERING = (ast.Gt, ast.GtE, ast.Lt, ast.LtE)
_KINDS = frozenset({"device", "dtype", "is_cuda"})
"""What is asked of a tensor that is to be made again on another device, or of another type."""
_LEAST = 2
"""What is made for fewer than this is made to be outgrown at once."""

_Call = tuple[str, frozenset[str]]
"""The name of a method that is called, and the attributes of the object that were asked before."""


def outgrown(code: ast.AST) -> dict[str, frozenset[str]]:
    """Return the own methods that code calls only where an attribute is too small, or too large.

    Returns:
        The attributes that are asked before each call, by the name of the method.
    """
    found: dict[str, frozenset[str]] = {}
    for name, asked in _used(code, frozenset()):
        found[name] = found[name] & asked if name in found else asked
    return {name: asked for name, asked in found.items() if asked}


def made_whole(nodes: list[ast.AST]) -> frozenset[str]:
    """Return the own methods that code calls, each time with what they may be made for.

    Args:
        nodes: all of the code.
    """
    calls = [(name, n) for n in nodes if isinstance(n, ast.Call) and (name := _own(n.func))]
    least = {name for name, call in calls if any(map(_is_least, _given(call)))}
    return frozenset(name for name, _ in calls) - least


def _used(node: ast.AST, asked: frozenset[str]) -> Iterator[_Call]:
    """Yield the attributes of `self` that code reads, with those that were asked before."""
    name = _own(node)
    if name:
        yield name, asked
    for field, value in ast.iter_fields(node):
        in_body = isinstance(node, ast.If) and field == "body"
        before = asked | _asked(node.test) if in_body and isinstance(node, ast.If) else asked
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST):
                yield from _used(part, before)


def _asked(test: ast.expr) -> frozenset[str]:
    """The attributes of `self` that a condition finds too small; none if it asks anything else."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], _ORDERING):
        return frozenset()
    if any(isinstance(part, ast.Attribute) and part.attr in _KINDS for part in walk(test)):
        return frozenset()
    return frozenset(name for part in walk(test) if (name := _own(part)))


def _own(node: ast.AST) -> str:
    """The attribute of `self` that an expression reads, if it is one."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.attr if node.value.id == _OWN else ""
    return ""


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(keyword.value for keyword in call.keywords)]


def _is_least(node: ast.expr) -> bool:
    if not isinstance(node, ast.Constant):
        return False
    value = node.value
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value < _LEAST
