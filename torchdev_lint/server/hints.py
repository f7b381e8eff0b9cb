"""Where what a file binds lives, to be shown beside it."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.told import told
from torchdev_lint.config.settings import Settings
from torchdev_lint.known.knowledge import Knowledge
from torchdev_lint.known.known import Nature
from torchdev_lint.server.questions import Hint, Hints
from torchdev_lint.source.source import Source
from torchdev_lint.syntax.walking import walk

_BINDS = (ast.Name, ast.Attribute)
_SHOWN = frozenset({Nature.TENSOR, Nature.TENSORS, Nature.MODULE, Nature.LOADER, Nature.CONTAINER})


def hints_in(source: Source, settings: Settings) -> Hints:
    """Return where variables, attributes and parameters live, by position.

    Nothing is said where that isn't known, or differs from case to case.

    Raises:
        SyntaxProblem: the text isn't valid Python, or too deeply nested for the parser.
    """
    if not source.mentions_torch():
        return Hints()
    with told(settings.told):
        knowledge = Knowledge(source)
        bound = [node for node in walk(knowledge.tree) if _is_bound(node)]
        found = [hint for node in bound if (hint := _hint(knowledge, node)) is not None]
    return Hints(tuple(sorted(found, key=lambda hint: (hint.line, hint.column))), source.cells)


def _is_bound(node: ast.AST) -> bool:
    if isinstance(node, _BINDS):
        return isinstance(node.ctx, ast.Store)
    return isinstance(node, ast.arg)


def _hint(knowledge: Knowledge, node: ast.AST) -> Hint | None:
    known = knowledge.of(node)
    if known.nature not in _SHOWN or not known.where:
        return None
    return Hint(known.span.end_line, known.span.end_column, known.where, known.words)
