"""Which types of devices a program says that it may run on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from torchdev_lint.catalog.devices import MPS_TYPE
from torchdev_lint.placement.evidence.devices import assigned
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax, own_nodes
from torchdev_lint.syntax.walking import walk

_MOST_STEPS = 5
"""Over how many variables and functions it is followed what a device is."""

_MOST_FOLLOWED = 200
"""At how many expressions it is looked for that."""


class Apple:
    """Whether a device may be one of Apple's accelerators, by what the file itself says.

    Args:
        syntax: the file.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._asks = any(map(_compares, walk(syntax.tree)))

    def may_be(self, device: ast.AST) -> bool:
        """Whether the file says that a device may be one, and asks nowhere whether it is."""
        given = islice(self._given_by(device), _MOST_FOLLOWED)
        return not self._asks and any(map(_is_apples, given))

    def _given_by(self, device: ast.AST) -> Iterator[ast.AST]:
        """Yield what a device may be: each expression once, in as few steps as lead to it."""
        seen, pending = {device}, [device]
        for _ in range(_MOST_STEPS + 1):
            behind: dict[ast.AST, None] = {}
            while pending:
                node = pending.pop()
                yield node
                if isinstance(node, ast.IfExp):
                    pending += [node.body, node.orelse]
                elif isinstance(node, ast.BoolOp):
                    pending += node.values
                else:
                    behind.update(dict.fromkeys(self._behind(node)))
            pending = [node for node in behind if node not in seen]
            seen.update(pending)

    def _behind(self, node: ast.AST) -> Iterator[ast.expr]:
        """Yield what a variable is assigned, or what a call may give."""
        if isinstance(node, ast.Name):
            yield from assigned(self._syntax, node)
        elif isinstance(node, ast.Call):
            yield from node.args[:1]
            yield from self._given_back.get(last_component(node.func), ())

    @cached_property
    def _given_back(self) -> dict[str, list[ast.expr]]:
        """What the functions of the file give back."""
        found: dict[str, list[ast.expr]] = {}
        for part in self._syntax.tree.body:
            if isinstance(part, FUNCTIONS):
                for node in own_nodes(part):
                    if isinstance(node, ast.Return) and node.value is not None:
                        found.setdefault(part.name, []).append(node.value)
        return found


def _is_apples(node: ast.AST) -> bool:
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and text.partition(":")[0] == MPS_TYPE


def _compares(node: ast.AST) -> bool:
    """Whether a node asks whether a device is one of Apple's."""
    return isinstance(node, (ast.Compare, ast.match_case)) and any(
        isinstance(part, ast.Constant) and part.value == MPS_TYPE for part in walk(node)
    )
