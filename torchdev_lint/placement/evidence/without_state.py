"""Modules that have nothing to move: no parameters, no buffers, and no parts that have some.

`Module.to` and `Module.cuda` move only these, so that a loss without a weight, or a chain of
activations, goes to a device that isn't there without a word.
Source: `torch/nn/modules/module.py`, `Module._apply`.
"""

from __future__ import annotations

import ast

from torchdev_lint.catalog.modules import (
    CONTAINERS,
    JOINING,
    LOSS_WEIGHTS,
    LOSSES,
    REGISTERING_METHODS,
    STATELESS,
)
from torchdev_lint.placement.evidence.devices import assigned
from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.names import Definition, defined_in, meaning_of
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.walking import walk

_WITHOUT_STATE = STATELESS | JOINING
_BASES = STATELESS | LOSSES | {"Module", "_Loss", "_WeightedLoss"}
"""What a class may inherit from that brings no state; the latter two are the bases of losses."""
_MOST_CLASSES = 4
"""How many classes are looked into, each a base or a part of the one before."""


def moves_nothing(file: ParsedFile, built: ast.expr, classes: int = _MOST_CLASSES) -> bool:
    """Return whether an expression builds a module of which nothing is moved.

    What a class of the project is handed and keeps counts for nothing: mostly that is a number.

    Args:
        built: the call of a class.
        classes: how many classes of the project may still be looked into.
    """
    if isinstance(built, ast.Name):
        held = assigned(file.syntax, built)
        return bool(held) and all(
            isinstance(each, ast.Call) and moves_nothing(file, each, classes) for each in held
        )
    meaning = _meaning(file, built.func) if isinstance(built, ast.Call) else None
    if not isinstance(built, ast.Call) or meaning is None:
        return False
    if meaning.path:
        return _registers_nothing(file, meaning, classes)
    last = _of_torch(meaning)
    if last in LOSSES:
        named = {keyword.arg for keyword in built.keywords}
        return not built.args and named.isdisjoint({None, *LOSS_WEIGHTS})
    if last in CONTAINERS:
        return bool(built.args) and all(moves_nothing(file, part, classes) for part in built.args)
    return last in _WITHOUT_STATE


def _meaning(file: ParsedFile, node: ast.expr) -> Definition | None:
    name = dotted(node)
    return None if name is None else meaning_of(file, name)


def _of_torch(meaning: Definition) -> str:
    """The last component of what PyTorch has for modules; nothing of anything else."""
    owner, _, last = meaning.name.rpartition(".")
    return last if owner.startswith("torch.nn") else ""


def _registers_nothing(file: ParsedFile, meaning: Definition, classes: int) -> bool:
    """Whether nothing in a class of the project, or above it, registers anything that moves."""
    home = file if meaning.path == file.path else parsed_file(meaning.path)
    owner = None if home is None else defined_in(home, meaning.name)
    if home is None or not isinstance(owner, ast.ClassDef) or not owner.bases or classes <= 0:
        return False
    if not all(_brings_none(home, base, classes - 1) for base in owner.bases):
        return False
    calls = (node for node in walk(owner) if isinstance(node, ast.Call))
    called = {last_component(call.func) for call in calls if _is_own(call.func)}
    if called & REGISTERING_METHODS:
        return False
    assigned = (node for node in walk(owner) if isinstance(node, ast.Assign))
    kept = (node.value for node in assigned if any(map(_is_own, node.targets)))
    return all(moves_nothing(home, v, classes - 1) for v in kept if _is_built(home, v))


def _is_built(file: ParsedFile, value: ast.expr) -> bool:
    """Whether something is what a call gives, perhaps by way of a variable."""
    held = assigned(file.syntax, value) or [value]
    return any(isinstance(each, ast.Call) for each in held)


def _brings_none(file: ParsedFile, base: ast.expr, classes: int) -> bool:
    meaning = _meaning(file, base)
    if meaning is None:
        return False
    if meaning.path:
        return _registers_nothing(file, meaning, classes)
    return _of_torch(meaning) in _BASES


def _is_own(node: ast.expr) -> bool:
    """Whether an expression is an attribute of `self`."""
    return isinstance(node, ast.Attribute) and dotted(node.value) == "self"
