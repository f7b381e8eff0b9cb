"""Which variables say which accelerator to use: they go to what takes nothing else.

So do options of the command line that are numbers: a device that is one is an accelerator.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchdev_lint.catalog.devices import ACCELERATOR_TYPES
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import dotted, path_of

_TAKES_A_CARD = "cuda.set_device"
"""How the function ends that takes an accelerator, as a number, a text or a device."""
_ADDS_OPTION = ".add_argument"
_READS_ALL, _READS_KNOWN = "parse_args", "parse_known_args"
"""The methods of its parser that read a command line; the second gives what is left as well."""


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


def options_for_cards(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the options that a program adds to its command line which are numbers, by their names.

    Or names of accelerators, where nobody says anything else.

    Args:
        nodes: all of a file.
    """
    cards, others = set[str](), set[str]()
    for node in nodes:
        if isinstance(node, ast.Call) and (dotted(node.func) or "").endswith(_ADDS_OPTION):
            (cards if _is_number(node) or _is_named(node) else others).update(_names(node))
    return frozenset(cards - others)


def command_lines_in(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the variables that hold what a command line says, as `argparse` reads it.

    Args:
        nodes: all of a file.
    """
    held = set[str | None]()
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            function, target = node.value.func, node.targets[0]
            name = function.attr if isinstance(function, ast.Attribute) else ""
            if name == _READS_ALL:
                held.add(path_of(target))
            elif name == _READS_KNOWN and isinstance(target, ast.Tuple) and target.elts:
                held.add(path_of(target.elts[0]))
    return frozenset(path for path in held if path is not None)


def _names(call: ast.Call) -> Iterator[str]:
    """Yield what an option is called where its value is looked up: `--gpu-id` is `gpu_id`."""
    for kept in by_keyword(call, "dest"):
        if isinstance(kept, ast.Constant):
            yield str(kept.value)
            return
    for named in call.args:
        if isinstance(named, ast.Constant) and isinstance(named.value, str):
            yield named.value.lstrip("-").replace("-", "_")


def _is_number(call: ast.Call) -> bool:
    """Whether an option is one number, and no flag."""
    if any(keyword.arg in {"action", "nargs"} for keyword in call.keywords):
        return False
    return any(isinstance(kind, ast.Name) and kind.id == "int" for kind in by_keyword(call, "type"))


def _is_named(call: ast.Call) -> bool:
    for default in by_keyword(call, "default"):
        text = default.value if isinstance(default, ast.Constant) else None
        return isinstance(text, str) and text.partition(":")[0] in ACCELERATOR_TYPES
    return False
