"""What code asks about with `reveal_device`: a note for each call."""

from __future__ import annotations

import ast

from torchdev_lint.finding import Revealed
from torchdev_lint.known.knowledge import Knowledge
from torchdev_lint.placement.domain.values import Library
from torchdev_lint.source.source import Source
from torchdev_lint.syntax.walking import walk

_NAME = "reveal_device"
_QUALIFIED = frozenset({f"torchdev_lint.{_NAME}", f"torchdev_lint.reveal.{_NAME}"})


def revealed_in(source: Source) -> tuple[Revealed, ...]:
    """Return what is known of the values that a file asks about, by position.

    The file is analysed once more for it, as a whole.

    Raises:
        SyntaxProblem: the text isn't valid Python, or too deeply nested for the parser.
    """
    knowledge = Knowledge(source)
    calls = [node for node in walk(knowledge.tree) if isinstance(node, ast.Call)]
    found = [note for call in calls if (note := _note(knowledge, call)) is not None]
    return tuple(sorted(found, key=lambda note: note.span))


def _note(knowledge: Knowledge, call: ast.Call) -> Revealed | None:
    asked = [*call.args, *(keyword.value for keyword in call.keywords)][:1]
    if not asked or not _asks(knowledge, call.func):
        return None
    known = knowledge.of(asked[0])
    return Revealed(known.span, knowledge.scope(call), " ".join(known.text.split()), known.words)


def _asks(knowledge: Knowledge, function: ast.expr) -> bool:
    """Whether a function is the one that asks; where code isn't reached, by its name."""
    values = knowledge.values(function)
    if not values:
        return isinstance(function, (ast.Name, ast.Attribute)) and _NAME in ast.unparse(function)
    return any(isinstance(value, Library) and value.name in _QUALIFIED for value in values)
