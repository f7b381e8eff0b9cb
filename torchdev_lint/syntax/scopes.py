"""The way back from a node to what it is part of, and which names a scope binds."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar, cast

from torchdev_lint.catalog.operations import WRAPPERS
from torchdev_lint.catalog.told import now
from torchdev_lint.syntax.names import bound_by, last_component, path_of
from torchdev_lint.syntax.walking import children, walk

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_SCOPES = (*FUNCTIONS, ast.Lambda, ast.Module, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_DEFINING = (*_SCOPES, *COMPREHENSIONS, ast.comprehension, ast.JoinedStr)
"""What other names may be bound in, or is read otherwise, than what is around it."""
_Made = TypeVar("_Made")
_Step: TypeAlias = tuple[ast.AST, ast.AST]
"""Something around a node, after the one of its parts that the node is, or is in."""
LOOPS = (ast.For, ast.AsyncFor, ast.While)
_OPERATORS = (
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.Call, ast.keyword, ast.Attribute),
    *(ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred),
)
"""What may lie hundreds deep in itself, and neither runs its parts elsewhere nor binds names."""


class Syntax:
    """A file's tree, with the way back from a node to what it is part of."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self._parents: dict[ast.AST, ast.AST] = {}
        self._steps: dict[ast.AST, _Step | None] = {}
        self._definitions: dict[ast.AST, _Step | None] = {}
        self._locals: dict[ast.AST, frozenset[str]] = {}
        self._declared: dict[ast.AST, frozenset[str]] = {}
        self._names: _Names | None = None
        self._bound: dict[str, dict[ast.AST, list[ast.Name]]] = {}
        self._derived: dict[object, object] = {}
        parents = self._parents
        pending: list[ast.AST] = [tree]
        while pending:
            node = pending.pop()
            parts = children(node)
            for part in parts:
                parents[part] = node
            pending += parts

    def derived(self, make: Callable[[Syntax], _Made]) -> _Made:
        """Return something that follows from the tree, made when it is first asked for."""
        key = make, now()  # what a user tells of names may make it another one
        if key not in self._derived:
            self._derived[key] = make(self)
        return cast("_Made", self._derived[key])

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return what a node is part of, None for the module."""
        return self._parents.get(node)

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield what a node is part of, from the inside out."""
        parent = self._parents.get(node)
        while parent is not None:
            yield parent
            parent = self._parents.get(parent)

    def steps(self, node: ast.AST) -> Iterator[_Step]:
        """Yield what a node is part of but for operators, calls and displays, from the inside out.

        What lies between is gone through once for all nodes in it.

        Returns:
            Each with the one of its own parts that the node is, or is in.
        """
        return _outwards(node, self._steps, self._step)

    def _step(self, node: ast.AST) -> _Step | None:
        """What is innermost around a node and no operator, with the part of it that it is in."""
        passed: list[ast.AST] = []
        step, part = None, node
        while part not in self._steps:
            passed.append(part)
            parent = self._parents.get(part)
            if not isinstance(parent, _OPERATORS):
                step = None if parent is None else (part, parent)
                break
            part = parent
        else:
            step = self._steps[part]
        self._steps.update(dict.fromkeys(passed, step))
        return step

    def definitions(self, node: ast.AST) -> Iterator[_Step]:
        """Yield the functions, classes, comprehensions and texts around a node, and the module.

        Like `steps`, but what lies between is gone through once also where it is statements: of a
        chain of `elif`, each is a part of the one before.
        """
        return _outwards(node, self._definitions, self._definition)

    def _definition(self, node: ast.AST) -> _Step | None:
        """What is innermost around a node and has names of its own, with the part it is in."""
        passed = [node]
        found = None
        for child, part in self.steps(node):
            if _is_defining(part):
                found = child, part
                break
            if part in self._definitions:
                found = self._definitions[part]
                break
            passed.append(part)
        self._definitions.update(dict.fromkeys(passed, found))
        return found

    def conditions(self, node: ast.AST) -> Iterator[ast.expr]:
        """Yield the conditions around a node in its function, also those that it is a part of."""
        for part in self.around(node):
            if isinstance(part, FUNCTIONS):
                return
            if isinstance(part, (ast.If, ast.IfExp, ast.While)):
                yield part.test

    def outermost(
        self, node: ast.AST
    ) -> ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | None:
        """Return the outermost function or class that a node is in, None for the module's own."""
        outer = None
        for _, part in self.definitions(node):
            if isinstance(part, (ast.ClassDef, *FUNCTIONS)):
                outer = part
        return outer

    def is_called(self, node: ast.AST) -> bool:
        """Return whether an expression is the function of a call."""
        parent = self._parents.get(node)
        return isinstance(parent, ast.Call) and parent.func is node

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """Return the smallest statement around a node, or the node itself."""
        if isinstance(node, ast.stmt):
            return node
        return next((part for _, part in self.steps(node) if isinstance(part, ast.stmt)), None)

    def block(self, statement: ast.AST | None) -> list[ast.stmt]:
        """Return the statements among which one stands; none for what stands in no block."""
        parent = self._parents.get(statement) if statement is not None else None
        for field in ("body", "orelse", "finalbody"):
            body = getattr(parent, field, None)
            if isinstance(body, list) and statement in body:
                return body
        return []

    def scope(self, node: ast.AST) -> ast.AST:
        """Return the function, class or module whose variables a node sees as its own."""
        for child, parent in self.definitions(node):
            if isinstance(parent, _SCOPES) and is_inside(parent, child):
                return parent
        return self.tree

    def scope_name(self, node: ast.AST) -> str:
        """Return the dotted name of the function or class around a node, empty for the module.

        The name of a function or class ends with its own.
        """
        around = [node, *(part for _, part in self.definitions(node))]
        names = [part.name for part in around if isinstance(part, (ast.ClassDef, *FUNCTIONS))]
        return ".".join(reversed(names))

    def method(self, node: ast.AST) -> tuple[ast.FunctionDef, ast.ClassDef] | None:
        """Return the method around a node, and its class."""
        for _, part in self.definitions(node):
            parent = self._parents.get(part)
            if isinstance(part, ast.FunctionDef) and isinstance(parent, ast.ClassDef):
                return part, parent
        return None

    def loop(self, node: ast.AST) -> ast.AST | None:
        """Return the innermost loop or comprehension of the same function around a node."""
        scope = self.scope(node)
        for _, part in self.steps(node):
            if part is scope:
                return None
            if isinstance(part, (*LOOPS, *COMPREHENSIONS)):
                return part
        return None

    def in_string(self, node: ast.AST) -> bool:
        """Whether a node is part of an f-string, where positions and quotes are delicate."""
        return any(
            type(part).__name__ in {"JoinedStr", "TemplateStr"}
            for _, part in self.definitions(node)
        )

    def names_of(self, scope: ast.AST) -> frozenset[str]:
        """Return the names that a function, class or module binds itself."""
        if scope not in self._locals:
            self._locals[scope] = frozenset(bound_in(scope))
        return self._locals[scope]

    def is_own(self, name: str, node: ast.AST) -> bool:
        """Whether assigning a name at a node rebinds the very variable that is read there."""
        scope = self.scope(node)
        if isinstance(scope, ast.Lambda) or self._in_comprehension(name, node):
            return False
        return name in self.names_of(scope) or name in self._declared_in(scope)

    def _declared_in(self, scope: ast.AST) -> frozenset[str]:
        """Return what is declared `global` or `nonlocal` in a scope itself."""
        if scope not in self._declared:
            found = (s for s in own_nodes(scope) if isinstance(s, (ast.Global, ast.Nonlocal)))
            self._declared[scope] = frozenset(name for s in found for name in s.names)
        return self._declared[scope]

    def named(self, name: str, around: ast.AST) -> list[ast.Name]:
        """Return where a variable of this name stands within a node, in functions in it too.

        Args:
            name: the name.
            around: the node.
        """
        if self._names is None:
            self._names = _Names(self)
        return self._names.within(name, around)

    def _in_comprehension(self, name: str, node: ast.AST) -> bool:
        return any(
            isinstance(part, COMPREHENSIONS) and name in targets_of(part)
            for _, part in self.definitions(node)
        )

    def bindings(self, name: str, scope: ast.AST) -> list[ast.Name]:
        """Return the places where a function assigns a name, in the order of the text."""
        if name not in self._bound:
            found = self._bound[name] = {}
            for node in self.named(name, self.tree):
                if isinstance(node.ctx, (ast.Store, ast.Del)):
                    found.setdefault(self.scope(node), []).append(node)
            for bound in found.values():
                bound.sort(key=lambda node: (node.lineno, node.col_offset))
        return self._bound[name].get(scope, [])


