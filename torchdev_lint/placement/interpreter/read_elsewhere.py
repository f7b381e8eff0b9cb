"""What expressions of the project's other files give, as far as their assignments tell."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from torchdev_lint.catalog.methods import MODULE_MOVES
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Sequence
from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Const,
    DeviceValue,
    DtypeValue,
    Instance,
    Loader,
    Place,
    Scalar,
    Value,
    alternatives,
)
from torchdev_lint.placement.interpreter.imports import frame_of
from torchdev_lint.placement.python.arguments import evaluate_arguments
from torchdev_lint.placement.python.attributes import attribute
from torchdev_lint.placement.run import Run
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import Definition
from torchdev_lint.project.uses import uses_of
from torchdev_lint.proof.grounds import Grounds
from torchdev_lint.syntax.parameters import argument_for
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.unpacking import place_within
from torchdev_lint.syntax.walking import walk

_MAX_STEPS = 4
"""Over how many variables it is followed what an expression gives."""
_OBJECT = "self"
_WITHOUT_OBJECTS = (Const, DeviceValue, DtypeValue, Loader, Scalar)
"""What doesn't change, and holds nothing that does."""

_Result = TypeVar("_Result")


class Reading:
    """Evaluates expressions of other files, each by itself, with what their variables hold.

    Args:
        run: the analysis of the file at hand.
        file: that file.
    """

    def __init__(self, run: Run, file: ParsedFile) -> None:
        self._run = run
        self._file = file
        self._known: dict[ast.expr, Value] = {}

    def arguments(self, user: ParsedFile, call: ast.Call) -> Arguments:
        """Return the arguments of a call in another file."""
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        frame = self._frame(user, call, given, _MAX_STEPS)
        if frame is None:
            return Arguments(open_ended=True)
        return self._within(frame, lambda: evaluate_arguments(self._run, call))

    def _value(self, user: ParsedFile, node: ast.expr, steps: int) -> Value:
        """What an expression gives.

        Args:
            steps: over how many variables that is followed.
        """
        if node in self._run.read_ahead:
            return self._run.read_ahead[node]
        if node not in self._known:
            self._known[node] = UNKNOWN
            frame = self._frame(user, node, [node], steps)
            if frame is not None:
                with self._run.budget.abroad_in(node, ahead=True):  # one may take more than all
                    self._known[node] = self._within(frame, lambda: self._run.evaluate(node))
                if isinstance(self._known[node], _WITHOUT_OBJECTS):
                    self._run.read_ahead[node] = self._known[node]
        return self._known[node]

    def _frame(
        self, user: ParsedFile, place: ast.AST, read: Iterable[ast.expr], steps: int
    ) -> Frame | None:
        """A call in progress that has bound what some expressions read.

        Args:
            place: where they stand.
        """
        module = frame_of(self._run, user.path)
        if module is None:
            return None
        env = Env({}, {}, settings=module.env.settings)
        attrs: dict[str, Value] = {}
        for node in (part for expression in read for part in walk(expression)):
            if isinstance(node, ast.Name) and node.id not in env.names:
                held = self._held(user, node, steps)
                if held is not None:
                    env.names[node.id] = held
            elif isinstance(node, ast.Attribute) and _is_own(node) and steps:
                attrs[node.attr] = self._kept(user, node, steps)
        if attrs:
            env.names[_OBJECT] = self._run.allocate(Obj(Place.UNKNOWN, attrs=attrs), None)
        return Frame(user.syntax.scope(place), "", False, env, module.file, (module,))

    def _within(self, frame: Frame, work: Callable[[], _Result]) -> _Result:
        """Do something with a call in progress; what it does to objects lasts."""
        run = self._run
        frames, frame.env.heap = run.frames, run.env.heap
        run.frames = [frames[0], frame]
        around, run.reads_ahead = run.reads_ahead, True
        try:
            return work()
        finally:
            run.frames, run.reads_ahead = frames, around
            run.env.heap = frame.env.heap

    def _held(self, user: ParsedFile, node: ast.Name, steps: int) -> Value | None:
        """What a variable holds; None if it is the module's to say."""
        grounds = user.syntax.derived(Grounds)
        values = grounds.values.values(node.id, node) if steps else []
        if values:
            held = choice([self._value(user, value, steps - 1) for value in values])
            return self._moved(user, _moving_statements(user, node), held, steps)
        if grounds.bindings.owner(node.id, node) in {None, user.tree}:
            return None
        bound = [*grounds.bindings.reaching(node.id, node)]
        binding = bound[0] if len(bound) == 1 and steps else None
        if isinstance(binding, ast.arg):
            return self._given(user, binding, steps)
        return UNKNOWN if binding is None else self._unpacked(user, binding, steps)

    def _unpacked(self, user: ParsedFile, target: ast.AST, steps: int) -> Value:
        """What a variable holds that stands in a tuple to which something is assigned."""
        targets = user.syntax.parent(target)
        statement = None if targets is None else user.syntax.parent(targets)
        at = None if targets is None else place_within(targets, target)
        if at is None or not isinstance(statement, ast.Assign):
            return UNKNOWN
        found = alternatives(self._value(user, statement.value, steps - 1))
        parts = [each.at(Const(at)) if isinstance(each, Sequence) else None for each in found]
        return choice([UNKNOWN if part is None else part for part in parts])

    def _given(self, user: ParsedFile, parameter: ast.arg, steps: int) -> Value:
        """What calls give for a parameter, one of them each."""
        function = user.syntax.parent(user.syntax.parent(parameter) or user.tree)
        if not isinstance(function, FUNCTIONS):
            return UNKNOWN
        is_init = function.name == "__init__"
        owner = user.syntax.parent(function) if is_init else function
        if owner not in user.tree.body or not isinstance(owner, (ast.ClassDef, *FUNCTIONS)):
            return UNKNOWN
        uses = uses_of(user, Definition(user.path, owner.name))
        options: list[Value] = [] if uses.complete else [UNKNOWN]
        for caller, node in uses.places:
            call = caller.syntax.parent(node)
            given = None
            if isinstance(call, ast.Call) and call.func is node and caller is not self._file:
                given = argument_for(user.syntax, call, parameter, is_init)
            options.append(UNKNOWN if given is None else self._value(caller, given, steps - 1))
        return choice(options) if options else UNKNOWN

    def _kept(self, user: ParsedFile, node: ast.Attribute, steps: int) -> Value:
        """What an attribute of the object at hand holds, whatever way leads there."""
        uses = _uses_of_own(user, node)
        values = [_assigned(user, use) for use in uses if not isinstance(use.ctx, ast.Load)]
        sources = [value for value in values if value is None or not _is_made_of(value, node)]
        if not sources or None in sources:
            return UNKNOWN
        held = choice([self._value(user, value, steps - 1) for value in sources if value])
        return self._moved(user, uses, held, steps)

    def _moved(self, user: ParsedFile, uses: Iterable[ast.expr], held: Value, steps: int) -> Value:
        """What something holds once the moves were made that are called on it.

        Args:
            uses: where it stands.
            held: what it holds before.
        """
        if not any(isinstance(option, Instance) for option in alternatives(held)):
            return held
        for use in uses:
            member = user.syntax.parent(use)
            call = user.syntax.parent(member) if isinstance(member, ast.Attribute) else None
            if isinstance(call, ast.Call) and isinstance(member, ast.Attribute):
                if member.attr in MODULE_MOVES and call.func is member:
                    held = self._after(user, call, member, held, steps)
        return held

    def _after(
        self, user: ParsedFile, call: ast.Call, method: ast.Attribute, held: Value, steps: int
    ) -> Value:
        """What the call of a method gives of what something holds."""
        run = self._run
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        frame = self._frame(user, call, given, steps - 1)
        if frame is None:
            return UNKNOWN

        def called() -> Value:
            arguments = evaluate_arguments(run, call)
            methods = alternatives(attribute(run, held, method))
            return choice([run.call(run, found, arguments, call) for found in methods])

        return self._within(frame, called)


