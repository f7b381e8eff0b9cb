"""The imports of a file: which names they bind, and which files of the project they may mean."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.project.files import parsed_file
from torchdev_lint.project.lazy import lazy_member
from torchdev_lint.project.resolution import find_module, find_submodule
from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """Where an imported name comes from.

    Args:
        module: the path of the module.
        name: which name of it is meant; empty for the module itself.
    """

    module: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class _Import:
    """One name of an import: `from .module import name` with one dot has level 1."""

    level: int
    module: str
    name: str


class ImportTable:
    """What the imports of a file bind. Files are looked for when a name is asked for.

    Args:
        tree: the file's syntax tree.
        path: where it lies, absolute; empty if it is of no project.
    """

    def __init__(self, tree: ast.Module, path: str) -> None:
        self.path = path
        self.stars: list[_Import] = []
        self._imports: dict[str, list[_Import]] = {}
        for node in _imports_in(tree.body) if path else ():
            self._add(node)

    def _add(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                name = alias.asname or alias.name.partition(".")[0]
                self._imports.setdefault(name, []).append(_Import(0, alias.name, ""))
            else:
                found = _Import(node.level, node.module or "", alias.name)
                if alias.name == "*":
                    self.stars.append(found)
                else:
                    self._imports.setdefault(alias.asname or alias.name, []).append(found)

    def __bool__(self) -> bool:
        return bool(self._imports or self.stars)

    def __contains__(self, name: str) -> bool:
        return name in self._imports

    def __iter__(self) -> Iterator[str]:
        return iter(self._imports)

    def sources_of(self, name: str) -> Iterator[Source]:
        """Yield where a name may come from, as far as that is in the project."""
        for found in self._imports.get(name, ()):
            module = find_module(self.path, found.level, found.module)
            if module is not None:
                submodule = find_submodule(module, found.name) if found.name else None
                yield Source(submodule) if submodule else Source(module, found.name)
                parsed = parsed_file(module) if found.name and not submodule else None
                late = None if parsed is None else lazy_member(parsed, found.name)
                if late is not None:
                    yield Source(*late)

    def starred(self) -> Iterator[str]:
        """Yield the paths of the modules of the project that are imported with all they have."""
        for found in self.stars:
            module = find_module(self.path, found.level, found.module)
            if module is not None:
                yield module


def _imports_in(body: list[ast.stmt]) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports among statements, and in those that they hold."""
    pending = list(reversed(body))
    while pending:
        statement = pending.pop()
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield statement
        else:
            for field in ("body", "orelse", "handlers", "finalbody"):
                pending += getattr(statement, field, None) or ()
