"""Where what a call gives goes to in its file: what is loaded, in particular.

It is followed by names, through variables, attributes of `self`, parts, comprehensions, and the
functions of the file that return it or are given it. A function of another file of the project is
asked what becomes there of what it is given, and one that calls such a function what it does with
what it is given back; not where that goes from there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeAlias

from torchdev_lint.catalog.checkpoints import KEEPERS, STATE_TAKERS, WRITERS
from torchdev_lint.catalog.modules import MODULE_METHODS
from torchdev_lint.catalog.training import STATE_ARGUMENTS, STATE_KEYS
from torchdev_lint.placement.domain.kind import Kind
from torchdev_lint.placement.domain.origins import Site
from torchdev_lint.placement.evidence.called import Called, method_of
from torchdev_lint.placement.evidence.kept_reads import Behind, KeptReads, Known, LaterReads
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import Definition, definition_behind
from torchdev_lint.project.uses import uses_of
from torchdev_lint.proof.proof import Proof
from torchdev_lint.proof.reads import Reads
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.bindings import position
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.parameters import parameter_for
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax, stored
from torchdev_lint.syntax.unpacking import place_within, target_at

MAX_FOLLOWED = 200
"""How many expressions are looked at for what one call gives."""
_HAND_ON = frozenset(
    "get items values pop copy to cuda cpu float half double detach clone module".split()
)
"""Methods that give a part of what they are called on, or it in another place or dtype."""
_KEEP = frozenset(
    "dict OrderedDict list tuple iter enumerate zip reversed sorted filter deepcopy copy".split()
)
"""Functions that give something that holds what they are given."""
_BY_KEY = frozenset({"get", "pop"})
"""Methods that give the entry which their first argument names."""
_FILL = frozenset({"update", "append", "extend", "setdefault"})
"""Methods that put what they are given into the object they are called on."""

_HAS_NUMBERS = re.compile("sched|scaler|loader|sampler", re.I)
"""What has a state without tensors: schedulers of learning rates, scalers of gradients, loaders."""


class Use(Kind):
    """What becomes of something that was loaded."""

    STATE = "it becomes the state of something that exists"
    MODEL = "it is used as a model"
    SAVED = "it is a checkpoint, and saved again"
    OTHER = "something out of sight takes it"


@dataclass(frozen=True, slots=True)
class Destination:
    """One place at which a value arrives.

    Args:
        node: the call that takes it.
        elsewhere: where that is, if it is in another file.
    """

    use: Use
    node: ast.Call
    elsewhere: Site | None = None


_Held: TypeAlias = tuple[ast.AST, "int | None"]
"""An expression that gives a value or holds it, and where in it that stands, if it is a tuple."""
_Step: TypeAlias = "ast.AST | _Held | Destination | Behind"


class Destinations:
    """Follows values through a file.

    Args:
        syntax: the file's tree.
        proof: what is proven of its names.
        file: the file, where others of its project are to be asked.
    """

    def __init__(self, syntax: Syntax, proof: Proof, file: ParsedFile | None = None) -> None:
        self._syntax = syntax
        self._proof = proof
        self._called = Called(syntax, proof)
        self._reads = Reads(syntax, proof.bindings)
        self._kept = KeptReads(syntax, proof)
        self._later_reads = LaterReads(syntax)
        self._file = file
        self._steps: dict[_Held, tuple[bool, tuple[_Step, ...]]] = {}

    def of(self, made: ast.expr) -> list[Destination]:
        """Return where the value of an expression goes to, in the order of the text."""
        return self._from([(made, None)])

    def of_parameter(self, parameter: ast.arg) -> list[Destination]:
        """Return where what a parameter is given goes to, in the order of the text."""
        return self._from((read, None) for read in self._reads.of(parameter.arg, parameter))

    def _from(self, held_by: Iterable[_Held]) -> list[Destination]:
        found: set[Destination] = set()
        seen: set[_Held] = set()
        has_state = False
        known: Known = {}
        pending = list(held_by)
        while pending and len(seen) < MAX_FOLLOWED:
            held = pending.pop()
            if held in seen:
                continue
            seen.add(held)
            is_state, steps = self._behind(held)
            has_state = has_state or is_state
            for step in steps:
                if isinstance(step, Destination):
                    found.add(step)
                elif isinstance(step, Behind):
                    pending += (
                        (read, None) for read in self._later_reads.of(step, known)[:MAX_FOLLOWED]
                    )
                else:
                    pending.append(step if isinstance(step, tuple) else (step, None))
        if not has_state:
            found = {each for each in found if each.use is not Use.SAVED}
        return sorted(found, key=_in_order)

    def _behind(self, held: _Held) -> tuple[bool, tuple[_Step, ...]]:
        """Whether something is asked for a state, and where it goes next: many values go there."""
        if held not in self._steps:
            self._steps[held] = self._is_asked_for_state(held[0]), tuple(self._follow(*held))
        return self._steps[held]

    def _is_asked_for_state(self, node: ast.AST) -> bool:
        """Whether an expression is asked for an entry that is the state of a model, or told it."""
        parent = self._syntax.parent(node)
        key: ast.AST | None = None
        if isinstance(parent, ast.Subscript) and parent.value is node:
            key = None if self._is_put_in(parent) else parent.slice
        elif isinstance(parent, ast.Attribute) and parent.attr in _BY_KEY:
            call = self._syntax.parent(parent)
            key = next(iter(call.args), None) if isinstance(call, ast.Call) else None
        return isinstance(key, ast.Constant) and key.value in STATE_KEYS

    def _is_put_in(self, entry: ast.Subscript) -> bool:
        """Whether something is put into an entry, of which it isn't known what was there before.

        None takes the place of what was there: of a state that is left out of a release.
        """
        store = self._syntax.parent(entry) if isinstance(entry.ctx, ast.Store) else None
        if not isinstance(store, ast.Assign):
            return store is not None
        return not (isinstance(store.value, ast.Constant) and store.value.value is None)

    def _follow(self, node: ast.AST, at: int | None) -> Iterator[_Step]:
        """Yield where the value of an expression is found next."""
        parent = self._syntax.parent(node)
        if isinstance(parent, ast.keyword):
            node, parent = parent, self._syntax.parent(parent)
        if isinstance(parent, ast.Attribute):
            yield from self._member(parent)
        elif isinstance(parent, ast.Call):
            yield from self._called_or_given(parent, node)
        elif isinstance(parent, ast.stmt):
            yield from self._through_statement(parent, node, at)
        elif isinstance(parent, ast.NamedExpr):
            yield parent
            yield from self._bound(parent.target)
        elif isinstance(parent, ast.comprehension):
            holder = self._syntax.parent(parent)
            if parent.iter is node and holder is not None:
                yield holder
        elif parent is not None and _is_handed_up(parent, node, at):
            is_whole = isinstance(parent, (ast.IfExp, ast.BoolOp))
            yield parent, at if is_whole else place_within(parent, node)

    def _through_statement(
        self, statement: ast.stmt, node: ast.AST, at: int | None
    ) -> Iterator[_Step]:
        """Yield where a value is found behind a statement that it is a part of."""
        if isinstance(statement, ast.Return):
            for call in self._called.calls_of(self._syntax.scope(statement)):
                yield call, at
            yield from self._calls_elsewhere(self._syntax.scope(statement), at)
        elif isinstance(statement, (ast.For, ast.AsyncFor)) and statement.iter is node:
            yield from self._bound(statement.target)
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                is_whole = isinstance(target, ast.Name)
                yield from self._bound(target_at(target, at), at if is_whole else None)
        elif isinstance(statement, ast.AnnAssign):
            yield from self._bound(statement.target)

    def _member(self, attribute: ast.Attribute) -> Iterator[_Step]:
        call = self._syntax.parent(attribute)
        if not isinstance(call, ast.Call) or call.func is not attribute:
            yield attribute
        elif attribute.attr in MODULE_METHODS:
            yield Destination(Use.MODEL, call)
        elif attribute.attr in _HAND_ON:
            yield call

    def _called_or_given(self, call: ast.Call, part: ast.AST) -> Iterator[_Step]:
        """Yield where a value goes that is called, or an argument."""
        function = call.func
        name = last_component(function)
        if part is function:
            if not self._is_counted(function):
                yield Destination(Use.MODEL, call)
        elif isinstance(function, ast.Attribute) and name in STATE_TAKERS:
            yield from self._taken_as_state(call, part, function)
        elif taken := self._taken(call, part):
            yield taken
        elif name in _KEEP:
            yield call
        elif isinstance(function, ast.Attribute) and name in _FILL:
            yield from self._later(function.value)
        elif parameter := self._called.parameter(call, part):
            yield from self._reads.of(parameter.arg, parameter)
        elif not self._proof.bindings.is_builtin(name, call):
            yield from self._out_of_sight(call, part)

    def _taken_as_state(
        self, call: ast.Call, part: ast.AST, method: ast.Attribute
    ) -> Iterator[_Step]:
        """Yield where a state goes: what a class takes by a method of its own, that tells."""
        own = self._called.own_method(method)
        parameter = None if own is None else parameter_for(own, call, part, skipped=1)
        if parameter is not None:
            yield from self._reads.of(parameter.arg, parameter)
        elif not self._has_numbers(method.value):
            yield Destination(Use.STATE, call)

    def _is_counted(self, function: ast.expr) -> bool:
        """Whether something that is called has a length: a vocabulary, which tells words apart."""
        if not isinstance(function, ast.Name):
            return False
        reads = self._syntax.named(function.id, self._syntax.scope(function))
        takers = (self._syntax.parent(read) for read in reads)
        return any(isinstance(each, ast.Call) and dotted(each.func) == "len" for each in takers)

    def _out_of_sight(self, call: ast.Call, argument: ast.AST) -> Iterator[Destination]:
        for use in self._uses_elsewhere(call, argument) or (Use.OTHER,):
            yield Destination(use, call)

    def _uses_elsewhere(self, call: ast.Call, argument: ast.AST) -> frozenset[Use]:
        """What a function of another file does with an argument; nothing if it isn't known."""
        built = self._called.built_by(call.func)
        name = dotted(call.func if built is None else built.func)
        if self._file is None or name is None or not self._called.is_imported(built or call.func):
            return frozenset()
        behind = definition_behind(self._file, name)
        if behind is None:
            return frozenset()
        other, found = behind
        function = found if built is None else method_of(found, last_component(call.func))
        if not isinstance(function, ast.FunctionDef):
            return frozenset()
        parameter = parameter_for(function, call, argument, skipped=int(built is not None))
        if parameter is None:
            return frozenset()
        return frozenset(each.use for each in other.derived(_within).of_parameter(parameter))

    def _calls_elsewhere(self, function: ast.AST, at: int | None) -> Iterator[Destination]:
        """Yield what becomes in other files of what a function returns that they call."""
        file = self._file
        if file is None or not file.path or function not in file.tree.body:
            return
        assert isinstance(function, FUNCTIONS)
        for user, node in uses_of(file, Definition(file.path, function.name)).places:
            call = user.syntax.parent(node)
            if user is not file and isinstance(call, ast.Call) and call.func is node:
                for each in user.derived(_within)._from([(call, at)]):
                    site = Site(user.path, user.source.span(each.node))
                    yield Destination(each.use, each.node, site)

    def _taken(self, call: ast.Call, part: ast.AST) -> Destination | None:
        """What becomes of an argument where that can be told by the library that is called."""
        library = self._proof.values.library(call.func)
        if library in KEEPERS:
            return Destination(Use.STATE, call)
        if library in WRITERS:
            return Destination(Use.SAVED, call)
        return Destination(Use.MODEL, call) if _is_state_for(call, part) else None

    def _has_numbers(self, taker: ast.expr) -> bool:
        """Whether what takes a state is called like something whose state are plain numbers."""
        name, method = last_component(taker), self._syntax.method(taker)
        if name == "self" and method is not None:
            name = method[1].name
        return _HAS_NUMBERS.search(name) is not None

    def _bound(self, target: ast.expr, at: int | None = None) -> Iterator[_Step]:
        """Yield where what a target is given is read.

        Args:
            at: where in that the value stands, if it is a tuple.
        """
        if isinstance(target, ast.Attribute):
            yield from self._attribute(target)
        elif isinstance(target, ast.Subscript):
            yield from self._later(target.value)
        elif stored(target):
            for node in ast.walk(target):
                if isinstance(node, ast.Name):
                    parent = self._syntax.parent(node)
                    is_walrus = isinstance(parent, ast.NamedExpr)
                    reads = self._reads.of(node.id, parent if is_walrus and parent else node)
                    yield from ((read, at) for read in reads)

    def _attribute(self, target: ast.Attribute) -> Iterator[ast.AST]:
        """Yield where a class reads an attribute of `self` that it was assigned to."""
        method = self._syntax.method(target)
        if method is None or not isinstance(target.value, ast.Name):
            return
        reads = self._kept.of(target.attr, target.value.id, method[1])
        yield from islice(reads.behind(target, self._syntax), MAX_FOLLOWED)

    def _later(self, holder: ast.expr) -> Iterator[Behind]:
        """Yield from where on a variable holds a value that was put into what it holds."""
        if isinstance(holder, ast.Name):
            yield Behind(holder.id, self._syntax.scope(holder), position(holder))


