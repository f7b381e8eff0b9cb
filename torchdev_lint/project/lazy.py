"""What modules give that load their members only when they are asked for.

A module does that by a function `__getattr__` (PEP 562), or it puts an object in its own place.
Where a member comes from stands in imports of that function, or in tables of names, whatever they
are called and whoever reads them: `{"Net": ".net"}` and `{"net": ["Net"]}`.
Source: https://peps.python.org/pep-0562/
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.resolution import find_module
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.top_level import top_level
from torchdev_lint.syntax.walking import walk

_GETATTR, _MODULES = "__getattr__", "sys.modules"

_Source = tuple[str, str]
"""The module that a member comes from, with the dots before it, and what it is called there."""


def lazy_member(file: ParsedFile, name: str) -> tuple[str, str] | None:
    """Return the path of the module that a member is loaded from, and its name there.

    Args:
        file: the file that loads it.
        name: what the member is called in it.
    """
    for module, member in file.derived(_sources).get(name, ()):
        path = _path_of(file, module)
        if path is not None and path != file.path:
            return path, member
    return None


def _path_of(file: ParsedFile, module: str) -> str | None:
    """Where a module lies: below the file's package, or anywhere where imports lead."""
    name = module.lstrip(".")
    if not name:
        return None
    level = len(module) - len(name)
    if level:
        return find_module(file.path, level, name)
    return find_module(file.path, 1, name) or find_module(file.path, 0, name)


def _sources(file: ParsedFile) -> dict[str, list[_Source]]:
    """Where the members may come from that a file loads late; nothing if it loads none."""
    found: dict[str, list[_Source]] = {}
    if not any(word in file.source.text for word in (_GETATTR, _MODULES)):
        return found
    functions = top_level(file.tree.body).bindings.get(_GETATTR, [])
    if not functions and not any(map(_replaces_itself, walk(file.tree))):
        return found
    for function in functions:
        for node in walk(function):
            for name, source in _imported(node):
                found.setdefault(name, []).append(source)
    for node in walk(file.tree):
        for name, source in _in_table(node):
            found.setdefault(name, []).append(source)
    return found


def _replaces_itself(node: ast.AST) -> bool:
    """Whether a statement puts an object in the place of a module."""
    return isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Subscript) and dotted(target.value) == _MODULES
        for target in node.targets
    )


def _imported(node: ast.AST) -> Iterator[tuple[str, _Source]]:
    """Yield what a statement of `__getattr__` imports, or loads where a name is asked for."""
    if isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            yield alias.asname or alias.name, (module, alias.name)
    elif isinstance(node, ast.If) and isinstance(node.test, ast.Compare):
        names = [n for part in node.test.comparators for n in _strings(part)]
        for statement in node.body:
            for call in walk(statement):
                if isinstance(call, ast.Call) and last_component(call.func) == "import_module":
                    for module in _strings(call.args[0]) if call.args else ():
                        yield from ((name, (module, name)) for name in names)


def _in_table(node: ast.AST) -> Iterator[tuple[str, _Source]]:
    """Yield what a dict, or an entry that is put into one, says of where names come from."""
    if isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            yield from _entry(key, value)
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        yield from _entry(node.targets[0].slice, node.value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        base = node.func.value
        if node.func.attr in {"append", "extend"} and isinstance(base, ast.Subscript) and node.args:
            yield from _entry(base.slice, ast.List([node.args[0]], ast.Load()))


def _entry(key: ast.expr | None, value: ast.expr) -> Iterator[tuple[str, _Source]]:
    for name in _strings(key):
        if isinstance(value, ast.Constant):
            yield from ((name, (module, name)) for module in _strings(value))
            continue
        members = _strings(value)
        for member in members:
            yield member, (name, member)
        if len(members) == 2:
            module, member = members
            yield name, (module, member)


def _strings(node: ast.expr | None) -> list[str]:
    """The strings that an expression is, or holds where they are written out."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return [text for part in node.elts for text in _strings(part)]
    return []
