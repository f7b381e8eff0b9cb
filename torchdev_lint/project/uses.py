"""Where a project uses what one of its files defines, tests left out."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.names import Definition, meaning_of, references
from torchdev_lint.project.seen import in_one_moment
from torchdev_lint.project.users import Users, files_that_name, is_test
from torchdev_lint.source.source import NOTEBOOK
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.walking import walk

_MAX_FILES = 40
"""How many files are read for one definition."""
_NEAREST = 10
"""How many are where there are more: those that lie nearest to it."""


class Uses(NamedTuple):
    """Where a definition is used.

    Args:
        places: each with the file it stands in.
        complete: whether those are all.
    """

    places: list[tuple[ParsedFile, ast.expr]]
    complete: bool


def uses_of(file: ParsedFile, definition: Definition) -> Uses:
    """Return where a definition is used, but for its own code.

    Tests call what they test with whatever they have, and tell nothing.

    Args:
        file: a file of the project that is parsed already.
        definition: what is looked for, which stands at the top of its file.
    """
    users = _users(definition.path, definition.name)
    complete = users.complete and len(users.files) <= _MAX_FILES
    files = users.files if len(users.files) <= _MAX_FILES else users.files[:_NEAREST]
    defining = file if definition.path == file.path else parsed_file(definition.path)
    own = [] if defining is None else [(defining, n) for n in references(defining, definition)]
    places = [
        (user, node)
        for user, node in (*own, *_uses_in(files, definition))
        if user is not defining or _outermost(user, node) != definition.name
    ]
    return Uses(places, complete)


def _outermost(file: ParsedFile, node: ast.AST) -> str:
    """The function or class at the top of a file that a node is in."""
    return getattr(file.syntax.outermost(node), "name", "")


def uses_of_method(file: ParsedFile, owner: str, method: str) -> Uses:
    """Return where a method of a class may be used: in the files that name the class, by its name.

    Of what it is called on, syntax doesn't tell the class; but it tells what a module has.

    Args:
        file: the file that defines the class, parsed already.
        owner: the class.
        method: its method.
    """
    users = _users(file.path, owner)
    if len(users.files) > _MAX_FILES:
        return Uses([], complete=False)
    others = (parsed_file(path) for path in users.files if not is_test(path))
    places: list[tuple[ParsedFile, ast.expr]] = [
        (user, node)
        for user in (file, *others)
        if user is not None
        for node in user.derived(_attributes).get(method, ())
        if not _is_of_module(user, node)
    ]
    return Uses(places, users.complete)


def _is_of_module(file: ParsedFile, node: ast.Attribute) -> bool:
    """Whether an attribute is what a module has: `torch.save`."""
    name = dotted(node)
    return name is not None and meaning_of(file, name) is not None


def _attributes(file: ParsedFile) -> dict[str, list[ast.Attribute]]:
    """Where a file writes attributes, by their names."""
    found: dict[str, list[ast.Attribute]] = {}
    for node in walk(file.tree):
        if isinstance(node, ast.Attribute):
            found.setdefault(node.attr, []).append(node)
    return found


@in_one_moment
def _users(path: str, name: str) -> Users:
    """The other files that name something; a text that is no file has none that are known.

    Nobody imports a notebook.
    """
    if path.endswith(NOTEBOOK):
        return Users((), complete=True)
    return files_that_name(path, [name]) if path else Users((), complete=False)


def _uses_in(paths: Iterable[str], definition: Definition) -> Iterator[tuple[ParsedFile, ast.expr]]:
    """Where some files use what another one defines; those of tests are left out."""
    for path in paths:
        user = None if is_test(path) else parsed_file(path)
        if user is not None:
            yield from ((user, node) for node in references(user, definition))
