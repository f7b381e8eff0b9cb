"""What classes of a project give their attributes, also in the files of their bases."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from torchdev_lint.placement.evidence.made_of import Placed
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import definition_behind
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.walking import walk

Owner: TypeAlias = tuple[ParsedFile, ast.ClassDef]
"""A class, with the file it is in."""


def with_bases(file: ParsedFile, owner: ast.ClassDef) -> Iterator[Owner]:
    """Yield a class and those of its bases that the project defines, each with its file."""
    pending, seen = [(file, owner)], set[ast.ClassDef]()
    while pending:
        home, each = pending.pop()
        if each in seen:
            continue
        seen.add(each)
        yield home, each
        for base in each.bases:
            behind = defined(home, base)
            if behind is not None and isinstance(behind[1], ast.ClassDef):
                pending.append((behind[0], behind[1]))


def assigned_in(file: ParsedFile, owner: ast.ClassDef, attr: str) -> Iterator[Placed]:
    """Yield what a class, or a base of it, gives its attribute."""
    for home, each in with_bases(file, owner):
        for node in walk(each):
            if isinstance(node, ast.Assign):
                if any(dotted(target) == f"self.{attr}" for target in node.targets):
                    yield Placed(home, node.value)


def defined(
    file: ParsedFile, node: ast.expr
) -> tuple[ParsedFile, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef] | None:
    """Return the function or class of the project that an expression names, with its file."""
    name = dotted(node)
    return None if name is None else definition_behind(file, name)
