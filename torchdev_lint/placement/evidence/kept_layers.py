"""Which attributes of `self` hold nothing but layers of PyTorch's: what they have is theirs."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.modules import LAYERS
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import meaning_of
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.scopes import Syntax
from torchdev_lint.syntax.walking import walk

_LAYERS = frozenset(f"torch.nn.{name}" for name in LAYERS)
_AS_USUAL = frozenset(f"nn.{name}" for name in LAYERS)


def is_kept_layer(syntax: Syntax, file: ParsedFile | None, node: ast.expr) -> bool:
    """Return whether an expression is an attribute of `self` that only gets layers of PyTorch's.

    So it is no object of any class of the project.

    Args:
        syntax: the code it stands in.
        file: the file that is of, which tells what names mean; None if it is of no project.
    """
    if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
        return False
    found = syntax.method(node)
    if found is None or not found[0].args.args or found[0].args.args[0].arg != node.value.id:
        return False
    if file is not None:
        return node.attr in file.derived_with(_attributes_of_layers, found[1])
    return node.attr in _held(syntax, None, found[1])


def _attributes_of_layers(file: ParsedFile, owner: ast.ClassDef) -> frozenset[str]:
    return _held(file.syntax, file, owner)


def _held(syntax: Syntax, file: ParsedFile | None, owner: ast.ClassDef) -> frozenset[str]:
    """The attributes that the methods of a class set, all of them to layers that they build."""
    layers, others = set[str](), set[str]()
    for node in walk(owner):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            statement = syntax.parent(node)
            built = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
            (layers if _builds_layer(file, built) else others).add(node.attr)
    return frozenset(layers - others)


def _builds_layer(file: ParsedFile | None, node: ast.expr | None) -> bool:
    name = dotted(node.func) if isinstance(node, ast.Call) else None
    if name is None:
        return False
    if file is None:
        return name.removeprefix("torch.") in _AS_USUAL
    meaning = meaning_of(file, name)
    return meaning is not None and not meaning.path and meaning.name in _LAYERS
