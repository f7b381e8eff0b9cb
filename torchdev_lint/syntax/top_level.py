"""What a module binds, name by name: so that one name can be asked for, and only that is run."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator
from dataclasses import field

from torchdev_lint.records import dataclass
from torchdev_lint.syntax.walking import children, walk

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(slots=True)
class TopLevel:
    """The bindings of a module.

    Args:
        bindings: for each name the statements of which the last one that was run has bound it:
            several where they are alternatives of each other.
        before: for a name and a statement that binds it, those that may have bound it before.
        stars: its `from x import *`, in order.
        exported: what its `__all__` names, if it has one that is written out.
    """

    bindings: dict[str, list[ast.stmt]] = field(default_factory=dict)
    before: dict[tuple[str, ast.stmt], list[ast.stmt]] = field(default_factory=dict)
    stars: list[ast.ImportFrom] = field(default_factory=list)
    exported: frozenset[str] | None = None

    def add(self, statements: list[ast.stmt], always: bool) -> None:
        """Note what statements bind, one after the other.

        Args:
            always: whether they are run in any case.
        """
        for statement in statements:
            if isinstance(statement, ast.If):
                self._add_branches(statement, always)
            elif isinstance(statement, (ast.Try, ast.With, ast.AsyncWith)):
                self._add_guarded(statement, always)
            else:
                self._add_one(statement, always)

    def _add_one(self, statement: ast.stmt, always: bool) -> None:
        for name in bound_names(statement):
            if name == "*":
                assert isinstance(statement, ast.ImportFrom)
                self.stars.append(statement)
                continue
            known = self.bindings.get(name, [])
            self.before[name, statement] = known
            self.bindings[name] = [statement] if always else [*known, statement]

    def _add_branches(self, statement: ast.If, always: bool) -> None:
        """What both branches bind has none of its earlier values."""
        if is_script_test(statement.test):
            return
        if _is_for_types(statement.test):
            self.add(statement.body, always)
            return
        branches = [top_level(statement.body), top_level(statement.orelse)]
        known = dict(self.bindings)
        if always:
            for name in branches[0].bindings.keys() & branches[1].bindings.keys():
                self.bindings.pop(name, None)
        for branch in branches:
            self._add_alternative(branch, known)

    def _add_guarded(self, statement: ast.Try | ast.With | ast.AsyncWith, always: bool) -> None:
        """What a `try` binds, its handlers may bind in its stead."""
        self.add(statement.body, always)
        if isinstance(statement, ast.Try):
            for handler in statement.handlers:
                self._add_alternative(top_level(handler.body), self.bindings)
            self.add(statement.orelse, always)
            self.add(statement.finalbody, always)

    def _add_alternative(self, other: TopLevel, known: dict[str, list[ast.stmt]]) -> None:
        """Note what statements bind that may be run.

        Args:
            known: what may have been bound before them.
        """
        for (name, statement), before in other.before.items():
            self.before[name, statement] = before or known.get(name, [])
        for name, statements in other.bindings.items():
            self.bindings[name] = [*self.bindings.get(name, []), *statements]
        self.stars += other.stars

    def is_written_out(self, value: ast.expr) -> bool:
        """Whether an expression is made of constants, and of what Python's own functions give.

        `OrderedDict([("bert", "BertConfig")])` is, if that name comes from the standard library.
        """
        pending: list[ast.AST] = [value]
        while pending:
            node = pending.pop()
            if isinstance(node, ast.Call):
                if not (isinstance(node.func, ast.Name) and self._is_pythons(node.func.id)):
                    return False
                pending += node.args
                pending += [keyword.value for keyword in node.keywords]
            elif isinstance(node, (ast.Constant, ast.Tuple, ast.List, ast.Set, ast.Dict)):
                pending += children(node)
            else:
                return False
        return True

    def _is_pythons(self, name: str) -> bool:
        """Whether a name is a builtin's, or imported from the standard library."""
        bound = self.bindings.get(name)
        if bound is None:
            return not self.stars and hasattr(builtins, name)
        return all(
            isinstance(statement, ast.ImportFrom)
            and not statement.level
            and (statement.module or "").partition(".")[0] in sys.stdlib_module_names
            for statement in bound
        )


def top_level(statements: list[ast.stmt]) -> TopLevel:
    """Return what the statements of a module bind."""
    found = TopLevel()
    found.add(statements, always=True)
    found.exported = _exported(found.bindings.get("__all__", []))
    return found


def _exported(statements: list[ast.stmt]) -> frozenset[str] | None:
    """The names in an `__all__` that is assigned once, and written out."""
    match statements:
        case [ast.Assign(value=ast.List(elts=elements) | ast.Tuple(elts=elements))]:
            values = [e.value for e in elements if isinstance(e, ast.Constant)]
            names = [value for value in values if isinstance(value, str)]
            return frozenset(names) if len(names) == len(elements) else None
    return None


def bound_names(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement binds: `*` stands for all of another module."""
    if isinstance(statement, _DEFINITIONS):
        yield statement.name
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        for alias in statement.names:
            yield alias.asname or alias.name.partition(".")[0]
    else:
        for node in walk(statement):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                yield node.id
            elif isinstance(node, _DEFINITIONS):
                yield node.name


def is_script_test(test: ast.expr) -> bool:
    """Whether a condition holds only where the file is run, not where it is imported."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == "__name__"
    )


def _is_for_types(test: ast.expr) -> bool:
    """Whether a condition holds for type checkers: what they are told is what comes to be."""
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    return name == "TYPE_CHECKING"


def is_script(tree: ast.Module) -> bool:
    """Return whether a file has work of its own to do whenever it is run, or imported.

    It has a loop, or calls what is not a member of something imported: a function of its own,
    `print`, a method of what it has made. Definitions and assignments are made for others as well.
    """
    imported = {
        name
        for statement in tree.body
        if isinstance(statement, (ast.Import, ast.ImportFrom))
        for name in bound_names(statement)
    }
    return any(_works(statement, imported) for statement in tree.body)


def _works(statement: ast.stmt, imported: set[str]) -> bool:
    if isinstance(statement, (ast.For, ast.AsyncFor, ast.While)):
        return True
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    function: ast.expr = statement.value.func
    while isinstance(function, ast.Attribute):
        function = function.value
    return not (isinstance(function, ast.Name) and function.id in imported)
