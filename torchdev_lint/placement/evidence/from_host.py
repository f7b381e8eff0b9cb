"""Whether what is written to a file was brought to the CPU before."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Set
from functools import cached_property

from torchdev_lint.catalog.bringing import LIGHTNING_DATA, LIGHTNING_ROOTS, LIGHTNING_RUNS
from torchdev_lint.catalog.methods import MOVES_TO_DEVICE
from torchdev_lint.placement.evidence.feeding import brings_back, given_back
from torchdev_lint.placement.evidence.given import Given
from torchdev_lint.syntax.names import imported_from, last_component, text_of
from torchdev_lint.syntax.scopes import Syntax, root_name
from torchdev_lint.syntax.walking import walk

_STATE = "state_dict"


def is_from_host(syntax: Syntax, node: ast.expr) -> bool:
    """Return whether what is written was brought to the CPU, there or by a statement before.

    As a whole, or entry by entry.

    Args:
        syntax: the file's tree.
        node: the expression of what is written.
    """
    if is_brought_back(node) or _was_brought_before(syntax, node):
        return True
    value = held_once(syntax, node)
    if isinstance(value, ast.DictComp):
        return is_brought_back(value.value)
    if isinstance(value, ast.Dict) and _holds_states_of_host(syntax, value):
        return True
    refilled = syntax.derived(_Refilled).of(syntax.scope(node))
    return text_of(node) in refilled or _is_filled_with(syntax, node, refilled)


def _is_filled_with(syntax: Syntax, node: ast.expr, refilled: Set[str]) -> bool:
    """Whether the entries that a dict is given are states that were brought to the CPU.

    Args:
        refilled: the dicts of the function whose entries it brings there.
    """
    name = text_of(node)
    given = [
        part.value
        for part in walk(syntax.scope(node))
        if isinstance(part, ast.Assign)
        and isinstance(part.targets[0], ast.Subscript)
        and text_of(part.targets[0].value) == name
    ]
    brought = [value for value in given if _is_state_of_host(syntax, value, refilled)]
    others = [value for value in given if value not in brought]
    return bool(brought) and not any(map(_asks_for_state, others))


def _is_state_of_host(syntax: Syntax, value: ast.expr, refilled: Set[str]) -> bool:
    """Whether an expression is a state that was brought to the CPU, there or entry by entry.

    Args:
        refilled: the dicts of the function whose entries it brings there.
    """
    if isinstance(value, ast.Dict):
        return _holds_states_of_host(syntax, value)
    return text_of(value) in refilled or (is_brought_back(value) and _asks_for_state(value))


def _asks_for_state(value: ast.expr) -> bool:
    """Whether an expression asks a model for its state, wherever that is."""
    calls = (part for part in walk(value) if isinstance(part, ast.Call))
    return any(last_component(call.func) == _STATE for call in calls)


def held_once(syntax: Syntax, node: ast.expr) -> ast.expr:
    """Return what a variable is given, if the function around gives it that once; else itself."""
    given = syntax.derived(Given).held_by(node)
    return given[0] if isinstance(node, ast.Name) and len(given) == 1 else node


class _Refilled:
    """The dicts whose entries the functions of a file bring to the CPU in a loop.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._known: dict[ast.AST, set[str]] = {}

    def of(self, scope: ast.AST) -> set[str]:
        """Return the names of those that one of them brings there."""
        if scope not in self._known:
            loops = [part for part in walk(scope) if isinstance(part, ast.For)]
            self._known[scope] = {name for loop in loops if (name := _refills(loop))}
        return self._known[scope]


def _refills(loop: ast.For) -> str:
    """The name of the dict over which a loop goes and brings its entries to the CPU, if it does.

    In one statement, or in several: `v = v.cpu()`, `state[key] = v`.
    """
    over = loop.iter
    if isinstance(over, ast.Call) and isinstance(over.func, ast.Name) and over.args:
        over = over.args[0]  # `list(state.keys())`
    name, brought, does = root_name(over) or "", set[str](), False
    for part in loop.body:
        if not isinstance(part, ast.Assign):
            continue
        target, value = part.targets[0], part.value
        if is_brought_back(value) or text_of(value) in brought:
            does |= isinstance(target, ast.Subscript) and root_name(target) == name
            brought.add(text_of(target))
        else:
            brought.discard(text_of(target))
    return name if does else ""


