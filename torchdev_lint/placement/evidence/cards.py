"""Which variables say which accelerator to use: they go to what takes nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import dotted, path_of

_TAKES_A_CARD = "cuda.set_device"
"""How the function ends that takes an accelerator, as a number, a text or a device."""


def cards_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the variables and attributes that name accelerators, or count the processes.

    A process's number is one: where it is a destination, it is that of an accelerator.

    Args:
        nodes: all of a file.
    """
    kept: list[ast.Assign] = []
    found = set[str | None]()
    for node in nodes:
        if isinstance(node, ast.Call):
            found.update(map(path_of, _cards(node)))
        elif isinstance(node, ast.Assign) and isinstance(node.value, (ast.Name, ast.Attribute)):
            kept.append(node)
    found -= {None}
    same = {path_of(each.targets[0]) for each in kept if path_of(each.value) in found}
    return frozenset(path for path in found | same if path is not None)


def _cards(call: ast.Call) -> Iterator[ast.expr]:
    """Yield what a call is told to have for an accelerator."""
    name = dotted(call.func) or ""
    if name.endswith(_TAKES_A_CARD):
        yield from call.args[:1]
    if name.rpartition(".")[2] == "init_process_group":
        yield from by_keyword(call, "rank")
    for listed in by_keyword(call, "device_ids"):
        if isinstance(listed, ast.List):
            yield from listed.elts
