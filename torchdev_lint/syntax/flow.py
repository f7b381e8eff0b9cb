"""Which bindings of one variable reach each statement of the code it belongs to."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import children

State: TypeAlias = "frozenset[ast.AST | None] | None"
"""The bindings that may be in force at a place, `None` among them for none; None: out of reach."""

_DEFINITIONS = (*FUNCTIONS, ast.ClassDef)


def join(first: State, second: State) -> State:
    """Return what may be in force where two ways meet."""
    if first is None or second is None:
        return first if second is None else second
    return first | second


class Flow:
    """Follows one variable through the statements of a function, class or module.

    What runs at another time, the bodies of functions in it, is left out. An exception may leave a
    `try` at any of its statements, and a context manager out of sight may swallow one.

    Args:
        binds: which nodes bind the variable here; a deletion does.
        swallows: whether a context manager may swallow an exception.
    """

    def __init__(
        self, binds: Callable[[ast.AST], bool], swallows: Callable[[ast.expr], bool]
    ) -> None:
        self._binds = binds
        self._swallows = swallows
        self._watching: list[list[State]] = []
        self._exits: list[tuple[list[State], list[State]]] = []
        self.before: dict[ast.AST, State] = {}

    def run(self, body: Iterable[ast.stmt], state: State) -> State:
        """Go through statements, and return what is in force at their end."""
        for statement in body:
            self._note(statement, state)
            state = self._after(statement, state)
            for seen in self._watching:
                seen.append(state)
        return state

    def _note(self, place: ast.AST, state: State) -> None:
        for seen in self._watching:
            seen.append(state)
        self.before[place] = join(self.before.get(place), state)

    def _after(self, statement: ast.stmt, state: State) -> State:
        if state is None:
            return None
        if isinstance(statement, ast.If):
            return self._if(statement, state)
        if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
            return self._loop(statement, state)
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            return self._with(statement, state)
        if isinstance(statement, ast.Try) or type(statement).__name__ == "TryStar":
            return self._try(statement, state)  # type: ignore[arg-type]  # both have the fields
        if isinstance(statement, ast.Match):
            return self._match(statement, state)
        state = self._bound(_header(statement), state)
        if isinstance(statement, (ast.Return, ast.Raise)):
            return None
        if isinstance(statement, (ast.Break, ast.Continue)):
            if self._exits:
                self._exits[-1][isinstance(statement, ast.Continue)].append(state)
            return None
        return state

    def _bound(self, parts: Iterable[ast.AST], state: State) -> State:
        """What is in force when some nodes have run."""
        for part in parts:
            for node in immediate(part):
                if self._binds(node):
                    state = self._with_binding(node, state)
        return state

    def _with_binding(self, node: ast.AST, state: State) -> State:
        if isinstance(getattr(node, "ctx", None), ast.Del):
            return frozenset({None})
        is_certain = not isinstance(node, ast.NamedExpr)
        return frozenset({node}) if is_certain else join(state, frozenset({node}))

    def _if(self, statement: ast.If, state: State) -> State:
        """A chain of `elif` is gone through without recursion: it may be long."""
        ends: State = None
        while True:
            state = self._bound([statement.test], state)
            ends = join(ends, self.run(statement.body, state))
            match statement.orelse:
                case [ast.If() as statement]:
                    self._note(statement, state)
                case orelse:
                    return join(ends, self.run(orelse, state))

    def _loop(self, loop: ast.For | ast.AsyncFor | ast.While, state: State) -> State:
        """Twice: in the second round what the first has bound reaches the head as well."""
        test = [loop.test] if isinstance(loop, ast.While) else []
        targets = [] if isinstance(loop, ast.While) else [loop.target]
        head = state if isinstance(loop, ast.While) else self._bound([loop.iter], state)
        for _ in range(2):
            self._note(loop, head if test else state)
            self._exits.append(([], []))
            end = self.run(loop.body, self._bound([*test, *targets], head))
            broken, continued = self._exits.pop()
            for other in (end, *continued):
                head = join(head, other)
        endless = any(isinstance(part, ast.Constant) and bool(part.value) for part in test)
        after = self.run(loop.orelse, None if endless else self._bound(test, head))
        for other in broken:
            after = join(after, other)
        return after

    def _with(self, statement: ast.With | ast.AsyncWith, state: State) -> State:
        swallows = any(self._swallows(item.context_expr) for item in statement.items)
        state = self._bound(statement.items, state)
        self._watching.append([state])
        after = self.run(statement.body, state)
        seen = self._watching.pop()
        for other in seen if swallows else ():
            after = join(after, other)
        return after

    def _try(self, statement: ast.Try, state: State) -> State:
        self._watching.append([state])
        after = self.run(statement.body, state)
        raised: State = None
        for other in self._watching.pop():
            raised = join(raised, other)
        self._watching.append([state, raised])
        after = self.run(statement.orelse, after)
        for handler in statement.handlers:
            begin = self._bound([handler.type] if handler.type else [], raised)
            self._note(handler, begin)
            named = self._binds(handler)
            end = self.run(handler.body, frozenset({handler}) if named else begin)
            after = join(after, frozenset({None}) if named and end is not None else end)
        anywhere: State = None
        for other in self._watching.pop():
            anywhere = join(anywhere, other)
        if not statement.finalbody:
            return after
        abrupt = self.run(statement.finalbody, anywhere)
        for exits in self._exits[-1] if self._exits else ():
            exits.append(abrupt)  # a `break` or `continue` goes by way of it
        return self.run(statement.finalbody, after)

    def _match(self, statement: ast.Match, state: State) -> State:
        state = self._bound([statement.subject], state)
        ends: State = None
        for case in statement.cases:
            captured = frozenset(n for n in ast.walk(case.pattern) if self._binds(n))
            state = join(state, captured) if captured else state
            self._note(case, state)
            begin = captured if captured and len(captured) == 1 else state
            begin = self._bound([case.guard] if case.guard else [], begin)
            ends = join(ends, self.run(case.body, begin))
        return join(ends, state)


def _header(statement: ast.stmt) -> Iterator[ast.AST]:
    """The parts of a simple statement or a definition in the order in which they run."""
    if isinstance(statement, _DEFINITIONS):
        yield statement
    elif isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        is_declaration = isinstance(statement, ast.AnnAssign) and statement.value is None
        if not is_declaration:
            yield statement.value  # type: ignore[misc]  # only a declaration has none
            yield from getattr(statement, "targets", None) or [statement.target]  # type: ignore[union-attr]  # the others have one
    else:
        yield from children(statement)


def immediate(part: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a part that run with it, and may bind variables of the code around it."""
    pending = [part]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, _DEFINITIONS):
            pending += node.decorator_list
        elif isinstance(node, ast.Lambda):
            pending += [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        else:
            pending.extend(children(node))