def _outwards(
    node: ast.AST, known: dict[ast.AST, _Step | None], find: Callable[[ast.AST], _Step | None]
) -> Iterator[_Step]:
    """Yield what is around a node, and around that, from the inside out.

    Args:
        known: the next of each, as far as it was looked for.
        find: looks for it.
    """
    while (step := known[node] if node in known else find(node)) is not None:
        yield step
        node = step[1]


def _is_defining(node: ast.AST) -> bool:
    return isinstance(node, _DEFINING) or type(node).__name__ == "TemplateStr"


class _Names:
    """Where each variable stands, in an order in which the parts of a node are together.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        order = list(walk(syntax.tree))
        self._number = {node: number for number, node in enumerate(order)}
        self._last = dict(self._number)  # of a node and its parts
        self._named: dict[str, list[ast.Name]] = {}
        for node in order:
            if isinstance(node, ast.Name):
                self._named.setdefault(node.id, []).append(node)
        for node in reversed(order):
            parent = syntax.parent(node)
            if parent is not None:
                self._last[parent] = max(self._last[parent], self._last[node])

    def within(self, name: str, around: ast.AST) -> list[ast.Name]:
        """Return where a variable of this name stands within a node."""
        found = self._named.get(name, [])
        start = bisect_left(found, self._number[around], key=self._number.__getitem__)
        end = bisect_right(found, self._last[around], key=self._number.__getitem__)
        return found[start:end]


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function, class or module that are not in an inner one."""
    pending = children(scope)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, _SCOPES):
            pending.extend(children(node))


