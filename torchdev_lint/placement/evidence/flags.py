"""What the words in a condition say: about devices, and what it depends on."""

from __future__ import annotations

import ast
from functools import lru_cache

from torchdev_lint.catalog.devices import (
    ABOUT_DEVICES,
    ACCELERATOR_COUNT,
    ACCELERATOR_FLAG,
    ACCELERATOR_NUMBER,
    AVAILABLE,
    BEGINNING,
    COUNTS,
    HOST_FLAG,
)
from torchdev_lint.catalog.factories import TYPES_OF_HOST
from torchdev_lint.syntax.names import dotted, is_too_large, names_on_the_way
from torchdev_lint.syntax.scopes import Syntax
from torchdev_lint.syntax.walking import walk

_WORDS = {"true": True, "yes": True, "y": True, "on": True, "false": False, "no": False}
"""How settings are written that are true or false."""
_THERE_IS = {(ast.GtE, "0"), (ast.Gt, "-1"), (ast.NotEq, "-1"), (ast.IsNot, "None")}
_THERE_IS_NONE = {(ast.Lt, "0"), (ast.LtE, "-1"), (ast.Eq, "-1"), (ast.Is, "None")}
"""How it is asked of a number whether there is an accelerator, or whether there is none."""
_CONSTANT = (ast.Constant, ast.UnaryOp)
_SPELLING = frozenset({"lower", "upper", "strip", "casefold"})
"""Methods of text that leave what it says."""


def flag(node: ast.expr) -> bool | None:
    """Judge `use_cuda`, `args.no_cuda`, `args.ngpu > 0`, `args.gpu >= 0` by the assumption.

    Only for conditions whose value is not known otherwise.
    """
    if isinstance(node, ast.Compare):
        which = True if _counts_any(node) else _says_which(node)
        return _said(node) if which is None else which
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == BEGINNING and len(node.args) == 1:
            return _as_said(node.func.value, node.args[0], True)
    if isinstance(node, ast.Call) and not node.args and not node.keywords:
        node = node.func
    *_, last = names_on_the_way(node) or [""]
    if ACCELERATOR_FLAG.match(last):
        return True
    return False if HOST_FLAG.match(last) else None


def _counts_any(node: ast.Compare) -> bool:
    """Whether it is asked if there is an accelerator at all: `args.ngpu > 0`."""
    bound, operator = node.comparators[0], type(node.ops[0])
    if len(node.ops) > 1 or not isinstance(bound, ast.Constant):
        return False
    if (operator, bound.value) not in {(ast.Gt, 0), (ast.NotEq, 0), (ast.GtE, 1)}:
        return False
    if isinstance(node.left, ast.Call):
        return dotted(node.left.func) in COUNTS
    name = dotted(node.left) or ""
    return ACCELERATOR_COUNT.match(name.rpartition(".")[2]) is not None


def _says_which(node: ast.Compare) -> bool | None:
    """Judge whether it is asked which accelerator there is, if any: `args.gpu >= 0`."""
    bound, operator = node.comparators[0], type(node.ops[0])
    if len(node.ops) > 1 or not _names_number(node.left):
        return None
    asked = operator, ast.unparse(bound) if isinstance(bound, _CONSTANT) else ""
    return True if asked in _THERE_IS else False if asked in _THERE_IS_NONE else None


def is_asked_for_none(test: ast.expr) -> bool:
    """Whether it is asked if no accelerator is named, of which there may be several."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.Is, ast.IsNot)):
        return False
    return _says_which(test) is not None


def _names_number(node: ast.expr) -> bool:
    *_, last = names_on_the_way(node) or [""]
    return ACCELERATOR_NUMBER.match(last) is not None


def _said(node: ast.Compare) -> bool | None:
    """Judge a flag that is compared with what is true or false, also in words."""
    operator, other = type(node.ops[0]), node.comparators[0]
    if len(node.ops) > 1 or operator not in (ast.Eq, ast.NotEq, ast.Is, ast.IsNot):
        return None
    return _as_said(node.left, other, operator in (ast.Eq, ast.Is))


def _as_said(node: ast.expr, other: ast.expr, is_same: bool) -> bool | None:
    """Judge whether a flag is what it is compared with, or is not."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in _SPELLING:
            return None
        node = node.func.value
    verdict = None if isinstance(node, ast.Compare) else flag(node)
    said = other.value if isinstance(other, ast.Constant) else None
    words = str(said).lower() if isinstance(said, (bool, str)) else ""
    if verdict is None or words not in _WORDS:
        return None
    return (verdict is _WORDS[words]) is is_same


def by_assumption(test: ast.expr) -> bool | None:
    """Judge a condition by its words alone: `args.cuda`, `torch.cuda.is_available()`."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        verdict = by_assumption(test.operand)
        return None if verdict is None else not verdict
    if isinstance(test, ast.Call):
        return True if dotted(test.func) in AVAILABLE else None
    return flag(test)


def tells_of_accelerators(node: ast.expr) -> bool:
    """Whether an expression gives what it does because there is an accelerator.

    `not torch.cuda.is_available()` does, with whatever else is asked beside it.
    """
    if isinstance(node, ast.BoolOp):
        return any(map(tells_of_accelerators, node.values))
    while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node = node.operand
    return isinstance(node, ast.Call) and dotted(node.func) in AVAILABLE


def about_devices(test: ast.AST) -> bool:
    """Whether a condition that could not be decided is about devices."""
    for node in walk(test):
        if isinstance(node, ast.Name):
            word: object = node.id
        elif isinstance(node, ast.Attribute):
            word = node.attr
        elif isinstance(node, ast.Constant):
            word = node.value
        else:
            continue
        if isinstance(word, str) and (says_device(word) or word in TYPES_OF_HOST):
            return True
    return False


def is_asked_for(syntax: Syntax, node: ast.AST) -> bool:
    """Whether a condition about devices decides whether a node is run, within its function."""
    return any(map(about_devices, syntax.conditions(node)))


@lru_cache(maxsize=4096)
def says_device(word: str) -> bool:
    """Whether a name or string is about devices; most are asked again and again."""
    return ABOUT_DEVICES.search(word) is not None


_STABLE = (
    *(ast.Name, ast.Attribute, ast.Constant, ast.Tuple, ast.List, ast.Set),
    *(ast.Compare, ast.BoolOp, ast.UnaryOp),
)
"""What a condition is made of that gives the same when it is asked again."""
_LONGEST = 200
"""How many nodes a condition has at the most that is known again."""
_STABLE_CALLS = frozenset({"isinstance", "len", "hasattr", "callable", "torch.is_tensor"})
"""Functions that give the same for the same arguments."""


def asked_by(test: ast.AST) -> frozenset[str] | None:
    """Return the variables and attributes that a condition asks.

    None if it may give something else when it is asked again, or is too long to be kept.
    """
    asked: set[str] = set()
    for position, part in enumerate(walk(test)):
        if position == _LONGEST:
            return None
        if isinstance(part, ast.Name):
            asked.add(part.id)
        elif isinstance(part, ast.Attribute):
            asked.add(part.attr)
        elif isinstance(part, ast.Call):
            if part.keywords or dotted(part.func) not in _STABLE_CALLS:
                return None
        elif not isinstance(part, _STABLE) or is_too_large(part):
            return None
    return frozenset(asked)
