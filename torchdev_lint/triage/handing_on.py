"""Which functions only build modules and hand them on, told from names alone.

A module meets something where it is applied. What builds one, puts it into another one or into an
attribute, and gives it back, leads to a finding only by way of those who call it; so do they, if
they hand it on as well.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Set
from functools import cached_property

from torchdev_lint.catalog.builtins import BUILTINS
from torchdev_lint.catalog.modules import (
    FLUENT_METHODS,
    MODULE_METHODS,
    REGISTERING_METHODS,
    STATE_METHODS,
)
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import last_component, names_in
from torchdev_lint.syntax.reaching import reached_from
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import children, walk
from torchdev_lint.triage.imports import OWN_OBJECT, Imported, Uses, is_own_object
from torchdev_lint.triage.recognition import OF_MODULES, Recognition
from torchdev_lint.triage.scope import CALLED_BY_CLASS, Scope, names_for
from torchdev_lint.triage.triggers import TRIGGER_OF, Trigger
from torchdev_lint.triage.users import Users, with_users

_FUNCTIONS = (BUILTINS - {"map", "filter", "sum", "max", "min", "sorted"}) | {"partial"}
"""Functions that put a value somewhere, or ask something of it: a module is not applied."""
_KEEPING = REGISTERING_METHODS | frozenset(
    """
    append extend insert add update setdefault get pop items keys values copy format join split
    startswith endswith lower upper replace strip partial debug info warn warning error
    """.split()
)
"""Methods of modules, containers, strings and loggers that keep what they are given, or show it."""
_OF_MODULES = MODULE_METHODS | STATE_METHODS | FLUENT_METHODS
"""Methods that leave a module as it is, or change its state."""
_FILLING = frozenset("append extend insert add setattr add_module register_module".split())
"""Functions and methods that put something into what they are given, or called on."""

Leads = tuple[set[str], ast.AST]
"""Variables, and an expression that they may get their values from."""


def idle(
    builders: list[Scope],
    scopes: list[Scope],
    early: Set[Scope],
    names: Recognition,
    imported: Imported,
) -> set[Scope]:
    """Return those of some functions of which nobody in the file applies what they build.

    Args:
        builders: functions that make nothing but modules.
        scopes: all of the file.
        early: what runs while a module is built, and doesn't count as a user.
        names: what the names in the file mean.
        imported: what it imports of its project.
    """
    if not builders:
        return set()
    nodes = with_users(builders, Users(scopes, early))
    reached = [scope for scope in scopes if scope.node in nodes]
    named: dict[str, list[Scope]] = defaultdict(list)
    for scope in reached:
        for name in names_for(scope):
            named[name].append(scope)
    filling = {name for name, those in named.items() if any(map(_fills, those))}
    known = _Known(names, imported, frozenset(named) | names.modules, filling)
    pending = [scope for scope in reached if _applies(scope, known)]
    leading = set(pending)
    while pending:
        for name in pending.pop().mentions & named.keys():
            fresh = [scope for scope in named.pop(name) if scope not in leading]
            leading.update(fresh)
            pending += fresh
    return set(builders) - leading


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of a file.

    Args:
        names: what the names in it mean.
        imported: what it imports of its project.
        builders: its functions that build modules, and its classes of modules.
        filling: those of them that put what they build into what they are given.
    """

    names: Recognition
    imported: Imported
    builders: Set[str]
    filling: Set[str]


def _applies(scope: Scope, known: _Known) -> bool:
    """Whether code may apply a module that it builds, or that others have built for it."""
    if not isinstance(scope.node, FUNCTIONS) or scope.name in CALLED_BY_CLASS:
        return True
    return _InFunction(scope, known).applies()


