"""Which calls and statements may lead to a finding, going by the names in them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Set
from typing import TypeAlias

from torchdev_lint.catalog.devices import DEVICE_NAMES, HOST_TYPE
from torchdev_lint.catalog.ecosystem import (
    ARRAY_LIBRARIES,
    CALLED_LATER,
    LOADER_NAME,
    TENSORS_WANTED,
)
from torchdev_lint.catalog.factories import SIZED
from torchdev_lint.catalog.methods import KEPT_BY_ASSIGNMENT, TO_ACCELERATOR
from torchdev_lint.catalog.modules import LOSS_WEIGHTS, MODEL_ENDINGS, MODULE_BASES
from torchdev_lint.catalog.operations import ACCOMPANIED, NEUTRAL_FUNCTIONS, SAME_RANK_CASTS
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS, root_name
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.triggers import TRIGGER_OF, Trigger

MayBeHost: TypeAlias = "Callable[[str], bool]"
"""Tells of a variable whether it is a parameter whose default is `None` or names the host."""

_LOSS_STATE = frozenset({*LOSS_WEIGHTS, None})
MOVING = TO_ACCELERATOR | {"to", "type_as"}
"""Methods that may move something to the accelerator."""
_OF_ONE_TENSOR = (NEUTRAL_FUNCTIONS | SAME_RANK_CASTS) - ACCOMPANIED
"""Methods that leave a tensor where it is, and which nothing meets it in."""


class Recognition:
    """What the names in a file mean, and which calls are triggers by that.

    Args:
        tree: the file's syntax tree.
        triggers: what the rules need to find something.
    """

    def __init__(self, tree: ast.Module, triggers: Set[Trigger]) -> None:
        self.triggers = triggers
        self.modules: set[str] = set()
        self._names = dict(TRIGGER_OF)
        self._foreign: set[str] = set()
        self._imported_range = False
        for statement in tree.body:
            if isinstance(statement, ast.ImportFrom):
                self._note_aliases(statement)
            elif isinstance(statement, ast.Import):
                self._note_foreign(statement)
            elif isinstance(statement, ast.ClassDef):
                self._note_class(statement)

    def _note_aliases(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.asname and (trigger := TRIGGER_OF.get(alias.name)):
                self._names[alias.asname] = trigger
            if alias.name in {"range", "*"} and node.module == "torch":
                self._imported_range = True

    def _note_foreign(self, node: ast.Import) -> None:
        """Note the names of libraries that have functions named like factories: `np.zeros`."""
        for alias in node.names:
            root = alias.name.partition(".")[0]
            if root in ARRAY_LIBRARIES:
                self._foreign.add(alias.asname or root)

    def _note_class(self, node: ast.ClassDef) -> None:
        """Note a class that is a module, which may be built in `forward`, or a loader.

        What the `__init__` of another class makes is not part of a module, and counts there.
        """
        bases = [last_component(base) for base in node.bases]
        if any(self._names.get(base) is Trigger.LOADER for base in bases):
            self._names[node.name] = Trigger.LOADER
        if _has_forward(node) or any(map(self._is_module, bases)):
            self.modules.add(node.name)
            self._names.setdefault(node.name, Trigger.LAYER)

    def _is_module(self, base: str) -> bool:
        return (
            base in self.modules
            or base in MODULE_BASES
            or base.endswith(MODEL_ENDINGS)
            or self._names.get(base) is Trigger.LAYER
        )

    def takes_a_loader(self, arguments: ast.arguments) -> bool:
        """Whether a function has a parameter that is a loader by its annotation."""
        if Trigger.LOADER not in self.triggers:
            return False
        return any(
            argument.annotation is not None
            and self._names.get(last_component(argument.annotation)) is Trigger.LOADER
            for argument in (*arguments.args, *arguments.kwonlyargs)
        )

    def trigger_of(self, node: ast.Call, may_be_host: MayBeHost) -> Trigger | None:
        """Return what a call may lead to, None if it is nothing that a rule asks for.

        Args:
            may_be_host: tells of a variable whether it is a parameter that may name the host.
        """
        function = node.func
        name = last_component(function)
        if name in CALLED_LATER and node.args:
            function = node.args[0]
            name = last_component(function)
        trigger = self._names.get(name) or _trigger_of_call(node, name)
        if trigger not in self.triggers:
            return None
        if trigger is Trigger.LOSS:
            counts = bool(node.args) or any(kw.arg in _LOSS_STATE for kw in node.keywords)
        elif trigger is Trigger.FACTORY:
            counts = not self._is_someone_elses(function) and not any(
                keyword.arg == "device" and not _may_be_cpu(keyword.value, may_be_host)
                for keyword in node.keywords
            )
        else:
            counts = trigger is not Trigger.LAYER or not self._is_someone_elses(function)
        return trigger if counts else None

    def _is_someone_elses(self, function: ast.expr) -> bool:
        """Whether a function with the name of PyTorch's is certainly none of those."""
        if isinstance(function, ast.Name):
            return function.id == "range" and not self._imported_range
        root = function
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            return False
        method = (
            root.id == "self" and isinstance(function, ast.Attribute) and function.value is root
        )
        return method or root.id in self._foreign


