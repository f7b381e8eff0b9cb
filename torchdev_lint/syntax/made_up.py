"""Names that are made up while a program runs: `f"conv{i}"`, `"conv%d" % i`.

Attributes that are set and read by such names are a family. It goes by what they have in common,
with a star for what is made up: `conv*`. That is no identifier, so nothing else is called so.
"""

from __future__ import annotations

import ast
import re
from fnmatch import fnmatchcase

from torchdev_lint.syntax.names import last_component

_FORMATTED = re.compile(r"%[-+ #0]*\d*(\.\d+)?[a-zA-Z]")
_REPLACED = re.compile(r"\{[^}]*\}")
_STAR = "*"


def family_of(name: ast.AST | None) -> str | None:
    """Return what attributes have in common whose names an expression makes up.

    Returns:
        None where they begin with what is made up, or it is one name, or nothing is known of it.
    """
    text = ""
    if isinstance(name, ast.JoinedStr):
        text = "".join(_text(part) or _STAR for part in name.values)
    elif isinstance(name, ast.BinOp) and isinstance(name.op, ast.Mod):
        text = _FORMATTED.sub(_STAR, _text(name.left))
    elif isinstance(name, ast.BinOp) and isinstance(name.op, ast.Add) and _text(name.left):
        text = _text(name.left) + _STAR
    elif isinstance(name, ast.Call) and isinstance(name.func, ast.Attribute):
        if last_component(name.func) == "format":
            text = _REPLACED.sub(_STAR, _text(name.func.value))
    return text if is_family(text) else None


def is_family(name: str) -> bool:
    """Return whether a name stands for all that begin and end like it."""
    return not name.startswith(_STAR) and _STAR in name


def may_be_of(name: str, family: str) -> bool:
    """Return whether an attribute may be one of a family, or a family overlap it."""
    if is_family(name):
        begins = name.partition(_STAR)[0], family.partition(_STAR)[0]
        return begins[0].startswith(begins[1]) or begins[1].startswith(begins[0])
    return fnmatchcase(name, family)


def _text(node: ast.expr) -> str:
    """A string that is written out; nothing for any other expression."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ""


def beginning_of(name: ast.expr | None) -> str:
    """Return what a computed name certainly begins with."""
    match name:
        case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
            return text
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Add()):
            return text
        case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Mod()):
            return text.partition("%")[0]
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="format")):
            return text.partition("{")[0]
    return ""
