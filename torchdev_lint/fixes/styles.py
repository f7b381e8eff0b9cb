"""How a script moves things: `.to(device)`, `.cuda()`, with `non_blocking=True` or without."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import islice, product

from torchdev_lint.catalog.devices import HOST_TYPE, SETTINGS
from torchdev_lint.catalog.methods import MOVES_TO_DEVICE
from torchdev_lint.catalog.modules import ENTRY_METHODS
from torchdev_lint.change import Stated
from torchdev_lint.fixes.devices import device_named, is_same_later
from torchdev_lint.placement.facts.events import CalledMethod, CalledOnHost, Discard, ModuleMove
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.calls import by_keyword, destination, names_dtype
from torchdev_lint.syntax.names import names_in, path_of, text_of
from torchdev_lint.syntax.order import is_first_branch
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax
from torchdev_lint.syntax.walking import walk

_UNFIT_AS_CONDITION = (ast.NamedExpr, ast.Await, ast.Yield, ast.Lambda)
_ABOUT_DEVICES = re.compile("cuda|gpu|xpu|npu|device|accelerator", re.IGNORECASE)
_MAX_MODELS = 16
"""How many moves of tensors, and how many of modules, are looked at for one to be imitated."""


@dataclass(frozen=True, slots=True)
class Move:
    """How a script moves things.

    Args:
        text: the call, such as `.cuda()`.
        device: where that moves to, such as `"cuda"`.
        condition: when the script does that, such as `args.cuda`; empty: always.
        proven: whether it certainly can be done where it is to be put.
    """

    text: str
    device: str = ""
    condition: str = ""
    proven: bool = False

    def expression(self) -> Stated:
        """Return the call to append where no `if` can stand around it."""
        if not self.condition:
            return Stated(self.text, self.proven)
        return Stated(f'.to({self.device} if {self.condition} else "cpu")', self.proven)

    def statement(self, name: str) -> tuple[str, str]:
        """Return the assignment that moves a variable, and the line to put it under, if any."""
        return f"{name} = {name}{self.text}", f"if {self.condition}:" if self.condition else ""


def move_for(facts: Facts, module: ast.AST | None, node: ast.AST) -> Move | None:
    """Return how an input is moved to where a module is, such as `.to(device)`.

    As its neighbours in the same function are, else as the module was, and under the same
    condition if that is about there being an accelerator.

    Args:
        facts: what is known of the file.
        module: the expression of the module, if one is called.
        node: where the move is to be put.
    """
    possible = None
    for move in _moves_in_sight(facts, module, node):
        if move.proven:
            return move
        possible = possible or move
    return possible


def _moves_in_sight(facts: Facts, module: ast.AST | None, node: ast.AST) -> Iterator[Move]:
    for call in _neighbours(facts, node):
        if _is_usable_call(facts, call, node):
            text = _as_written(facts, call)
            if text is not None and (move := _under_condition(facts, call, node, text)):
                yield move
    for call in _module_moves(facts, module, node):
        text = _like_module(facts, call, node)
        if text is not None and (move := _under_condition(facts, call, node, text)):
            yield move
    model = _model(facts, module) if module is not None else None
    if model is not None and _is_in_sight(facts, model, node):
        device, proof = f"next({facts.text(model)}.parameters()).device", facts.derived(Proof)
        lacks = isinstance(model, ast.expr) and proof.modules.lacks_parameters(model, node)
        lacks |= facts.find(CalledOnHost, facts.syntax.parent(model)) is not None
        if proof.is_bound(device, node) and not lacks:
            yield Move(f".to({device})", proven=proof.gives_device(device, node))


def move_of_module(facts: Facts, node: ast.AST) -> Move | None:
    """Return how a module is moved where it is built: as others are.

    Args:
        facts: what is known of the file.
        node: where the move is to be put.
    """
    possible = None
    for call in _module_moves(facts, None, node):
        text = _like_module(facts, call, node)
        move = None if text is None else _under_condition(facts, call, node, text)
        if move is not None and move.proven:
            return move
        possible = possible or move
    device = device_named(facts, node)
    return possible if device is None else Move(f".to({device})", proven=True)


def device_of(facts: Facts, module: ast.AST | None, node: ast.AST) -> Stated | None:
    """Return the device of a module as an argument for a factory at a node."""
    found = move_for(facts, module, node)
    if found is None:
        return None
    argument = _argument(found.expression().text)
    return Stated(argument, found.proven) if argument is not None else None


def _argument(move: str) -> str | None:
    """The device that a move names."""
    call = ast.parse(f"x{move}", mode="eval").body
    assert isinstance(call, ast.Call)
    if not move.startswith(".to("):
        return '"cuda"' if move == ".cuda()" else None
    given = [*call.args, *by_keyword(call, "device")]
    argument = move[4:-1].partition(", non_blocking")[0].removeprefix("device=")
    return argument if given and text_of(given[0]) == _normal(argument) else None


def _normal(text: str) -> str:
    return text_of(ast.parse(text, mode="eval"))


def _neighbours(facts: Facts, node: ast.AST) -> Iterator[ast.Call]:
    """Moves of other tensors in the same function, the nearest loop's first."""
    syntax = facts.syntax
    moves = facts.derived(_Moves).nearest(syntax.scope(node), syntax.loop(node))
    for call in islice(moves, _MAX_MODELS):
        if facts.find(ModuleMove, call) is None and facts.find(Discard, call) is None:
            yield call