def _holds_states_of_host(syntax: Syntax, node: ast.Dict) -> bool:
    """Return whether a dict has what was brought to the CPU, and no other state.

    As in `{"options": options, "state": model.cpu().state_dict()}`, or with a variable for that.
    """
    brought = [value for value in node.values if is_from_host(syntax, value)]
    others = (held_once(syntax, value) for value in node.values if value not in brought)
    return bool(brought) and not any(map(_asks_for_state, others))


def is_brought_back(node: ast.expr) -> bool:
    """Return whether an expression moves something to the CPU, or asks what it has moved."""
    while isinstance(node, ast.Attribute) or (isinstance(node, ast.Call) and not brings_back(node)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Call)


def _was_brought_before(syntax: Syntax, node: ast.expr) -> bool:
    """Whether the function at hand has moved a model to the CPU before it asks for its state.

    And not back since, going by the order of the text: `model.cpu()`, `torch.save(model, path)`.
    What a variable is given once counts for it, and so does a model that is brought there where it
    is built.
    """
    held = held_once(syntax, node)
    node = held if isinstance(held, ast.Call) else node
    owner: ast.expr = node
    while isinstance(owner, ast.Call) and isinstance(owner.func, ast.Attribute):
        owner = owner.func.value
    name = text_of(owner)
    moves = syntax.derived(Moves).of(syntax.scope(node))
    wholes = [name[:at] for at, letter in enumerate(name) if letter == "."]
    last = (0, False)
    for whole in (*wholes, name):
        of_whole = moves.get(whole, [])
        before = bisect_left(of_whole, (node.lineno, False))
        last = max(last, of_whole[before - 1]) if before else last
    given = syntax.derived(Given).of(syntax.scope(node)).get(name, [])
    is_built_there = bool(given) and all(map(is_brought_back, given)) and not last[0]
    return last[1] or is_built_there


def _is_told_data(run: ast.Call) -> bool:
    """Whether a trainer is told its data as only one of Lightning's is, wherever it is built."""
    return any(keyword.arg in LIGHTNING_DATA for keyword in run.keywords)


class Moves:
    """What the functions of a file move.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._known: dict[ast.AST, dict[str, list[tuple[int, bool]]]] = {}

    def of(self, scope: ast.AST) -> dict[str, list[tuple[int, bool]]]:
        """Return in which lines something is moved, by what it is, and whether that is back."""
        if scope not in self._known:
            found = self._known[scope] = {}
            for part in walk(scope):
                if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
                    is_back = brings_back(part)
                    if is_back or part.func.attr in MOVES_TO_DEVICE:
                        moves = found.setdefault(text_of(given_back(part.func.value)), [])
                        moves.append((part.lineno, is_back))
                    elif (
                        part.func.attr in LIGHTNING_RUNS
                        and part.args
                        and (_is_told_data(part) or self._is_run(part.func.value))
                    ):
                        found.setdefault(text_of(part.args[0]), []).append((part.lineno, True))
            for moves in found.values():
                moves.sort()
        return self._known[scope]

    def _is_run(self, owner: ast.expr) -> bool:
        """Whether an object is a trainer of Lightning's, which moves what it has run to the CPU."""
        given = self._syntax.derived(Given).held_by(owner)
        built = all(isinstance(v, ast.Call) and last_component(v.func) == "Trainer" for v in given)
        return bool(given) and built and self._imports_lightning

    @cached_property
    def _imports_lightning(self) -> bool:
        nodes = walk(self._syntax.tree)
        imports = (node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)))
        return any(imported_from(node, LIGHTNING_ROOTS) for node in imports)
