"""What the names of a file may hold: members of libraries, and the values they are given."""

from __future__ import annotations

import ast
from typing import TypeAlias

from torchdev_lint.proof.mentions import Mentions
from torchdev_lint.syntax.bindings import Bindings
from torchdev_lint.syntax.names import canonical, dotted
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"


class Values:
    """What names and parameters may hold.

    Args:
        syntax: the file's tree.
        bindings: what its names are bound to.
        mentions: what is named in the file, and where.
    """

    def __init__(self, syntax: Syntax, bindings: Bindings, mentions: Mentions) -> None:
        self._syntax = syntax
        self._bindings = bindings
        self._mentions = mentions

    def library(self, node: ast.AST, place: ast.AST | None = None) -> str:
        """Return the dotted name of the library member that an expression certainly is, or ``.

        Args:
            place: where it is read; where it stands, if that is not given.
        """
        name = dotted(node)
        if name is None:
            return ""
        root, _, rest = name.partition(".")
        found = {self._imported(bound) for bound in self._bindings.reaching(root, place or node)}
        if len(found) != 1 or "" in found:
            return ""
        return canonical(f"{found.pop()}.{rest}" if rest else found.pop())

    def _imported(self, binding: ast.AST | None) -> str:
        if not isinstance(binding, ast.alias):
            return ""
        statement = self._syntax.parent(binding)
        if isinstance(statement, ast.ImportFrom):
            return "" if statement.level else f"{statement.module}.{binding.name}"
        return binding.name if binding.asname else binding.name.partition(".")[0]

    def values(self, name: str, place: ast.AST) -> list[ast.expr]:
        """Return the expressions that a name may hold the value of; empty: not all are known."""
        found: list[ast.expr] = []
        for binding in self._bindings.reaching(name, place):
            given = self.given(binding)
            if not given:
                return []
            found += given
        return found

    def given(self, binding: ast.AST | None) -> list[ast.expr]:
        """Return the expressions whose value a binding may give; empty: not all are known."""
        statement = self._syntax.parent(binding) if binding is not None else None
        if isinstance(binding, ast.NamedExpr):
            return [binding.value]
        if isinstance(binding, ast.arg):
            return self._given_to(binding)
        if isinstance(statement, ast.AnnAssign) and statement.value is not None:
            return [statement.value]
        if isinstance(statement, ast.Assign) and binding in statement.targets:
            return [statement.value]
        return []

    def _given_to(self, parameter: ast.arg) -> list[ast.expr]:
        """All that the file's calls give for a parameter; nothing if there may be others."""
        function = next(
            p for p in self._syntax.around(parameter) if not isinstance(p, ast.arguments)
        )
        if not isinstance(function, FUNCTIONS) or function.decorator_list:
            return []
        scope = self._syntax.scope(function)
        bound = self._bindings.all_of(function.name, scope)
        if bound != [function] or isinstance(scope, ast.ClassDef):
            return []
        given: list[ast.expr] = []
        for read in self._mentions.reads(function.name):
            if self._bindings.owner(function.name, read) is not scope:
                continue
            call = self._syntax.parent(read)
            value = (
                argument_for(call, function, parameter.arg) if isinstance(call, ast.Call) else None
            )
            if value is None or getattr(call, "func", None) is not read:
                return []
            given.append(value)
        return given


def argument_for(call: ast.Call, function: Function, parameter: str) -> ast.expr | None:
    """Return what a call gives for a parameter, its default included; None: that can't be told."""
    arguments = function.args
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    if any(keyword.arg is None for keyword in call.keywords):
        return None
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if parameter in named:
        return named[parameter]
    positional = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    if parameter in positional:
        at = positional.index(parameter)
        if at < len(call.args):
            return call.args[at]
        at -= len(positional) - len(arguments.defaults)
        return arguments.defaults[at] if at >= 0 else None
    by_name = [a.arg for a in arguments.kwonlyargs]
    return arguments.kw_defaults[by_name.index(parameter)] if parameter in by_name else None
