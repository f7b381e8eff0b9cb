"""Objects that build models, save them and read them back, in a file without an accelerator."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Set

from torchdev_lint.catalog.builtins import COPYING
from torchdev_lint.catalog.checkpoints import WRITERS
from torchdev_lint.catalog.methods import MOVES_TO_DEVICE
from torchdev_lint.placement.evidence.given import Given
from torchdev_lint.placement.evidence.host_files import LEADS_TO_ACCELERATOR, MOST_FILES
from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.names import definition_behind, meaning_of
from torchdev_lint.project.users import files_that_name
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.names import dotted, last_component, path_of
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.private import class_around
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax
from torchdev_lint.syntax.walking import walk

_STATES = frozenset({"state_dict", "load_state_dict"})
_PLAIN_BASES = frozenset({"abc.ABC"})
"""Classes of libraries that are none of modules, nor anything like them."""
_MOST_BASES = 4
"""How far up bases are followed."""
_DEFAULTS = frozenset({"set_default_device", "set_default_tensor_type"})
"""Functions that bring whatever is built to an accelerator."""


def is_of_own_models(file: ParsedFile, proof: Proof, call: ast.Call) -> bool:
    """Return whether an object reads states that it has saved of models which are on the CPU.

    It builds them itself and is no module, its file names no accelerator, and no other one moves
    an attribute of that name, of another object or for an heir of its class.

    Args:
        file: the file.
        proof: what is proven of its names.
        call: what reads.
    """
    path, syntax = file.path, file.syntax
    owner = class_around(call, syntax)
    if owner is None or not os.path.isabs(path) or not is_plain(file, owner):
        return False
    calls = [node for node in walk(owner) if isinstance(node, ast.Call)]
    if not any(proof.values.library(each.func) in WRITERS for each in calls):
        return False
    models = {attr for each in calls for attr in _with_state(each)}
    if not models or not all(_is_built_here(owner, syntax, attr) for attr in models):
        return False
    return not are_moved_anywhere(file, owner, models)


def are_moved_anywhere(file: ParsedFile, owner: ast.ClassDef, attributes: Set[str]) -> bool:
    """Return whether another file of the project may move an attribute, whatever object has it.

    But for those that objects of other classes move for themselves.

    Args:
        file: the file of the class.
        owner: the class.
        attributes: their names.
    """
    named = files_that_name(file.path, sorted(LEADS_TO_ACCELERATOR | _DEFAULTS))
    if not named.complete or len(named.files) > MOST_FILES:
        return True
    family = family_of(owner)
    return any(_may_move(each, attributes, family) for each in named.files)


def is_plain(file: ParsedFile, owner: ast.ClassDef, bases: int = _MOST_BASES) -> bool:
    """Return whether a class and all its bases are the project's, and so none of modules.

    Args:
        file: the file it is in.
        owner: the class.
        bases: how far up bases are followed.
    """
    for base in owner.bases:
        name = dotted(base)
        meaning = meaning_of(file, name) if name is not None else None
        if name == "object" or (meaning is not None and meaning.name in _PLAIN_BASES):
            continue
        found = definition_behind(file, name) if name is not None and bases else None
        if found is None or not isinstance(found[1], ast.ClassDef):
            return False
        if not is_plain(found[0], found[1], bases - 1):
            return False
    return True


def _with_state(call: ast.Call) -> Iterator[str]:
    """Yield the attribute of `self` of which a call gives, or takes, the state."""
    if isinstance(call.func, ast.Attribute) and call.func.attr in _STATES:
        owner = call.func.value
        while isinstance(owner, ast.Subscript):
            owner = owner.value  # `self.nets[name]`: one of several that it has
        path = path_of(owner) or ""
        own, _, attr = path.partition(".")
        if own == "self" and attr:
            yield attr


def _is_built_here(owner: ast.ClassDef, syntax: Syntax, attr: str) -> bool:
    """Whether the methods of a class build what an attribute holds, and nobody gives it to them."""
    parts = [part for value in _given_to(owner, attr) for part in _built_in(value)]
    given = [held for part in parts for held in _held(syntax, part)]
    return bool(given) and all(
        isinstance(value, ast.Call)
        and last_component(value.func) not in COPYING
        and not _is_parameter(syntax, value.func)
        for value in given
    )


def _held(syntax: Syntax, value: ast.expr) -> list[ast.expr]:
    """What a variable was given by the function around it; anything else is what it is."""
    held = syntax.derived(Given).held_by(value) if isinstance(value, ast.Name) else []
    return held or [value]


def _built_in(value: ast.expr) -> Iterator[ast.expr]:
    """Yield what an attribute holds, or a list or dict there does; not what is no object yet."""
    if isinstance(value, ast.Dict):
        yield from value.values
    elif isinstance(value, (ast.List, ast.Tuple)):
        yield from value.elts
    elif isinstance(value, ast.DictComp):
        yield value.value
    elif isinstance(value, ast.ListComp):
        yield value.elt
    elif not isinstance(value, ast.Constant):
        yield value


def _given_to(owner: ast.ClassDef, attr: str) -> Iterator[ast.expr]:
    for node in walk(owner):
        if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        wholes = (part.value if isinstance(part, ast.Subscript) else part for part in targets)
        if f"self.{attr}" in map(path_of, wholes):
            yield node.value


def _is_parameter(syntax: Syntax, function: ast.expr) -> bool:
    """Whether what is called is what the function around it was given."""
    scope = syntax.scope(function)
    names = {part.id for part in walk(function) if isinstance(part, ast.Name)} - {"self"}
    return isinstance(scope, FUNCTIONS) and any(p.arg in names for p in parameters_of(scope))


def _may_move(file: str, models: Set[str], family: Set[str]) -> bool:
    """Whether a file may bring the models of an object, or whatever is built, to an accelerator."""
    parsed = parsed_file(file)
    if parsed is None or any(name in parsed.source.text for name in _DEFAULTS):
        return True
    return any(
        attr in models and not is_of_other_class(parsed.syntax, move, owner, family)
        for move, owner, attr in parsed.derived(_moved)
    )


def is_of_other_class(syntax: Syntax, node: ast.AST, owner: str, family: Set[str]) -> bool:
    """Return whether a method has to do with what its own object has, of no class of a family.

    Args:
        syntax: the tree of its file.
        node: what stands there.
        owner: the object of which that is an attribute.
        family: the names of the classes.
    """
    around = class_around(node, syntax)
    return owner == "self" and around is not None and family.isdisjoint(family_of(around))


def family_of(owner: ast.ClassDef) -> set[str]:
    """Return the names of a class and of its bases."""
    return {owner.name, *map(last_component, owner.bases)} - {"", "object"}


def _moved(file: ParsedFile) -> list[tuple[ast.Call, str, str]]:
    """The calls of a file that move attributes, each with the object that has it and its name."""
    calls = (node for node in walk(file.tree) if isinstance(node, ast.Call))
    return [
        (call, path_of(call.func.value.value) or "", call.func.value.attr)
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr in MOVES_TO_DEVICE
        if isinstance(call.func.value, ast.Attribute)
    ]
