"""What a file does with modules or parameters that an attribute keeps in a plain container.

Who moves, saves or trains them by hand, or registers them all the same, is to be left alone. Here
the elements are followed through loops, variables and subscripts, wherever the attribute is read.
"""

from __future__ import annotations

import ast
from collections.abc import Set

from torchdev_lint.catalog.builtins import BUILTINS, FILLING
from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.catalog.gradients import GIVES_PARAMETERS
from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.catalog.modules import (
    CONTAINERS,
    GIVES_MODULES,
    REGISTERING_METHODS,
    STATE_METHODS,
)
from torchdev_lint.placement.evidence.kinship import Kinship
from torchdev_lint.proof.proof import Proof
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import COMPREHENSIONS, FUNCTIONS, Syntax
from torchdev_lint.syntax.walking import walk

_GIVING_ELEMENTS = frozenset({"values", "items", "get", "pop", "copy", "popitem", "__getitem__"})
_COUNTED = frozenset({"enumerate", "items"})
"""What gives elements, each behind its number or key."""
_HANDING_ON = frozenset(
    """
    enumerate zip reversed list tuple set dict sorted iter next filter map chain from_iterable
    deepcopy zip_longest
    """.split()
)
"""Functions that give what they are given, or something that gives it."""
_CONTAINERS = frozenset(f"torch.nn.{name}" for name in CONTAINERS)
"""Modules that hold what they are given: it goes where they go."""
_PLACING = MOVES | STATE_METHODS - GIVES_PARAMETERS | {"data", "copy_"}
"""What moves a module, or fills its parameters."""
_FREEZING = frozenset({"requires_grad", "requires_grad_"})
"""What says of a parameter whether it is trained."""
_MAX_STEPS = 500
_CARRIERS = (
    ast.Starred, ast.keyword, ast.IfExp, ast.BoolOp, ast.List, ast.Tuple, ast.Set,
    ast.Dict, ast.Await, ast.FormattedValue,
)  # fmt: skip
"""What holds the value of an expression that is a part of it."""


@dataclass(frozen=True, slots=True)
class Handling:
    """What a file does with the elements of an attribute.

    Args:
        by_hand: whether it may take care of them itself.
        uses: where it applies or reads them once the module is built.
        fills: the expressions that say what is put into the container.
        repeated: whether any of these may put in several elements.
        trained: whether it may hand their parameters to an optimizer, without moving them.
    """

    by_hand: bool
    uses: tuple[ast.expr, ...]
    fills: tuple[ast.expr, ...]
    repeated: bool
    trained: bool


def handling_of(
    syntax: Syntax, proof: Proof, kin: Kinship, owner: ast.ClassDef, attr: str, building: Set[str]
) -> Handling:
    """Find out what a file does with the elements of an attribute.

    Args:
        kin: the families of the file's classes.
        owner: the class that sets it.
        building: the methods that build objects of that class.
    """
    search = _Search(syntax, proof, kin, owner, attr, building)
    by_hand = (
        search.is_set_later()
        or kin.of(owner).has_own_way
        or search.follow()
        or search.are_handed_elsewhere()
        or (search.trained and search.are_placed())
    )
    return Handling(
        by_hand, tuple(search.uses), tuple(search.fills), search.repeated, search.trained
    )


