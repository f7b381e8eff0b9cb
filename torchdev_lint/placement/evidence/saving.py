"""What functions save of what they are given, themselves or by what they call in turn."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from torchdev_lint.catalog.checkpoints import WRITERS
from torchdev_lint.placement.evidence.given import Given
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import definition_behind
from torchdev_lint.syntax.names import dotted, path_of
from torchdev_lint.syntax.parameters import parameter_for
from torchdev_lint.syntax.scopes import Syntax
from torchdev_lint.syntax.walking import walk

_MOST_CALLED = 3
"""How many functions may hand on, each to the next, what the last one saves."""
_CALL = "__call__"


class Saving:
    """What the functions save that are called in a file.

    Args:
        syntax: the file's tree.
        file: the file, where others of its project are to be asked; None: it alone.
        called: how many functions may hand on what is saved.
    """

    def __init__(self, syntax: Syntax, file: ParsedFile | None, called: int = _MOST_CALLED) -> None:
        self._syntax = syntax
        self._file = file
        self._left = called
        self._saved: dict[ast.AST, frozenset[str]] = {}
        self._known: dict[str, tuple[Saving, ast.AST] | None] = {}

    def is_saved_by(self, call: ast.Call, given: ast.AST) -> bool:
        """Return whether what a call runs saves an argument, or the state of it.

        Args:
            call: it may call a function, an object, or a method of one.
            given: one of its arguments, or of its keywords.
        """
        for home, function, skipped in self._run_by(call.func):
            parameter = parameter_for(function, call, given, skipped)
            if parameter is not None and parameter.arg in home.saved_in(function):
                return True
        return False

    def built_by(self, called: ast.expr) -> ast.Call | None:
        """Return the call that has built the object which is called, or of which a method is."""
        owner = called.value if isinstance(called, ast.Attribute) else called
        given = self._given(owner)
        return given[0] if len(given) == 1 and isinstance(given[0], ast.Call) else None

    def saved_in(self, function: ast.FunctionDef) -> frozenset[str]:
        """Return the variables and attributes that a function saves, or the state of them."""
        if function not in self._saved:
            self._saved[function] = frozenset()  # what calls itself
            calls = [node for node in walk(function) if isinstance(node, ast.Call)]
            written = (c.args[0] for c in calls if dotted(c.func) in WRITERS and c.args)
            found = set[str]().union(*map(paths_in, written))
            for call in calls if self._left else ():
                for given in (*call.args, *call.keywords):
                    value = given.value if isinstance(given, ast.keyword) else given
                    if path_of(value) and self.is_saved_by(call, given):
                        found |= paths_in(value)
            self._saved[function] = frozenset(self._with_what_they_hold(function, found))
        return self._saved[function]

    def _with_what_they_hold(self, function: ast.FunctionDef, saved: set[str]) -> set[str]:
        """Some variables, and what a function makes of which they hold."""
        given, found, pending = self._syntax.derived(Given).of(function), set(saved), list(saved)
        while pending:
            held = set[str]().union(*map(paths_in, given.get(pending.pop(), [])))
            pending += held - found
            found |= held
        return found

    def _run_by(self, called: ast.expr) -> Iterator[tuple[Saving, ast.FunctionDef, int]]:
        """Yield what a call may run, what is known of its file, and how many arguments it has."""
        if isinstance(called, ast.Attribute) and path_of(called.value) == "self":
            around = (p for p in self._syntax.around(called) if isinstance(p, ast.ClassDef))
            methods = (_method(owner, called.attr) for owner in around)
            yield from ((self, method, 1) for method in methods if method is not None)
            return
        behind = self._defined(called)
        if behind is not None and isinstance(behind[1], ast.FunctionDef):
            yield behind[0], behind[1], 0
            return
        built = self.built_by(called)
        behind = None if built is None else self._defined(built.func)
        if behind is not None and isinstance(behind[1], ast.ClassDef):
            name = called.attr if isinstance(called, ast.Attribute) else _CALL
            method = _method(behind[1], name)
            if method is not None:
                yield behind[0], method, 1

    def _defined(self, called: ast.expr) -> tuple[Saving, ast.AST] | None:
        """The function or class that a name means, with what is known of its file."""
        name = dotted(called)
        if name is None:
            return None
        if name not in self._known:
            self._known[name] = self._look_up(name)
        return self._known[name]

    def _look_up(self, name: str) -> tuple[Saving, ast.AST] | None:
        if name in self._own:
            return self, self._own[name]
        behind = None if self._file is None else definition_behind(self._file, name)
        if behind is None or not self._left:
            return None
        home, found = behind
        return home.derived_with(_saving_in, self._left - 1), found

    @cached_property
    def _own(self) -> dict[str, ast.FunctionDef | ast.ClassDef]:
        """The functions and classes of the file, by their names."""
        body = self._syntax.tree.body
        return {n.name: n for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}

    def _given(self, owner: ast.expr) -> list[ast.expr]:
        """What a variable or attribute is given in the function around, or the module."""
        given = self._syntax.derived(Given).of(self._syntax.scope(owner))
        return given.get(path_of(owner) or "", [])


def _saving_in(file: ParsedFile, left: int) -> Saving:
    return Saving(file.syntax, file, left)


def _method(owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    methods = (part for part in owner.body if isinstance(part, ast.FunctionDef))
    return next((method for method in methods if method.name == name), None)


def paths_in(node: ast.AST) -> set[str]:
    """Return the variables and attributes that an expression reads, as far as written out."""
    found = set()
    for part in walk(node):
        path = path_of(part)
        while path:
            found.add(path)
            path = path.rpartition(".")[0]
    return found
