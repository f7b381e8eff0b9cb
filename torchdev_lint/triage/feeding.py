"""Which classes feed a model that they are given what a loader gives that they are given.

Both are other files' to say: in such a class nothing else may hint at them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Set

from torchdev_lint.catalog.training import BACKWARD, CLEARS_GRADIENTS
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.scope import Scope

_MARKS = frozenset({BACKWARD, CLEARS_GRADIENTS, "no_grad", "inference_mode", "eval"})
"""What code names that trains a model, or evaluates one."""


def feeding(scopes: Iterable[Scope], modules: Set[str]) -> list[Scope]:
    """Return the methods with a loop of classes that train or evaluate what they keep.

    Args:
        modules: the names of the file's classes that are modules, which are given tensors.
    """
    classes: dict[ast.ClassDef, list[Scope]] = {}
    for scope in scopes:
        if scope.owner is not None and scope.owner.name not in modules:
            classes.setdefault(scope.owner, []).append(scope)
    found: list[Scope] = []
    for owner, methods in classes.items():
        loops = [method for method in methods if method.loops]
        if loops and _trains(methods) and _calls_what_it_keeps(owner):
            found += loops
    return found


def _trains(methods: list[Scope]) -> bool:
    return any(not _MARKS.isdisjoint(method.mentions) for method in methods)


def _calls_what_it_keeps(owner: ast.ClassDef) -> bool:
    """Whether a class calls an attribute that it sets."""
    kept, called = set[str](), set[str]()
    for node in walk(owner):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if isinstance(node.func.value, ast.Name):
                called.add(node.func.attr)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            kept.add(node.attr)
    return not kept.isdisjoint(called)
