"""Which files lie beside the code that reads them: a project ships those."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.placement.evidence.given import Given
from torchdev_lint.placement.evidence.made_of import Placed
from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.names import meaning_of
from torchdev_lint.syntax.names import dotted, text_of
from torchdev_lint.syntax.walking import walk

_MOST_FOLLOWED = 16
"""How many expressions are looked at that a path is made of."""
_HERE = "__file__"
_RESOURCES = frozenset({"importlib.resources.files", "pkg_resources.resource_filename"})
"""Functions that say where the files of a package lie.
Source: https://docs.python.org/3/library/importlib.resources.html"""


def lies_beside_code(file: ParsedFile, path: ast.expr) -> bool:
    """Return whether a path is made of where its program lies: `Path(__file__).parent / "w.pt"`.

    Args:
        file: the file that names it.
        path: the expression.
    """
    pending, followed = [Placed(file, path)], set[ast.expr]()
    while pending and len(followed) < _MOST_FOLLOWED:
        home, node = pending.pop()
        if node in followed:
            continue
        followed.add(node)
        for part in walk(node):
            if isinstance(part, ast.Name) and part.id == _HERE:
                return True
            if isinstance(part, ast.Call) and dotted(part.func) in _RESOURCES:
                return True
            if isinstance(part, (ast.Name, ast.Attribute)) and isinstance(part.ctx, ast.Load):
                pending += _given(home, part)
    return False


def _given(file: ParsedFile, node: ast.expr) -> Iterator[Placed]:
    """Yield what a variable or attribute is given, if that is one thing wherever it is."""
    syntax, name = file.syntax, text_of(node)
    given, method = syntax.derived(Given), syntax.method(node)
    scopes = [syntax.scope(node), *([method[1]] if method is not None else []), syntax.tree]
    for scope in scopes:
        values = given.of(scope).get(name, [])
        if values:
            yield from (Placed(file, value) for value in values if len(values) == 1)
            return
    meaning = meaning_of(file, name) if isinstance(node, ast.Name) else None
    home = parsed_file(meaning.path) if meaning is not None and meaning.path else None
    if home is not None and meaning is not None and home.path != file.path:
        values = home.syntax.derived(Given).of(home.tree).get(meaning.name, [])
        yield from (Placed(home, value) for value in values if len(values) == 1)
