"""Which file of the project an import means, as Python would find it. Nothing is imported.

A module is a `.py` file, or a folder: a package, or part of one without an `__init__.py`.
Source: https://docs.python.org/3/reference/import.html#searching
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

from torchdev_lint.catalog.ecosystem import STAYS_A_LIBRARY
from torchdev_lint.catalog.told import now
from torchdev_lint.project.folders import listing_of
from torchdev_lint.project.seen import listed, looked_for, saw_folder

_ROOTS = frozenset({".git", "pyproject.toml", "setup.cfg", "setup.py"})
"""What the root of a project holds."""
_SUFFIXES = (".py", ".ipynb")
"""What the names of files end in whose imports are followed."""
_INIT = "__init__.py"
_SOURCES = "src"
"""The folder of a project that holds its packages, where they don't lie in its root."""
USUAL = frozenset({_INIT, _SOURCES, *_ROOTS})
"""What is looked for in any folder."""


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
        return _inside(folder, parts) if parts else _as_module(folder)
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
    if parts[0] in STAYS_A_LIBRARY or parts[0] in sys.stdlib_module_names:
        return
    for root in _search_path(folder):
        found = _inside(root, parts)
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
    elif file != _INIT:
        return None
    return _inside(folder, [name])


def _inside(folder: str, parts: list[str]) -> str | None:
    """Find a module below a folder by the components of its name."""
    looked_for(parts)
    *packages, last = parts
    for package in packages:
        if package not in _entries(folder)[1]:
            return None
        folder = os.path.join(folder, package)
    files, folders = _entries(folder)
    if last in folders and _INIT in _entries(os.path.join(folder, last))[0]:
        return os.path.join(folder, last, _INIT)
    if f"{last}.py" in files:
        return os.path.join(folder, f"{last}.py")
    return os.path.join(folder, last) if last in folders else None


def _as_module(folder: str) -> str:
    """A folder as what it is imported as: a package's first file is what it holds."""
    return os.path.join(folder, _INIT) if _INIT in _entries(folder)[0] else folder


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
        if _SOURCES in _entries(above)[1]:
            yield os.path.join(above, _SOURCES)
    while folder != top:
        yield folder
        folder = os.path.dirname(folder)


def package_root(folder: str) -> str:
    """Return the folder that the package lies in whose files are in a folder, else that folder."""
    while _INIT in _entries(folder)[0] and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder


def is_named(path: str, name: str) -> bool:
    """Whether a dotted name can be that of a module, from whatever folder above it is imported.

    Args:
        path: where the module lies, as `find_module` gives it.
        name: the name.
    """
    parts = path.removesuffix(".py").split(os.sep)
    if parts[-1] == _INIT.removesuffix(".py"):
        parts.pop()
    named = name.split(".")
    return parts[-len(named) :] == named


def folders_up(folder: str) -> list[str]:
    """Return a folder and those above it up to the project's root; only itself without one."""
    line = [folder]
    while not is_root(line[-1]):
        above = os.path.dirname(line[-1])
        if above == line[-1]:
            return line[:1]
        line.append(above)
    return line


def is_there(path: str) -> bool:
    """Whether there is a file of a path, absolute."""
    folder, name = os.path.split(path)
    looked_for([name.removesuffix(".py")])
    return name in _entries(folder)[0]


def python_files_in(folder: str) -> tuple[str, ...]:
    """Return the paths of the Python files in a folder, in order."""
    listed(folder)
    names = sorted(name for name in _entries(folder)[0] if name.endswith(".py"))
    return tuple(os.path.join(folder, name) for name in names)


def is_root(folder: str) -> bool:
    """Whether something in a folder says that a project begins there."""
    files, folders = _entries(folder)
    return not (_ROOTS.isdisjoint(files) and _ROOTS.isdisjoint(folders))


def _entries(folder: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names of the files and of the folders in a folder."""
    listing = listing_of(folder)
    saw_folder(folder, listing)
    return listing.files, listing.folders
