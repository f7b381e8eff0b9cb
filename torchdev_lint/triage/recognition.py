"""Which calls and statements may lead to a finding, going by the names in them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Set
from functools import cached_property
from typing import TypeAlias

from torchdev_lint.catalog.classes import ClassKind, is_known, kinds_of
from torchdev_lint.catalog.devices import HOST_TYPE, SETS_DEFAULT
from torchdev_lint.catalog.ecosystem import (
    ARRAY_LIBRARIES,
    CALLED_LATER,
    LOADER_NAME,
    TENSORS_WANTED,
)
from torchdev_lint.catalog.methods import NEXT_METHODS
from torchdev_lint.catalog.metrics import METRICS
from torchdev_lint.catalog.modules import LOSS_WEIGHTS, MODEL_ENDINGS, MODULE_BASES
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import canonical, dotted, last_component
from torchdev_lint.syntax.scopes import FUNCTIONS, root_name
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.imports import Imported
from torchdev_lint.triage.triggers import TRIGGER_OF, Trigger, trigger_of_class

MayBeHost: TypeAlias = "Callable[[str], bool]"
"""Tells of a variable whether it is a parameter whose default is `None` or names the host."""

_LOSS_STATE = frozenset({*LOSS_WEIGHTS, None})
_SAYS_WHERE = frozenset({"map_location", None})
OF_MODULES = frozenset({Trigger.LAYER, Trigger.LOSS, Trigger.PRETRAINED})
"""What building a module means."""
_STATEFUL = frozenset({"Parameter", "deepcopy"})
"""Functions that make a parameter, or perhaps another module."""


class Recognition:
    """What the names in a file mean, and which calls are triggers by that.

    Args:
        tree: the file's syntax tree.
        triggers: what the rules need to find something.
        imported: what the file imports of its project.
    """

    def __init__(self, tree: ast.Module, triggers: Set[Trigger], imported: Imported) -> None:
        self.triggers = triggers
        self._tree = tree
        self.modules: set[str] = set()
        self.loaders: set[str] = set()
        self._imported = imported
        self._names = dict(TRIGGER_OF)
        self._foreign: set[str] = set()
        self._libraries: dict[str, str] = {}
        self._starred: list[str] = []
        self._partials: dict[str, ast.expr] = {}
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
            name = alias.asname or alias.name
            trigger = TRIGGER_OF.get(alias.name)
            if trigger is None and not node.level:
                trigger = self._trigger_of_imported(canonical(f"{node.module}.{alias.name}"), name)
            if trigger is not None:
                self._names[name] = trigger
            if alias.name == "*" and node.module and not node.level:
                self._note_star(node.module)
            if alias.name in {"range", "*"} and node.module == "torch":
                self._imported_range = True

    def _note_star(self, module: str) -> None:
        """Note a library of which all is imported: its classes are known by their names alone."""
        if is_known(module.partition(".")[0]):
            self._starred.append(module)

    def _trigger_of_imported(self, full: str, name: str) -> Trigger | None:
        """What building something means that was imported from a library.

        Args:
            full: its dotted name.
            name: what it is called here.
        """
        if is_known(full.partition(".")[0]):
            self._libraries[name] = full
            if ClassKind.MODULE in (kinds_of(full) or ()):
                self.modules.add(name)
        return trigger_of_class(full)

    @property
    def has_metrics(self) -> bool:
        """Whether the file imports what counts how good models are."""
        return any(name.partition(".")[0] == METRICS for name in self._libraries.values())

    def _note_foreign(self, node: ast.Import) -> None:
        """Note the names of libraries; some have functions named like factories: `np.zeros`."""
        for alias in node.names:
            root = alias.name.partition(".")[0]
            if is_known(root):
                self._libraries[alias.asname or root] = alias.name if alias.asname else root
            if root in ARRAY_LIBRARIES:
                self._foreign.add(alias.asname or root)

    def _note_class(self, node: ast.ClassDef) -> None:
        """Note a class that is a module, which may be built in `forward`, or a loader.

        What the `__init__` of another class makes is not part of a module, and counts there.
        """
        bases = [last_component(base) for base in node.bases]
        if any(map(self._is_loader, bases)):
            self._names[node.name] = Trigger.LOADER
            self.loaders.add(node.name)
        if _has_forward(node) or any(map(self._is_module, bases)):
            self.modules.add(node.name)
            self._names.setdefault(node.name, Trigger.LAYER)

    def _is_module(self, base: str) -> bool:
        return (
            base in self.modules
            or base in MODULE_BASES
            or base.endswith(MODEL_ENDINGS)
            or self._names.get(base) is Trigger.LAYER
            or self._imported.is_module(base)
        )

    def _is_loader(self, base: str) -> bool:
        return self._names.get(base) is Trigger.LOADER or self._imported.is_loader(base)

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
        if trigger is None:
            trigger = self._trigger_of_class(function)
        if trigger not in self.triggers:
            return None
        if trigger is Trigger.LOSS:
            counts = bool(node.args) or any(kw.arg in _LOSS_STATE for kw in node.keywords)
        elif trigger is Trigger.FACTORY:
            device = device_of(node)
            told = device is not None and not self.may_name_host(device, may_be_host)
            counts = not told and not self._is_someone_elses(function)
        elif trigger is Trigger.CHECKPOINT:
            counts = all(keyword.arg not in _SAYS_WHERE for keyword in node.keywords)
        else:
            counts = trigger is not Trigger.LAYER or not self._is_someone_elses(function)
        return trigger if counts else None

    def may_name_host(self, device: ast.expr, may_be_host: MayBeHost) -> bool:
        """Return whether a device argument may name the host, by what the file gives to names.

        Args:
            device: the argument.
            may_be_host: tells of a variable whether it is a parameter that may name the host.
        """
        return may_be_cpu(device, may_be_host) or (_may_be_given(device) and self._gives_host)

    @cached_property
    def _gives_host(self) -> bool:
        """Whether something in the file is given the host, or gives it, whatever else there is."""
        statements = (n for n in walk(self._tree) if isinstance(n, (ast.Assign, ast.Return)))
        return any(each.value is not None and _names_host(each.value) for each in statements)

    def note_partial(self, target: ast.expr, value: ast.expr) -> None:
        """Note a variable that is given a function with some arguments: `partial(Block, …)`."""
        if isinstance(value, ast.Call) and value.args and isinstance(target, ast.Name):
            if last_component(value.func) == "partial":
                self._partials[target.id] = value.args[0]

    def builds_module(self, node: ast.Call) -> bool:
        """Whether a call may build a module or a parameter, going by its name."""
        function = node.func
        if isinstance(function, ast.Name):
            function = self._partials.get(function.id, function)
        name = last_component(function)
        trigger = self._names.get(name) or self._trigger_of_class(function)
        return (
            trigger in OF_MODULES
            or name in self.modules | _STATEFUL
            or self._imported.builds_module(function)
        )

    def _trigger_of_class(self, function: ast.expr) -> Trigger | None:
        """What building a class of a library means that was not imported by its name."""
        if isinstance(function, ast.Attribute):
            return self._trigger_of_member(function) if self._libraries else None
        if not isinstance(function, ast.Name):
            return None
        found = (trigger_of_class(f"{module}.{function.id}") for module in self._starred)
        return next((trigger for trigger in found if trigger is not None), None)

    def _trigger_of_member(self, function: ast.Attribute) -> Trigger | None:
        """What building a class means that is reached through what was imported."""
        root, _, rest = (dotted(function) or "").partition(".")
        library = self._libraries.get(root)
        return None if library is None else trigger_of_class(canonical(f"{library}.{rest}"))

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
    """What a call means whose function's name alone says nothing: `getattr(torch, window)(n)`."""
    if isinstance(node.func, ast.Call) and last_component(node.func.func) == "getattr":
        owner = node.func.args[0] if node.func.args else None
        return Trigger.FACTORY if isinstance(owner, ast.Name) and owner.id == "torch" else None
    if name == "type" and len(node.args) == 1 and last_component(node.args[0]) == "data":
        return Trigger.FACTORY  # `type(x.data)(size)` makes a tensor
    if LOADER_NAME.search(name):
        return Trigger.LOADER
    for keyword in node.keywords:
        if keyword.arg == TENSORS_WANTED:
            return Trigger.READER
    return None


