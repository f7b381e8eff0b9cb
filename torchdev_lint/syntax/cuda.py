"""CUDA by its name: what in the text of a call says so."""

from __future__ import annotations

import ast
import re

from torchdev_lint.catalog.devices import CUDA_TYPE
from torchdev_lint.catalog.factories import ACCELERATOR_LEGACY
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import dotted, last_component, short
from torchdev_lint.syntax.walking import walk

_MOVE = "cuda"
"""The method that moves to CUDA, with nothing said of which one."""
_LITERAL = re.compile(rf"{CUDA_TYPE}(:\d+)?")
"""What a device is called in so many letters."""
_KEEPS = frozenset({"non_blocking", "async", "memory_format"})
"""Arguments of a move that don't say where it goes."""
_MOST_DIGITS = 4
"""Of how many digits the number of a GPU is, at the most."""
_LEGACY = frozenset(name.rpartition(".")[2] for name in ACCELERATOR_LEGACY)


def names_cuda(node: ast.AST | None) -> bool:
    """Whether an expression is CUDA's name, or that of a type there, or a device made of that."""
    if isinstance(node, ast.Call) and last_component(node.func) == "device":
        return bool(node.args) and all(map(_is_literal, node.args)) and names_cuda(node.args[0])
    if not isinstance(node, ast.Constant):
        return node is not None and is_type(node)
    return isinstance(node.value, str) and _LITERAL.fullmatch(node.value) is not None


def _is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def is_plain_move(call: ast.Call) -> bool:
    """Whether a call is `x.cuda()`, with nothing in it that comes from elsewhere."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == _MOVE):
        return False
    given = [keyword.value for keyword in call.keywords if keyword.arg not in _KEEPS]
    return all(_is_literal(node) or names_cuda(node) for node in (*call.args, *given))


def puts_on_cuda(call: ast.Call) -> bool:
    """Whether a call itself names CUDA as the place of what it gives, going by the text."""
    if is_plain_move(call):
        return True
    if is_type(call.func) or any(map(is_type, call.args)):
        return True
    return any(map(names_cuda, devices_of(call)))


def devices_of(call: ast.Call) -> list[ast.expr]:
    """What a call is given that may be a device."""
    moved = call.args[:1] if last_component(call.func) == "to" else []
    return [*by_keyword(call, "device"), *moved]


def number_named(call: ast.Call) -> int:
    """Which of several GPUs a call that puts something on CUDA names; 0: the first, or none."""
    given = [*call.args, *call.keywords] if is_plain_move(call) else devices_of(call)
    parts = (part.value for node in given for part in walk(node) if isinstance(part, ast.Constant))
    return max([0, *map(_number, parts)])


def _number(value: object) -> int:
    """The number in `1` or `"cuda:1"`; 0: there is none."""
    if isinstance(value, str):
        digits = value.rpartition(":")[2]
        return int(digits) if digits.isdecimal() and len(digits) <= _MOST_DIGITS else 0
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def name_of(call: ast.Call) -> str:
    """What a message calls a call that puts something on CUDA: what of it says so."""
    function = call.func
    if isinstance(function, ast.Attribute) and function.attr in {_MOVE, "to", "type"}:
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        named = next(filter(names_cuda, given), None)
        return f".{function.attr}({'' if named is None else short(named)})"
    return dotted(function) or short(function)


def is_type(node: ast.AST) -> bool:
    """Whether an expression is the name of a type of CUDA's tensors."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value in ACCELERATOR_LEGACY
    if not (isinstance(node, ast.Attribute) and node.attr in _LEGACY):
        return False
    return last_component(node.value) == CUDA_TYPE
