"""Releases of libraries that are made up for the tests."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from .__main__ import tables_at

ABOUT = "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"


def release(folder: Path, name: str, **files: str) -> Path:
    """Write an unpacked release with a package of the same name; `__` in a name is a slash."""
    place = folder / f"{name}-1.0"
    (place / f"{name}-1.0.dist-info").mkdir(parents=True)
    about = ABOUT.format(name=name, version="1.0")
    (place / f"{name}-1.0.dist-info" / "METADATA").write_text(about)
    for module, text in {"init": "", **files}.items():
        path = place / name / (module.replace("__", "/") + ".py")
        if path.stem == "init":
            path = path.with_name("__init__.py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))
    return place


def words(folder: Path, library: str = "lib") -> dict[str, str]:
    """The kinds of a library's classes as words, by name."""
    tables = {table.library: table for table in tables_at([str(folder)])}
    return {
        name: " ".join(sorted(kind.value for kind in kinds))
        for name, kinds in tables[library].kinds.items()
    }
