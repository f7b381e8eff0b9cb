"""What of a file comes out of it: where the values go that its functions make on the host.

One who imports a function gets nothing but what it gives back. So each name, attribute and result
of a file is a symbol here, and what a statement does leads from what it reads to what it binds.
What is moved, told where to live, or only asked for its shape, leads nowhere.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Set
from functools import cached_property
from typing import NamedTuple

from torchdev_lint.catalog.ecosystem import SHAPE_READERS
from torchdev_lint.catalog.methods import FLAG_ATTRIBUTES, NUMBER_ATTRIBUTES
from torchdev_lint.catalog.operations import HOST_READS
from torchdev_lint.syntax.names import last_component, names_in
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import children, walk
from torchdev_lint.triage.apart import may_bring_to_host
from torchdev_lint.triage.early import Early
from torchdev_lint.triage.imports import OWN_OBJECT, is_own_object
from torchdev_lint.triage.left_behind import left_behind
from torchdev_lint.triage.moves import MOVING, moved_at_once
from torchdev_lint.triage.numbers import is_number
from torchdev_lint.triage.recognition import MayBeHost, device_of
from torchdev_lint.triage.scope import CALLED_BY_CLASS, Scope, names_for
from torchdev_lint.triage.survey import Survey
from torchdev_lint.triage.triggers import Trigger

_QUESTIONS = (
    HOST_READS
    | SHAPE_READERS
    | NUMBER_ATTRIBUTES
    | FLAG_ATTRIBUTES
    | {"device", "dtype", "len", "isinstance", "hasattr", "issubclass", "type", "print"}
)
"""What is told of a value without the value: nothing that lives anywhere."""
_BUILDING = frozenset({Trigger.LAYER, Trigger.LOSS})
"""Triggers that build a module."""
_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")


class Symbol(NamedTuple):
    """Something that values come to, or from.

    Args:
        scope: the number of a scope whose variable it is (0 is the module), or one of those below.
        name: what it is called; a scope's result has no name.
    """

    scope: int
    name: str


ATTRIBUTE = -1
"""An attribute or method, of whatever object."""
OWN = -2
"""An attribute or method that methods of a class read of their own object: `Class.attribute`."""
HELD = -7
"""An attribute or method that a class defines, or its methods assign: `Class.attribute`."""
GIVEN = -3
"""What a class is built with."""
BUILT = -4
"""What is a class, and no function: there is an object of it."""
ANNOTATED = -8
"""What is given an object of a class that its annotation names, which others have built."""
UNLESS_MODULE = -5
"""What the `__init__` of a class makes, if that is no module: else it moves with it."""
_STEP = -10
"""A part of an expression; each has a number of its own."""
MADE = Symbol(-6, "")
"""What a trigger makes, or a move brings to the host: a tensor as a rule."""
MODULE = Symbol(-9, "")
"""A module that a trigger builds."""

Sources = dict[Symbol, list[Symbol]]
"""For each symbol those that its value may come from."""


def sources_in(survey: Survey, scopes: list[Scope], defined: Set[str]) -> Sources:
    """Return where the values of a file come from.

    Args:
        survey: what was found in it.
        scopes: its scopes by their numbers, of which the first is the module.
        defined: the names that its module binds.
    """
    flows = _Flows(survey, defined)
    for number, scope in enumerate(scopes):
        _InScope(flows, number, scope).add()
    return flows.sources


class _Flows:
    """The symbols of a file, while they are being collected."""

    def __init__(self, survey: Survey, defined: Set[str]) -> None:
        self.defined = defined
        self.sources: Sources = defaultdict(list)
        self.scoped = {scope.node for scope in survey.scopes}
        self.built = {scope.name for scope in survey.scopes if scope.node is scope.owner}
        self.early = Early(survey).scopes()
        self._survey = survey
        self._steps = 0

    def lead(self, source: Symbol, target: Symbol) -> None:
        """Note that a value may come from a symbol to another."""
        self.sources[target].append(source)

    def step(self) -> Symbol:
        """Return a new symbol, for what leads to several others."""
        self._steps += 1
        return Symbol(_STEP - self._steps, "")

    def builds_module(self, node: ast.Call) -> bool:
        """Whether a call builds a module: where one is moved, batches have to go as well."""
        return self._survey.names.builds_module(node)

    def may_name_host(self, device: ast.expr, may_be_host: MayBeHost) -> bool:
        """Whether a device argument may name the host."""
        return self._survey.names.may_name_host(device, may_be_host)

    def brings_to_host(self, node: ast.Call) -> bool:
        """Whether a call may give what it moves to the host, and a rule asks for that."""
        return Trigger.APART in self._survey.triggers and may_bring_to_host(node)

    def made_by(self, node: ast.Call, scope: Scope) -> Symbol | None:
        """What a call makes on the host, if anything; what has no dimensions goes anywhere."""
        trigger = self._survey.names.trigger_of(node, scope.may_be_host)
        if trigger is Trigger.FACTORY:
            if is_number(node) or (node in self._survey.harmless and not scope.coins):
                return None
        elif trigger in _BUILDING:
            return MODULE
        return None if trigger is None else MADE


class _InScope:
    """What the statements of one function, class body or module lead from where to where.

    Args:
        flows: those of the file.
        number: the scope's number.
        scope: the scope.
    """

    def __init__(self, flows: _Flows, number: int, scope: Scope) -> None:
        self.flows = flows
        self.number = number
        self.scope = scope
        self.is_class = scope.node is scope.owner
        self.early = scope in flows.early or _may_be_early(scope)
        self.made = self._what_is_made()
        self.left = left_behind(scope.node) if self.early else frozenset()

    def add(self) -> None:
        """Add all that leads to somewhere."""
        node, result = self.scope.node, Symbol(self.number, "")
        if isinstance(node, FUNCTIONS):
            self._make_known(result)
            self._function(node, result)
        elif isinstance(node, ast.ClassDef):
            for base in (*node.bases, *node.decorator_list):
                self._expression(base, Symbol(0, node.name))
            self._statements(node.body, result)
        elif isinstance(node, ast.Module):
            self._statements(node.body, result)
        if self.scope.moves_parts and not self.early:
            self.flows.lead(MADE, result)

    def _what_is_made(self) -> Symbol | None:
        """What the triggers of the scope make, None if nobody gets that."""
        scope = self.scope
        if scope in self.flows.early or not (scope.triggered or scope.makes):
            return None
        if self.early and scope.owner is not None:
            return Symbol(UNLESS_MODULE, scope.owner.name)
        return MADE

    def _make_known(self, result: Symbol) -> None:
        """Lead what a function gives to its name, or to that of its class."""
        owner = self.scope.owner
        if owner is not None and self.scope.name not in CALLED_BY_CLASS:
            self._hold(self.scope.name, result)
        else:
            for name in names_for(self.scope):
                self.flows.lead(result, Symbol(0, name))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, result: Symbol) -> None:
        """Add a function, also one in another: what it is given, and what its body does."""
        given = node.args
        named = [*given.posonlyargs, *given.args]
        for argument in (*named, *given.kwonlyargs):
            target = Symbol(self.number, argument.arg)
            if argument.annotation is not None:
                for name in names_in(argument.annotation):
                    self.flows.lead(Symbol(ANNOTATED, name), target)
            if self.scope.name == "__init__" and self.scope.owner is not None:
                self.flows.lead(Symbol(GIVEN, self.scope.owner.name), target)
        defaults = [
            *zip(reversed(named), reversed(given.defaults), strict=False),
            *zip(given.kwonlyargs, given.kw_defaults, strict=True),
        ]
        for argument, default in defaults:
            if default is not None:
                self._expression(default, Symbol(self.number, argument.arg))
        for decorator in node.decorator_list:
            self._expression(decorator, result)
        self._statements(node.body, result)

    def _statements(self, body: list[ast.stmt], result: Symbol) -> None:
        pending: list[tuple[ast.AST, Symbol]] = [(statement, result) for statement in body]
        while pending:
            node, result = pending.pop()
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                self._inner(node)
                continue
            self._statement(node, result)
            for field in _BLOCKS:
                block = getattr(node, field, None)
                if isinstance(block, list):
                    pending += [(part, result) for part in block]

    def _inner(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        """Add a definition among the statements, unless it is a scope of its own."""
        if node in self.flows.scoped:
            return
        result = Symbol(self.number, node.name)
        if isinstance(node, ast.ClassDef):
            self._statements(node.body, result)
        else:
            self._function(node, result)

    def _statement(self, node: ast.AST, result: Symbol) -> None:
        if isinstance(node, ast.Assign):
            self._bind(node.targets, node.value)
        elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
            if node.value is not None:
                self._bind([node.target], node.value)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self._bind([node.target], node.iter)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                targets = [] if item.optional_vars is None else [item.optional_vars]
                self._bind(targets, item.context_expr)
        elif isinstance(node, ast.Return):
            if node.value is not None:
                self._expression(node.value, result)
        elif isinstance(node, ast.Expr):
            self._alone(node.value, result)

    def _alone(self, node: ast.expr, result: Symbol) -> None:
        """Add an expression whose value nobody keeps: a method's object may keep its arguments."""
        if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)):
            self._expression(node, result)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            values = [*node.args, *(keyword.value for keyword in node.keywords)]
            for value in values:
                self._bind([node.func.value], value)

    def _bind(self, targets: list[ast.expr], value: ast.expr) -> None:
        """Lead what an expression gives to what targets stand for."""
        step = self.flows.step()
        self._expression(value, step)
        pending: list[ast.expr] = list(targets)
        while pending:
            target = pending.pop()
            while isinstance(target, (ast.Subscript, ast.Starred)):
                target = target.value
            if isinstance(target, ast.Name):
                self._bind_name(target.id, step)
            elif isinstance(target, ast.Attribute):
                self._hold(target.attr, step, is_own_object(target.value))
            elif isinstance(target, (ast.Tuple, ast.List)):
                pending += target.elts

    def _hold(self, name: str, source: Symbol, own: bool = True) -> None:
        """Lead something to an attribute, of the object at hand or of another one."""
        self.flows.lead(source, Symbol(ATTRIBUTE, name))
        if own and self.scope.owner is not None:
            self.flows.lead(source, Symbol(HELD, f"{self.scope.owner.name}.{name}"))

    def _bind_name(self, name: str, source: Symbol) -> None:
        if name in OWN_OBJECT:
            return
        self.flows.lead(source, Symbol(self.number, name))
        if self.is_class:
            self._hold(name, source)
        elif name in self.flows.defined:
            self.flows.lead(source, Symbol(0, name))

    def _expression(self, root: ast.expr, target: Symbol) -> None:
        """Lead what an expression reads and makes to a symbol."""
        pending: list[tuple[ast.AST, Symbol]] = [(root, target)]
        while pending:
            node, to = pending.pop()
            if isinstance(node, ast.Name):
                self._read(node.id, to)
            elif isinstance(node, ast.Attribute):
                self._attribute(node, to, pending)
            elif isinstance(node, ast.Call):
                self._call(node, to, pending)
            elif isinstance(node, ast.Subscript):
                pending.append((node.value, to))
            elif isinstance(node, ast.IfExp):
                pending += [(node.body, to), (node.orelse, to)]
            elif isinstance(node, ast.NamedExpr):
                self._bind([node.target], node.value)
                pending.append((node.target, to))
            elif isinstance(node, ast.comprehension):
                self._bind([node.target], node.iter)
            elif not (isinstance(node, ast.Compare) and _asks_for_identity(node)):
                pending += [(part, to) for part in children(node)]

    def _read(self, name: str, to: Symbol) -> None:
        if name in OWN_OBJECT:
            return
        self.flows.lead(Symbol(self.number, name), to)
        if self.number:
            self.flows.lead(Symbol(0, name), to)

    def _attribute(
        self, node: ast.Attribute, to: Symbol, pending: list[tuple[ast.AST, Symbol]]
    ) -> None:
        if node.attr in _QUESTIONS:
            return
        owner = self.scope.owner
        if owner is not None and is_own_object(node.value):
            self.flows.lead(Symbol(OWN, f"{owner.name}.{node.attr}"), to)
        else:
            self.flows.lead(Symbol(ATTRIBUTE, node.attr), to)
            pending.append((node.value, to))

    def _call(self, node: ast.Call, to: Symbol, pending: list[tuple[ast.AST, Symbol]]) -> None:
        function, name = node.func, last_component(node.func)
        if not self.early and self.flows.brings_to_host(node):
            self.flows.lead(MADE, to)
            return
        if name in _QUESTIONS or self._is_told(node):
            return
        is_left = node in self.left
        if self.made is not None or is_left:
            made = self.flows.made_by(node, self.scope)
            if made == MADE and is_left:
                self.flows.lead(MADE, to)
            elif made is not None and self.made is not None:
                self.flows.lead(made if self.made == MADE else self.made, to)
        if is_left or not self.early:
            pending.append((function, to))
        elif isinstance(function, ast.Name):
            self.flows.lead(Symbol(BUILT, function.id), to)
        values = [*node.args, *(keyword.value for keyword in node.keywords)]
        if values and isinstance(function, ast.Name) and name in self.flows.built:
            whole, to = to, self.flows.step()
            self.flows.lead(to, whole)
            self.flows.lead(to, Symbol(GIVEN, name))
        pending += [(value, to) for value in values]

    def _is_told(self, node: ast.Call) -> bool:
        """Whether what a call gives is where it is told to be, which is not the host."""
        may_be_host = self.scope.may_be_host
        device = device_of(node)
        if device is not None and not self.flows.may_name_host(device, may_be_host):
            return True
        function = node.func
        if not (isinstance(function, ast.Attribute) and function.attr in MOVING):
            return False
        made = moved_at_once(node, function, may_be_host)
        if isinstance(made, ast.Name):
            return made.id not in self._modules_built
        is_module = isinstance(made, ast.Call) and self.flows.builds_module(made)
        return made is not None and not is_module

    @cached_property
    def _modules_built(self) -> set[str]:
        """The variables that get a module which is built there."""
        return {
            target.id
            for node in walk(self.scope.node)
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
            for target in node.targets
            if isinstance(target, ast.Name) and self.flows.builds_module(node.value)
        }


def _may_be_early(scope: Scope) -> bool:
    """Whether a method runs only while its object is built or prepared, if that is a module."""
    owner = scope.owner
    if owner is None or scope.node is owner or not owner.bases:
        return False
    return scope.name == "__init__" or scope.prepares


def _asks_for_identity(node: ast.Compare) -> bool:
    return all(isinstance(op, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for op in node.ops)
