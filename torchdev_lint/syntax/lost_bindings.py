"""What is bound to a variable that nothing reads, while what it was made of lives on elsewhere."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import field
from functools import cached_property
from typing import TypeAlias

from torchdev_lint.records import dataclass
from torchdev_lint.syntax.bindings import position
from torchdev_lint.syntax.blocks import Blocks
from torchdev_lint.syntax.flow import Flow
from torchdev_lint.syntax.names import dotted, names_in, path_of
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.scopes import (
    COMPREHENSIONS,
    FUNCTIONS,
    bound_in,
    own_nodes,
    root_name,
    targets_of,
)
from torchdev_lint.syntax.walking import children

Loop: TypeAlias = "ast.For | ast.AsyncFor"

_VIEWS = frozenset(
    {"items", "values", "parameters", "buffers", "named_parameters", "named_buffers"}
)
"""Methods that give what a container, or a module, keeps."""
_PASSING = frozenset({"enumerate", "reversed", "list", "tuple", "zip", "tqdm"})
"""Functions that give the very elements of what they are given."""


_SAME = frozenset({"detach"})
"""Methods that give what their tensor is, as far as it is told where it lives."""


@dataclass(frozen=True, slots=True)
class LostBinding:
    """A variable is bound to something made of it, and not read again.

    Args:
        statement: the assignment.
        target: the variable there.
        move: the call that makes what it is bound to.
        base: the variable in that.
        loop: the loop that took what the variable held before; None: a function was given it.
        holders: what has that still; nothing for what a function was given.
    """

    statement: ast.Assign
    target: ast.Name
    move: ast.Call
    base: ast.Name
    loop: Loop | None
    holders: tuple[ast.expr, ...]


def lost_bindings(scope: ast.AST, methods: Set[str]) -> list[LostBinding]:
    """Find what a function, or the code of a module, binds to variables for nothing.

    A loop's variable counts where what the loop goes through is used later, or belongs to something
    else; a parameter where the function does nothing but that.

    Args:
        scope: the function, or the module.
        methods: the methods that make what is bound of what the variable held.
    """
    candidates = list(_candidates(scope, methods))
    if not candidates:
        return []
    code = _Code.of(scope)
    found: list[LostBinding] = []
    for statement, target, made in candidates:
        loop = code.loop_that_binds(target)
        if loop is None and target.id not in code.parameters:
            continue
        if not code.is_read(target):
            holders = held_by(loop.iter, loop.target, target.id) if loop is not None else ()
            found.append(LostBinding(statement, target, *made, loop, tuple(holders)))
    is_idle = code.does_nothing_but({lost.statement for lost in found})
    return [lost for lost in found if is_idle or code.outlives(lost)]


def _candidates(
    scope: ast.AST, methods: Set[str]
) -> Iterator[tuple[ast.Assign, ast.Name, tuple[ast.Call, ast.Name]]]:
    """Yield the assignments that bind a variable to something made of it."""
    for node in own_nodes(scope):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, value = node.targets[0], node.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            if len(target.elts) != len(value.elts):
                continue
            pairs = list(zip(target.elts, value.elts, strict=True))
        for part, given in pairs:
            made = made_of(given, methods) if isinstance(part, ast.Name) else None
            if made is not None and isinstance(part, ast.Name) and made[1].id == part.id:
                yield node, part, made


def made_of(value: ast.expr, methods: Set[str]) -> tuple[ast.Call, ast.Name] | None:
    """Return the call of a method that makes a value, and the variable of which it does so.

    Under a condition that may also be given as it is: `t.cuda() if is_tensor(t) else t`.

    Args:
        methods: the methods that count, of which one has to be called.
    """
    if isinstance(value, ast.IfExp):
        value = value.body if isinstance(value.orelse, ast.Name) else value.orelse
    call: ast.Call | None = None
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr not in methods | _SAME:
            return None
        call = value if value.func.attr in methods else call
        value = value.func.value
    return (call, value) if call is not None and isinstance(value, ast.Name) else None


def held_by(source: ast.expr, target: ast.expr, name: str) -> Iterator[ast.expr]:
    """Yield what holds the elements that one variable of a loop gets, as far as that is told.

    Args:
        source: what the loop goes through.
        target: what it binds.
        name: the variable.
    """
    if isinstance(source, (ast.List, ast.Tuple)):
        parts = source.elts
        if isinstance(target, ast.Name) and all(path_of(part) is not None for part in parts):
            yield from parts
    elif path_of(source) is not None:
        yield source
    elif isinstance(source, ast.Call):
        function, given = source.func, source.args
        if isinstance(function, ast.Attribute) and function.attr in _VIEWS and not given:
            yield from (function.value,) if path_of(function.value) else ()
            return
        called = (dotted(function) or "").rpartition(".")[2]
        if called not in _PASSING or not given:
            return
        if called == "zip" and isinstance(target, (ast.Tuple, ast.List)):
            pairs = zip(given, target.elts, strict=False)
            taken = [(part, to) for part, to in pairs if name in names_in(to)]
        elif called == "enumerate" and isinstance(target, (ast.Tuple, ast.List)):
            taken = [(given[0], target.elts[-1])]
        else:
            taken = [(given[0], target)]
        for part, to in taken:
            yield from held_by(part, to, name)


_INNER = (*FUNCTIONS, ast.Lambda)


@dataclass(eq=False)
class _Code:
    """What a scope reads and binds, and where.

    Args:
        parents: what each node of it is a part of.
        reads: where each variable is read; in a comprehension of its own it is another one.
        inner: the variables that functions in it mention.
        stores: where each variable is bound.
        read: the bindings of a variable that are read, as far as that was asked.
        named: where a variable is read or bound, in the order of the text, as far as asked.
    """

    scope: ast.AST
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)
    reads: dict[str, list[ast.Name]] = field(default_factory=lambda: defaultdict(list))
    inner: set[str] = field(default_factory=set)
    stores: dict[str, list[ast.Name]] = field(default_factory=lambda: defaultdict(list))
    read: dict[str, frozenset[ast.AST | None] | None] = field(default_factory=dict)
    named: dict[str, list[ast.Name]] = field(default_factory=dict)

    @classmethod
    def of(cls, scope: ast.AST) -> _Code:
        """Go through a scope."""
        code = cls(scope)
        pending: list[tuple[ast.AST, frozenset[str]]] = [(scope, frozenset())]
        while pending:
            node, hidden = pending.pop()
            if isinstance(node, COMPREHENSIONS):
                hidden |= targets_of(node)
            for part in children(node):
                code.parents[part] = node
                if isinstance(part, ast.Name):
                    if part.id not in hidden:
                        is_read = isinstance(part.ctx, ast.Load)
                        (code.reads if is_read else code.stores)[part.id].append(part)
                elif isinstance(part, _INNER):
                    code.inner |= names_in(part) - bound_in(part)
                elif isinstance(part, (ast.Global, ast.Nonlocal)):
                    code.inner.update(part.names)
                else:
                    pending.append((part, hidden))
        return code

    @cached_property
    def blocks(self) -> Blocks:
        """Its statements; any context manager may swallow an exception."""
        return Blocks(self.scope.body, lambda manager: True)  # type: ignore[attr-defined]  # a function, or the module

    @property
    def parameters(self) -> set[str]:
        """What the scope is given, if it is a function."""
        if not isinstance(self.scope, FUNCTIONS):
            return set()
        return {parameter.arg for parameter in parameters_of(self.scope)}

    def _around(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.parents:
            node = self.parents[node]
            yield node

    def loop_that_binds(self, target: ast.Name) -> Loop | None:
        """Return the innermost loop around an assignment whose variable it binds anew."""
        for part in self._around(target):
            if isinstance(part, (ast.For, ast.AsyncFor)) and target.id in names_in(part.target):
                return part
        return None

    def is_read(self, target: ast.Name) -> bool:
        """Whether something may read what an assignment binds a variable to."""
        name = target.id
        if name in self.inner:
            return True
        if name not in self.read:
            self.read[name] = self._bindings_read(name)
        found = self.read[name]
        return found is None or target in found

    def _bindings_read(self, name: str) -> frozenset[ast.AST | None] | None:
        """The bindings of a variable that may be in force where it is read; None: any of them."""
        flow = Flow(self.blocks, set(self.stores[name]), self._around, frozenset({None}))
        reads = self.reads[name]
        if not all(any(map(self.blocks.place, self._around(read))) for read in reads):
            return None
        states = {state for state in map(flow.before, reads) if state is not None}
        return frozenset[ast.AST | None]().union(*states)

    def outlives(self, lost: LostBinding) -> bool:
        """Whether what holds the elements of a loop is used behind it, or is kept elsewhere."""
        return lost.loop is not None and any(
            self._is_used_behind(holder, lost.loop) for holder in lost.holders
        )

    def _is_used_behind(self, holder: ast.expr, loop: Loop) -> bool:
        if isinstance(holder, ast.Attribute):
            return True
        name = root_name(holder)
        if name is None:
            return False
        named = self._named(name)
        behind = bisect_left(named, (loop.end_lineno or 0, loop.end_col_offset or 0), key=position)
        if behind < len(named) and isinstance(named[behind].ctx, ast.Load):
            return True
        outer = next((n for n in self._around(loop) if _is_over_views(n, name)), None)
        if isinstance(outer, (ast.For, ast.AsyncFor)):
            held = held_by(outer.iter, outer.target, name)
            return any(self._is_used_behind(part, outer) for part in held)
        return name in self.inner and isinstance(self.scope, ast.Module)

    def _named(self, name: str) -> list[ast.Name]:
        """Where a variable is read or bound, in the order of the text."""
        if name not in self.named:
            self.named[name] = sorted([*self.reads[name], *self.stores[name]], key=position)
        return self.named[name]

    def does_nothing_but(self, statements: set[ast.Assign]) -> bool:
        """Whether a function does nothing but bind its variables for nothing, and gives nothing."""
        return (
            isinstance(self.scope, FUNCTIONS)
            and bool(statements)
            and _are_idle(self.scope.body, statements)
        )


def _is_over_views(node: ast.AST, name: str) -> bool:
    """Whether a loop gives a variable what a container keeps, as `items` and `values` give it."""
    return (
        isinstance(node, (ast.For, ast.AsyncFor))
        and name in names_in(node.target)
        and isinstance(node.iter, ast.Call)
        and isinstance(node.iter.func, ast.Attribute)
        and node.iter.func.attr in {"items", "values"}
    )


def _are_idle(body: Sequence[ast.stmt], statements: set[ast.Assign]) -> bool:
    return all(_is_idle(statement, statements) for statement in body)


def _is_idle(statement: ast.stmt, statements: set[ast.Assign]) -> bool:
    if isinstance(statement, (ast.If, ast.For)):
        return _are_idle((*statement.body, *statement.orelse), statements)
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Return):
        return statement.value is None
    return statement in statements or isinstance(statement, (ast.Pass, ast.Assert))
