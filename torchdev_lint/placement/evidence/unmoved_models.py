"""Whether a model that code holds stays on the CPU, where it was built, whatever else is moved.

It is followed from where it is held to where it is built, over variables, attributes, arguments
and results, in whatever file; and on each of these to all that is done with it there. Only what
does nothing to where it is counts as harmless, and only what the project itself does is in sight.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import TypeAlias

from torchdev_lint.catalog.builtins import COPYING
from torchdev_lint.catalog.checkpoints import MAPPING_READERS
from torchdev_lint.catalog.methods import MOVES_TO_DEVICE
from torchdev_lint.placement.evidence.bringing_files import brings
from torchdev_lint.placement.evidence.class_attributes import (
    Owner,
    assigned_in,
    defined,
    with_bases,
)
from torchdev_lint.placement.evidence.feeding import brings_back
from torchdev_lint.placement.evidence.given import Given
from torchdev_lint.placement.evidence.host_files import BRINGS_BY_ITSELF
from torchdev_lint.placement.evidence.made_of import Placed, made_of
from torchdev_lint.placement.evidence.neighbours import default_changes_around
from torchdev_lint.placement.evidence.own_saves import (
    are_moved_anywhere,
    family_of,
    is_of_other_class,
    is_plain,
)
from torchdev_lint.placement.evidence.told_host import moves_to_host
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import Definition
from torchdev_lint.project.uses import uses_of, uses_of_method
from torchdev_lint.proof.grounds import Grounds
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.parameters import parameter_for
from torchdev_lint.syntax.private import class_around
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk

_MOST_ASKED = 200
"""How many expressions, variables and classes are asked about for one model."""
_MOST_STEPS = 30
"""How many of them for each other, one after the next."""
_STATES = frozenset({"state_dict", "parameters", "named_parameters"})
"""Methods that give what a model consists of."""
_READERS = frozenset(name.rpartition(".")[2] for name in MAPPING_READERS)
"""Functions that give a model from wherever it was."""
_OPTIMIZERS = "torch.optim."
_CONSTRUCTOR = "__init__"
_KEEP = (
    ast.Compare,
    ast.If,
    ast.IfExp,
    ast.BoolOp,
    ast.UnaryOp,
    ast.FormattedValue,
    ast.Expr,
    ast.Return,
    ast.Delete,
    ast.arg,
    ast.AnnAssign,
)
"""What does nothing to a model that is part of it; who is given one back is asked in turn."""

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def stays_where_built(of: Placed) -> bool:
    """Return whether an expression is a model, or the state of one, that nothing moves.

    Or a dict with such states, and no other ones.
    """
    return not default_changes_around(of.file.path) and _Models().stay(of)


class _Models:
    """Asks of an expression whether it is such a model, and therefore of what it is made of."""

    def __init__(self) -> None:
        self._known: dict[tuple[ast.AST, str], bool] = {}
        self._left = _MOST_STEPS

    def stay(self, of: Placed) -> bool:
        """Return whether an expression is such a model, or the state of one."""
        file, node = of
        while isinstance(node, ast.Call) and _gives_state(node):
            assert isinstance(node.func, ast.Attribute)
            node = node.func.value
        return self._once(node, "", lambda: self._is_unmoved(Placed(file, node)))

    def _once(self, node: ast.AST, word: str, find: Callable[[], bool]) -> bool:
        """Find something out once; what it is asked for again meanwhile is taken to be so."""
        key = node, word
        if key not in self._known:
            self._known[key] = True
            self._left -= 1
            self._known[key] = self._left > 0 and len(self._known) <= _MOST_ASKED and find()
            self._left += 1
        return self._known[key]

    def _is_unmoved(self, of: Placed) -> bool:
        file, node = of
        if isinstance(node, ast.Constant):
            return True  # no model yet
        if isinstance(node, ast.Dict):
            states = [v for v in node.values if any(map(_gives_state, walk(v)))]
            return bool(states) and all(self.stay(Placed(file, state)) for state in states)
        if isinstance(node, (ast.List, ast.Tuple)):
            return all(self.stay(Placed(file, part)) for part in node.elts)
        if isinstance(node, ast.Subscript):
            return self.stay(Placed(file, node.value))
        if isinstance(node, ast.IfExp):
            return all(self.stay(Placed(file, part)) for part in (node.body, node.orelse))
        if isinstance(node, ast.Name):
            return self._variable_stays(file, node)
        if isinstance(node, ast.Attribute):
            return self._attribute_stays(file, node)
        return isinstance(node, ast.Call) and self._is_built(file, node)

    def _variable_stays(self, file: ParsedFile, name: ast.Name) -> bool:
        if name.id == "self" and (owner := class_around(name, file.syntax)) is not None:
            return self._builds_unmoved(file, owner) and self._objects_stay(file, owner)
        given = made_of(Placed(file, name))
        return bool(given) and self._is_kept(file, name) and all(map(self.stay, given))

    def _is_kept(self, file: ParsedFile, name: ast.Name) -> bool:
        """Whether all that is done with a variable leaves what it holds where that is."""
        bindings = file.syntax.derived(Grounds).bindings
        owner = bindings.owner(name.id, name)
        return owner is not None and self._is_harmless_in(file, owner, name.id)

    def _is_harmless_in(self, file: ParsedFile, owner: ast.AST, name: str) -> bool:
        """Whether all is harmless that the code of a function, or file, does with a variable."""

        def find() -> bool:
            bindings = file.syntax.derived(Grounds).bindings
            reads = file.syntax.derived(Given).reads(owner).get(name, [])
            own = (read for read in reads if bindings.owner(name, read) is owner)
            return all(self._is_harmless(file, read) for read in own)

        return self._once(owner, name, find)

    def _is_harmless(self, file: ParsedFile, node: ast.expr) -> bool:
        """Whether what is done with an expression leaves what it holds where that is."""
        around = file.syntax.parent(node)
        while isinstance(around, ast.Subscript) and around.value is node:
            node, around = around, file.syntax.parent(around)
        while isinstance(around, ast.Attribute):
            call = file.syntax.parent(around)
            if around.attr in MOVES_TO_DEVICE:
                is_move = isinstance(call, ast.Call) and call.func is around
                return is_move and not _brings(file, call or around)
            if not isinstance(call, ast.Attribute):
                return True  # a method, or what it has
            around = call
        if isinstance(around, ast.keyword):
            call = file.syntax.parent(around)
            return isinstance(call, ast.Call) and self._may_be_given(file, call, around)
        if isinstance(around, ast.Call):
            return around.func is node or self._may_be_given(file, around, node)
        if isinstance(around, ast.Assign):
            return all(self._may_hold(file, target) for target in around.targets)
        if isinstance(around, (ast.For, ast.comprehension)):
            names = [part for part in walk(around.target) if isinstance(part, ast.Name)]
            return all(self._is_kept(file, name) for name in names)
        if isinstance(around, (ast.Tuple, ast.List, ast.Dict)):
            return self._is_harmless(file, around)
        return isinstance(around, _KEEP)

    def _may_hold(self, file: ParsedFile, target: ast.expr) -> bool:
        """Whether a model may be given to a variable or attribute, as far as moves go."""
        if isinstance(target, ast.Name):
            return self._is_kept(file, target)
        if isinstance(target, ast.Attribute):
            owners = self._classes_of(file, target.value)
            return bool(owners) and all(self._is_attribute_kept(*o, target.attr) for o in owners)
        return False

    def _may_be_given(self, file: ParsedFile, call: ast.Call, given: ast.AST) -> bool:
        """Whether what a call runs leaves an argument where it is."""
        grounds = file.syntax.derived(Grounds)
        if isinstance(call.func, ast.Name) and grounds.bindings.is_builtin(call.func.id, call.func):
            return True
        run = list(self._run_by(file, call.func))
        for home, function, skipped in run:
            parameter = parameter_for(function, call, given, skipped)
            if parameter is None or not self._is_harmless_in(home, function, parameter.arg):
                return False
        return bool(run) or _leaves_alone(file, call)

    def _run_by(
        self, file: ParsedFile, called: ast.expr
    ) -> Iterator[tuple[ParsedFile, _Function, int]]:
        """Yield the functions of the project that a call may run, and how many arguments they have.

        More than it is given, that is: one, if it is a method.
        """
        behind = defined(file, called)
        if behind is not None and isinstance(behind[1], FUNCTIONS):
            yield behind[0], behind[1], 0
        elif behind is not None and isinstance(behind[1], ast.ClassDef):
            yield from _method(behind[0], behind[1], _CONSTRUCTOR)
        elif isinstance(called, ast.Attribute):
            for home, owner in self._classes_of(file, called.value):
                yield from _method(home, owner, called.attr)

    def _classes_of(self, file: ParsedFile, node: ast.expr) -> list[Owner]:
        """The classes of the project of which an object is; empty if that is not known."""
        if isinstance(node, ast.Name) and node.id == "self":
            owner = class_around(node, file.syntax)
            return [] if owner is None else [(file, owner)]
        found = []
        for given in self._given_to(file, node):
            called = given.node.func if isinstance(given.node, ast.Call) else None
            behind = None if called is None else defined(given.file, called)
            if behind is None or not isinstance(behind[1], ast.ClassDef):
                return []
            found.append((behind[0], behind[1]))
        return found

    def _given_to(self, file: ParsedFile, node: ast.expr) -> list[Placed]:
        """What a variable or attribute is given; empty if not all of that is known."""
        if isinstance(node, ast.Name):
            return made_of(Placed(file, node))
        if not isinstance(node, ast.Attribute) or dotted(node.value) != "self":
            return []
        owner = class_around(node, file.syntax)
        return [] if owner is None else list(assigned_in(file, owner, node.attr))

    def _attribute_stays(self, file: ParsedFile, node: ast.Attribute) -> bool:
        owners = self._classes_of(file, node.value)
        return bool(owners) and all(
            any(assigned_in(home, owner, node.attr))
            and self._is_attribute_kept(home, owner, node.attr)
            for home, owner in owners
        )

    def _is_attribute_kept(self, file: ParsedFile, owner: ast.ClassDef, attr: str) -> bool:
        """Whether all is harmless that is done with an attribute, and with the object itself.

        All that it is given, by heirs as well, has to be a model that stays.
        """

        def find() -> bool:
            uses = uses_of_method(file, owner.name, attr)
            if not uses.complete or are_moved_anywhere(file, owner, {attr}):
                return False
            family = family_of(owner)
            for user, node in uses.places:
                assert isinstance(node, ast.Attribute)
                if is_of_other_class(user.syntax, node, dotted(node.value) or "", family):
                    continue
                is_read = isinstance(node.ctx, ast.Load)
                if not (self._is_harmless if is_read else self._is_given_what_stays)(user, node):
                    return False
            return is_plain(file, owner) or self._objects_stay(file, owner)

        return self._once(owner, attr, find)

    def _is_given_what_stays(self, file: ParsedFile, target: ast.expr) -> bool:
        """Whether a target is given a model that stays."""
        statement = file.syntax.parent(target)
        if not isinstance(statement, ast.Assign) or target not in statement.targets:
            return False
        return self.stay(Placed(file, statement.value))

    def _objects_stay(self, file: ParsedFile, owner: ast.ClassDef) -> bool:
        """Whether nothing moves an object of a class, or of one of its heirs."""

        def find() -> bool:
            if owner not in file.tree.body:
                return False
            uses = uses_of(file, Definition(file.path, owner.name))
            return uses.complete and all(self._is_built_harmlessly(*place) for place in uses.places)

        return self._once(owner, "", find)

    def _is_built_harmlessly(self, file: ParsedFile, node: ast.expr) -> bool:
        """Whether a class is called where it is named, and what that gives is not moved.

        Or it is a base, and none of the heirs' objects is, or only named for its type.
        """
        around = file.syntax.parent(node)
        if isinstance(around, ast.ClassDef):
            return self._objects_stay(file, around)
        if isinstance(around, ast.Call) and around.func is node:
            return not _is_anywhere_brought(file, around) and self._is_harmless(file, around)
        return isinstance(around, (ast.arg, ast.AnnAssign, *FUNCTIONS)) or (
            isinstance(around, ast.Call) and dotted(around.func) in {"isinstance", "super"}
        )

    def _is_built(self, file: ParsedFile, call: ast.Call) -> bool:
        """Whether a call builds a model on the CPU, or gives one that stays there."""
        if brings_back(call):
            return True
        if moves_to_host(file, call) and isinstance(call.func, ast.Attribute):
            return self.stay(Placed(file, call.func.value))
        if _is_anywhere_brought(file, call):
            return False
        behind = defined(file, call.func)
        if behind is not None and isinstance(behind[1], ast.ClassDef):
            return self._builds_unmoved(behind[0], behind[1])
        if behind is not None:
            given = made_of(Placed(file, call))
            return bool(given) and all(map(self.stay, given))
        if last_component(call.func) in COPYING and call.args:
            return self.stay(Placed(file, call.args[0]))
        if last_component(call.func) in _READERS or not _leaves_alone(file, call):
            return False
        return all(self.stay(Placed(file, part)) for part in _built_of(file, call))

    def _builds_unmoved(self, file: ParsedFile, owner: ast.ClassDef) -> bool:
        """Whether a class, and its bases, bring nothing of what their objects have anywhere."""

        def find() -> bool:
            return not any(_moves_itself(home, each) for home, each in with_bases(file, owner))

        return self._once(owner, _CONSTRUCTOR, find)


def _brings(file: ParsedFile, node: ast.AST) -> bool:
    """Whether a node may bring something to an accelerator, for all that the project tells it."""
    return brings(node) and not moves_to_host(file, node)


def _is_anywhere_brought(file: ParsedFile, call: ast.Call) -> bool:
    return any(_brings(file, part) for part in walk(call))


def _gives_state(node: ast.AST) -> bool:
    """Whether a node asks a model for its state, or parameters."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr in _STATES


