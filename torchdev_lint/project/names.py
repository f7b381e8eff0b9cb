"""Where the names of a file are defined, as far as imports tell. Nothing is run."""

from __future__ import annotations

import ast
import heapq
from collections.abc import Iterator

from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.lazy import lazy_member
from torchdev_lint.project.resolution import find_module, find_submodule
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.top_level import TopLevel, top_level
from torchdev_lint.syntax.walking import walk

_MOST_FILES = 8
"""Over how many files a name is followed that each of them imports from the next."""


@dataclass(frozen=True, slots=True)
class Definition:
    """What a name means.

    Args:
        path: the file that defines it, absolute; empty where that is none of the project.
        name: its name there; for what is of a library, its dotted name.
    """

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class _Imported:
    """What an import binds to a name.

    Args:
        level: how many dots the module's name begins with.
        module: the dotted name of the module.
        member: what of it; empty: itself.
    """

    level: int
    module: str
    member: str = ""


def meaning_of(file: ParsedFile, name: str) -> Definition | None:
    """Return what a dotted name means in a file; None where the file doesn't tell."""
    return _meaning(file, name.split("."), _MOST_FILES)


def defined_in(
    file: ParsedFile, name: str
) -> ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Return the function or class of a name that stands at the top of a file, the first one."""
    return file.derived(_definitions).get(name)


def definition_behind(
    file: ParsedFile, name: str
) -> tuple[ParsedFile, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef] | None:
    """Return the function or class that a dotted name means in a file, with the file it is in.

    None where that is not told, or is none of the project.
    """
    meaning = meaning_of(file, name)
    home = parsed_file(meaning.path) if meaning is not None and meaning.path else None
    found = defined_in(home, meaning.name) if home is not None and meaning is not None else None
    return None if home is None or found is None else (home, found)


def _definitions(
    file: ParsedFile,
) -> dict[str, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions and classes at the top of a file, of each name the first one."""
    found: dict[str, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef] = {}
    for node in file.tree.body:
        if isinstance(node, (ast.ClassDef, *FUNCTIONS)):
            found.setdefault(node.name, node)
    return found


def references(file: ParsedFile, wanted: Definition) -> Iterator[ast.expr]:
    """Yield the expressions of a file that read what another file, or this one, defines."""
    called = {wanted.name, *file.derived(_other_names).get(wanted.name, ())}
    reads = file.derived(_all_reads)
    known: dict[str, bool] = {}
    for _, node in heapq.merge(*(reads.get(last, ()) for last in called)):
        name = dotted(node)
        if name is None:
            continue
        if name not in known:
            known[name] = meaning_of(file, name) == wanted
        if known[name]:
            yield node


def _meaning(file: ParsedFile, parts: list[str], files: int) -> Definition | None:
    first, rest = parts[0], parts[1:]
    bindings = _bindings(file)
    statements = bindings.bindings.get(first, [])
    if any(not isinstance(s, (ast.Import, ast.ImportFrom)) for s in statements):
        return None if rest else Definition(file.path, first)
    for imported in _imports(file).get(first, ()):
        found = _imported(file, imported, rest, files)
        if found is not None:
            return found
    for star in bindings.stars:
        module = find_module(file.path, star.level, star.module or "")
        found = None if module is None else _member(module, parts, files - 1)
        if found is not None:
            return found
    late = lazy_member(file, first)
    return None if late is None else _member(late[0], [late[1], *rest], files - 1)


def _imported(
    file: ParsedFile, imported: _Imported, rest: list[str], files: int
) -> Definition | None:
    parts = [imported.member, *rest] if imported.member else rest
    module = find_module(file.path, imported.level, imported.module) if file.path else None
    if module is not None:
        return _member(module, parts, files - 1)
    return None if imported.level else Definition("", ".".join([imported.module, *parts]))


def _member(module: str, parts: list[str], files: int) -> Definition | None:
    """What a module of the project has under a dotted name."""
    if not parts or files <= 0:
        return None
    parsed = parsed_file(module)
    found = None if parsed is None else _meaning(parsed, parts, files)
    if found is not None:
        return found
    inner = find_submodule(module, parts[0])
    return None if inner is None else _member(inner, parts[1:], files - 1)


def _bindings(file: ParsedFile) -> TopLevel:
    return file.derived(_top_level)


def _top_level(file: ParsedFile) -> TopLevel:
    return top_level(file.tree.body)


def _all_reads(file: ParsedFile) -> dict[str, list[tuple[int, ast.expr]]]:
    """Where names and attributes are read, by the last one, with their numbers in the file."""
    found: dict[str, list[tuple[int, ast.expr]]] = {}
    for number, node in enumerate(walk(file.tree)):
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
            found.setdefault(last_component(node), []).append((number, node))
    return found


def _other_names(file: ParsedFile) -> dict[str, list[str]]:
    """The names that imports give to what modules define."""
    found: dict[str, list[str]] = {}
    for name, meanings in _imports(file).items():
        for meaning in meanings:
            found.setdefault(meaning.member, []).append(name)
    return found


def _imports(file: ParsedFile) -> dict[str, list[_Imported]]:
    return file.derived(_all_imports)


def _all_imports(file: ParsedFile) -> dict[str, list[_Imported]]:
    """What imports bind, also those in functions."""
    found: dict[str, list[_Imported]] = {}
    for node in walk(file.tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.partition(".")[0]
                found.setdefault(alias.asname or name, []).append(_Imported(0, name))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                imported = _Imported(node.level, node.module or "", alias.name)
                found.setdefault(alias.asname or alias.name, []).append(imported)
    return found
