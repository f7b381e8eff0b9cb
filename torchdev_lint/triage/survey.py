"""What the functions and classes of a file do, told from names alone: one walk over it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Set
from functools import cached_property
from typing import Any

from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.syntax.asking import asks_for_gradients
from torchdev_lint.syntax.names import last_component, names_in
from torchdev_lint.syntax.scopes import FUNCTIONS, held_root
from torchdev_lint.syntax.walking import CHILD_FIELDS
from torchdev_lint.triage.advised import may_be_advised
from torchdev_lint.triage.apart import may_take_apart, read_at_once
from torchdev_lint.triage.arrays import (
    makes_array,
    may_fill_array,
    may_make_array,
    methods_of_takers,
    names_of_takers,
)
from torchdev_lint.triage.constants import Constants
from torchdev_lint.triage.cuda_only import CudaOnly
from torchdev_lint.triage.feeding import feeding
from torchdev_lint.triage.imports import NOTHING, Imported
from torchdev_lint.triage.kept import handed_to_attributes, may_be_container
from torchdev_lint.triage.kin import Kin
from torchdev_lint.triage.moves import MOVING, moved_at_once, moves_device, throws_a_move_away
from torchdev_lint.triage.numbers import are_only_compared, is_coin
from torchdev_lint.triage.recognition import (
    OF_MODULES,
    Recognition,
    device_of,
    items_bound,
    may_be_one_thing,
    sets_default,
)
from torchdev_lint.triage.scope import Scope
from torchdev_lint.triage.settling import settle_factories
from torchdev_lint.triage.triggers import Trigger

_BELONGS_IN_INIT = frozenset({Trigger.FACTORY, Trigger.LAYER, Trigger.PRETRAINED})
"""What moves with its module if it is made before the module is moved."""


class Survey:
    """One walk over the file.

    Args:
        tree: the file's syntax tree.
        triggers: what the rules need to find something.
        imported: what the file imports of its project.
        is_offered: whether it is asked what the file offers to others, which may call what it
            doesn't call itself.
    """

    def __init__(
        self,
        tree: ast.Module,
        triggers: Set[Trigger],
        imported: Imported = NOTHING,
        is_offered: bool = False,
    ) -> None:
        self.triggers = triggers
        self.names = Recognition(tree, triggers, imported)
        self.imported = imported
        self.takers = names_of_takers(tree)
        self._methods = methods_of_takers(tree)
        self._arrays = set[str]()
        self.special = CudaOnly(tree) if Trigger.CUDA_ONLY in triggers else None
        self.scopes: list[Scope] = []
        self.constants = Constants()
        self.harmless: set[ast.AST | None] = set()
        self.passing: set[ast.AST | None] = set()
        self._is_offered = is_offered
        self.tells_from_text = False
        self.module = Scope(tree, "")
        self._visit_body(tree.body, self.module, None)
        self.scopes.append(self.module)
        settle_factories(self.scopes, is_offered)
        for scope in self.scopes:
            if scope.coins:
                scope.makes |= not are_only_compared(scope.coins, scope.node)
            if Trigger.PART in triggers:
                scope.triggered |= scope.moves_parts
            if Trigger.LEAF in triggers:
                scope.triggered |= scope.moves_leaves
        if Trigger.PART in triggers:
            for scope in feeding(self.scopes, self.names.modules, self.imported):
                scope.triggered = True

    @cached_property
    def classes(self) -> list[ast.ClassDef]:
        """The classes of the file, of which several may have one name."""
        return [s.owner for s in self.scopes if s.owner is not None and s.node is s.owner]

    @cached_property
    def kin(self) -> Kin:
        """Which of them inherit from which."""
        return Kin({owner.name: map(last_component, owner.bases) for owner in self.classes})

    def _visit_body(self, body: list[ast.stmt], scope: Scope, owner: ast.ClassDef | None) -> None:
        """Split a module or class into scopes of their own; the rest is in its own scope."""
        for statement in body:
            if isinstance(statement, FUNCTIONS):
                inner = Scope(statement, statement.name, owner)
                inner.triggered = self.names.takes_a_loader(statement.args)
                self.scopes.append(inner)
                self._walk(statement, inner)
            elif isinstance(statement, ast.ClassDef):
                inner = Scope(statement, statement.name, statement)
                self.scopes.append(inner)
                for base in (*statement.bases, *statement.decorator_list):
                    self._walk(base, inner)
                self._visit_body(statement.body, inner, statement)
            else:
                self._walk(statement, scope)
                self.constants.note(statement, self._makes_tensor, self._builds_module)

    def _makes_tensor(self, node: ast.Call) -> bool:
        """Whether code that is run once makes a tensor that stays on the host, or what makes some.

        A chain of transforms that is kept makes one of each image that it is called with.
        """
        trigger = self.names.trigger_of(node, self.module.may_be_host)
        if trigger is Trigger.READER:
            return True
        return trigger is Trigger.FACTORY and node not in self.harmless

    def _builds_module(self, node: ast.Call) -> bool:
        """Whether a call builds a module that a rule asks for."""
        return self.names.trigger_of(node, self.module.may_be_host) in OF_MODULES

    def _walk(self, root: ast.AST, scope: Scope) -> None:
        pending = [root]
        mentions = scope.mentions
        while pending:
            node = pending.pop()
            kind = type(node)
            if kind is ast.Name:
                mentions.add(node.id)  # type: ignore[attr-defined]  # `kind` says that it is a Name
                continue
            if kind is ast.Attribute:
                mentions.add(node.attr)  # type: ignore[attr-defined]  # `kind` says so
                pending.append(node.value)  # type: ignore[attr-defined]  # an Attribute
                continue
            if kind in _NOTED and not scope.triggered:
                _NOTED[kind](self, node, scope)
            for name in CHILD_FIELDS[kind]:
                value = getattr(node, name, None)
                if type(value) is list:
                    pending += value
                elif value is not None:
                    pending.append(value)

    def _note_call(self, node: ast.Call, scope: Scope) -> None:
        function = node.func
        if not self._is_offered:
            self.tells_from_text |= may_be_advised(node, self.triggers)
        if isinstance(function, ast.Attribute) and function.attr in MOVING:
            if moves_device(node, function):
                moved = function.value
                if isinstance(moved, ast.Name):
                    scope.moved.add(moved.id)
                else:
                    scope.moved_parts.add(held_root(moved))
            self.harmless.add(moved_at_once(node, function, scope.may_be_host))
        trigger = self.names.trigger_of(node, scope.may_be_host)
        if trigger is Trigger.FACTORY:
            if node not in self.harmless:
                scope.made.append(node)
        elif trigger in _BELONGS_IN_INIT:
            scope.makes = scope.builds = True
        elif trigger is Trigger.CHECKPOINT:
            self.tells_from_text = True  # what is done with it is told from the text
        else:
            scope.triggered = trigger is not None or self._moves_leaf(function)
            scope.triggered |= self.special is not None and self.special.may_be(node)
            scope.converts = scope.converts or may_make_array(node, self.takers, self._methods)
            scope.parts = scope.parts or self._takes_apart(node)
            scope.places = scope.places or device_of(node) is not None or sets_default(node)

    def _takes_apart(self, node: ast.Call) -> bool:
        """Whether a call puts what goes on being a tensor elsewhere than the rest."""
        self.passing.add(read_at_once(node))
        return node not in self.passing and may_take_apart(node)

    def _moves_leaf(self, function: ast.expr) -> bool:
        """Whether a method moves what is to be trained, where that is made."""
        if Trigger.LEAF not in self.triggers or not isinstance(function, ast.Attribute):
            return False
        if function.attr not in MOVES:
            return False
        return asks_for_gradients(function.value)

    def _note_statement(self, node: ast.Expr, scope: Scope) -> None:
        scope.triggered = Trigger.MOVE in self.triggers and throws_a_move_away(node.value)

    def _note_loop(self, node: ast.For | ast.AsyncFor, scope: Scope) -> None:
        scope.loops = True
        names = names_in(node.target)
        scope.wholes.update(names)
        if not isinstance(node.target, ast.Name):
            scope.taken.update(names)

    def _note_generator(self, node: ast.comprehension, scope: Scope) -> None:
        scope.generators.append(node)

    def _note_assignment(self, node: ast.Assign, scope: Scope) -> None:
        target = node.targets[0]
        scope.picked.update(items_bound(target, node.value))
        self.names.note_partial(target, node.value)
        if isinstance(node.value, ast.Call):
            scope.handed.update(handed_to_attributes(node.targets, node.value))
        if isinstance(target, ast.Name) and asks_for_gradients(node.value):
            scope.leaves.add(target.id)
        if isinstance(target, ast.Name) and makes_array(node.value, self.takers):
            self._arrays.add(target.id)
        elif isinstance(target, ast.Subscript):
            scope.converts = scope.converts or may_fill_array(node, self._arrays)
        if isinstance(target, ast.Attribute):
            self._note_kept(node, scope)
        elif isinstance(target, (ast.Tuple, ast.List)):
            if any(isinstance(part, ast.Attribute) for part in target.elts):
                self._note_kept(node, scope)
            if may_be_one_thing(node.value):
                scope.taken.update(names_in(target))
        elif isinstance(target, ast.Name) and self._is_coin(node.value, scope):
            scope.coins.add(target.id)
            self.harmless.add(node.value)

    def _note_kept(self, node: ast.Assign | ast.AnnAssign, scope: Scope) -> None:
        scope.keeps = scope.keeps or may_be_container(node.value)

    def _note_declared(self, node: ast.AnnAssign, scope: Scope) -> None:
        self._note_kept(node, scope)
        if isinstance(node.value, ast.Call):
            scope.handed.update(handed_to_attributes([node.target], node.value))

    def _is_coin(self, node: ast.expr, scope: Scope) -> bool:
        """Whether an expression makes a tensor without dimensions on the host."""
        if not (isinstance(node, ast.Call) and is_coin(node)):
            return False
        return self.names.trigger_of(node, scope.may_be_host) is Trigger.FACTORY


_NOTED: dict[type[ast.AST], Callable[[Survey, Any, Scope], None]] = {
    ast.Call: Survey._note_call,
    ast.Expr: Survey._note_statement,
    ast.For: Survey._note_loop,
    ast.AsyncFor: Survey._note_loop,
    ast.Assign: Survey._note_assignment,
    ast.AnnAssign: Survey._note_declared,
    ast.comprehension: Survey._note_generator,
}
"""What is noted where a node of a type is met."""
