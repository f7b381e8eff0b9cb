"""Alpha-renaming: the same program with other names for its variables and functions."""

from __future__ import annotations

import ast
import builtins
import io
import re
import tokenize
from collections.abc import Iterable, Mapping, Sequence

_WORD = re.compile(r"[^\W\d]\w*")


def renamed(text: str, pattern: str = "q{}z") -> str:
    """Give a program's own names other names, each line staying where it is.

    A name is left alone where it could be seen from elsewhere: imported, used as an attribute
    or a keyword, bound in a class body, found in a string; so is one that Python itself calls.

    Args:
        text: the program.
        pattern: what the new names look like; `{}` becomes a number.
    """
    return renamed_together([text], pattern)[0]


def renamed_together(texts: Sequence[str], pattern: str = "q{}z") -> list[str]:
    """Give the names of a program of several files other names, the same in all of them.

    Args:
        texts: its files.
        pattern: what the new names look like; `{}` becomes a number.
    """
    trees = [ast.parse(text) for text in texts]
    bound = set[str]().union(*map(_bound, trees))
    kept = {name for name in bound if name.startswith("__") and name.endswith("__")}
    names = sorted(bound.difference(kept, *map(_fixed, trees)))
    nodes = (node for tree in trees for node in ast.walk(tree))
    taken = {name for node in nodes for name in _identifiers(node)}
    fresh = (pattern.format(number) for number in range(10**6))
    mapping = {name: next(new for new in fresh if new not in taken) for name in names}
    return [_with_names(text, mapping) for text in texts]


def _with_names(text: str, mapping: Mapping[str, str]) -> str:
    lines = text.splitlines(keepends=True)
    for token in reversed(list(tokenize.generate_tokens(io.StringIO(text).readline))):
        if token.type == tokenize.NAME and token.string in mapping:
            (row, start), (_, end) = token.start, token.end
            line = lines[row - 1]
            lines[row - 1] = line[:start] + mapping[token.string] + line[end:]
    return "".join(lines)


def _bound(tree: ast.Module) -> set[str]:
    """Names that the program binds: variables, parameters, functions, classes."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
    return names


def _fixed(tree: ast.Module) -> set[str]:
    """Names that mean something outside the place where they are bound."""
    names = set(dir(builtins)) | {"self", "cls"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.keyword):
            names.add(node.arg or "")
        elif isinstance(node, ast.alias):
            names.update((node.asname or node.name).split("."))
        elif isinstance(node, ast.ImportFrom):
            names.update((node.module or "").split("."))
        elif isinstance(node, ast.ClassDef):
            names.update(_class_level(node.body))
        elif isinstance(node, ast.JoinedStr):  # its names are no tokens before Python 3.12
            names.update(name for inner in ast.walk(node) for name in _identifiers(inner))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.update(_WORD.findall(node.value))
        elif isinstance(node, ast.arguments):
            names.update(arg.arg for arg in node.kwonlyargs)
    return names


def _class_level(body: Iterable[ast.stmt]) -> set[str]:
    names = set()
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            names.add(statement.name)
        else:
            names.update(
                node.id
                for node in ast.walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            )
    return names


def _identifiers(node: ast.AST) -> set[str]:
    values = (value for _, value in ast.iter_fields(node))
    return {value for value in values if isinstance(value, str)}
