"""What the files around one say: whether a program it belongs to has another default device.

Factories that say nothing of a device then make their tensors there, in whatever file they stand.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from itertools import islice

from torchdev_lint.catalog.devices import SET_DEFAULT_WHEN_IMPORTED, SETS_DEFAULT
from torchdev_lint.placement.evidence.defaults import brings_default, changes_default
from torchdev_lint.placement.evidence.host_files import MOST_FILES
from torchdev_lint.project.files import parsed_file, source_of
from torchdev_lint.project.resolution import find_module, find_submodule
from torchdev_lint.project.roots import folders_up
from torchdev_lint.project.seen import remembered
from torchdev_lint.project.tree import is_there, package_root, python_files_in
from torchdev_lint.project.users import files_that_name, is_test
from torchdev_lint.source.source import SourceError
from torchdev_lint.syntax.reaching import reached_from
from torchdev_lint.syntax.walking import walk

_SETTERS = tuple(sorted(SETS_DEFAULT | SET_DEFAULT_WHEN_IMPORTED))
"""What a file names that sets a default."""
_MOST_PROGRAMS = 20
"""How many programs are asked which import what sets a default."""
MOST_IMPORTED = 80
"""How many files are read of what a program imports."""
_LATER = ("f-string", "needs Python")
"""What is said of a file that a later Python may read: 3.12 takes the same quotes in f-strings."""
_MOST_FILES = 1_000
"""Folders of more files than this are no program's."""


def default_changes_around(path: str) -> bool:
    """Whether a program that a file belongs to may have factories put their tensors elsewhere.

    The files of a program lie beside the file, or above it up to the root of the project. One of
    them imports, itself or through others, both the file and the one that sets the default.
    Wherever else in the project one is set, it is for the packages that are imported there, or by
    a program that imports that file, itself or through others. What is written for a later Python
    may import all.
    """
    path = os.path.abspath(path)
    if not is_there(path):
        return False
    named = [*_setters(path)]
    if any(map(_is_for_later_python, named)):
        return True
    setters = [file for file in named if _sets_default(file)]
    if any(_is_for(file, path) or brings_together(file, path) for file in setters):
        return True
    files = tuple(_files_around(path))
    setting = [file for file in files if _sets_default(file)]
    if not setting:
        return False
    importers = _importers(files)
    programs = reached_from({module_name(path)}, importers)
    return not programs.isdisjoint(reached_from(set(map(module_name, setting)), importers))


def _setters(path: str) -> Iterator[str]:
    """The files of the project that name what sets a default, but for tests."""
    for file in files_that_name(path, _SETTERS).files:
        if not is_test(file):
            yield file


def _is_for(setter: str, path: str) -> bool:
    """Whether a default that one file sets is for another: of one package, or imported from it."""
    mine, its = _package_of(path), _package_of(setter)
    if mine and mine == its:
        return True
    root = folders_up(os.path.dirname(path))[-1]
    near = {mine, _below(root, path), _below(os.path.dirname(setter), path)} - {""}
    return not near.isdisjoint(imported_by(setter)) or its in imported_by(path)


def brings_together(setter: str, path: str) -> bool:
    """Whether a program imports both a file that sets a default and another one, or its package."""
    mine = _package_of(path)
    return any(
        path in reached_by(program) or (mine and mine in _packagesreached_by(program))
        for program in _programs_with(setter)
    )


@remembered
def _programs_with(setter: str) -> tuple[str, ...]:
    """The files of the project that import one, themselves or through others, with itself."""
    users = files_that_name(setter, [module_name(setter)]).files
    others = (file for file in islice(users, _MOST_PROGRAMS) if not is_test(file))
    return (setter, *(file for file in others if setter in reached_by(file)))


@remembered
def _packagesreached_by(program: str) -> frozenset[str]:
    """The outermost packages of what a program imports."""
    return frozenset(map(_package_of, reached_by(program))) - {""}


@remembered
def reached_by(program: str) -> frozenset[str]:
    """The files of the project that a program imports, itself or through others, with itself."""
    reached, pending = {program}, [program]
    while pending and len(reached) < MOST_IMPORTED:
        found = _imported_files(pending.pop()) - reached
        reached |= found
        pending += found
    return frozenset(reached)


def run_by(path: str, node: ast.Import | ast.ImportFrom) -> frozenset[str]:
    """Return the files of the project that an import in a file runs in any case."""
    reached, pending = set[str](), list(_files_of(path, node))
    while pending and len(reached) < MOST_IMPORTED:
        file = pending.pop()
        if file not in reached:
            reached.add(file)
            pending += _run_at_once(file)
    return frozenset(reached)


@remembered
def _run_at_once(path: str) -> frozenset[str]:
    """The files of the project that one imports whenever it is run itself."""
    parsed = parsed_file(path)
    statements = [] if parsed is None else parsed.tree.body
    imports = (node for node in statements if isinstance(node, (ast.Import, ast.ImportFrom)))
    return frozenset(file for node in imports for file in _files_of(path, node))


