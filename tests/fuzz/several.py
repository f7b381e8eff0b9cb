"""A program of one file, parted into several: what is defined goes to files of its own.

What the linter says of a program does not depend on how its author parts it, as long as all of it
is in sight.
"""

from __future__ import annotations

import ast
import random
from collections import Counter
from dataclasses import dataclass

from torchdev_lint.syntax.scopes import bound_in

MAIN = "main.py"
_LIBRARIES = ("data", "models", "tools")
"""The files that definitions go to; each imports from those before it."""
_SETTINGS = frozenset({"args", "config", "device", "parser", "settings", "use_cuda"})
"""Variables that may stand in another file. What holds tensors stays where it is: any file that
imports it may move it, so nothing is told of it."""


@dataclass
class _Part:
    """A statement of the module, and where it goes."""

    node: ast.stmt
    binds: frozenset[str]
    uses: frozenset[str]
    home: int = len(_LIBRARIES)


def parted(text: str, chance: random.Random) -> dict[str, str]:
    """Return the files of a program, by path.

    Args:
        text: a program without `from __future__` imports.
        chance: says what goes where, and how it is imported.
    """
    module = ast.parse(text)
    imports = [node for node in module.body if isinstance(node, ast.Import | ast.ImportFrom)]
    parts = [
        _Part(node, frozenset(bound_in(ast.Module([node], []))), frozenset(_used(node)))
        for node in module.body
        if node not in imports
    ]
    _place(parts, text, chance)
    package = chance.choice(("", "", "lib"))
    homes = {name: part.home for part in parts for name in part.binds}
    head = [text.splitlines()[node.lineno - 1] for node in imports]
    files: dict[str, str] = {}
    if package:
        files[f"{package}/__init__.py"] = ""
    for home in range(len(_LIBRARIES) + 1):
        mine = [part for part in parts if part.home == home]
        if mine or home == len(_LIBRARIES):
            name = f"{_LIBRARIES[home]}.py" if home < len(_LIBRARIES) else MAIN
            path = f"{package}/{name}" if package and name != MAIN else name
            prefix = f"{package}." if package else ""
            lead = _imports(mine, homes, home, prefix, name != MAIN, chance)
            files[path] = "\n".join([*head, *lead, "", *_lines(mine, text), ""])
    return files


def _lines(parts: list[_Part], text: str) -> list[str]:
    lines, origin = list[str](), text.splitlines()
    for part in parts:
        decorators = [node.lineno for node in getattr(part.node, "decorator_list", ())]
        first = min([part.node.lineno, *decorators])
        lines += [*origin[first - 1 : part.node.end_lineno], ""]
    return lines


def _imports(
    parts: list[_Part],
    homes: dict[str, int],
    home: int,
    prefix: str,
    in_package: bool,
    chance: random.Random,
) -> list[str]:
    needed = {name for part in parts for name in part.uses if homes.get(name, home) < home}
    if prefix and in_package and chance.random() < 0.5:
        prefix = "."
    lines = []
    for other in sorted({homes[name] for name in needed}):
        names = sorted(name for name in needed if homes[name] == other)
        lines.append(f"from {prefix}{_LIBRARIES[other]} import {', '.join(names)}")
    return lines


def _place(parts: list[_Part], text: str, chance: random.Random) -> None:
    """Say of each statement in which file it is to stand."""
    counts = Counter(name for part in parts for name in part.binds)
    shared = {
        name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Global)
        for name in node.names
    }
    changed = {name for part in parts if not part.binds for name in part.uses}
    homes: dict[str, int] = {}
    for part in parts:
        if (
            not part.binds
            or not (_is_definition(part.node) or part.binds <= _SETTINGS)
            or any(counts[name] > 1 for name in part.binds)
            or part.binds & changed
            or (part.binds | part.uses) & shared
            or any(counts[name] and name not in homes for name in part.uses - part.binds)
            or chance.random() < 0.2
        ):
            continue
        least = max([homes[name] for name in part.uses - part.binds if name in homes], default=0)
        part.home = chance.randrange(least, len(_LIBRARIES))
        homes.update(dict.fromkeys(part.binds, part.home))


def _is_definition(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


def _used(node: ast.stmt) -> set[str]:
    return {
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load | ast.Del)
    }
