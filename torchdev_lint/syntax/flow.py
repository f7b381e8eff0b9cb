"""Which bindings of one variable reach each statement of the code it belongs to."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import reduce
from itertools import chain
from typing import TypeAlias

from torchdev_lint.syntax.blocks import Blocks, is_endless
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import children

State: TypeAlias = "frozenset[ast.AST | None] | None"
"""The bindings that may be in force at a place, `None` among them for none; None: out of reach."""

_UNBOUND: frozenset[ast.AST | None] = frozenset({None})
_MOST_TOLD_APART = 100
"""Of how many bindings it is told which are in force."""
_DEFINITIONS = (*FUNCTIONS, ast.ClassDef)


class Flow:
    """Follows one variable through the statements of a function, class or module.

    What runs at another time, the bodies of functions in it, is left out. An exception may leave a
    `try` at any of its statements, and a context manager out of sight may swallow one. Statements
    that neither bind the variable nor jump are passed over: a file may have as many variables as it
    has statements.

    Args:
        blocks: the statements.
        binds: which nodes bind the variable there; a deletion does.
        around: what a node is part of, from the inside out.
        state: what is in force at the beginning.
    """

    def __init__(
        self,
        blocks: Blocks,
        binds: Set[ast.AST],
        around: Callable[[ast.AST], Iterator[ast.AST]],
        state: State,
    ) -> None:
        self._blocks = blocks
        self._binds = binds
        self._any: State = _UNBOUND | binds
        self._around = around
        self._watching: list[list[State]] = []
        self._exits: list[tuple[list[State], list[State]]] = []
        self._steps: dict[int, list[int]] = {}
        self._reached: dict[ast.AST, State] = {}
        self._ends: dict[int, State] = {}
        self._noted: dict[ast.AST, State] = {}
        self._asked: dict[ast.AST, ast.AST | None] = {}
        self._touching: set[ast.AST] = set()
        for node in binds:
            for part in (node, *around(node)):
                if part in self._touching:
                    break
                self._touching.add(part)
        self._touched: dict[int, list[int]] = defaultdict(list)
        for part in self._touching:
            if (place := blocks.place(part)) is not None:
                self._touched[id(place[0])].append(place[1])
        self._run(blocks.body, state)

    def before(self, place: ast.AST) -> State:
        """Return what may be in force where something is reached that is in the statements."""
        part = self._gone_to(place)
        if part is None or part in self._noted:
            return None if part is None else self._noted[part]
        block, number = self._blocks.place(part) or ([], 0)
        return self._before_statement(block, number)

    def _gone_to(self, place: ast.AST) -> ast.AST | None:
        """What was gone to that is, or is around, a node; what lies between is passed once."""
        passed, found = [], None
        for part in chain([place], self._around(place)):
            if part in self._asked:
                found = self._asked[part]
                break
            passed.append(part)
            at = self._blocks.place(part)
            if part in self._noted or (at is not None and id(at[0]) in self._ends):
                found = part
                break
        self._asked.update(dict.fromkeys(passed, found))
        return found

    def _before_statement(self, block: Sequence[ast.stmt], number: int) -> State:
        """What is in force before a statement of a block that was gone through."""
        steps = self._steps[id(block)]
        following = bisect_left(steps, number)
        if following == len(steps):
            return self._ends[id(block)]
        return self._reached[block[steps[following]]]

    def stretches(self) -> Iterator[tuple[int, State]]:
        """Yield the last of statements that are reached with the same in force, and what that is.

        They are the numbers of the outermost statements, which are all of them gone through.
        """
        block = self._blocks.body
        for step in self._steps[id(block)]:
            yield step, self._reached[block[step]]
        yield len(block) - 1, self._ends[id(block)]

    def _run(self, block: Sequence[ast.stmt], state: State) -> State:
        """Go through statements, and return what is in force at their end."""
        key = id(block)
        if key not in self._steps:
            steps = {*self._touched.get(key, ()), *self._blocks.jumps(block)}
            self._steps[key] = sorted(steps)
        self._see(state)
        for step in self._steps[key]:
            statement = block[step]
            self._reached[statement] = self._join(self._reached.get(statement), state)
            state = self._after(statement, state)
            self._see(state)
        self._ends[key] = self._join(self._ends.get(key), state)
        return state

    def _join(self, first: State, second: State) -> State:
        """What may be in force where two ways meet; any binding may be, once there are many."""
        if first is None or second is None:
            return first if second is None else second
        if second is self._any:
            return second
        if first >= second:
            return first
        joined = first | second
        return joined if len(joined) <= _MOST_TOLD_APART else self._any

    def _see(self, state: State) -> None:
        for seen in self._watching:
            seen.append(state)

    def _note(self, place: ast.AST, state: State) -> None:
        self._see(state)
        self._noted[place] = self._join(self._noted.get(place), state)

    def _after(self, statement: ast.stmt, state: State) -> State:
        if state is None:
            return None
        if statement not in self._touching:
            return self._passed(statement, state)
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
        return self._passed(statement, state)

    def _passed(self, statement: ast.stmt, state: State) -> State:
        """What is in force behind a statement that binds nothing any more."""
        leaving = self._blocks.leaving(statement)
        if self._exits:
            broken, continued = self._exits[-1]
            broken += [state] * leaving.breaks
            continued += [state] * leaving.continues
        return state if leaving.ends else None

    def _bound(self, parts: Iterable[ast.AST], state: State) -> State:
        """What is in force when some nodes have run."""
        for part in parts:
            for node in immediate(part):
                if node in self._binds:
                    state = self._with_binding(node, state)
        return state

    def _with_binding(self, node: ast.AST, state: State) -> State:
        if isinstance(getattr(node, "ctx", None), ast.Del):
            return _UNBOUND
        is_certain = not isinstance(node, ast.NamedExpr)
        return frozenset({node}) if is_certain else self._join(state, frozenset({node}))

    def _if(self, statement: ast.If, state: State) -> State:
        """A chain of `elif` is gone through without recursion: it may be long."""
        ends: State = None
        while True:
            state = self._bound([statement.test], state)
            ends = self._join(ends, self._run(statement.body, state))
            match statement.orelse:
                case [ast.If() as statement]:
                    self._note(statement, state)
                case orelse:
                    return self._join(ends, self._run(orelse, state))

    def _loop(self, loop: ast.For | ast.AsyncFor | ast.While, state: State) -> State:
        """In a second round what the first has bound reaches the head as well."""
        test = [loop.test] if isinstance(loop, ast.While) else []
        targets = [] if isinstance(loop, ast.While) else [loop.target]
        head = state if isinstance(loop, ast.While) else self._bound([loop.iter], state)
        for _ in range(2):
            self._note(loop, head if test else state)
            self._exits.append(([], []))
            end = self._run(loop.body, self._bound([*test, *targets], head))
            broken, continued = self._exits.pop()
            first, head = head, reduce(self._join, (end, *continued), head)
            if head == first:
                break
        after = self._run(loop.orelse, None if is_endless(loop) else self._bound(test, head))
        for other in broken:
            after = self._join(after, other)
        return after

    def _with(self, statement: ast.With | ast.AsyncWith, state: State) -> State:
        swallows = any(self._blocks.swallows(item.context_expr) for item in statement.items)
        state = self._bound(statement.items, state)
        self._watching.append([state])
        after = self._run(statement.body, state)
        seen = self._watching.pop()
        for other in seen if swallows else ():
            after = self._join(after, other)
        return after

    def _try(self, statement: ast.Try, state: State) -> State:
        self._watching.append([state])
        after = self._run(statement.body, state)
        raised: State = None
        for other in self._watching.pop():
            raised = self._join(raised, other)
        self._watching.append([state, raised])
        after = self._run(statement.orelse, after)
        for handler in statement.handlers:
            begin = self._bound([handler.type] if handler.type else [], raised)
            self._note(handler, begin)
            named = handler in self._binds
            end = self._named(handler) if named else self._run(handler.body, begin)
            after = self._join(after, end)
        anywhere: State = None
        for other in self._watching.pop():
            anywhere = self._join(anywhere, other)
        if not statement.finalbody:
            return after
        abrupt = self._run(statement.finalbody, anywhere)
        for exits in self._exits[-1] if self._exits else ():
            exits.append(abrupt)  # a `break` or `continue` goes by way of it
        return self._run(statement.finalbody, after)

    def _named(self, handler: ast.ExceptHandler) -> State:
        """What is in force behind a handler that names the exception: the name is deleted."""
        jumps = self._exits[-1] if self._exits else ()
        counts = [len(exits) for exits in jumps]
        end = self._run(handler.body, frozenset({handler}))
        for count, exits in zip(counts, jumps, strict=True):
            exits[count:] = [_UNBOUND] * (len(exits) - count)
        self._see(_UNBOUND)
        return None if end is None else _UNBOUND

    def _match(self, statement: ast.Match, state: State) -> State:
        state = self._bound([statement.subject], state)
        ends: State = None
        for case in statement.cases:
            captured = frozenset(n for n in ast.walk(case.pattern) if n in self._binds)
            state = self._join(state, captured) if captured else state
            self._note(case, state)
            begin = captured if captured and len(captured) == 1 else state
            begin = self._bound([case.guard] if case.guard else [], begin)
            ends = self._join(ends, self._run(case.body, begin))
        return self._join(ends, state)


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
