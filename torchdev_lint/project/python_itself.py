"""Which names are those of Python's own library, whatever lies beside what imports them."""

from __future__ import annotations

import sys
from collections.abc import Sequence

_NOT_MEANT = frozenset({"test"})
"""What Python has for itself, and no program means: a project's `test.py` comes first."""
PACKAGES = frozenset(
    """
    asyncio collections compression concurrent ctypes curses dbm distutils email encodings ensurepip
    html http idlelib importlib json lib2to3 logging multiprocessing os pathlib profiling
    pydoc_data re sqlite3 string sysconfig tkinter tomllib turtledemo unittest urllib venv wsgiref
    xml xmlrpc zoneinfo
    """.split()
)
"""What of Python's library has modules in it, in some version."""


def is_of_python(parts: Sequence[str]) -> bool:
    """Return whether a dotted name is one of Python's own modules.

    A folder called `code` is a project's where something in it is imported: Python's module of
    that name has nothing in it.
    """
    first = parts[0]
    if first in _NOT_MEANT or first not in sys.stdlib_module_names:
        return False
    return len(parts) == 1 or first in PACKAGES


def may_be_of_project(first: str) -> bool:
    """Return whether what a program imports by its first name may be a module of its own."""
    return first in _NOT_MEANT or first not in sys.stdlib_module_names
