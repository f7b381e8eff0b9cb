"""What bases and shape of a class tell of its instances."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.modules import (
    CONTAINERS,
    LAYERS,
    MODEL_ENDINGS,
    MODULE_BASES,
    REGISTERING_METHODS,
)
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.walking import walk


def is_module(info: ClassInfo) -> bool:
    """Whether instances are `torch.nn.Module`s, by name of a base or by shape."""
    if info.module is None:
        info.module = _is_module(info)
    return info.module


def _is_module(info: ClassInfo) -> bool:
    for name in info.library_bases():
        last = name.rpartition(".")[2]
        if last in MODULE_BASES or name.startswith("torch.nn."):
            return True
        if last.endswith(MODEL_ENDINGS):
            return True
    return _has_foreign_base(info) and _is_shaped_like_a_module(info)


def is_autograd_function(info: ClassInfo) -> bool:
    """Whether it is a `torch.autograd.Function`."""
    return any(base.endswith("autograd.Function") for base in info.library_bases())


def extended_layer(info: ClassInfo) -> str | None:
    """The layer of `torch.nn` that a class extends, if all its other bases are in sight."""
    bases = info.library_bases()
    if len(bases) != 1 or any(parent.opaque for parent in info.lineage()):
        return None
    owner, _, last = bases[0].rpartition(".")
    return bases[0] if owner == "torch.nn" and last in LAYERS else None


def _has_foreign_base(info: ClassInfo) -> bool:
    return any(parent.libraries or parent.opaque for parent in info.lineage())


def _is_shaped_like_a_module(info: ClassInfo) -> bool:
    """Whether it has a `forward`, and an `__init__` that builds layers of `torch.nn`."""
    if info.lookup("forward") is None:
        return False
    inits = (parent.methods().get("__init__") for parent in info.lineage())
    return any(init is not None and _builds_a_layer(init) for init in inits)


def _builds_a_layer(init: ast.AST) -> bool:
    """Whether `__init__` gives the object layers or state as `torch.nn.Module` keeps them."""
    for node in walk(init):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in REGISTERING_METHODS and dotted(node.func.value) == "self":
                return True
        if isinstance(node, ast.Assign):
            targets: list[ast.expr] = node.targets
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            targets = [node.target]
        else:
            continue
        if any(isinstance(target, ast.Attribute) for target in targets):
            assert node.value is not None
            if any(_is_layer(part.func) for part in walk(node.value) if isinstance(part, ast.Call)):
                return True
    return False


def _is_layer(callee: ast.expr) -> bool:
    owner, _, last = (dotted(callee) or "").rpartition(".")
    known = last in LAYERS or last in CONTAINERS or last == "Parameter"
    return owner in {"nn", "torch.nn"} or (known and (not owner or owner.endswith("nn")))
