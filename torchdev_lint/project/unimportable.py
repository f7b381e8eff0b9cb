"""Files that raise when they are run or imported: what they import is not where they look."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator

from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.resolution import find_module, find_modules, find_submodule
from torchdev_lint.project.tree import INIT, package_root
from torchdev_lint.syntax.top_level import bound_names
from torchdev_lint.syntax.walking import walk

_SEARCH_PATH = "sys.path"
_BY_OTHER_MEANS = frozenset(
    "__dict__ __getattr__ __import__ exec globals import_module locals modules setattr vars".split()
)
"""Names by which a module may get members that no statement binds."""
_MOST_NESTED = 4
"""How many modules are gone through that import all of the next one."""


def imports_what_is_missing(file: ParsedFile) -> bool:
    """Return whether a file imports what a module of the project doesn't have, in any case.

    That is an `ImportError` on every machine: nothing behind it is ever run. What a package is
    asked for may be a module that is compiled or generated, unless it is called, and who changes
    `sys.path` may have another module found. Of a notebook, whose cells are run one by one, only
    what it calls has to be there.
    """
    is_notebook = not file.path.endswith(".py")
    looks_elsewhere = _SEARCH_PATH in file.source.text
    for statement in file.tree.body:
        if not isinstance(statement, ast.ImportFrom) or (looks_elsewhere and not statement.level):
            continue
        modules = list(_meant(file, statement))
        for alias in statement.names if modules else ():
            is_called = (alias.asname or alias.name) in file.derived(_called)
            if alias.name == "*" or (is_notebook and not is_called):
                continue
            if not any(_may_have(module, alias.name, is_called) for module in modules):
                return True
    return False


def _meant(file: ParsedFile, statement: ast.ImportFrom) -> Iterator[str]:
    """The modules of the project that an import may mean; none if it may be a library's.

    One without a dot that does not lie beside the file is found by what else is installed, unless
    it has some of what is imported. What lies beside a part of a package is not looked at.
    """
    path, name = file.path, statement.module or ""
    if statement.level:
        found = find_module(path, statement.level, name)
        yield from [] if found is None else [found]
        return
    found_there = find_modules(path, name)
    folder = os.path.dirname(path)
    beside = any(_folder_of(module) == folder for module in found_there)
    beside = beside and not file.derived(_is_part_of_package)
    if "." in name or beside or any(_has_some(module, statement) for module in found_there):
        yield from found_there


def _is_part_of_package(file: ParsedFile) -> bool:
    """Whether a file is imported by the name of its package, as it imports others of that."""
    top = package_root(os.path.dirname(file.path))
    package = os.path.relpath(file.path, top).split(os.sep)[0]
    return any(
        isinstance(node, ast.ImportFrom)
        and (bool(node.level) or (node.module or "").partition(".")[0] == package)
        for node in file.tree.body
    )


def _has_some(module: str, statement: ast.ImportFrom) -> bool:
    """Whether a module certainly binds some of the names that a statement imports."""
    parsed = parsed_file(module) if module.endswith(".py") else None
    bound = None if parsed is None else parsed.derived(_members)
    return bound is not None and any(alias.name in bound for alias in statement.names)


def _folder_of(module: str) -> str:
    """The folder that a module lies in, or the package that a file begins."""
    folder, name = os.path.split(module)
    return os.path.dirname(folder) if name == INIT else folder


def _called(file: ParsedFile) -> frozenset[str]:
    """The variables that a file calls, or has classes inherit from: they hold no modules."""
    found = set[str]()
    for node in walk(file.tree):
        used: list[ast.expr] = []
        if isinstance(node, ast.Call):
            used = [node.func]
        elif isinstance(node, ast.ClassDef):
            used = node.bases
        found.update(each.id for each in used if isinstance(each, ast.Name))
    return frozenset(found)


def _may_have(module: str, name: str, is_called: bool) -> bool:
    """Whether a module may have what it is asked for; a package has modules as well."""
    is_package = os.path.basename(module) == INIT
    if not module.endswith(".py") or (is_package and not is_called):
        return True
    if is_package and find_submodule(module, name):
        return True
    parsed = parsed_file(module)
    bound = None if parsed is None else parsed.derived(_members)
    return bound is None or name in bound


def _members(file: ParsedFile, nested: int = 0) -> frozenset[str] | None:
    """All that a module binds, wherever; None if it may have more than that.

    Args:
        nested: how many modules have imported all of the next one, up to this one.
    """
    own = file.derived(_own_members)
    if own is None or "*" not in own:
        return own
    bound = set(own)
    for node in walk(file.tree):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            found = find_module(file.path, node.level, node.module or "") if node.level else None
            parsed = parsed_file(found) if found is not None and found.endswith(".py") else None
            inner = _members(parsed, nested + 1) if parsed and nested < _MOST_NESTED else None
            if inner is None:
                return None
            bound |= inner
    return frozenset(bound - {"*"})


def _own_members(file: ParsedFile) -> frozenset[str] | None:
    """All that a module binds itself, `*` where it imports all of another; None: maybe more."""
    bound = set[str]()
    for node in walk(file.tree):
        if isinstance(node, (ast.Name, ast.Attribute)):
            named = node.id if isinstance(node, ast.Name) else node.attr
            if named in _BY_OTHER_MEANS:
                return None
        if isinstance(node, ast.stmt):
            bound.update(bound_names(node))
    return None if "__getattr__" in bound else frozenset(bound)