class _InFunction:
    """What a function does with the modules that it builds, or is given by those who do.

    Args:
        scope: the function.
        known: what is known of its file.
    """

    def __init__(self, scope: Scope, known: _Known) -> None:
        self._scope = scope
        self._known = known
        self._nodes = list(walk(scope.node))
        self._is_moving = bool(scope.moved or scope.moved_parts or scope.places)

    def applies(self) -> bool:
        """Whether some module may be applied."""
        return any(
            isinstance(node, ast.ClassDef)
            or (isinstance(node, ast.BinOp) and node in self._holding)
            or (isinstance(node, ast.Call) and self._is_applied(node))
            for node in self._nodes
        )

    def _is_applied(self, node: ast.Call) -> bool:
        """Whether a call may apply a module, or hand one to code that does."""
        function = node.func
        name = last_component(function)
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        is_given = not self._holding.isdisjoint(values)
        if _is_quiet(function) and not (is_given and name in _OF_MODULES - _KEEPING):
            return False
        if isinstance(function, ast.Attribute) and function.value in self._holding:
            # Perhaps it builds another part of the same object.
            return is_given or name not in self._known.builders
        if function in self._holding and (isinstance(function, ast.Call) or not self._builds(node)):
            return True
        if not is_given or self._is_layer(node):
            return False
        return self._is_moving or not self._known.names.builds_module(node)

    def _is_layer(self, node: ast.Call) -> bool:
        """Whether a call builds a layer of PyTorch's, which applies nothing."""
        name, known = last_component(node.func), self._known
        if name in known.builders or known.imported.builds_module(node.func):
            return False
        return TRIGGER_OF.get(name) is Trigger.LAYER and known.names.builds_module(node)

    def _builds(self, node: ast.Call) -> bool:
        """Whether a call may build a module, at once or by some other function."""
        known, function = self._known, node.func
        return (
            last_component(function) in known.builders
            or function in self._aliases
            or known.names.builds_module(node)
            or known.names.trigger_of(node, self._scope.may_be_host) in OF_MODULES
            or known.imported.leads(_uses_of(function), frozenset())
        )

    @cached_property
    def _aliases(self) -> Set[ast.AST]:
        """The expressions with variables that may hold what builds modules: classes, functions."""
        called = {node.func for node in self._nodes if isinstance(node, ast.Call)}

        def is_builder(node: ast.AST) -> bool:
            if not isinstance(node, (ast.Name, ast.Attribute)) or node in called:
                return False
            name = last_component(node)
            return name in self._known.builders or self._known.imported.is_module(name)

        names = _names_reached(self._given(), self._with(is_builder))
        return self._with(lambda node: isinstance(node, ast.Name) and node.id in names)

    @cached_property
    def _holding(self) -> Set[ast.AST]:
        """The expressions that may be modules, hold some, or have parts that do."""
        built = self._with(lambda node: isinstance(node, ast.Call) and self._builds(node))
        names = _names_reached([*self._given(), *self._handed()], built) & self._own
        names |= set(self._parameters_inside())
        return built | self._with(lambda node: isinstance(node, ast.Name) and node.id in names)

    def _with(self, is_asked_for: Callable[[ast.AST], bool]) -> Set[ast.AST]:
        """The nodes that are what is asked for, or have it in them."""
        found: set[ast.AST] = set()
        for node in reversed(self._nodes):  # what is inside comes before what it is inside of
            if is_asked_for(node) or not found.isdisjoint(children(node)):
                found.add(node)
        return found

    @cached_property
    def _own(self) -> Set[str]:
        """The variables of the function itself: its parameters, and what it binds."""
        parameters = {node.arg for node in self._nodes if isinstance(node, ast.arg)}
        names = (node for node in self._nodes if isinstance(node, ast.Name))
        return parameters | {name.id for name in names if isinstance(name.ctx, ast.Store)}

    def _given(self) -> Iterator[Leads]:
        """What variables get their values from."""
        for node in self._nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    yield names_in(target), node.value
            elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
                if node.value is not None:
                    yield names_in(node.target), node.value
            elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
                yield names_in(node.target), node.iter
            elif isinstance(node, ast.withitem) and node.optional_vars is not None:
                yield names_in(node.optional_vars), node.context_expr

    def _handed(self) -> Iterator[Leads]:
        """What calls may put into what they are given, or into their object."""
        for node in self._nodes:
            if not isinstance(node, ast.Call):
                continue
            name, owner = last_component(node.func), node.func
            if name in self._known.filling or name == "setattr":
                yield set[str]().union(*map(names_in, node.args)), node
            while isinstance(owner, (ast.Attribute, ast.Subscript)):
                owner = owner.value
            if isinstance(owner, ast.Name) and owner is not node.func:
                if _is_quiet(node.func) or name in self._known.builders:
                    yield {owner.id}, node

    def _parameters_inside(self) -> Iterator[str]:
        """The parameters of functions in the function: who calls them may hand them modules."""
        for node in self._nodes:
            if isinstance(node, (*FUNCTIONS, ast.Lambda)) and node is not self._scope.node:
                yield from (part.arg for part in walk(node.args) if isinstance(part, ast.arg))


def _is_quiet(function: ast.expr) -> bool:
    """Whether what is called applies nothing, unless it is given something to be applied."""
    if isinstance(function, ast.Name):
        return function.id in _FUNCTIONS
    name = last_component(function)
    return name in _KEEPING or name in _OF_MODULES


def _fills(scope: Scope) -> bool:
    """Whether a function changes what it is given, other than the object of a method."""
    if not isinstance(scope.node, FUNCTIONS):
        return True
    given = {part.arg for part in walk(scope.node.args) if isinstance(part, ast.arg)}
    given -= OWN_OBJECT
    for node in walk(scope.node):
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            if isinstance(node.ctx, ast.Store) and not given.isdisjoint(names_in(node.value)):
                return True
        elif isinstance(node, ast.Call) and last_component(node.func) in _FILLING:
            if not given.isdisjoint(names_in(node)):
                return True
    return False


def _names_reached(given: Iterable[Leads], sources: Set[ast.AST]) -> set[str]:
    """The variables that what some expressions give comes to, by whichever way."""
    starting, leading = set[str](), defaultdict[str, set[str]](set)
    for targets, value in given:
        if value in sources:
            starting |= targets
        for name in names_in(value):
            leading[name] |= targets
    return reached_from(starting, leading)


def _uses_of(function: ast.expr) -> Uses:
    """What is used where a function is called."""
    if isinstance(function, ast.Name):
        return Uses({function.id}, frozenset())
    if not isinstance(function, ast.Attribute):
        return Uses(frozenset(), frozenset())
    own = {function.attr} if is_own_object(function.value) else frozenset[str]()
    owner = function.value
    names = {owner.id} if isinstance(owner, ast.Name) else frozenset[str]()
    return Uses(names, {function.attr} - own, own)
