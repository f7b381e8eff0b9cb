"""Which classes and functions feed a model that they are given what a loader gives.

Both are other files' to say, where the class is built or where its base class stands, and where the
function is called: in such code nothing else may hint at them.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Set

from torchdev_lint.catalog.training import BACKWARD, CLEARS_GRADIENTS
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS, parameter_names
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.imports import Imported, is_own_object
from torchdev_lint.triage.scope import Scope

_MARKS = frozenset({BACKWARD, CLEARS_GRADIENTS, "no_grad", "inference_mode", "eval"})
"""What code names that trains a model, or evaluates one."""


def feeding(scopes: Collection[Scope], modules: Set[str], imported: Imported) -> list[Scope]:
    """Return the methods with a loop of classes that train or evaluate what they keep.

    Where a class of another file has the loop, those that call what that one keeps. And the
    functions with a loop that train or evaluate what they are given, by other files alone.

    Args:
        modules: the names of the file's classes that are modules, which are given tensors.
        imported: what the file imports of its project.
    """
    classes: dict[ast.ClassDef, list[Scope]] = {}
    for scope in scopes:
        if scope.owner is not None and scope.owner.name not in modules:
            classes.setdefault(scope.owner, []).append(scope)
    found = [scope for scope in scopes if scope.owner is None and _feeds_what_it_is_given(scope)]
    if found:
        found = [scope for scope in found if not _is_mentioned(scope, scopes)]
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


def _feeds_what_it_is_given(scope: Scope) -> bool:
    """Whether a function has a loop, trains or evaluates, and calls one of its parameters."""
    if not (scope.loops and isinstance(scope.node, FUNCTIONS) and _trains([scope])):
        return False
    given = parameter_names(scope.node)
    calls = (node for node in walk(scope.node) if isinstance(node, ast.Call))
    return any(isinstance(call.func, ast.Name) and call.func.id in given for call in calls)


def _is_mentioned(function: Scope, scopes: Collection[Scope]) -> bool:
    """Whether other code of the file may call a function: then that is run with what it gives."""
    return any(function.name in scope.mentions for scope in scopes if scope is not function)


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