def _is_own(node: ast.Attribute) -> bool:
    """Whether an expression is an attribute of the object at hand."""
    return isinstance(node.value, ast.Name) and node.value.id == _OBJECT


def _uses_of_own(user: ParsedFile, node: ast.Attribute) -> list[ast.Attribute]:
    """Where an attribute of the object at hand stands in its class."""
    method = user.syntax.method(node)
    parts = () if method is None else walk(method[1])
    own = (part for part in parts if isinstance(part, ast.Attribute) and _is_own(part))
    return [part for part in own if part.attr == node.attr]


def _assigned(user: ParsedFile, target: ast.expr) -> ast.expr | None:
    """What is assigned to a target; None for what is bound in some other way."""
    statement = user.syntax.parent(target)
    return statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None


def _is_made_of(value: ast.expr, node: ast.Attribute) -> bool:
    """Whether methods of an attribute give a value: `self.x.to(device)`, of `self.x`."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        value = value.func.value
    return isinstance(value, ast.Attribute) and _is_own(value) and value.attr == node.attr


def _moving_statements(user: ParsedFile, node: ast.Name) -> Iterator[ast.expr]:
    """Yield where a variable stands before a place, in its scope, to be moved in place."""
    syntax = user.syntax
    scope = syntax.scope(node)
    for use in syntax.named(node.id, scope):
        member = syntax.parent(use)
        call = None if member is None else syntax.parent(member)
        is_before = use.lineno < node.lineno and syntax.scope(use) is scope
        if is_before and call is not None and isinstance(syntax.parent(call), ast.Expr):
            yield use
