"""What a name is bound to at a place: which of its bindings may be in force there.

A binding is the node that gives a variable its value: an assigned name, a parameter, the name of an
import, a definition. `None` among bindings says that the variable may be unbound.
"""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import TypeAlias

from torchdev_lint.syntax.blocks import Blocks
from torchdev_lint.syntax.flow import Flow, immediate
from torchdev_lint.syntax.names import bound_by, dotted
from torchdev_lint.syntax.namespaces import is_only_read
from torchdev_lint.syntax.private import is_in_class_of, is_private
from torchdev_lint.syntax.scopes import COMPREHENSIONS, FUNCTIONS, Syntax, is_inside
from torchdev_lint.syntax.walking import walk

Bound: TypeAlias = "frozenset[ast.AST | None]"

_LATER = (*FUNCTIONS, ast.Lambda, ast.GeneratorExp)
"""What runs at another time than where it stands."""
_USING_UP = frozenset("all any dict frozenset list max min set sorted sum tuple".split())
"""Built-in functions that have done with a generator when they return."""
_BODIES = (*_LATER, ast.ClassDef)
"""What has a flow of its own."""
_DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
REFLECTION = frozenset({"globals", "locals", "vars", "exec", "eval"})
"""Built-in functions that can bind global variables without writing their names."""
_NAMESPACES = frozenset({"globals", "locals", "vars"})
"""Those that give variables by their names."""
_REFLECTED = frozenset("__globals__ f_globals f_locals exec".split())
"""Attributes that lead to variables, or to such a function."""
_UNKNOWN: Bound = frozenset({None})


class _Every:
    """All bindings of one variable.

    Args:
        bound: the nodes that bind it.
    """

    def __init__(self, bound: list[ast.AST]) -> None:
        self.nodes: Bound = frozenset(bound)
        self.walruses = [node for node in bound if isinstance(node, ast.NamedExpr)]
        self.places = sorted(map(position, bound))
        self.deletions = frozenset(filter(_is_deletion, bound))


def _is_deletion(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Del)