def _trigger_of_call(node: ast.Call, name: str) -> Trigger | None:
    """What a call means whose function's name alone says nothing."""
    if LOADER_NAME.search(name):
        return Trigger.LOADER
    for keyword in node.keywords:
        if keyword.arg == TENSORS_WANTED:
            return Trigger.READER
    return None


def _has_forward(node: ast.ClassDef) -> bool:
    return any(isinstance(item, FUNCTIONS) and item.name == "forward" for item in node.body)


def _may_be_cpu(node: ast.expr, may_be_host: MayBeHost) -> bool:
    """Whether a device argument is `None` or names the host, or is a parameter that may."""
    if isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    return may_be_host(node.id) if isinstance(node, ast.Name) else _is_cpu(node)


def host_by_default(given: ast.arguments) -> frozenset[str]:
    """Return the parameters whose default is `None` or names the host."""
    named = [*given.posonlyargs, *given.args]
    pairs = [
        *zip(reversed(named), reversed(given.defaults), strict=False),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]
    return frozenset(a.arg for a, d in pairs if d is not None and _is_cpu(d))


def _is_cpu(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in {HOST_TYPE, None}


def made_and_moved(
    node: ast.Call, function: ast.Attribute, may_be_host: MayBeHost
) -> ast.Call | None:
    """Return what is made where it is moved at once: `torch.ones(3)[None].to(x.device)`.

    Nobody ever sees it on the host.

    Args:
        node: a call of a method that moves.
        function: that method.
        may_be_host: tells of a variable whether it is a parameter that may name the host.
    """
    if not _moves_away(node, function.attr, may_be_host):
        return None
    made = function.value
    while True:
        if isinstance(made, ast.Subscript):
            made = made.value
        elif not isinstance(made, ast.Call):
            return None
        elif isinstance(made.func, ast.Attribute) and made.func.attr in _OF_ONE_TENSOR:
            made = made.func.value
        else:
            return made


def is_coin(node: ast.expr) -> bool:
    """Whether an expression makes a tensor without dimensions: `torch.rand([])`."""
    if not (isinstance(node, ast.Call) and last_component(node.func) in SIZED):
        return False
    shapes = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "size")]
    return any(isinstance(shape, (ast.List, ast.Tuple)) and not shape.elts for shape in shapes)


def are_only_compared(names: Set[str], scope: ast.AST) -> bool:
    """Whether variables are there for conditions to ask.

    A comparison takes a tensor without dimensions from the host, whatever it is compared with.

    Args:
        scope: the function, class or module that gives them values.
    """
    compared: set[ast.AST] = set()
    read: list[ast.Name] = []
    for node in walk(scope):
        if isinstance(node, (ast.If, ast.IfExp, ast.BoolOp)):
            for test in node.values if isinstance(node, ast.BoolOp) else [node.test]:
                if isinstance(test, ast.Compare):
                    compared.update((test.left, *test.comparators))
        elif isinstance(node, ast.Name) and node.id in names and isinstance(node.ctx, ast.Load):
            read.append(node)
    return all(node in compared for node in read)


def _moves_away(node: ast.Call, method: str, may_be_host: MayBeHost) -> bool:
    """Whether a call moves something, and certainly not to the host."""
    if method != "to":
        return method in TO_ACCELERATOR or bool(node.args)
    device = _destination(node)
    if device is None or last_component(device) not in DEVICE_NAMES:
        return False
    return not _may_be_cpu(device, may_be_host)


def moved_variable(node: ast.Call, function: ast.Attribute) -> str | None:
    """Return the variable of which a call moves something, None if it moves nothing.

    `x.to(y.dtype)` is a cast, and moves nothing.

    Args:
        node: a call of a method that moves.
        function: that method.
    """
    device = _destination(node)
    if device is None and function.attr not in TO_ACCELERATOR:
        return None
    if isinstance(device, ast.Attribute) and device.attr == "dtype":
        return None
    return root_name(function.value)


def _destination(node: ast.Call) -> ast.expr | None:
    """What says where a call of `to` moves something, None if nothing does."""
    for keyword in node.keywords:
        if keyword.arg == "device":
            return keyword.value
    return node.args[0] if node.args else None


def throws_a_move_away(node: ast.expr) -> bool:
    """Whether an expression statement moves or casts something, and keeps nothing."""
    return any(
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and part.func.attr in KEPT_BY_ASSIGNMENT
        for part in _statement_parts(node)
    )


def _statement_parts(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, (ast.ListComp, ast.SetComp)):
        yield from _statement_parts(node.elt)
    elif isinstance(node, ast.IfExp):
        yield from _statement_parts(node.body)
        yield from _statement_parts(node.orelse)
    elif isinstance(node, ast.BoolOp):
        yield from _statement_parts(node.values[-1])
    else:
        yield node
