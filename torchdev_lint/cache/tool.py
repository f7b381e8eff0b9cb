"""What decides, besides the files, what is found in them: this tool, and what it stands on."""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib.util import find_spec

from torchdev_lint import __version__
from torchdev_lint.digest import blake2b
from torchdev_lint.others import states

_LIBRARIES = ("flake8", "libcst")
"""What findings are silenced by, and fixes made with."""


@cache
def version() -> str:
    """Return what has to be the same for a result to hold, as a name for a file.

    That is this package with all its files, so that also who works on it gets no old results; the
    libraries, and rules of others; and Python, whose parser it is.
    """
    number = blake2b(digest_size=16)
    parts = [__version__, sys.implementation.name, sys.version]
    parts += [_installed(name) for name in _LIBRARIES]
    parts += states()
    number.update("\0".join(parts).encode())
    for path in _own_files():
        with open(path, "rb") as file:
            data = file.read()
        number.update(f"\0{os.path.basename(path)}\0{len(data)}\0".encode())
        number.update(data)
    return number.hexdigest()


def _own_files() -> list[str]:
    """The files of this package, in an order that is always the same."""
    found, pending = list[str](), [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_dir():
                    pending += [entry.path] if entry.name != "__pycache__" else []
                elif not entry.name.endswith((".pyc", ".tmp")):
                    found.append(entry.path)
    return found


def _installed(name: str) -> str:
    """Return which release of a library is installed, without importing it.

    The folder beside it says so that installers write; to ask `importlib.metadata` takes as long as
    all the rest of a run that finds its results here.
    """
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        return f"{name}: none"
    package = os.path.dirname(spec.origin)
    try:
        beside = sorted(os.listdir(os.path.dirname(package)))
    except OSError:  # in an archive
        beside = []
    marks = [entry for entry in beside if entry.lower().startswith(f"{name}-")]
    return f"{name}: {marks or spec.origin}"
