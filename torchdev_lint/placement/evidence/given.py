"""What the functions of a file give to what they assign to, and where they read it, by its text."""

from __future__ import annotations

import ast

from torchdev_lint.syntax.names import text_of
from torchdev_lint.syntax.scopes import Syntax
from torchdev_lint.syntax.walking import walk


class Given:
    """What the functions of a file give what they assign to.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._known: dict[ast.AST, dict[str, list[ast.expr]]] = {}
        self._reads: dict[ast.AST, dict[str, list[ast.Name]]] = {}

    def of(self, scope: ast.AST) -> dict[str, list[ast.expr]]:
        """Return what one of them assigns, by what that is to."""
        if scope not in self._known:
            found = self._known[scope] = {}
            for part in walk(scope):
                if isinstance(part, ast.Assign):
                    for target in part.targets:
                        found.setdefault(text_of(target), []).append(part.value)
        return self._known[scope]

    def held_by(self, node: ast.expr) -> list[ast.expr]:
        """Return what the function around an expression assigns to what that names; often none."""
        return self.of(self._syntax.scope(node)).get(text_of(node), [])

    def reads(self, scope: ast.AST) -> dict[str, list[ast.Name]]:
        """Return where one of them reads its variables, by their names."""
        if scope not in self._reads:
            found = self._reads[scope] = {}
            for part in walk(scope):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                    found.setdefault(part.id, []).append(part)
        return self._reads[scope]
