"""Which classes feed a model that they are given what a loader gives that they are given.

Both are other files' to say, where the class is built or where its base class stands: in such a
class nothing else may hint at them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Set

from torchdev_lint.catalog.training import BACKWARD, CLEARS_GRADIENTS
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.imports import Imported, is_own_object
from torchdev_lint.triage.scope import Scope

_MARKS = frozenset({BACKWARD, CLEARS_GRADIENTS, "no_grad", "inference_mode", "eval"})
"""What code names that trains a model, or evaluates one."""


def feeding(scopes: Iterable[Scope], modules: Set[str], imported: Imported) -> list[Scope]:
    """Return the methods with a loop of classes that train or evaluate what they keep.

    Where a class of another file has the loop, those that call what that one keeps.

    Args:
        modules: the names of the file's classes that are modules, which are given tensors.
        imported: what the file imports of its project.
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
        if any(imported.is_of_project(last_component(base)) for base in owner.bases):
            own = {method.name for method in methods}
            found += [method for method in methods if _calls_inherited(method, own)]
    return found


def _calls_inherited(method: Scope, own: Set[str]) -> bool:
    """Whether a method gives something to an attribute of its object that its class doesn't define.

    Args:
        own: the methods that it does.
    """
    if method.triggered or method.node is method.owner:
        return False
    calls = (node for node in walk(method.node) if isinstance(node, ast.Call))
    fed = (node.func for node in calls if node.args or node.keywords)
    return any(
        isinstance(called, ast.Attribute)
        and isinstance(called.value, ast.Name)
        and is_own_object(called.value)
        and called.attr not in own
        for called in fed
    )


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
