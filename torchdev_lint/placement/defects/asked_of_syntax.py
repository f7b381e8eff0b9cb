"""Questions that the syntax tree of a file answers, whichever file it is."""

from __future__ import annotations

import ast
from collections.abc import Callable

from torchdev_lint.placement.domain.file import File
from torchdev_lint.placement.evidence.parsed_code import parsed_code
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.scopes import Syntax


def asked_of_syntax(
    run: Run, asked: Callable[[Syntax, ast.AST], bool], file: File, node: ast.AST
) -> bool | None:
    """Return whether something holds for a place, None where its file can't be asked.

    Args:
        asked: the question.
        file: the file that the place is in.
        node: the place.
    """
    if file is run.main:
        return asked(run.facts.syntax, node)
    parsed = parsed_code(file)
    return None if parsed is None else asked(parsed.syntax, node)
