"""Which file of the project an import means, as Python would find it. Nothing is imported.

A module is a `.py` file, or a folder: a package, or part of one without an `__init__.py`.
Source: https://docs.python.org/3/reference/import.html#searching
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from torchdev_lint.catalog.ecosystem import STAYS_A_LIBRARY
from torchdev_lint.catalog.told import now
from torchdev_lint.project.python_itself import is_of_python
from torchdev_lint.project.roots import folders_up
from torchdev_lint.project.tree import INIT, SOURCES, as_module, entries, module_in, package_root

_SUFFIXES = (".py", ".ipynb")
"""What the names of files end in whose imports are followed."""


def project_path(path: str) -> str:
    """Return where a file lies that is to be linted, so that its imports can be followed.

    Args:
        path: the path as the user wrote it; that of standard input leads nowhere.

    Returns:
        The absolute path; empty if there is no folder for it to lie in.
    """
    absolute = os.path.abspath(path) if "\0" not in path else ""
    is_in_folder = path.endswith(_SUFFIXES) and os.path.isdir(os.path.dirname(absolute))
    return absolute if is_in_folder else ""


def find_module(importer: str, level: int, name: str) -> str | None:
    """Find what an import names.

    Args:
        importer: the path of the file that imports.
        level: how many dots the name begins with.
        name: the dotted name behind them, perhaps empty.

    Returns:
        The path of a file or folder; None if it is not of the project.
    """
    parts = name.split(".") if name else []
    folder = os.path.dirname(importer)
    if level:
        for _ in range(level - 1):
            folder = os.path.dirname(folder)
        return module_in(folder, parts) if parts else as_module(folder)
    return next(_found(folder, parts), None)


def find_modules(importer: str, name: str) -> list[str]:
    """Find all that an import without leading dots may name, wherever the program begins.

    Args:
        importer: the path of the file that imports.
        name: the dotted name.
    """
    return list(_found(os.path.dirname(importer), name.split(".")))


def _found(folder: str, parts: list[str]) -> Iterator[str]:
    """Yield what an absolute import of a file in a folder may name, in order."""
    if parts[0] in STAYS_A_LIBRARY or is_of_python(parts):
        return
    for root in _search_path(folder):
        found = module_in(root, parts)
        if found is not None:
            yield found


def find_submodule(module: str, name: str) -> str | None:
    """Find a module in another one, None if that is no package, or has none of that name.

    Args:
        module: the path of a file or folder, as `find_module` gives it.
    """
    folder, file = os.path.split(module)
    if os.path.isdir(module):
        folder = module
    elif file != INIT:
        return None
    return module_in(folder, [name])


def _search_path(folder: str) -> Iterator[str]:
    """Where absolute imports of a file in a folder may lead, in order.

    A script's own folder comes first. A file of a package is imported by what lies beside that
    package, or by a script that lies in it all the same, which leaves its own folder, and those
    above it in the package, to the end. What the user says comes before what the project shows.
    """
    top = package_root(folder)
    yield top
    yield from now().src
    for above in folders_up(top):
        yield above
        if SOURCES in entries(above)[1]:
            yield os.path.join(above, SOURCES)
    while folder != top:
        yield folder
        folder = os.path.dirname(folder)


def is_named(path: str, name: str) -> bool:
    """Whether a dotted name can be that of a module, from whatever folder above it is imported.

    Args:
        path: where the module lies, as `find_module` gives it.
        name: the name.
    """
    parts = path.removesuffix(".py").split(os.sep)
    if parts[-1] == INIT.removesuffix(".py"):
        parts.pop()
    named = name.split(".")
    return parts[-len(named) :] == named
