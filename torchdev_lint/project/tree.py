"""What lies where in the folders of projects: modules, packages, and what marks a root.

A module is a `.py` file, or a folder: a package, or part of one without an `__init__.py`.
Source: https://docs.python.org/3/reference/import.html#searching
"""

from __future__ import annotations

import os

from torchdev_lint.project.folders import listing_of
from torchdev_lint.project.seen import listed, looked_for, saw_folder

_ROOTS = frozenset({".git", "pyproject.toml", "setup.cfg", "setup.py"})
"""What the root of a project holds."""
INIT = "__init__.py"
SOURCES = "src"
"""The folder of a project that holds its packages, where they don't lie in its root."""
USUAL = frozenset({INIT, SOURCES, *_ROOTS})
"""What is looked for in any folder."""


def module_in(folder: str, parts: list[str]) -> str | None:
    """Find a module below a folder by the components of its name.

    Returns:
        The path of a file or folder; None if there is none.
    """
    looked_for(parts)
    *packages, last = parts
    for package in packages:
        if package not in entries(folder)[1]:
            return None
        folder = os.path.join(folder, package)
    files, folders = entries(folder)
    if last in folders and INIT in entries(os.path.join(folder, last))[0]:
        return os.path.join(folder, last, INIT)
    if f"{last}.py" in files:
        return os.path.join(folder, f"{last}.py")
    return os.path.join(folder, last) if last in folders else None


def as_module(folder: str) -> str:
    """Return a folder as what it is imported as: a package's first file is what it holds."""
    return os.path.join(folder, INIT) if INIT in entries(folder)[0] else folder


def package_root(folder: str) -> str:
    """Return the folder that the package lies in whose files are in a folder, else that folder.

    What can't be written as a name is no package, whatever lies in it: that is a folder with a
    project in it.
    """
    while os.path.basename(folder).isidentifier() and INIT in entries(folder)[0]:
        folder = os.path.dirname(folder)
    return folder


def python_files_in(folder: str) -> tuple[str, ...]:
    """Return the paths of the Python files in a folder, in order."""
    listed(folder)
    names = sorted(name for name in entries(folder)[0] if name.endswith(".py"))
    return tuple(os.path.join(folder, name) for name in names)


def is_there(path: str) -> bool:
    """Whether there is a file of a path, absolute."""
    folder, name = os.path.split(path)
    looked_for([name.removesuffix(".py")])
    return name in entries(folder)[0]


def is_root(folder: str) -> bool:
    """Whether something in a folder says that a project begins there."""
    files, folders = entries(folder)
    return not (_ROOTS.isdisjoint(files) and _ROOTS.isdisjoint(folders))


def entries(folder: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the files and of the folders in a folder."""
    listing = listing_of(folder)
    saw_folder(folder, listing)
    return listing.files, listing.folders
