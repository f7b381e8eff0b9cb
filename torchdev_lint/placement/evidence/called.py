"""Which function of its file a call runs, and which calls run a function, as far as names tell."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.catalog.modules import FLUENT_METHODS
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.parameters import parameter_for
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax, root_name

_GIVE_THEMSELVES = FLUENT_METHODS | MOVES
"""Methods of modules that give the module itself."""


class Called:
    """What the calls of a file run.

    Args:
        syntax: the file's tree.
        proof: what is proven of its names.
    """

    def __init__(self, syntax: Syntax, proof: Proof) -> None:
        self._syntax = syntax
        self._proof = proof

    def of(self, call: ast.Call) -> ast.FunctionDef | None:
        """Return the function, or method of the same class, that a call runs, if any."""
        function = call.func
        found: ast.AST | None = None
        if isinstance(function, ast.Name):
            found = self._only_binding(function.id, function)
        elif isinstance(function, ast.Attribute) and root_name(function) == "self":
            methods = self._proof.mentions.methods(function.attr)
            found = methods[0] if len(methods) == 1 else None
        elif built := self.built_by(function):
            owner = self._only_binding(dotted(built.func), function)
            found = method_of(owner, last_component(function))
        return found if isinstance(found, ast.FunctionDef) else None

    def parameter(self, call: ast.Call, argument: ast.AST) -> ast.arg | None:
        """Return the parameter of a function of the file that an argument is given for.

        Args:
            argument: one of the arguments of the call, or of its keywords.
        """
        function = self.of(call)
        if function is None:
            return None
        return parameter_for(function, call, argument, isinstance(call.func, ast.Attribute))

    def own_method(self, function: ast.Attribute) -> ast.FunctionDef | None:
        """Return the method of a class of the file that is called, None if none is known.

        Args:
            function: what is called: an attribute of `self`, or of what the class has built.
        """
        owner: ast.AST | None = None
        around = self._syntax.method(function)
        if dotted(function.value) == "self" and around is not None:
            owner = around[1]
        elif built := self.built_by(function):
            owner = self._only_binding(dotted(built.func), function)
            if isinstance(owner, ast.arg) and around is not None and owner.arg == "cls":
                owner = around[1]
        return method_of(owner, function.attr)

    def built_by(self, function: ast.expr) -> ast.Call | None:
        """Return the call that gives the object whose method is called, if its variable tells."""
        if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
            return None
        values = self._proof.values.values(function.value.id, function)
        value = values[0] if len(values) == 1 else None
        while isinstance(value, ast.Call):
            if not isinstance(value.func, ast.Attribute) or value.func.attr not in _GIVE_THEMSELVES:
                return value
            value = value.func.value
        return None

    def is_imported(self, function: ast.expr) -> bool:
        """Return whether the name that a dotted name begins with is what an import has bound."""
        while isinstance(function, (ast.Attribute, ast.Call)):
            function = function.value if isinstance(function, ast.Attribute) else function.func
        if not isinstance(function, ast.Name):
            return False
        bound = self._proof.bindings.reaching(function.id, function)
        return bool(bound) and all(isinstance(each, ast.alias) for each in bound)

    def calls_of(self, function: ast.AST) -> Iterator[ast.AST]:
        """Yield the calls of a function of the file, which give what it returns."""
        if not isinstance(function, FUNCTIONS):
            return
        mentions = self._proof.mentions
        reads: list[ast.expr] = [
            read
            for read in mentions.reads(function.name)
            if function in self._proof.bindings.reaching(function.name, read)
        ]
        if mentions.methods(function.name) == [function]:
            reads += [
                read
                for read in mentions.lookups(function.name)
                if not self._proof.values.library(read)
            ]
        for read in reads:
            call = self._syntax.parent(read)
            if isinstance(call, ast.Call) and call.func is read:
                yield call

    def _only_binding(self, name: str | None, place: ast.AST) -> ast.AST | None:
        """The one binding that a name certainly has at a place."""
        bound = self._proof.bindings.reaching(name, place) if name else ()
        return next(iter(bound)) if len(bound) == 1 else None


def method_of(owner: ast.AST | None, name: str) -> ast.FunctionDef | None:
    """Return the method of a name that stands in a class, None if there is none."""
    body = owner.body if isinstance(owner, ast.ClassDef) else ()
    return next((n for n in body if isinstance(n, ast.FunctionDef) and n.name == name), None)
