"""How what a variable holds at one place is used: under the same name, and bound by the same."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.placement.evidence.collecting import collect_uses
from torchdev_lint.placement.evidence.uses import Uses
from torchdev_lint.proof.reads import Reads
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
        self._reads = Reads(syntax, self._bindings)
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
            reads = self._reads.of_any(name.id, scope, bound)
            nodes = dict.fromkeys(part for read in reads for part in self._around(read))
            self._uses[key] = collect_uses(list(nodes), torch_names).get(name.id)
        return self._uses[key]

    def _around(self, name: ast.Name) -> Iterator[ast.AST]:
        """What a variable is part of, up to the statement."""
        yield name
        for part in self._syntax.around(name):
            yield part
            if isinstance(part, ast.stmt):
                return
