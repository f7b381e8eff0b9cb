"""Which parts of a file put something on CUDA by that name, and what uses them."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import TypeAlias

from torchdev_lint.syntax.cuda import puts_on_cuda
from torchdev_lint.syntax.reaching import reached_from
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk

_NAMES = re.compile(r"\.cuda\b|[\"']cuda")
"""What stands in the text of a file that names CUDA: an attribute, or a string."""
_CUDA = ""
"""What stands for CUDA among the names of definitions."""
_Definition: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef"


def mentions_cuda(text: str) -> bool:
    """Whether it is worth looking for code in a file that puts something on CUDA by name."""
    return _NAMES.search(text) is not None


def users_of_cuda(tree: ast.Module) -> Callable[[ast.AST], bool] | None:
    """Return which entry points may lead to what is put on CUDA by name, None if nothing is.

    A class counts as a whole: one method may keep what another one uses.

    Args:
        tree: the file's syntax tree.
    """
    definitions = list(_definitions(tree.body))
    naming = {node for node in definitions if _puts_on_cuda(node)}
    if not naming:
        return None
    mentioned = {node: _mentioned(node) for node in definitions}
    users: dict[str, set[str]] = {_CUDA: {node.name for node in naming}}
    for node, words in mentioned.items():
        for word in words:
            users.setdefault(word, set()).add(node.name)
    names = reached_from({_CUDA}, users)
    reached = naming | {node for node, words in mentioned.items() if not words.isdisjoint(names)}
    inside = {part for node in reached for part in walk(node) if isinstance(part, FUNCTIONS)}
    return (reached | inside).__contains__


def _puts_on_cuda(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Call) and puts_on_cuda(part) for part in walk(node))


def _definitions(body: list[ast.stmt]) -> Iterator[_Definition]:
    """Yield the functions and classes of a file, also those that a statement defines."""
    for statement in body:
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            yield statement
        elif isinstance(statement, (ast.If, ast.Try, ast.With)):
            for field in ("body", "orelse", "finalbody"):
                yield from _definitions(getattr(statement, field, []))


def _mentioned(node: ast.AST) -> set[str]:
    """The names that code mentions, also as attributes."""
    return {
        part.id if isinstance(part, ast.Name) else part.attr
        for part in walk(node)
        if isinstance(part, (ast.Name, ast.Attribute))
    }
