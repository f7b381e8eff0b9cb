"""Expressions whose value is on the host for certain, going by the text alone."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.devices import SETTINGS
from torchdev_lint.catalog.factories import FACTORIES
from torchdev_lint.catalog.methods import TENSOR_METHODS, TENSOR_MOVES
from torchdev_lint.catalog.operations import JOINS, TENSOR_FIRST
from torchdev_lint.placement.evidence.feeding import brings_back, is_cast
from torchdev_lint.proof.grounds import Grounds
from torchdev_lint.proof.tensors import operation_named
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.scopes import is_generator, own_nodes

_MOST_VARIABLES = 4
"""Through how many variables a value is followed, each made of the one before."""
_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)


def is_brought_to_host(node: ast.expr, grounds: Grounds, variables: int = _MOST_VARIABLES) -> bool:
    """Return whether an expression is what `.cpu()` gave, or a part of it, or computed of it.

    Two operands are taken to be in one place: but for single numbers, they would fail otherwise.

    Args:
        node: the expression.
        grounds: what is known of the names of its file.
        variables: through how many variables, and functions of the file, to look.
    """
    while not isinstance(node, ast.Name):
        if operands := _operands(node, grounds):
            return any(is_brought_to_host(part, grounds, variables) for part in operands)
        if collected := _collected(node, grounds) if variables else ():
            return all(is_brought_to_host(part, grounds, variables - 1) for part in collected)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if brings_back(node):
                return True
            if node.func.attr in TENSOR_MOVES and not is_cast(node):
                return False
            node = node.func.value
        elif isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        else:
            break
    made_of = _made_of(node, grounds) if variables else []
    return bool(made_of) and all(is_brought_to_host(n, grounds, variables - 1) for n in made_of)


def is_made_on_host(node: ast.expr, grounds: Grounds, variables: int = _MOST_VARIABLES) -> bool:
    """Return whether an expression is what a factory makes that is told no device, or a part of it.

    Or a literal or a setting, which is no tensor. The default device is supposed to be the CPU.

    Args:
        node: the expression.
        grounds: what is known of the names of its file.
        variables: through how many variables, and functions of the file, to look.
    """
    while not isinstance(node, (ast.Name, ast.Constant)):
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if grounds.values.library(node.func) in FACTORIES:
                return all(keyword.arg not in {None, "device"} for keyword in node.keywords)
            if node.func.attr not in TENSOR_METHODS - TENSOR_MOVES:
                return False
            node = node.func.value
        else:
            break
    if isinstance(node, ast.Constant) or is_set_by_users(node, grounds):
        return True
    made_of = _made_of(node, grounds) if variables else []
    return bool(made_of) and all(is_made_on_host(n, grounds, variables - 1) for n in made_of)


def is_plain(node: ast.expr, grounds: Grounds) -> bool:
    """Return whether it is written out, or a variable of what is: numbers and texts, no tensor."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(is_plain(part, grounds) for part in node.elts)
    if isinstance(node, ast.Name):
        given = _made_of(node, grounds)
        return bool(given) and all(isinstance(value, ast.Constant) for value in given)
    return isinstance(node, ast.Constant)


def is_set_by_users(node: ast.expr, grounds: Grounds) -> bool:
    """Return whether it is what users set: `args.temperature`, or of what a parser gives."""
    if not isinstance(node, ast.Attribute):
        return False
    if dotted(node.value) in SETTINGS:
        return True
    of = node.value
    values = grounds.values.values(of.id, of) if isinstance(of, ast.Name) else []
    return bool(values) and all(map(_is_parsed, values))


def _is_parsed(node: ast.expr) -> bool:
    """Whether it is what `argparse` makes of a command line: `parser.parse_args()`."""
    function = node.func if isinstance(node, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr == "parse_args"


def _operands(node: ast.expr, grounds: Grounds) -> list[ast.expr]:
    """The tensors of which an operator or a function of torch makes one, if it does."""
    if isinstance(node, ast.BinOp):
        return _terms(node)
    if not isinstance(node, ast.Call) or not node.args:
        return []
    name, first = operation_named(grounds.values.library(node.func)), node.args[0]
    if name in JOINS and isinstance(first, (ast.ListComp, ast.GeneratorExp)):
        return [first.elt]
    if name in JOINS:
        return first.elts if isinstance(first, (ast.List, ast.Tuple)) else []
    return [first] if name in TENSOR_FIRST else []


def _collected(node: ast.expr, grounds: Grounds) -> list[ast.expr]:
    """What is appended to a list that a function of torch joins: `torch.cat(outputs)`."""
    if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Name):
        return []
    syntax, joined = grounds.syntax, node.args[0]
    begun = grounds.values.values(joined.id, joined)
    if operation_named(grounds.values.library(node.func)) not in JOINS or not begun:
        return []
    if any(not isinstance(value, ast.List) or value.elts for value in begun):
        return []
    found = []
    for name in syntax.named(joined.id, syntax.scope(joined)):
        method = syntax.parent(name)
        if isinstance(method, ast.Attribute) and method.attr == "append":
            call = syntax.parent(method)
            if isinstance(call, ast.Call) and call.func is method:
                found += call.args
    return found


def _terms(node: ast.BinOp) -> list[ast.expr]:
    """What is computed with, the first one first: a long sum is nested as deep as it is."""
    found: list[ast.expr] = []
    pending: list[ast.expr] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.BinOp):
            pending += [part.right, part.left]
        else:
            found.append(part)
    return found


def _made_of(node: ast.expr, grounds: Grounds) -> list[ast.expr]:
    """What a variable or call may give, or a part of it; empty: not all of that is known."""
    if not isinstance(node, ast.Name):
        return _returned(node, grounds)
    found: list[ast.expr] = []
    for binding in grounds.values.bound(node.id, node):
        around = grounds.syntax.parent(binding)
        if isinstance(around, _LOOPS) and around.target is binding:
            given = [around.iter]
        elif isinstance(around, ast.Tuple):
            given = _unpacked(around, around.elts.index(binding), grounds)  # type: ignore[arg-type]  # one of them
        else:
            given = grounds.values.given(binding)
        if not given:
            return []
        found += given
    return found


def _unpacked(target: ast.Tuple, position: int, grounds: Grounds) -> list[ast.expr]:
    """What a variable gets where the results of a function are unpacked."""
    statement = grounds.syntax.parent(target)
    if not isinstance(statement, ast.Assign):
        return []
    found = []
    for given in _returned(statement.value, grounds):
        if not isinstance(given, ast.Tuple) or len(given.elts) != len(target.elts):
            return []
        if any(isinstance(part, ast.Starred) for part in (*given.elts, *target.elts)):
            return []
        found.append(given.elts[position])
    return found


def _returned(node: ast.expr, grounds: Grounds) -> list[ast.expr]:
    """What a call of a function of the file may give; empty: not all of that is known."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return []
    bound = grounds.bindings.reaching(node.func.id, node.func)
    function = next(iter(bound)) if len(bound) == 1 else None
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return []
    if is_generator(function):
        return []
    given = [n.value for n in own_nodes(function) if isinstance(n, ast.Return)]
    return [value for value in given if value is not None] if None not in given else []
