"""Whether the code of a model, with all that it imports, may put anything on the CPU.

It is asked of models that are too large to be run.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.builtins import BUILTINS
from torchdev_lint.catalog.factories import FACTORY_NAMES
from torchdev_lint.placement.evidence.feeding import leaves_device
from torchdev_lint.placement.evidence.neighbours import MOST_IMPORTED, reached_by
from torchdev_lint.project.files import source_of
from torchdev_lint.project.seen import remembered
from torchdev_lint.source.source import SourceError
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk


@remembered
def puts_on_host(path: str) -> bool:
    """Whether a file, or one of the project that it imports, brings something to the CPU.

    Or makes a tensor there, other than while a module is built. So it is if that can't be told.
    """
    reached = reached_by(path)
    return len(reached) >= MOST_IMPORTED or any(map(_puts_on_host, reached))


@remembered
def _puts_on_host(path: str) -> bool:
    source = source_of(path)
    if source is None:
        return True
    try:
        tree = source.parse()
    except SourceError:
        return True
    return any(leaves_device(call) or _makes_there(call) for call in _calls_in(tree))


def _calls_in(tree: ast.Module) -> Iterator[ast.Call]:
    """The calls of a file's functions and methods, but for those that build an object."""
    for statement in tree.body:
        parts = statement.body if isinstance(statement, ast.ClassDef) else [statement]
        for part in parts:
            if isinstance(part, FUNCTIONS) and part.name != "__init__":
                yield from (node for node in walk(part) if isinstance(node, ast.Call))


def _makes_there(call: ast.Call) -> bool:
    """Whether a call makes a tensor without saying where."""
    is_range = isinstance(call.func, ast.Name) and call.func.id in BUILTINS
    if is_range or last_component(call.func) not in FACTORY_NAMES:
        return False
    return all(keyword.arg not in {"device", None} for keyword in call.keywords)