def _files_of(path: str, node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """Yield the files that an import runs: packages, and the modules in them."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield from filter(None, _modules_on_the_way(path, 0, alias.name))
        return
    modules = _modules_on_the_way(path, node.level, node.module or "")
    yield from filter(None, modules)
    whole = modules[-1]
    if whole is not None:
        yield from filter(None, (find_submodule(whole, alias.name) for alias in node.names))


def _modules_on_the_way(path: str, level: int, name: str) -> list[str | None]:
    """The packages that an import names, from the outermost one, and then the module itself."""
    parts = name.split(".") if name else []
    counts = range(0 if level else 1, len(parts) + 1)
    return [find_module(path, level, ".".join(parts[:count])) for count in counts]


@remembered
def _imported_files(path: str) -> frozenset[str]:
    """The files of the project that one imports."""
    found = set[str]()
    for node in _imports_in(path):
        base = node.module or "" if isinstance(node, ast.ImportFrom) else ""
        level = node.level if isinstance(node, ast.ImportFrom) else 0
        for name in [base] if base else [alias.name for alias in node.names]:
            module = find_module(path, level, name)
            if module is None:
                continue
            parts = (find_submodule(module, alias.name) for alias in node.names if base)
            found.update(part for part in (module, *parts) if part is not None)
    return frozenset(found)


def imports_of(path: str) -> Iterator[tuple[str, list[ast.alias]]]:
    """Yield the files of the project from which one imports something by name, with that."""
    for node in _imports_in(path):
        if isinstance(node, ast.ImportFrom) and node.module:
            home = find_module(path, node.level, node.module)
            if home is not None:
                yield home, node.names


def _package_of(path: str) -> str:
    """The name of the outermost package that a file is in, empty if it is in none."""
    folder = os.path.dirname(path)
    inside = os.path.relpath(folder, package_root(folder))
    return "" if inside == os.curdir else inside.partition(os.sep)[0]


def _below(root: str, path: str) -> str:
    """The name of the folder in another one that a file is in, which may be a package's.

    That is so at the project's root, and beside a program that is run.
    """
    inside = os.path.relpath(os.path.dirname(path), root)
    first = inside.partition(os.sep)[0]
    return "" if first in {os.curdir, os.pardir} else first


def _files_around(path: str) -> Iterator[str]:
    """The Python files beside a file and above it."""
    for folder in folders_up(os.path.dirname(path)):
        files = python_files_in(folder)
        yield from files if len(files) <= _MOST_FILES else ()


@remembered
def _is_for_later_python(path: str) -> bool:
    """Whether a file may be one of a later Python, which can't be read: by its f-strings, too."""
    source = source_of(path)
    try:
        if source is not None:
            source.parse()
    except SourceError as error:
        return any(word in error.message for word in _LATER)
    return False


@remembered
def _sets_default(path: str) -> bool:
    """Whether some call or import in a file may set another default device.

    A function that nothing in the project names sets it for nobody.
    """
    source = source_of(path)
    if source is None or not any(name in source.text for name in _SETTERS):
        return False
    try:
        tree = source.parse()
    except SourceError:
        return False
    return any(not name or _is_named(path, tree, name) for name in _setting_functions(tree))


def _setting_functions(tree: ast.Module) -> set[str]:
    """The names of the functions of a module that set a default; empty for anything else in it."""
    return {
        statement.name if isinstance(statement, ast.FunctionDef) else ""
        for statement in tree.body
        if any(map(_sets, walk(statement)))
    }


def _sets(node: ast.AST) -> bool:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return brings_default(node)
    return isinstance(node, ast.Call) and changes_default(node)


def _is_named(path: str, tree: ast.Module, name: str) -> bool:
    """Whether a function of a file is named anywhere but where it is defined."""
    inside = (
        node.id if isinstance(node, ast.Name) else node.attr
        for node in walk(tree)
        if isinstance(node, (ast.Name, ast.Attribute))
    )
    if name in inside:
        return True
    users = files_that_name(path, [name])
    return bool(users.files) or not users.complete


def _importers(files: tuple[str, ...]) -> dict[str, set[str]]:
    """The names of the modules that import each of some."""
    importers: dict[str, set[str]] = {}
    for file in files:
        for imported in imported_by(file):
            importers.setdefault(imported, set()).add(module_name(file))
    return importers


@remembered
def imported_by(path: str) -> frozenset[str]:
    """The names of the modules that a file may import, and of what it imports from them."""
    names = set[str]()
    for node in _imports_in(path):
        names.update(part for alias in node.names for part in alias.name.split("."))
        if isinstance(node, ast.ImportFrom) and node.module:
            names.update(node.module.split("."))
    return frozenset(names)


def _imports_in(path: str) -> list[ast.Import | ast.ImportFrom]:
    """The imports of a file, none of one that can't be read."""
    source = source_of(path)
    try:
        nodes = () if source is None else walk(source.parse())
        return [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    except SourceError:
        return []


def module_name(path: str) -> str:
    """What a file is called where it is imported: a package goes by its folder."""
    folder, name = os.path.split(os.path.abspath(path))
    stem = name.removesuffix(".py")
    return os.path.basename(folder) if stem == "__init__" else stem


def programs_with(path: str) -> Iterator[str]:
    """Yield the files of the project that import one, themselves or through others, and itself.

    Each file counts that names it in so many, as what it imports is not known.

    Args:
        path: the file, absolute.
    """
    yield path
    users = files_that_name(path, [module_name(path)])
    for file in users.files:
        if not is_test(file) and (len(users.files) > MOST_FILES or path in reached_by(file)):
            yield file
