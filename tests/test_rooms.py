"""Imports point one way: a room knows those below it, and nothing of those above."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from .command import ROOT

PACKAGE = ROOT / "torchdev_lint"
FILES = sorted(PACKAGE.rglob("*.py"))
FLOORS = (
    {"digest", "records"},
    {"garbage", "others", "signals"},
    {"stack"},
    {"addresses", "catalog", "processes"},
    {"source", "syntax"},
    {"config"},
    {"change", "project"},
    {"triage", "placement.domain", "proof"},
    {"placement.evidence", "placement.facts"},
    {"placement.objects"},
    {"placement.run"},
    {"placement.defects"},
    {"placement.python"},
    {"placement.libraries"},
    {"placement.interpreter"},
    {"placement.entry_calls"},
    {"placement.entry_arguments"},
    {"placement.entries"},
    {"placement.entry_places", "placement.entry_settings", "placement.entry_steps"},
    {"placement.entry_classes"},
    {"placement.analysis", "fixes"},
    {"finding"},
    {"sifting", "suppression"},
    {"report", "rules"},
    {"running_users", "told_by_project"},
    {"linter", "rule_docs"},
    {"applying", "cache", "known"},
    {"checking", "tracebacks"},
    {"runner"},
    {"reporters", "flake8_plugin", "server"},
)
"""The rooms, from those that know least to those that know most.

Rooms on one floor don't know each other. What is not named stands above all of them.
"""


def room_of(module: str) -> str:
    """The room of a module of the package, whose own name is left out."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "placement" else parts[0]


def floor_of(room: str) -> int:
    return next((n for n, rooms in enumerate(FLOORS) if room in rooms), len(FLOORS))


def imported_by(tree: ast.Module) -> Iterator[str]:
    """The modules of the package that code imports, also for its types only."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "an import that doesn't say from where"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            package, _, module = name.partition(".")
            if package == PACKAGE.name and module not in {"", "__version__"}:
                yield module


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_down(path: Path) -> None:
    module = ".".join(path.relative_to(PACKAGE).with_suffix("").parts)
    own = room_of(module.removesuffix(".__init__"))
    upwards = [
        imported
        for imported in imported_by(ast.parse(path.read_text(encoding="utf-8")))
        if room_of(imported) != own and floor_of(room_of(imported)) >= floor_of(own) < len(FLOORS)
    ]
    assert upwards == []


def test_every_room_is_there() -> None:
    for room in set.union(*FLOORS):
        path = PACKAGE.joinpath(*room.split("."))
        assert path.is_dir() or path.with_suffix(".py").is_file(), room