class _Search:
    """A search for what is done with the elements of one attribute."""

    def __init__(
        self,
        syntax: Syntax,
        proof: Proof,
        kin: Kinship,
        owner: ast.ClassDef,
        attr: str,
        building: Set[str],
    ) -> None:
        self._syntax = syntax
        self._values = proof.values
        self._attr = attr
        self._building = building
        family = kin.of(owner)
        self._family = family.classes
        self._attributes = kin.uses(family, attr)
        self._seen: set[ast.AST] = set()
        self.uses: list[ast.expr] = []
        self.fills: list[ast.expr] = []
        self.repeated = False
        self.trained = False

    def is_set_later(self) -> bool:
        """Whether anything else than what builds the object sets the attribute, or drops it."""
        for store in self._attributes:
            if isinstance(store.ctx, ast.Load):
                continue
            method = self._method(store)
            if method is None or method.name not in self._building:
                return True
            statement = self._syntax.parent(store)
            value = self._value_for(store, statement)
            if isinstance(store.ctx, ast.Del):
                return True
            if value is not None:
                self._note_fill(value)
            if isinstance(statement, ast.AugAssign):
                self.repeated |= self._syntax.loop(statement) is not None
        return False

    def _value_for(self, store: ast.expr, target: ast.AST | None) -> ast.expr | None:
        """What the attribute is given, alone or as a part of what is taken apart.

        Args:
            target: what it is a part of: a tuple, or the statement.
        """
        if not isinstance(target, (ast.Tuple, ast.List)):
            value = getattr(target, "value", None)
            return value if isinstance(value, ast.expr) else None
        whole = self._value_for(target, self._syntax.parent(target))
        if isinstance(whole, (ast.Tuple, ast.List)):
            return dict(zip(target.elts, whole.elts, strict=False)).get(store)
        return whole

    def follow(self) -> bool:
        """Follow the elements; return whether they may be taken care of by hand."""
        pending: list[ast.expr] = [
            read for read in self._attributes if isinstance(read.ctx, ast.Load)
        ]
        while pending:
            node = pending.pop()
            if node in self._seen:
                continue
            self._seen.add(node)
            if len(self._seen) > _MAX_STEPS:
                return True
            found = self._step(node)
            if found is None:
                return True
            pending += found
        return False

    def are_handed_elsewhere(self) -> bool:
        """Whether something else is given the elements where they are made, and may keep them.

        What makes them parts of the module itself is no matter: the analysis has seen that.
        """
        pending, seen = list(self.fills), set[ast.AST]()
        while pending:
            node = pending.pop()
            if not isinstance(node, ast.Name) or node in seen or len(seen) > _MAX_STEPS:
                continue
            for load in self._loads(node, self._syntax.scope(node)):
                seen.add(load)
                parent = self._syntax.parent(load)
                if isinstance(parent, ast.Call) and load in parent.args:
                    if not self._is_harmless(parent):
                        return True
                elif isinstance(parent, ast.Attribute) and parent.attr in FILLING:
                    call = self._syntax.parent(parent)
                    pending += call.args[-1:] if isinstance(call, ast.Call) else []
        return False

    def are_placed(self) -> bool:
        """Whether any of the elements is told a device where it is made, or is moved there."""
        return any(map(_places, self.fills)) or any(
            isinstance(part, ast.Call) and _is_told_device(part)
            for fill in self.fills
            for part in walk(fill)
        )

    def _is_harmless(self, call: ast.Call) -> bool:
        """Whether what a call is given is either not kept, or seen to be."""
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if name in _HANDING_ON | FILLING | REGISTERING_METHODS | BUILTINS:
            return True
        return self._values.library(call.func).startswith("torch.")

    def _method(self, node: ast.Attribute) -> ast.FunctionDef | None:
        """The method of the family around a use of an attribute of `self`."""
        found = self._syntax.method(node)
        is_own = isinstance(node.value, ast.Name) and node.value.id == "self"
        return found[0] if found is not None and is_own and found[1] in self._family else None

    def _step(self, node: ast.expr) -> list[ast.expr] | None:
        """What an expression is handed on to; None if it may be taken care of there."""
        parent = self._syntax.parent(node)
        if isinstance(parent, ast.Subscript) and parent.value is node:
            return self._subscript(parent)
        if isinstance(parent, ast.Attribute):
            return self._attribute(parent)
        if isinstance(parent, ast.Call):
            return self._call(parent, node)
        if isinstance(parent, (ast.comprehension, ast.For, ast.AsyncFor)) and parent.iter is node:
            return self._loop(parent)
        if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign)):
            return self._assignment(parent, node)
        if isinstance(parent, (ast.Return, ast.Yield, ast.YieldFrom, ast.Delete, ast.Lambda)):
            return None  # whoever gets it
        if isinstance(parent, COMPREHENSIONS):
            return [parent]
        if isinstance(parent, ast.BinOp):
            return self._operation(parent, node)
        if isinstance(parent, ast.keyword):
            call = self._syntax.parent(parent)
            return self._call(call, node) if isinstance(call, ast.Call) else []
        return [parent] if isinstance(parent, _CARRIERS) and isinstance(parent, ast.expr) else []

    def _operation(self, parent: ast.BinOp, node: ast.expr) -> list[ast.expr]:
        """What lists are joined to is one; of parameters, something else is computed."""
        if getattr(node, "attr", "") == self._attr:
            return [parent]
        self._note_use(parent)
        return []

    def _subscript(self, parent: ast.Subscript) -> list[ast.expr] | None:
        if isinstance(parent.ctx, ast.Load):
            return [parent]
        statement = self._syntax.statement(parent)
        if isinstance(statement, ast.Assign):
            self._note_fill(statement.value, parent)
        return []

    def _attribute(self, parent: ast.Attribute) -> list[ast.expr] | None:
        call = self._syntax.parent(parent)
        called = isinstance(call, ast.Call) and call.func is parent
        if parent.attr in GIVES_MODULES and called and isinstance(call, ast.Call):
            return [call]  # who only initializes them takes care of nothing
        if parent.attr in GIVES_PARAMETERS and called and self._only_freezes(call):
            return []
        if parent.attr in GIVES_PARAMETERS and called and self._moves_nothing_around(parent):
            self.trained = True
            return []
        if parent.attr in STATE_METHODS:
            return None
        if called and isinstance(call, ast.Call):
            if parent.attr in FILLING and not _counts(call):
                self.fills += call.args[-1:]
                self.repeated |= self._syntax.loop(call) is not None or parent.attr == "extend"
                return []
            if parent.attr in _GIVING_ELEMENTS:
                return [call]
        self._note_use(parent)
        return []

    def _only_freezes(self, call: ast.AST | None) -> bool:
        """Whether a loop goes through what a call lists, and says of each whether it is trained."""
        loop = None if call is None else self._syntax.parent(call)
        if not isinstance(loop, ast.For) or loop.iter is not call:
            return False
        around = map(self._syntax.parent, self._loads(loop.target, loop))
        return all(isinstance(each, ast.Attribute) and each.attr in _FREEZING for each in around)

    def _moves_nothing_around(self, node: ast.expr) -> bool:
        """Whether the method at hand lists parameters, and moves nothing, nor loads anything."""
        found = self._syntax.method(node)
        if found is None or found[1] not in self._family or found[0].name in self._building:
            return False
        return not _places(found[0])

    def _call(self, call: ast.Call, node: ast.expr) -> list[ast.expr] | None:
        if call.func is node:
            self._note_use(call)
            return []
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if name in _HANDING_ON or self._values.library(call.func) in _CONTAINERS:
            return [call]
        if name in REGISTERING_METHODS:
            return None  # the parts are registered by a method, before the module is moved
        if isinstance(call.func, ast.Name) and name in BUILTINS - {"setattr"}:
            return []
        self._note_use(call)
        return [] if self._is_late(call) and not _is_told_device(call) else None

    def _loop(self, loop: ast.comprehension | ast.For | ast.AsyncFor) -> list[ast.expr]:
        around = self._syntax.parent(loop) if isinstance(loop, ast.comprehension) else loop
        assert around is not None
        return [load for target in self._taking(loop) for load in self._loads(target, around)]

    def _taking(self, loop: ast.comprehension | ast.For | ast.AsyncFor) -> list[ast.expr]:
        """The targets of a loop that take elements: not those for what it counts, or for keys."""
        call, target = loop.iter, loop.target
        if not isinstance(call, ast.Call) or not isinstance(target, ast.Tuple):
            return [target]
        name = last_component(call.func)
        if name in _COUNTED:
            return target.elts[1:]
        if name == "zip" and len(call.args) == len(target.elts):
            pairs = zip(target.elts, call.args, strict=True)
            return [part for part, given in pairs if given in self._seen]
        return [target]

    def _assignment(
        self, statement: ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.AugAssign, node: ast.expr
    ) -> list[ast.expr] | None:
        if isinstance(statement, ast.AugAssign):
            return []
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        if self._is_container(node) and any(map(self._is_own, targets)):
            if self._registers_whenever_set(statement):
                return None
        others = (target for target in targets if not self._is_own(target))
        if any(isinstance(part, ast.Attribute) for target in others for part in ast.walk(target)):
            return None  # it has another name as well
        scope = self._syntax.scope(node)
        return [load for target in targets for load in self._loads(target, scope)]

    def _is_container(self, node: ast.expr) -> bool:
        """Whether an expression builds a module that has what it is given for its parts."""
        return isinstance(node, ast.Call) and self._values.library(node.func) in _CONTAINERS

    def _registers_whenever_set(self, statement: ast.stmt | ast.expr) -> bool:
        """Whether a statement makes a module of the attribute in all cases in which it is a list.

        It stands under no other conditions than what sets the list does.
        """
        ways = self._ways(statement)
        sets = (use for use in self._attributes if isinstance(use.ctx, ast.Store))
        given = ((use, getattr(self._syntax.parent(use), "value", None)) for use in sets)
        lists = [use for use, value in given if not _is_none(value)]
        return all(ways <= self._ways(use) for use in lists)

    def _ways(self, node: ast.AST) -> set[tuple[str, bool]]:
        """The conditions under which code of a method is run, and whether they hold there."""
        found, child = set[tuple[str, bool]](), node
        for part in self._syntax.around(node):
            if isinstance(part, FUNCTIONS):
                break
            if isinstance(part, (ast.If, ast.While)):
                found.add((ast.dump(part.test), child in part.body))
            child = part
        return found

    def _is_own(self, target: ast.expr) -> bool:
        """Whether it is the attribute itself, which is built in several steps."""
        if not (isinstance(target, ast.Attribute) and target.attr == self._attr):
            return False
        method = self._method(target)
        return method is not None and method.name in self._building

    def _loads(self, target: ast.expr, around: ast.AST) -> list[ast.expr]:
        """Where the variables of a target are read."""
        names = {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}
        named = (node for name in names for node in self._syntax.named(name, around))
        return [node for node in named if isinstance(node.ctx, ast.Load)]

    def _is_late(self, node: ast.AST) -> bool:
        """Whether code runs when the module has been built and moved: in its own methods."""
        found = self._syntax.method(node)
        return (
            found is not None and found[1] in self._family and found[0].name not in self._building
        )

    def _note_use(self, node: ast.expr) -> None:
        if self._is_late(node):
            self.uses.append(node)

    def _note_fill(self, value: ast.expr, where: ast.AST | None = None) -> None:
        """Note what is put into the container by an assignment, of an item or of it all."""
        if where is not None:
            self.fills.append(value)
            self.repeated |= self._syntax.loop(where) is not None
        elif isinstance(value, (ast.List, ast.Tuple, ast.Set)):
            self.fills += value.elts
        elif isinstance(value, ast.Dict):
            self.fills += value.values
        elif not (isinstance(value, ast.Call) and not value.args and not value.keywords):
            elements = getattr(value, "elt", getattr(value, "value", value))
            self.fills.append(elements if isinstance(elements, ast.expr) else value)
            self.repeated = True


def _is_none(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _places(code: ast.AST) -> bool:
    """Whether anything in code moves modules, or fills their parameters."""
    return any(isinstance(part, ast.Attribute) and part.attr in _PLACING for part in walk(code))


def _is_told_device(call: ast.Call) -> bool:
    """Whether a function is told a device beside the elements, and so may move them there."""
    given = (*call.args, *(keyword.value for keyword in call.keywords))
    return any(last_component(value) in DEVICE_NAMES for value in given)


def _counts(call: ast.Call) -> bool:
    """Whether a metric is given what it counts: a dict or set is updated with one thing."""
    return getattr(call.func, "attr", "") == "update" and len(call.args) > 1
