"""Which attributes of `self` hold nothing but layers of PyTorch's: what they have is theirs."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.modules import LAYERS
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import meaning_of
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.walking import walk

_LAYERS = frozenset(f"torch.nn.{name}" for name in LAYERS)


def is_kept_layer(file: ParsedFile, node: ast.expr) -> bool:
    """Return whether an expression is an attribute of `self` that only gets layers of PyTorch's.

    So it is no object of any class of the project.

    Args:
        file: the file it stands in.
    """
    if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
        return False
    found = file.syntax.method(node)
    if found is None or not found[0].args.args or found[0].args.args[0].arg != node.value.id:
        return False
    return node.attr in file.derived_with(_attributes_of_layers, found[1])


def _attributes_of_layers(file: ParsedFile, owner: ast.ClassDef) -> frozenset[str]:
    """The attributes that the methods of a class set, all of them to layers that they build."""
    layers, others = set[str](), set[str]()
    for node in walk(owner):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            statement = file.syntax.parent(node)
            built = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
            (layers if _builds_layer(file, built) else others).add(node.attr)
    return frozenset(layers - others)


def _builds_layer(file: ParsedFile, node: ast.expr | None) -> bool:
    name = dotted(node.func) if isinstance(node, ast.Call) else None
    meaning = None if name is None else meaning_of(file, name)
    return meaning is not None and not meaning.path and meaning.name in _LAYERS
