"""Modules that have nothing to move: no parameters, no buffers, and no parts that have some.

`Module.to` and `Module.cuda` move only these, so that a loss without a weight, or a chain of
activations, goes to a device that isn't there without a word.
Source: `torch/nn/modules/module.py`, `Module._apply`.
"""

from __future__ import annotations

import ast

from torchdev_lint.catalog.modules import CONTAINERS, JOINING, LOSS_WEIGHTS, LOSSES, STATELESS
from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.names import defined_in, meaning_of
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.walking import walk

_REGISTER = frozenset({"register_buffer", "register_parameter", "register_module", "add_module"})
"""Methods by which a module gets something that is moved with it."""
_MOST_CLASSES = 4
"""How many classes are looked into, each a base or a part of the one before."""


def moves_nothing(file: ParsedFile, built: ast.expr, classes: int = _MOST_CLASSES) -> bool:
    """Return whether an expression builds a module of which nothing is moved.

    What a class of the project is handed and keeps counts for nothing: mostly that is a number.

    Args:
        built: the call of a class.
        classes: how many classes of the project may still be looked into.
    """
    name = dotted(built.func) if isinstance(built, ast.Call) else None
    meaning = None if name is None else meaning_of(file, name)
    if not isinstance(built, ast.Call) or meaning is None:
        return False
    if meaning.path:
        home = parsed_file(meaning.path) if meaning.path != file.path else file
        return home is not None and _class_has_none(home, meaning.name, classes)
    owner, _, last = meaning.name.rpartition(".")
    if not owner.startswith("torch.nn"):
        return False
    if last in LOSSES:
        named = {keyword.arg for keyword in built.keywords}
        return not built.args and named.isdisjoint({None, *LOSS_WEIGHTS})
    if last in CONTAINERS:
        return bool(built.args) and all(moves_nothing(file, part, classes) for part in built.args)
    return last in STATELESS | JOINING


def _class_has_none(file: ParsedFile, name: str, classes: int) -> bool:
    """Whether nothing in a class of the project registers anything that moves."""
    owner = defined_in(file, name)
    if not isinstance(owner, ast.ClassDef) or classes <= 0:
        return False
    if not all(_base_has_none(file, base, classes - 1) for base in owner.bases):
        return False
    for node in walk(owner):
        if isinstance(node, ast.Call) and dotted(node.func) in _own(_REGISTER):
            return False
        if isinstance(node, ast.Assign) and any(map(_is_own, node.targets)):
            if isinstance(node.value, ast.Call) and not moves_nothing(
                file, node.value, classes - 1
            ):
                return False
    return bool(owner.bases)


def _own(methods: frozenset[str]) -> frozenset[str]:
    return frozenset(f"self.{method}" for method in methods)


def _is_own(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute) and dotted(target.value) == "self"


def _base_has_none(file: ParsedFile, base: ast.expr, classes: int) -> bool:
    name = dotted(base)
    meaning = None if name is None else meaning_of(file, name)
    if meaning is None:
        return False
    if meaning.path:
        home = parsed_file(meaning.path) if meaning.path != file.path else file
        return home is not None and _class_has_none(home, meaning.name, classes)
    owner, _, last = meaning.name.rpartition(".")
    is_loss = last in LOSSES or last.removeprefix("_") in {"Loss", "WeightedLoss"}
    return owner.startswith("torch.nn") and (last == "Module" or last in STATELESS or is_loss)
