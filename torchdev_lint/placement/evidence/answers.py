"""Answers to questions about devices, and which variables keep them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchdev_lint.catalog.devices import AVAILABLE, COUNTS, IDLE_WITHOUT
from torchdev_lint.catalog.factories import ACCELERATOR_LEGACY
from torchdev_lint.placement.evidence.flags import about_devices
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.walking import walk

CUDA_MEMBERS = frozenset(
    name.rpartition(".")[2] for name in AVAILABLE | COUNTS | ACCELERATOR_LEGACY | IDLE_WITHOUT
)
"""What of `torch.cuda` is no sign of code that needs it: questions, types of tensors, and what does
nothing where there is none."""

_QUESTIONS = (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Name, ast.Attribute, ast.Call)
"""What the answer to a question is made of that is kept in a variable."""


def answers_in(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield the variables and attributes that keep an answer about devices.

    `self.fast = torch.cuda.is_available()`: a condition that asks `self.fast` is about devices.
    """
    for node in nodes:
        if isinstance(node, ast.Assign) and _is_answer(node.value):
            yield from filter(None, map(last_component, node.targets))
        elif isinstance(node, ast.AnnAssign) and node.value is not None and _is_answer(node.value):
            yield last_component(node.target)


def _is_answer(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return last_component(node.func) in {"is_available", "device_count", "bool"}
    return isinstance(node, _QUESTIONS) and about_devices(node)


def asks(test: ast.AST, answers: frozenset[str]) -> bool:
    """Whether a condition asks for some of the answers about devices that are kept."""
    return any(
        (dotted(part) or "").rpartition(".")[2] in answers
        for part in walk(test)
        if isinstance(part, (ast.Name, ast.Attribute))
    )
