"""What a file has only where it is run as a script: behind `if __name__ == "__main__":`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property

from torchdev_lint.syntax.names import bound_by
from torchdev_lint.syntax.reaching import reached_from
from torchdev_lint.syntax.scopes import FUNCTIONS, own_nodes
from torchdev_lint.syntax.walking import walk

_DEFINITIONS = (*FUNCTIONS, ast.ClassDef)


class Script:
    """The variables that nothing but the script of a file binds, and what the script uses.

    Args:
        tree: the file's.
    """

    def __init__(self, tree: ast.AST) -> None:
        body = tree.body if isinstance(tree, ast.Module) else []
        guarded = [part for part in body if is_main_guard(part)]
        others = [part for part in body if not is_main_guard(part)]
        self.variables = _bound(guarded) - _bound(others) if guarded else set[str]()
        self._body = body

    def uses(self, definition: str) -> bool:
        """Whether code that runs with the file names a definition, or what names it.

        So may do whoever a decorator hands it to.
        """
        return definition in self._used

    @cached_property
    def _used(self) -> set[str]:
        definitions = [part for part in self._body if isinstance(part, _DEFINITIONS)]
        steps = {part.name: _read(walk(part)) for part in definitions}
        running = (part for part in self._body if not isinstance(part, _DEFINITIONS))
        first = {name for part in running for name in _read(walk(part))}
        first.update(part.name for part in definitions if part.decorator_list)
        return reached_from(first, steps)


def is_main_guard(node: ast.AST) -> bool:
    """Return whether a statement runs its body where the file is run as a script."""
    if not isinstance(node, ast.If) or not isinstance(node.test, ast.Compare):
        return False
    sides = (node.test.left, *node.test.comparators)
    named = any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)
    is_main = any(isinstance(side, ast.Constant) and side.value == "__main__" for side in sides)
    return named and is_main and isinstance(node.test.ops[0], ast.Eq) and not node.orelse


def _bound(statements: Iterable[ast.stmt]) -> set[str]:
    return {name for part in statements for node in _own(part) if (name := bound_by(node))}


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """A statement and what is in it, but for what is in functions and classes."""
    yield statement
    if not isinstance(statement, _DEFINITIONS):
        yield from own_nodes(statement)


def _read(nodes: Iterable[ast.AST]) -> set[str]:
    return {node.id for node in nodes if isinstance(node, ast.Name)}