class Bindings:
    """The bindings of all variables of a file.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._own: dict[ast.AST, dict[str, list[ast.AST]]] = defaultdict(lambda: defaultdict(list))
        self._foreign: dict[ast.AST, dict[str, list[ast.AST]]] = defaultdict(
            lambda: defaultdict(list)
        )
        self._declared: dict[ast.AST, dict[str, bool]] = defaultdict(dict)
        self._blocks: dict[ast.AST, Blocks] = {}
        self._flows: dict[tuple[ast.AST, str], Flow] = {}
        self._known: dict[tuple[ast.AST, str], _Every] = {}
        self._reaching: dict[tuple[str, ast.AST], Bound] = {}
        self._unbound: dict[str, int | None] = {}
        self._started: dict[ast.AST, int] | None = None
        self.star_imports: list[ast.ImportFrom] = []
        self.is_reflective = False
        self._collect()

    def _collect(self) -> None:
        """Find what binds names, where; those that another scope declares come last."""
        found: list[tuple[ast.AST, str, ast.AST]] = []
        reflecting: list[ast.AST] = []
        for node in walk(self._syntax.tree):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                scope = self._syntax.scope(node)
                self._declared[scope].update(
                    dict.fromkeys(node.names, isinstance(node, ast.Global))
                )
            elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                self.star_imports.append(node)
            elif _reflects(node) and not self._only_looks(node):
                reflecting.append(node)
            if (name := self._bound_by(node)) is not None:
                found.append((self._scope_of_binding(node), name, node))
        for scope, name, node in found:
            if name not in self._declared.get(scope, ()):
                self._own[scope][name].append(node)
        for scope, name, node in found:
            if name in self._declared.get(scope, ()):
                owner = self._outer_owner(scope, name)
                at_home = owner is scope
                (self._own if at_home else self._foreign)[owner][name].append(node)
        self.is_reflective = not all(map(self._is_own_name, reflecting))
        self._reaching.clear()  # what has been asked of that was asked before it was known

    def _is_own_name(self, node: ast.AST) -> bool:
        """Whether a name of a built-in function certainly is one that the file has bound."""
        if not isinstance(node, ast.Name):
            return False
        return isinstance(node.ctx, ast.Store) or None not in self.reaching(node.id, node)

    def _only_looks(self, node: ast.AST) -> bool:
        """Whether a name that may lead to variables of the module certainly doesn't.

        `vars(x)` is about `x`, where that is a variable only if it isn't changed through it;
        `locals()` in a function is about that one, and so is what `eval` binds there;
        `"x" in globals()` gives nothing but an answer.
        """
        call = self._syntax.parent(node)
        if not (isinstance(node, ast.Name) and isinstance(call, ast.Call) and call.func is node):
            return False
        if node.id == "vars" and len(call.args) == 1:
            return isinstance(call.args[0], ast.Call) or is_only_read(call, self._syntax)
        in_function = isinstance(self._syntax.scope(call), FUNCTIONS)
        if in_function and node.id in {"eval", "locals", "vars"}:
            return True
        asked = self._syntax.parent(call)
        return node.id in _NAMESPACES and isinstance(asked, ast.Compare) and call is not asked.left

    def _bound_by(self, node: ast.AST) -> str | None:
        """The name that a node binds, or unbinds; of a walrus, that is the whole."""
        if isinstance(node, ast.NamedExpr):
            return node.target.id
        if isinstance(node, ast.Name) and isinstance(self._syntax.parent(node), ast.NamedExpr):
            return None
        return bound_by(node)

    def _scope_of_binding(self, node: ast.AST) -> ast.AST:
        """The scope in which a node binds a name, whatever is declared there."""
        if isinstance(node, ast.arg):
            functions = (*FUNCTIONS, ast.Lambda)
            return next(part for part in self._syntax.around(node) if isinstance(part, functions))
        if isinstance(node, ast.Name):
            child: ast.AST = node
            for part in self._syntax.around(node):
                if isinstance(part, ast.comprehension) and child is part.target:
                    return self._syntax.parent(part) or part
                if not isinstance(part, (ast.Tuple, ast.List, ast.Starred)):
                    break
                child = part
        return self._syntax.scope(node)

    def _outer_owner(self, scope: ast.AST, name: str) -> ast.AST:
        """The scope of a variable that a function declares `global` or `nonlocal`."""
        if not self._declared[scope][name]:
            for outer in self._syntax.around(scope):
                if isinstance(outer, (*FUNCTIONS, ast.Lambda)) and name in self._own[outer]:
                    return outer
        return self._syntax.tree

    def owner(self, name: str, node: ast.AST) -> ast.AST | None:
        """Return the scope of the variable that a name means at a node; None: a built-in."""
        for number, scope in enumerate(self._scopes(node)):
            if isinstance(scope, ast.ClassDef) and number:
                continue  # its functions and comprehensions don't see it
            if name in self._declared.get(scope, ()):
                return self._outer_owner(scope, name)
            if name in self._own.get(scope, ()):
                return scope
        return self._syntax.tree if name in self._foreign.get(self._syntax.tree, ()) else None

    def _scopes(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the scopes in which a node runs, from the inside out."""
        below = node
        for child, part in self._syntax.definitions(node):
            if isinstance(part, COMPREHENSIONS):
                is_first = child is part.generators[0]
                if not (is_first and below is part.generators[0].iter):
                    yield part
            elif isinstance(part, ast.Lambda):
                if child is part.body:
                    yield part
            elif isinstance(part, _DEFINITIONS):
                if isinstance(child, ast.stmt):
                    yield part
            elif isinstance(part, ast.Module):
                yield part
            below = child

    def all_of(self, name: str, owner: ast.AST) -> list[ast.AST]:
        """Return all bindings of a variable, wherever in the file they are."""
        own, foreign = self._own.get(owner, {}), self._foreign.get(owner, {})
        return [*own.get(name, ()), *foreign.get(name, ())]

    def may_change(self, name: str, first: ast.AST, second: ast.AST) -> bool:
        """Return whether a variable may be bound anew between two nodes, the one before the other.

        That is so if another function binds it, which may be called in between; or the text does,
        between nodes of one scope, else anywhere behind the first one, or in a loop around it.
        """
        owner = self.owner(name, second)
        if owner is None:
            return False
        if self._foreign.get(owner, {}).get(name):
            return True
        places = self._every(name, owner).places
        start, end = sorted([position(first), position(second)])
        if self._syntax.scope(first) is self._syntax.scope(second):
            return bisect_right(places, start) < bisect_left(places, end)
        in_loop = self._syntax.loop(first) is not None and len(places) > 1
        return in_loop or (bool(places) and places[-1] > position(first))

    def is_builtin(self, name: str, node: ast.AST) -> bool:
        """Whether a name certainly means the built-in at a node."""
        is_hidden = self.owner(name, node) is not None or bool(self.star_imports)
        return hasattr(builtins, name) and not is_hidden and not self.is_reflective

    def reaching(self, name: str, node: ast.AST) -> Bound:
        """Return the bindings that a name may have when a node is reached.

        Args:
            name: a name that is read at the node, or would be if it were written there.
        """
        key = name, node
        if key not in self._reaching:
            self._reaching[key] = self._reach(name, node)
        return self._reaching[key]

    def _reach(self, name: str, node: ast.AST) -> Bound:
        owner = self.owner(name, node)
        if owner is None:
            return _UNKNOWN
        is_global = owner is self._syntax.tree
        if is_global and self.is_reflective:
            return _UNKNOWN
        if is_private(name) and not is_in_class_of(owner, node, self._syntax):
            return _UNKNOWN
        every = self._every(name, owner)
        if isinstance(owner, (*COMPREHENSIONS, ast.Lambda)):
            return every.nodes
        place, later = self._place(node, owner)
        state = self._flow(name, owner).before(place) if place is not None else frozenset()
        if state is None:
            return _UNKNOWN
        others: Bound = frozenset(self._foreign.get(owner, {}).get(name, ()))
        others |= self._in_header(place, every) if place is not None else frozenset()
        state = state | others if others else state  # a large set is not copied for each place
        if later is not None:
            state |= every.nodes
            if is_global and not self._may_run_unbound(later, name, owner):
                state -= {None}
        is_deleted = not every.deletions.isdisjoint(state)
        return state | {None} if is_deleted else state

    def _place(self, node: ast.AST, owner: ast.AST) -> tuple[ast.AST | None, ast.AST | None]:
        """Where in the flow of a scope a node is, and what of the scope runs it later, if any."""
        place, later = node, None
        if node is owner:
            return None, None
        for child, part in self._syntax.definitions(node):
            if part is owner:
                break
            if isinstance(part, _BODIES) and is_inside(part, child):
                place = part
                later = part if isinstance(part, _LATER) and not self._is_used_up(part) else later
        return self._step_of(place, owner), later

    def _is_used_up(self, part: ast.AST) -> bool:
        """Whether a generator is gone through where it stands, as in `dict((k, 1) for k in x)`."""
        call = self._syntax.parent(part) if isinstance(part, ast.GeneratorExp) else None
        function = call.func if isinstance(call, ast.Call) and part in call.args else None
        if not isinstance(function, ast.Name) or function.id not in _USING_UP:
            return False
        return self.owner(function.id, part) is None

    def _step_of(self, node: ast.AST, owner: ast.AST) -> ast.AST | None:
        """What a flow goes to in one step that is, or is around, a node in what has that flow."""
        for part in chain((node,), (part for _, part in self._syntax.steps(node))):
            if part is owner:
                return None
            if isinstance(part, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                return part
        return None

    def _flow(self, name: str, owner: ast.AST) -> Flow:
        key = owner, name
        if key not in self._flows:
            if owner not in self._blocks:
                self._blocks[owner] = Blocks(owner.body, self.swallows)  # type: ignore[attr-defined]  # of these scopes
            own = frozenset(self._own.get(owner, {}).get(name, ()))
            parameters = frozenset(node for node in own if isinstance(node, ast.arg))
            self._flows[key] = Flow(
                self._blocks[owner], own, self._syntax.around, parameters or _UNKNOWN
            )
        return self._flows[key]

    def swallows(self, manager: ast.expr) -> bool:
        """Return whether a context manager may end an exception: those of torch and files don't."""
        function = manager.func if isinstance(manager, ast.Call) else manager
        return (dotted(function) or "").partition(".")[0] not in {"torch", "open"}

    def _in_header(self, place: ast.AST, every: _Every) -> Bound:
        """Those bindings that come into force within the statement itself."""
        if isinstance(place, (ast.With, ast.AsyncWith)):
            inner = [node for item in place.items for node in ast.walk(item)]
            return every.nodes & frozenset(inner)
        return frozenset(w for w in every.walruses if self._syntax.statement(w) is place)

    def _every(self, name: str, owner: ast.AST) -> _Every:
        key = owner, name
        if key not in self._known:
            self._known[key] = _Every(self.all_of(name, owner))
        return self._known[key]

    def _may_run_unbound(self, later: ast.AST, name: str, owner: ast.AST) -> bool:
        """Whether code that runs later may run before the module has bound a global variable.

        Args:
            later: the function, or the like.
        """
        if name not in self._unbound:
            stretches = list(self._flow(name, owner).stretches())
            unbound = [last for last, state in stretches if None in (state or _UNKNOWN)]
            everywhere = len(unbound) == len(stretches)
            self._unbound[name] = None if everywhere else unbound[-1] if unbound else -1
        last = self._unbound[name]
        return last is None or self._is_started_by(self._statement_of_module(later), last)

    def _statement_of_module(self, node: ast.AST) -> ast.AST:
        """The statement of the module that a node is, or is a part of."""
        around = (node, *self._syntax.around(node))
        return next(part for part in around if self._syntax.parent(part) is self._syntax.tree)

    def starts_after(self, later: ast.AST, first: ast.AST) -> bool:
        """Return whether what a statement of the module defines runs only after another one.

        Args:
            later: the definition.
            first: the other one, which may stand behind it.
        """
        tree = self._syntax.tree
        both = self._syntax.parent(later) is tree and self._syntax.parent(first) is tree
        if not both or not isinstance(later, _DEFINITIONS):
            return False
        return not self._is_started_by(later, tree.body.index(first))  # type: ignore[arg-type]  # a statement

    def _is_started_by(self, definition: ast.AST, last: int) -> bool:
        """Whether functions in a statement of the module may run within its first statements.

        Args:
            last: the last of these.
        """
        if self._started is None:
            self._started = self._starts()
        start = self._started.get(definition)
        return start is not None and start <= last

    def _starts(self) -> dict[ast.AST, int]:
        """The first statement of the module within which the functions in each one may run."""
        found: dict[ast.AST, int] = {}
        followed: set[str] = set()
        for number, first in enumerate(self._syntax.tree.body):
            pending = list(self._mentioned(first))
            while pending:
                name = pending.pop()
                if name in followed:
                    continue
                followed.add(name)
                for binding in self._own[self._syntax.tree].get(name, ()):
                    statement = self._statement_of_module(binding)
                    if statement not in found:
                        found[statement] = number
                        pending += [n.id for n in ast.walk(statement) if isinstance(n, ast.Name)]
        return found

    def _mentioned(self, statement: ast.stmt) -> Iterator[str]:
        """Names that a statement of the module reads itself, and what its decorators may call."""
        for node in immediate(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                yield node.id
            if isinstance(node, _DEFINITIONS):
                if any(not self._is_imported(decorator) for decorator in node.decorator_list):
                    yield node.name
        if isinstance(statement, ast.ClassDef):
            for part in statement.body:
                yield from self._mentioned(part)

    def _is_imported(self, decorator: ast.expr) -> bool:
        function = decorator.func if isinstance(decorator, ast.Call) else decorator
        root = (dotted(function) or "").partition(".")[0]
        bound = self.all_of(root, self._syntax.tree)
        return bool(bound) and all(isinstance(binding, ast.alias) for binding in bound)


def _reflects(node: ast.AST) -> bool:
    """Whether a node may lead to the variables of a module without writing their names."""
    if isinstance(node, ast.Name):
        return node.id in REFLECTION
    if isinstance(node, ast.Attribute):
        return node.attr in _REFLECTED or dotted(node) == "sys.modules"
    if isinstance(node, ast.ImportFrom):
        return node.module == "sys" and any(alias.name == "modules" for alias in node.names)
    return isinstance(node, ast.Import) and any(a.name == "__main__" for a in node.names)


def position(node: ast.AST) -> tuple[int, int]:
    """Return where a node begins: line and column."""
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
