"""Where a project uses what one of its files defines, tests left out."""

from __future__ import annotations

import ast

from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.names import Definition, references
from torchdev_lint.project.users import files_that_name, is_test

_MAX_FILES = 40
"""How many files are read for one definition."""


def uses_of(file: ParsedFile, definition: Definition) -> list[tuple[ParsedFile, ast.expr]]:
    """Return where a definition is used, but for its own code; nothing where not all is known.

    Tests call what they test with whatever they have, and tell nothing.

    Args:
        file: a file of the project that is parsed already.
        definition: what is looked for, which stands at the top of its file.
    """
    users = files_that_name(definition.path, [definition.name]) if definition.path else None
    if users is None or not users.complete or len(users.files) > _MAX_FILES:
        return []
    found: list[tuple[ParsedFile, ast.expr]] = []
    for path in (definition.path, *users.files):
        user = file if path == file.path else parsed_file(path)
        if user is None or (is_test(path) and path != definition.path):
            continue
        for node in references(user, definition):
            if getattr(user.syntax.outermost(node), "name", "") != definition.name:
                found.append((user, node))
    return found
