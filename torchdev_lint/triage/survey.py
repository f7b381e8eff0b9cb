"""Which parts of a file can possibly lead to a finding, told from names alone.

Most code never makes a tensor without a device, never throws a move away and never builds a
layer outside `__init__`. It is sorted out here, before the analysis runs.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Set
from typing import Any

from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.catalog.modules import PREPARATION
from torchdev_lint.syntax.asking import asks_for_gradients
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.own_attributes import handed_on, read_and_assigned
from torchdev_lint.syntax.scopes import FUNCTIONS, names_in, root_name
from torchdev_lint.syntax.walking import CHILD_FIELDS, walk
from torchdev_lint.triage.advised import may_be_advised
from torchdev_lint.triage.apart import may_take_apart, read_at_once
from torchdev_lint.triage.arrays import may_make_array, names_of_takers
from torchdev_lint.triage.constants import Constants
from torchdev_lint.triage.containers import movers_of_containers
from torchdev_lint.triage.cuda_only import CudaOnly
from torchdev_lint.triage.given import may_be_given_tensors
from torchdev_lint.triage.imports import NOTHING, Imported, uses_in
from torchdev_lint.triage.keeping import kept_in, methods_using
from torchdev_lint.triage.kept import keepers, may_be_container
from torchdev_lint.triage.lost import losers_of_moves
from torchdev_lint.triage.recognition import (
    MOVING,
    Recognition,
    are_only_compared,
    device_of,
    is_coin,
    may_be_one_thing,
    moved_at_once,
    moves_device,
    throws_a_move_away,
)
from torchdev_lint.triage.scope import CALLED_BY_CLASS, Scope
from torchdev_lint.triage.settling import settle_factories
from torchdev_lint.triage.training import training
from torchdev_lint.triage.triggers import Trigger
from torchdev_lint.triage.users import Users, with_users

_BELONGS_IN_INIT = frozenset({Trigger.FACTORY, Trigger.LAYER, Trigger.PRETRAINED})
"""What moves with its module if it is made before the module is moved."""


def triage(
    tree: ast.Module, triggers: Set[Trigger], imported: Imported = NOTHING
) -> Callable[[ast.AST], bool] | None:
    """Return which entry points the analysis has to run, None if there are none.

    Args:
        tree: the file's syntax tree.
        triggers: what the rules need to find something.
        imported: what the file imports of its project.

    Returns:
        A function that tells for a function or class of the file whether it can lead to a
        finding.
    """
    survey = Survey(tree, triggers, imported)
    reached = survey.reached()
    return reached.__contains__ if reached or survey.tells_from_text else None


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
        self.special = CudaOnly(tree) if Trigger.CUDA_ONLY in triggers else None
        self.scopes: list[Scope] = []
        self.constants = Constants()
        self.harmless: set[ast.AST | None] = set()
        self.passing: set[ast.AST | None] = set()
        self.tells_from_text = False
        self.used_by_init: dict[ast.ClassDef, frozenset[str]] = {}
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
                self.constants.note(statement, self._makes_tensor)

    def _makes_tensor(self, node: ast.Call) -> bool:
        """Whether code that is run once makes a tensor that stays on the host."""
        trigger = self.names.trigger_of(node, self.module.may_be_host)
        return trigger is Trigger.FACTORY and node not in self.harmless

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
        self.tells_from_text |= may_be_advised(node, self.triggers)
        if isinstance(function, ast.Attribute) and function.attr in MOVING:
            if moves_device(node, function):
                moved = function.value
                if isinstance(moved, ast.Name):
                    scope.moved.add(moved.id)
                else:
                    scope.moved_parts.add(root_name(moved))
            self.harmless.add(moved_at_once(node, function, scope.may_be_host))
        trigger = self.names.trigger_of(node, scope.may_be_host)
        if trigger is Trigger.FACTORY:
            if node not in self.harmless:
                scope.made.append(node)
        elif trigger in _BELONGS_IN_INIT:
            scope.makes = True
        elif trigger is Trigger.CHECKPOINT:
            self.tells_from_text = True  # what is done with it is told from the text
        else:
            scope.triggered = trigger is not None or self._moves_leaf(function)
            scope.triggered |= self.special is not None and self.special.may_be(node)
            scope.converts = scope.converts or may_make_array(node, self.takers)
            scope.parts = scope.parts or self._takes_apart(node)
            scope.places = scope.places or device_of(node) is not None

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

    def _note_assignment(self, node: ast.Assign, scope: Scope) -> None:
        target = node.targets[0]
        if isinstance(target, ast.Name) and asks_for_gradients(node.value):
            scope.leaves.add(target.id)
        if isinstance(target, ast.Attribute):
            self._note_kept(node, scope)
        elif isinstance(target, (ast.Tuple, ast.List)):
            if may_be_one_thing(node.value):
                scope.taken.update(names_in(target))
        elif isinstance(target, ast.Name) and self._is_coin(node.value, scope):
            scope.coins.add(target.id)
            self.harmless.add(node.value)

    def _note_kept(self, node: ast.Assign | ast.AnnAssign, scope: Scope) -> None:
        scope.keeps = scope.keeps or may_be_container(node.value)

    def _is_coin(self, node: ast.expr, scope: Scope) -> bool:
        """Whether an expression makes a tensor without dimensions on the host."""
        if not (isinstance(node, ast.Call) and is_coin(node)):
            return False
        return self.names.trigger_of(node, scope.may_be_host) is Trigger.FACTORY

    def reached(self) -> set[ast.AST]:
        """The functions and classes that have a trigger, or use something that has.

        What is made while a module is built moves with it: there, only the classes of what is made
        matter, which `forward` calls later.
        """
        wants_early = Trigger.ATTRIBUTE in self.triggers or any(s.makes for s in self.scopes)
        early = self.early_scopes() if wants_early else set()
        certain = [scope for scope in self.scopes if scope.triggered]
        certain += self._converters()
        certain += movers_of_containers(self.scopes) if Trigger.CONTAINER in self.triggers else []
        certain += losers_of_moves(self.scopes) if Trigger.LOST in self.triggers else []
        certain += training(self.scopes) if Trigger.TRAINING in self.triggers else []
        certain += self._users_of_imported()
        certain += self._users_of_constants()
        makers = [scope for scope in self.scopes if scope.makes and scope not in early]
        reached = with_users(certain, Users(self.scopes)) if certain else set()
        if makers:
            reached |= with_users(makers, Users(self.scopes, early))
        return reached | self._users_of_kept(early) | keepers(self.scopes, self.names)

    def _users_of_kept(self, early: set[Scope]) -> set[ast.AST]:
        """The methods of modules that lead to what these have made and keep, and the classes."""
        reached: set[ast.AST] = set()
        if Trigger.ATTRIBUTE not in self.triggers:
            return reached
        making = self._makers()

        def makes(node: ast.Call) -> bool:
            if last_component(node.func) in making or self.imported.is_given_by(node.func):
                return True
            trigger = self.names.trigger_of(node, may_be_host)
            return trigger is Trigger.FACTORY and node not in self.harmless

        for scope in early:
            may_be_host = scope.may_be_host
            if scope.owner is not None and (scope.made or not making.isdisjoint(scope.mentions)):
                late = [s for s in self.scopes if s.owner is scope.owner and s not in early]
                reached |= methods_using(kept_in(scope.node, makes), late, scope.owner)
        return reached

    def _converters(self) -> list[Scope]:
        """The functions that make arrays, or put something elsewhere than the rest.

        They count in a file that moves something to a device, or makes it there, or has modules.
        """
        arrays, apart = Trigger.ARRAY in self.triggers, Trigger.APART in self.triggers
        converters = [s for s in self.scopes if (arrays and s.converts) or (apart and s.parts)]
        if self._moving() or any(scope.triggered or scope.places for scope in self.scopes):
            return converters
        return [s for s in converters if s.owner and s.owner.name in self.names.modules]

    def _users_of_imported(self) -> list[Scope]:
        """The functions that use what other files give back of what they make on the host."""
        moving = self._moving()
        return [
            scope
            for scope in self.scopes
            if self._meets_device(scope, moving)
            and not self._is_early(scope)
            and self.imported.may_lead(scope.mentions)
            and self.imported.leads(uses_in(scope.node), self._bases_of(scope.owner))
        ]

    def _users_of_constants(self) -> list[Scope]:
        """The functions that use what is made once, if some code that leads to them has a device.

        What reads it may be a function that a module calls.
        """
        late = [scope for scope in self.scopes if not self._is_early(scope)]
        making = self._makers()

        def gives(function: ast.expr) -> bool:
            return last_component(function) in making or self.imported.is_given_by(function)

        read = set[str]().union(*(scope.mentions for scope in late if scope is not self.module))
        names = self.constants.holding(read, gives)
        users = [scope for scope in late if not scope.mentions.isdisjoint(names)]
        if not users:
            return []
        reached, moving = with_users(users, Users(self.scopes)), self._moving()
        leading = (scope for scope in self.scopes if scope.node in reached)
        return users if any(self._meets_device(s, moving) for s in leading) else []

    def _makers(self) -> set[str]:
        """The functions that make something on the host, by their names."""
        return {s.name for s in self.scopes if s.makes and isinstance(s.node, FUNCTIONS)}

    def _moving(self) -> set[ast.AST]:
        """The functions and classes that move something."""
        return {s.owner or s.node for s in self.scopes if s.moved or s.moved_parts}

    def _bases_of(self, owner: ast.ClassDef | None) -> set[str]:
        """The bases of a class and of those of the file that it inherits from."""
        classes = {s.name: s.owner for s in self.scopes if s.node is s.owner and s.owner}
        found: set[str] = set()
        pending = [owner]
        while pending:
            node = pending.pop()
            bases = {last_component(base) for base in node.bases} - found if node else set()
            found |= bases
            pending += [classes.get(base) for base in bases]
        return found

    def _meets_device(self, scope: Scope, moving: Set[ast.AST]) -> bool:
        """Whether a scope may have values on the accelerator.

        A module's may, one beside a move, and one that is given tensors from anywhere.
        """
        if scope.owner is not None and scope.owner.name in self.names.modules:
            return True
        if isinstance(scope.node, FUNCTIONS) and may_be_given_tensors(scope.node):
            return True
        return not moving.isdisjoint({self.module.node, scope.owner or scope.node})

    def early_scopes(self) -> set[Scope]:
        """The methods of modules that run only while these are built: no other code uses them."""
        early = {scope for scope in self.scopes if self._is_early(scope)}
        by_name: dict[str, list[Scope]] = defaultdict(list)
        for scope in early:
            if scope.name != "__init__":
                by_name[scope.name].append(scope)
        late = [scope for scope in self.scopes if scope not in early]
        while late:
            for name in late.pop().mentions & by_name.keys():
                found = by_name.pop(name)
                early.difference_update(found)
                late += found
        return early

    def _is_early(self, scope: Scope) -> bool:
        """Whether a method is called while a module is built, by its name or by `__init__`."""
        owner = scope.owner
        if owner is None or owner.name not in self.names.modules or scope.node is owner:
            return False
        if scope.name == "__init__" or PREPARATION.search(scope.name):
            return True
        if not scope.makes or scope.name in CALLED_BY_CLASS:
            return False
        if owner not in self.used_by_init:
            self.used_by_init[owner] = _used_by_init(owner)
        return scope.name in self.used_by_init[owner]


def _used_by_init(owner: ast.ClassDef) -> frozenset[str]:
    """The attributes that the `__init__` of a class uses itself: its methods among them."""
    inits = [i for i in owner.body if isinstance(i, FUNCTIONS) and i.name == "__init__"]
    nodes = [node for init in inits for node in walk(init)]
    return read_and_assigned(nodes)[0] - handed_on(nodes)


_NOTED: dict[type[ast.AST], Callable[[Survey, Any, Scope], None]] = {
    ast.Call: Survey._note_call,
    ast.Expr: Survey._note_statement,
    ast.For: Survey._note_loop,
    ast.AsyncFor: Survey._note_loop,
    ast.Assign: Survey._note_assignment,
    ast.AnnAssign: Survey._note_kept,
}
"""What is noted where a node of a type is met."""