def is_generator(function: ast.AST) -> bool:
    """Return whether a function yields: what it does, it does when somebody asks for the next."""
    return any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in own_nodes(function))


def stored(target: ast.AST) -> set[str]:
    """Return the variables that a target, or what holds targets, binds."""
    return {
        node.id
        for node in ast.walk(target)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def targets_of(node: ast.AST) -> set[str]:
    """Return the variables that a comprehension takes."""
    generators: list[ast.comprehension] = getattr(node, "generators", [])
    return {name for generator in generators for name in stored(generator.target)}


def is_inside(scope: ast.AST, child: ast.AST) -> bool:
    """Return whether a part of a definition runs in its scope: defaults and decorators don't."""
    if isinstance(scope, ast.Lambda):
        return child is scope.body
    if isinstance(scope, (*FUNCTIONS, ast.ClassDef)):
        return isinstance(child, ast.stmt)
    return True


def parameter_names(node: ast.AST) -> set[str]:
    """Return the names of a function's parameters."""
    arguments: ast.arguments = node.args  # type: ignore[attr-defined]  # a function node
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [extra for extra in (arguments.vararg, arguments.kwarg) if extra]
    return {argument.arg for argument in every}


def bound_in(scope: ast.AST) -> set[str]:
    """Return the variables of a function, class or module that are its own."""
    names, outer = set[str](), set[str]()
    for node in own_nodes(scope):
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            outer.update(node.names)
        elif name := bound_by(node):
            names.add(name)
    return names - outer


def read_around(scope: ast.AST) -> set[str]:
    """Return the variables that a function or class reads of the scopes around it.

    What a class binds counts as read from around as well: it may be read before that.
    """
    found, pending = set[str](), [(scope, frozenset[str]())]
    while pending:
        scope, hidden = pending.pop()
        inner = hidden if isinstance(scope, ast.ClassDef) else hidden | bound_in(scope)
        for node in own_nodes(scope):
            if isinstance(node, _SCOPES):
                pending.append((node, inner))
            elif isinstance(node, ast.Name) and node.id not in inner:
                found.add(node.id)
        found |= {name for name in _read_at_once(scope) if name not in hidden}
    return found


def _read_at_once(scope: ast.AST) -> Iterator[str]:
    """Yield what the decorators and the defaults of a function read, which are not in it."""
    arguments: ast.arguments | None = getattr(scope, "args", None)
    defaults = [*arguments.defaults, *arguments.kw_defaults] if arguments else []
    for part in (*getattr(scope, "decorator_list", ()), *filter(None, defaults)):
        yield from (node.id for node in walk(part) if isinstance(node, ast.Name))


def root_name(node: ast.AST) -> str | None:
    """Return the variable that a chain of attributes, subscripts and calls starts from."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def held_root(node: ast.AST) -> str | None:
    """Return the variable that a chain starts from, also where a wrapper was called with that.

    As in `Variable(batch[0]).float()`.
    """
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        if not isinstance(node, ast.Call):
            node = node.value
        elif node.args and last_component(node.func) in WRAPPERS:
            node = node.args[0]
        else:
            node = node.func
    return node.id if isinstance(node, ast.Name) else None


def is_path(node: ast.AST) -> bool:
    """Whether an expression can be assigned to, and reading it twice gives the same."""
    return path_of(node) is not None