def _has_forward(node: ast.ClassDef) -> bool:
    return any(isinstance(item, FUNCTIONS) and item.name == "forward" for item in node.body)


def sets_default(call: ast.Call) -> bool:
    """Whether a call says where factories put their tensors when nothing else does."""
    return last_component(call.func) in SETS_DEFAULT


def device_of(call: ast.Call) -> ast.expr | None:
    """Return what a call says of a device by that name, None if it says nothing."""
    return next(iter(by_keyword(call, "device")), None)


def may_be_cpu(node: ast.expr, may_be_host: MayBeHost) -> bool:
    """Whether a device argument is `None` or names the host, or is a parameter that may."""
    if isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    return may_be_host(node.id) if isinstance(node, ast.Name) else _is_cpu(node)


def _may_be_given(device: ast.expr) -> bool:
    """Whether a device is what code has given to a name, or is given by a function."""
    if isinstance(device, ast.Attribute):
        return isinstance(device.value, ast.Name) and device.value.id == "self"
    return isinstance(device, (ast.Name, ast.Call))


def _names_host(node: ast.expr) -> bool:
    """Whether an expression is the host, or a tuple in which it is one part."""
    if isinstance(node, ast.Call) and len(node.args) == 1:
        node = node.args[0] if last_component(node.func) == "device" else node
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(isinstance(part, ast.Constant) and part.value == HOST_TYPE for part in parts)


def host_by_default(given: ast.arguments) -> dict[str, ast.expr]:
    """Return the parameters whose default is `None` or names the host, each with that."""
    named = [*given.posonlyargs, *given.args]
    pairs = [
        *zip(reversed(named), reversed(given.defaults), strict=False),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]
    return {a.arg: d for a, d in pairs if d is not None and _is_cpu(d)}


def _is_cpu(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in {HOST_TYPE, None}


def may_be_one_thing(node: ast.expr) -> bool:
    """Whether what is unpacked may be one thing, whose parts come from one place.

    That is a variable, as of a loop, or what an iterator gives next.
    """
    if isinstance(node, ast.Call):
        return last_component(node.func) in NEXT_METHODS
    return isinstance(node, ast.Name)


def items_bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, str]]:
    """Yield the variables that an assignment gives an item of what another one holds, and that."""
    pairs = [(target, value)]
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = list(zip(target.elts, value.elts, strict=False))
    for name, item in pairs:
        while isinstance(item, ast.Call) and isinstance(item.func, ast.Attribute):
            item = item.func.value
        if isinstance(name, ast.Name) and isinstance(item, ast.Subscript):
            whole = root_name(item)
            if whole is not None and whole != name.id:
                yield name.id, whole