class _Moves:
    """Where functions assign a variable what it holds, moved.

    Args:
        syntax: the file.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._in_scope: dict[ast.AST, list[ast.Call]] = {}
        self._in_loop: dict[tuple[ast.AST, ast.AST | None], list[ast.Call]] = {}
        found: list[tuple[ast.AST, ast.Call]] = []
        for part in walk(syntax.tree):
            if not isinstance(part, ast.Assign) or not isinstance(part.value, ast.Call):
                continue
            call = part.value
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in MOVES_TO_DEVICE:
                continue
            if path_of(part.targets[0]) == path_of(call.func.value) is not None:
                found.append((syntax.scope(part), call))
        for scope, call in sorted(found, key=lambda pair: pair[1].lineno):
            self._in_scope.setdefault(scope, []).append(call)
            self._in_loop.setdefault((scope, syntax.loop(call)), []).append(call)

    def nearest(self, scope: ast.AST, loop: ast.AST | None) -> Iterator[ast.Call]:
        """Yield the moves in a function, but for those in functions within it.

        Args:
            loop: the loop in it whose own come first; None: those that are in none.
        """
        yield from self._in_loop.get((scope, loop), ())
        for call in self._in_scope.get(scope, ()):
            if self._syntax.loop(call) is not loop:
                yield call


class _ModuleMoves:
    """Moves of modules, by what they move and where they are.

    Args:
        facts: what is known of the file.
    """

    def __init__(self, facts: Facts) -> None:
        self._of: dict[tuple[str | None, ast.AST | None], list[ast.Call]] = {}
        for move in facts.of(ModuleMove):
            scope = facts.syntax.scope(move.node)
            for key in product((move.module, None), (scope, None)):
                self._of.setdefault(key, []).append(move.node)

    def nearest(self, module: str | None, scope: ast.AST) -> Iterator[ast.Call]:
        """Yield all of them, those of a module first, and among equals those in a function.

        Args:
            module: the module's path, if it has one.
        """
        seen: set[ast.Call] = set()
        for key in product((module, None), (scope, None)):
            for call in self._of.get(key, ()):
                if call not in seen:
                    seen.add(call)
                    yield call


def _module_moves(facts: Facts, module: ast.AST | None, node: ast.AST) -> Iterator[ast.Call]:
    """Moves of modules, that of the module at hand in the same function first."""
    path = path_of(module) if module is not None else None
    moves = facts.concluded(_ModuleMoves).nearest(path, facts.syntax.scope(node))
    return islice(moves, _MAX_MODELS)


def _is_usable_call(facts: Facts, call: ast.Call, node: ast.AST) -> bool:
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    if len(call.args) > 1 or any(k.arg not in {"device", "non_blocking"} for k in call.keywords):
        return False
    return all(
        not names_dtype(a) and not names_host(facts, a) and is_usable(facts, a, node)
        for a in arguments
    )


def names_host(facts: Facts, node: ast.expr, place: ast.AST | None = None) -> bool:
    """Return whether an expression is the device of the CPU, or a variable that holds that.

    Args:
        facts: what is known of the file.
        node: the expression.
        place: where it is read; where it stands, if that is not given.
    """
    proof = facts.derived(Proof)
    if isinstance(node, ast.Name):
        bound = proof.bindings.reaching(node.id, place or node)
        given = [value for binding in bound for value in proof.values.given(binding)]
        return bool(given) and all(_is_host(facts, value) for value in given)
    return _is_host(facts, node)


def _is_host(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is `"cpu"`, or the device of that name."""
    if isinstance(node, ast.Call) and node.args:
        is_device = facts.derived(Proof).values.library(node.func) == "torch.device"
        return is_device and _is_host(facts, node.args[0])
    return isinstance(node, ast.Constant) and node.value == HOST_TYPE


def _as_written(facts: Facts, call: ast.Call) -> str | None:
    assert isinstance(call.func, ast.Attribute)
    arguments = [facts.text(argument) for argument in call.args]
    arguments += [f"{k.arg}={facts.text(k.value)}" for k in call.keywords]
    text = ", ".join(arguments)
    return None if "\n" in text else f".{call.func.attr}({text})"