def _in_order(found: Destination) -> tuple[str, int, int]:
    path = "" if found.elsewhere is None else found.elsewhere.path
    return path, found.node.lineno, found.node.col_offset


def _within(file: ParsedFile) -> Destinations:
    return Destinations(file.syntax, file.syntax.derived(Proof))


def _is_state_for(call: ast.Call, part: ast.AST) -> bool:
    """Whether a call builds a model of what it is given, where that may stay where it is."""
    name = STATE_ARGUMENTS.get(last_component(call.func))
    return name is not None and isinstance(part, ast.keyword) and part.arg == name


def _is_handed_up(parent: ast.AST, node: ast.AST, at: int | None) -> bool:
    """Whether an expression gives, or holds, what a part of it gives.

    Args:
        at: where in what the part gives the value stands, if that is a tuple.
    """
    if isinstance(parent, ast.Subscript):
        if parent.value is not node or not isinstance(parent.ctx, ast.Load):
            return False
        key = parent.slice.value if isinstance(parent.slice, ast.Constant) else None
        return at is None or not isinstance(key, int) or key == at
    if isinstance(parent, ast.IfExp):
        return parent.test is not node
    return isinstance(parent, (ast.BoolOp, ast.Starred, ast.Tuple, ast.List, ast.Dict))
