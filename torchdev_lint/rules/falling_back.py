"""The devices of a file of which its own text shows that they may be the CPU."""

from __future__ import annotations

import ast
from typing import TypeGuard

from torchdev_lint.catalog.devices import ACCELERATOR_TYPES, DEVICE_NAMES, DEVICE_TYPES, HOST_TYPE
from torchdev_lint.placement.evidence.devices import type_named
from torchdev_lint.placement.evidence.made_of import Placed
from torchdev_lint.placement.evidence.told_devices import may_be_told_host
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.rules.settled import Settled
from torchdev_lint.syntax.names import last_component, path_of
from torchdev_lint.syntax.parameters import default_of
from torchdev_lint.syntax.walking import walk

_MOST_VARIABLES = 4
"""Over how many variables it is followed what a device is."""
_ACCELERATOR = "Accelerator"
"""The class of `accelerate` that chooses the CPU by itself, where there is nothing else."""


class FallingBack:
    """What shows of a device that it may be the CPU.

    Args:
        facts: what is known of the file.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._proof = facts.derived(Proof)
        statements = walk(facts.tree)
        self._imports_accelerate = any(
            isinstance(node, ast.ImportFrom) and node.module == "accelerate" for node in statements
        )

    def shown_by(self, device: ast.expr, place: ast.AST) -> ast.AST | None:
        """Return what shows that a device may be the CPU: a branch, a parameter; None: nothing.

        Args:
            device: a variable or an attribute.
            place: where it is read.
        """
        leaves = self._leaves(device, place, _MOST_VARIABLES)
        shown = [leaf for leaf in leaves if type_named(leaf) not in DEVICE_TYPES]
        hosts = [leaf for leaf in leaves if type_named(leaf) == HOST_TYPE]
        if not shown and len(hosts) == len(leaves):  # nothing is known, or there is no choice
            return None
        settled = Settled(self._facts.syntax, self._proof)
        return next((each for each in [*shown, *hosts] if not settled.is_overruled(each)), None)

    def _leaves(self, value: ast.expr, place: ast.AST, variables: int) -> list[ast.AST]:
        """What a device may be: names of devices, and what chooses one; empty: not all is known."""
        if type_named(value) in DEVICE_TYPES:
            return [value]
        if isinstance(value, ast.IfExp):
            return self._of_all([value.body, value.orelse], place, variables)
        if isinstance(value, ast.Call):
            is_device = last_component(value.func) == "device" and bool(value.args)
            return self._leaves(value.args[0], place, variables) if is_device else []
        if isinstance(value, ast.Name):
            given = self._proof.values.values(value.id, place)
            parameter = self._parameter(value, place)
            if parameter is not None:
                leaves = self._of_all(given, None, variables - 1) if variables else []
                return leaves if leaves and all(map(_names_accelerator, leaves)) else [parameter]
        elif isinstance(value, ast.Attribute):
            chooser = self._chooser(value.value, place)
            if chooser is not None:
                return [chooser]
            given = self._assigned(value, place)
        else:
            return []
        return self._of_all(given, None, variables - 1) if variables else []

    def _of_all(
        self, values: list[ast.expr], place: ast.AST | None, variables: int
    ) -> list[ast.AST]:
        """What some values may be; empty if that is not known of each.

        Args:
            place: where they are read; None: where each stands.
        """
        found = [self._leaves(value, place or value, variables) for value in values]
        return [leaf for part in found for leaf in part] if all(found) else []

    def _parameter(self, device: ast.Name, place: ast.AST) -> ast.AST | None:
        """The parameter that a variable is, if whoever calls may give any device."""
        bound = self._proof.bindings.reaching(device.id, place)
        (parameter,) = bound if len(bound) == 1 else (None,)
        if not isinstance(parameter, ast.arg) or device.id not in DEVICE_NAMES:
            return None
        default = default_of(self._facts.syntax, parameter)
        file = self._facts.file
        if default is None and file is not None and not may_be_told_host(Placed(file, device)):
            return None
        if default is None or type_named(default) == HOST_TYPE:
            return parameter
        return parameter if isinstance(default, ast.Constant) and default.value is None else None

    def _assigned(self, attribute: ast.Attribute, place: ast.AST) -> list[ast.expr]:
        """All that the file assigns to an attribute; nothing if not all of it is known.

        Those of `self` are those of the class.
        """
        path, proof = path_of(attribute), self._proof
        owner = self._owner(path, place)
        given = [
            proof.values.given(store)
            for store in proof.mentions.stores(attribute.attr)
            if path_of(store) == path and self._owner(path, store) is owner
        ]
        return [value for part in given for value in part] if path and all(given) else []

    def _owner(self, path: str | None, place: ast.AST) -> ast.ClassDef | None:
        method = self._facts.syntax.method(place) if (path or "").startswith("self.") else None
        return method[1] if method else None

    def _chooser(self, owner: ast.expr, place: ast.AST) -> ast.Call | None:
        """The call that makes what chooses a device by itself, if an expression is that."""
        given: list[ast.expr] = []
        if isinstance(owner, ast.Name):
            given = self._proof.values.values(owner.id, place)
        elif isinstance(owner, ast.Attribute):
            given = self._assigned(owner, place)
        made = [value for value in given if self._is_accelerator(value)]
        return made[0] if made and len(made) == len(given) else None

    def _is_accelerator(self, value: ast.expr) -> TypeGuard[ast.Call]:
        """Whether an expression makes what chooses a device itself, and may choose any."""
        if not isinstance(value, ast.Call) or last_component(value.func) != _ACCELERATOR:
            return False
        return self._imports_accelerate and not any(k.arg == "cpu" for k in value.keywords)


def _names_accelerator(node: ast.AST) -> bool:
    return type_named(node) in ACCELERATOR_TYPES