def _like_module(facts: Facts, call: ast.Call, node: ast.AST) -> str | None:
    """How an input is moved like a module: without the other arguments, a dtype for example."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in MOVES_TO_DEVICE:
        return None
    given = destination(call)
    if given is None:
        return f".{call.func.attr}()" if call.func.attr != "to" else None
    text = facts.text(given)
    if "\n" in text or names_dtype(given) or not is_usable(facts, given, node):
        return None
    return f".{call.func.attr}({text})"


def _under_condition(facts: Facts, call: ast.Call, node: ast.AST, text: str) -> Move | None:
    """The move as a call makes it, None if the call's condition means nothing at a node."""
    assert isinstance(call.func, ast.Attribute)
    proof = facts.derived(Proof)
    given = [*call.args[:1], *by_keyword(call, "device")]
    if given and proof.serves_again(given[0], node):
        return Move(text, proven=True)
    tests = proof.order.tests_before(call, node)
    if call.func.attr == "to" and not (given and isinstance(given[0], ast.Constant)):
        return Move(text)  # the device that the script has chosen
    test = tests[0] if tests is not None and len(tests) == 1 else _condition(facts, call, node)
    if test is None:
        return Move(text, proven=tests == [])
    condition = facts.text(test)
    if "\n" in condition or any(isinstance(n, _UNFIT_AS_CONDITION) for n in ast.walk(test)):
        return None
    if not _means_the_same(facts, test, node):
        return None
    proven = tests == [test] and proof.may_be_repeated(test) and proof.is_unchanged(test, node)
    return Move(text, facts.text(given[0]) if given else f'"{call.func.attr}"', condition, proven)


def _condition(facts: Facts, call: ast.Call, node: ast.AST) -> ast.expr | None:
    """The question about accelerators on which a move depends, and a node does not."""
    child: ast.AST = call
    around = set(facts.syntax.around(node))
    for part in facts.syntax.around(call):
        if part in around or isinstance(part, FUNCTIONS):
            break
        if isinstance(part, (ast.If, ast.IfExp)) and _ABOUT_DEVICES.search(text_of(part.test)):
            if is_first_branch(part, child):
                return None if _moves_otherwise(part) else part.test
        child = part
    return None


def _moves_otherwise(part: ast.If | ast.IfExp) -> bool:
    """Whether things are moved in the other branch as well."""
    branch = part.orelse if isinstance(part.orelse, list) else [part.orelse]
    return any(
        isinstance(node, ast.Attribute) and node.attr in MOVES_TO_DEVICE
        for other in branch
        for node in ast.walk(other)
    )


def _model(facts: Facts, module: ast.AST) -> ast.AST | None:
    """The model itself, where one of its methods is called, such as `model.generate`."""
    if isinstance(module, ast.Attribute):
        classes = facts.derived(Proof).mentions.classes
        methods = (s.name for c in classes for s in c.body if isinstance(s, ast.FunctionDef))
        if module.attr in ENTRY_METHODS or module.attr in methods:
            return module.value
        if facts.find(CalledMethod, facts.syntax.parent(module)) is not None:
            return module.value  # the class is another file's
    return module


def _is_in_sight(facts: Facts, model: ast.AST, node: ast.AST) -> bool:
    """Whether a model can be asked for its parameters at a node."""
    path = path_of(model)
    return (
        path is not None
        and is_same_later(facts, path, node, model)
        and facts.derived(Proof).is_bound(text_of(model), node)
    )


def is_usable(facts: Facts, expression: ast.expr, node: ast.AST) -> bool:
    """Whether an expression of a device means the same at another place.

    Args:
        facts: what is known of the file.
        expression: where it is written.
        node: where it is to be used.
    """
    if not facts.derived(Proof).may_be_repeated(expression):
        return False
    return _means_the_same(facts, expression, node)


def _means_the_same(facts: Facts, expression: ast.expr, node: ast.AST) -> bool:
    proof = facts.derived(Proof)
    if not proof.is_bound(text_of(expression), node) or proof.contradicts(expression, node):
        return False
    return all(_is_same(facts, name, expression, node) for name in names_in(expression))


def _is_same(facts: Facts, name: str, first: ast.AST, second: ast.AST) -> bool:
    """Whether a name in two places stands for the same thing."""
    syntax, bindings = facts.syntax, facts.derived(Proof).bindings
    if bindings.owner(name, first) is bindings.owner(name, second):
        return True
    if name == "self":
        one, other = syntax.method(first), syntax.method(second)
        return one is not None and other is not None and one[1] is other[1]
    return name in SETTINGS or "device" in name.lower()
