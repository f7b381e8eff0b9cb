"""How often something is read around a place, and where values on the CPU are needed."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from torchdev_lint.catalog.ecosystem import HOST_LIBRARY_NAMES, HOST_WRAPPERS
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.syntax.names import dotted, path_of
from torchdev_lint.syntax.scopes import LOOPS, root_name


class Readings:
    """The reads of variables in loops and functions, gone through once for each of these.

    Args:
        facts: those of the file.
    """

    def __init__(self, facts: Facts) -> None:
        self._syntax = facts.syntax
        self._counts: dict[tuple[str, ast.AST], Counter[str]] = {}
        self._on_host: dict[tuple[str, ast.AST], bool] = {}

    def are_many(self, node: ast.expr) -> bool:
        """Return whether a path is read more than once in the innermost loop or function."""
        around = self._syntax.loop(node) or self._syntax.scope(node)
        path, root = path_of(node), root_name(node)
        if path is None or root is None:
            return False
        if (root, around) not in self._counts:
            self._counts[root, around] = Counter(
                read for name in self._syntax.named(root, around) for read in self._reads_from(name)
            )
        return self._counts[root, around][path] > 1

    def _reads_from(self, name: ast.Name) -> Iterator[str]:
        """Yield the paths that are read where a variable stands, from the shortest on."""
        part: ast.Name | ast.Attribute | ast.Subscript = name
        while (path := path_of(part)) is not None:
            if isinstance(part.ctx, ast.Load):
                yield path
            holder = self._syntax.parent(part)
            if not isinstance(holder, (ast.Attribute, ast.Subscript)) or holder.value is not part:
                return
            part = holder

    def are_on_host(self, name: str, node: ast.AST) -> bool:
        """Return whether a variable also goes where only values on the CPU may go.

        Args:
            node: the code in whose loop or function that counts.
        """
        around = self._syntax.loop(node)
        while around is not None and not isinstance(around, LOOPS):
            around = self._syntax.loop(around)
        key = name, around or self._syntax.scope(node)
        if key not in self._on_host:
            self._on_host[key] = any(map(self._needs_host, self._syntax.named(*key)))
        return self._on_host[key]

    def _needs_host(self, name: ast.Name) -> bool:
        """Whether a variable is used at a place as only values on the CPU can be."""
        part = self._syntax.parent(name)
        if isinstance(part, ast.Attribute):
            return part.attr == "numpy" and self._syntax.is_called(part)
        if not isinstance(part, ast.Call) or name not in part.args:
            return False
        called = dotted(part.func) or ""
        return (
            called.partition(".")[0] in HOST_LIBRARY_NAMES
            or called.rpartition(".")[2] in HOST_WRAPPERS
        )