def _built_of(file: ParsedFile, call: ast.Call) -> list[ast.expr]:
    """The models, or their states, of which a call makes something that lives where they do.

    So does an optimizer whose parameters a variable holds.
    """
    states = [part for part in walk(call) if isinstance(part, ast.Call) and _gives_state(part)]
    library = file.syntax.derived(Grounds).values.library(call.func)
    is_optimizer = library.startswith(_OPTIMIZERS)
    return [*states] or (call.args[:1] if is_optimizer else [])


def _moves_itself(file: ParsedFile, owner: ast.ClassDef) -> bool:
    """Whether the code of a class builds something elsewhere, or moves what its objects have."""
    for node in walk(owner):
        if not isinstance(node, ast.Call):
            continue
        method = file.syntax.method(node)
        if method is not None and method[0].name == _CONSTRUCTOR and _brings(file, node):
            return True
        if isinstance(node.func, ast.Attribute) and node.func.attr in MOVES_TO_DEVICE:
            if (dotted(node.func) or "").startswith("self.") and _brings(file, node):
                return True
    return False


def _method(
    file: ParsedFile, owner: ast.ClassDef, name: str
) -> Iterator[tuple[ParsedFile, _Function, int]]:
    """Yield the method of a name, of a class or the nearest of its bases."""
    for home, each in with_bases(file, owner):
        for part in each.body:
            if isinstance(part, FUNCTIONS) and part.name == name:
                yield home, part, 1
                return


def _leaves_alone(file: ParsedFile, call: ast.Call) -> bool:
    """Whether a function of a library brings nothing to an accelerator, by its name."""
    library = file.syntax.derived(Grounds).values.library(call.func)
    if not library or defined(file, call.func) is not None or _brings(file, call):
        return False
    return BRINGS_BY_ITSELF.isdisjoint(library.split("."))
