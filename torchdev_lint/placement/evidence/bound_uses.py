"""How what a variable holds at one place is used: under the same name, and bound by the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.placement.evidence.collecting import collect_uses
from torchdev_lint.placement.evidence.uses import Uses
from torchdev_lint.syntax.bindings import Bindings
from torchdev_lint.syntax.scopes import Syntax


class BoundUses:
    """The uses of what variables hold, apart from those of what else they hold.

    Args:
        syntax: the file's.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._bindings = syntax.derived(Bindings)
        self._reads: dict[tuple[ast.AST, str], dict[ast.AST | None, list[ast.Name]]] = {}
        self._uses: dict[tuple[ast.AST, str, frozenset[ast.AST | None]], Uses | None] = {}

    def of(self, name: ast.Name, torch_names: frozenset[str]) -> Uses | None:
        """Return how that is used which a variable holds where it stands.

        Args:
            name: where the variable stands.
            torch_names: first components of names that mean `torch` or something in it.
        """
        scope, bound = self._syntax.scope(name), self._bindings.reaching(name.id, name)
        key = scope, name.id, bound
        if key not in self._uses:
            reads = self._reads_in(scope, name.id)
            nodes = dict.fromkeys(
                part
                for binding in bound
                for read in reads.get(binding, ())
                for part in self._around(read)
            )
            self._uses[key] = collect_uses(list(nodes), torch_names).get(name.id)
        return self._uses[key]

    def _reads_in(self, scope: ast.AST, name: str) -> dict[ast.AST | None, list[ast.Name]]:
        """Where a variable is read, by what has bound it there."""
        if (scope, name) not in self._reads:
            found: dict[ast.AST | None, list[ast.Name]] = {}
            for node in self._syntax.named(name, scope):
                if isinstance(node.ctx, ast.Load):
                    for binding in self._bindings.reaching(name, node):
                        found.setdefault(binding, []).append(node)
            self._reads[scope, name] = found
        return self._reads[scope, name]

    def _around(self, name: ast.Name) -> Iterator[ast.AST]:
        """What a variable is part of, up to the statement."""
        yield name
        for part in self._syntax.around(name):
            yield part
            if isinstance(part, ast.stmt):
                return
