"""The modules of a release: which there are, and what each binds."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path

from .outline import Outline, outlined

_BESIDE = frozenset(
    {"benchmark", "benchmarks", "build", "ci", "demo", "dev", "doc", "docs", "example", "examples",
     "notebooks", "projects", "recipes", "requirements", "scripts", "setup", "test", "tests",
     "tools", "tutorials"}
)  # fmt: skip
"""What lies beside a package, or in it, that nobody imports."""


def outlines_in(folder: Path) -> Iterator[Outline]:
    """Read the modules of all packages of a release.

    Args:
        folder: an unpacked wheel or sdist, or a work tree.
    """
    is_wheel = any(folder.glob("*.dist-info"))
    for home in (folder, folder / "src"):
        for path in sorted(home.iterdir()) if home.is_dir() else ():
            if path.name.isidentifier() and path.name not in _BESIDE and path.is_dir():
                # Only in a wheel is each folder a package.
                if (path / "__init__.py").is_file() or is_wheel:
                    yield from _in_package(path, path.name)


def _in_package(folder: Path, name: str) -> Iterator[Outline]:
    for path in sorted(folder.iterdir()):
        if path.stem in _BESIDE or not path.stem.isidentifier():
            continue
        if path.is_dir():
            yield from _in_package(path, f"{name}.{path.name}")
        elif path.suffix == ".py":
            is_package = path.stem == "__init__"
            tree = _parsed(path)
            if tree is not None:
                yield outlined(tree, name if is_package else f"{name}.{path.stem}", is_package)


def _parsed(path: Path) -> ast.Module | None:
    """Parse a file; None for what is no Python of today, such as a template."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd escapes in other people's strings
        try:
            return ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            return None
