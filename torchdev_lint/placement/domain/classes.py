"""Classes of the file at hand: their methods, their bases, and whether they are modules."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torchdev_lint.catalog.modules import CONTAINERS, LAYERS, MODULE_BASES, REGISTERING_METHODS
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.walking import walk

if TYPE_CHECKING:
    from torchdev_lint.placement.domain.values import Value


@dataclass(eq=False, slots=True)
class ClassInfo:
    """A class of the file.

    Args:
        bases: the classes of the file it inherits from.
        libraries: the dotted names of the other classes it inherits from.
        namespace: what its body binds: methods and class attributes.
        opaque: whether some base is neither.
    """

    name: str
    node: ast.ClassDef
    bases: list[ClassInfo] = field(default_factory=list)
    libraries: list[str] = field(default_factory=list)
    namespace: dict[str, Value] = field(default_factory=dict)
    opaque: bool = False

    def lineage(self) -> list[ClassInfo]:
        """The class and those of its ancestors that are in this file, nearest first."""
        order: list[ClassInfo] = []
        pending = [self]
        while pending:
            current = pending.pop(0)
            if current not in order:
                order.append(current)
                pending.extend(current.bases)
        return order

    def lookup(self, name: str) -> Value | None:
        """Find a method or class attribute, None where this file has none of that name."""
        for info in self.lineage():
            if name in info.namespace:
                return info.namespace[name]
        return None

    def library_bases(self) -> list[str]:
        """Dotted names of all ancestors outside this file that are known by name."""
        return [name for info in self.lineage() for name in info.libraries]

    def is_module(self) -> bool:
        """Whether instances are `torch.nn.Module`s, by name of a base or by shape."""
        for name in self.library_bases():
            last = name.rpartition(".")[2]
            if last in MODULE_BASES or name.startswith("torch.nn."):
                return True
            if last.endswith(("PreTrainedModel", "PretrainedModel")):
                return True
        return self._has_foreign_base() and self._is_shaped_like_a_module()

    def is_autograd_function(self) -> bool:
        """Whether it is a `torch.autograd.Function`."""
        return any(base.endswith("autograd.Function") for base in self.library_bases())

    def _has_foreign_base(self) -> bool:
        return any(info.libraries or info.opaque for info in self.lineage())

    def _is_shaped_like_a_module(self) -> bool:
        """Whether it has a `forward`, and an `__init__` that builds layers of `torch.nn`."""
        if self.lookup("forward") is None:
            return False
        inits = [
            item
            for info in self.lineage()
            for item in info.node.body
            if isinstance(item, ast.FunctionDef) and item.name == "__init__"
        ]
        return any(_builds_a_layer(init) for init in inits)

    def inherits(self, *names: str) -> bool:
        """Whether an ancestor outside this file has one of these last components."""
        return any(base.rpartition(".")[2] in names for base in self.library_bases())

    def methods(self) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
        """The methods of the class itself."""
        return {
            item.name: item
            for item in self.node.body
            if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))
        }


def _builds_a_layer(init: ast.FunctionDef) -> bool:
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
