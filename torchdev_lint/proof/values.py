"""What the names of a file may hold: members of libraries, and the values they are given."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TypeAlias

from torchdev_lint.proof.mentions import Mentions
from torchdev_lint.proof.tampering import Tampering
from torchdev_lint.syntax.bindings import Bindings
from torchdev_lint.syntax.names import canonical, customary, dotted
from torchdev_lint.syntax.parameters import argument_for
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax
from torchdev_lint.syntax.unpacking import parts_for

Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"

_OTHER_NAMES_OF_CLASSES = frozenset({"cls", "__class__", "type"})
"""Names by which a class may be called that is not called by its own."""


class Values:
    """What names and parameters may hold.

    Args:
        syntax: the file's tree.
        bindings: what its names are bound to.
        mentions: what is named in the file, and where.

    Attributes:
        tampering: what the file changes of libraries.
    """

    def __init__(self, syntax: Syntax, bindings: Bindings, mentions: Mentions) -> None:
        self._syntax = syntax
        self._bindings = bindings
        self._mentions = mentions
        self._given: dict[ast.arg, list[ast.expr]] = {}
        self.tampering = Tampering(mentions)

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
        if found == {""} and self._bindings.owner(root, place or node) is None:
            found = {self._by_custom(root)}
        if len(found) != 1 or "" in found:
            return ""
        member = canonical(f"{found.pop()}.{rest}" if rest else found.pop())
        return "" if self.tampering.concerns(member) else member

    def _by_custom(self, name: str) -> str:
        """What a name means that nothing in the file binds: its import was left out.

        Or it comes with all that another file holds, whose `nn` may as well be another one.
        """
        stars = bool(self._bindings.star_imports)
        if self._bindings.is_reflective or (stars and name != "torch"):
            return ""
        return customary(name, stars) or ""

    def _imported(self, binding: ast.AST | None) -> str:
        if not isinstance(binding, ast.alias):
            return ""
        statement = self._syntax.parent(binding)
        if isinstance(statement, ast.ImportFrom):
            return "" if statement.level else f"{statement.module}.{binding.name}"
        return binding.name if binding.asname else binding.name.partition(".")[0]

    def bound(self, name: str, place: ast.AST) -> list[ast.AST]:
        """Return the bindings that a name may have; none if it may as well be unbound."""
        reaching = self._bindings.reaching(name, place)
        return [] if None in reaching else [node for node in reaching if node is not None]

    def values(self, name: str, place: ast.AST) -> list[ast.expr]:
        """Return the expressions that a name may hold the value of; empty: not all are known."""
        found: list[ast.expr] = []
        for binding in self.bound(name, place):
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
            if binding not in self._given:
                self._given[binding] = self._given_to(binding)
            return self._given[binding]
        if isinstance(statement, ast.AnnAssign) and statement.value is not None:
            return [statement.value]
        if isinstance(statement, ast.Assign) and binding in statement.targets:
            return [statement.value]
        around = self._syntax.parent(statement) if statement is not None else None
        if isinstance(statement, (ast.Tuple, ast.List)) and isinstance(around, ast.Assign):
            parts = parts_for(statement.elts, around.value) if statement in around.targets else None
            part = parts[statement.elts.index(binding)] if parts else None  # type: ignore[arg-type]  # one of them
            return [] if part is None else [part]
        return []

    def _given_to(self, parameter: ast.arg) -> list[ast.expr]:
        """All that the file's calls give for a parameter; nothing if there may be others.

        What a function hands on to itself was given to it before.
        """
        arguments = self._syntax.parent(parameter)
        function = self._syntax.parent(arguments) if arguments is not None else None
        if not isinstance(function, FUNCTIONS) or not self._keeps_its_arguments(function):
            return []
        calls = self._calls_of(function)
        is_method = isinstance(self._syntax.scope(function), ast.ClassDef)
        given = [argument_for(self._syntax, c, parameter, is_method) for c in calls or []]
        known = [value for value in given if value is not None]
        if len(known) < len(given):
            return []
        return [value for value in known if not self._is_handed_on(value, parameter)]

    def _is_handed_on(self, value: ast.expr, parameter: ast.arg) -> bool:
        """Whether a value is that of a parameter itself."""
        return isinstance(value, ast.Name) and self._bindings.reaching(value.id, value) == {
            parameter
        }

    def _keeps_its_arguments(self, function: Function) -> bool:
        """Whether a function gets what it is called with: PyTorch's decorators see to that."""
        decorators = (d.func if isinstance(d, ast.Call) else d for d in function.decorator_list)
        return all(self.library(decorator).startswith("torch.") for decorator in decorators)

    def _calls_of(self, function: Function) -> list[ast.Call] | None:
        """The calls of a function or method; None: it may be called in other ways as well."""
        scope = self._syntax.scope(function)
        if not isinstance(scope, ast.ClassDef):
            return self._calls_by_name(function)
        if function.name == "__init__":
            by_class = _OTHER_NAMES_OF_CLASSES & self._mentions.words or scope.decorator_list
            return None if by_class else self._calls_by_name(scope)
        name, mentions = function.name, self._mentions
        alone = len(mentions.methods(name)) == 1 and not mentions.texts(name)
        if not alone or name.startswith("__") or self._is_called_by_base(function, scope):
            return None
        return self._as_calls(mentions.lookups(name))

    def _is_called_by_base(self, method: Function, owner: ast.ClassDef) -> bool:
        """Whether a method may be called by a base of its class that is out of sight."""
        library = "torch.nn.Module" if method.name != "forward" else ""
        return bool(owner.keywords) or not all(
            self._is_class_of_file(base) or self.library(base) == library != ""
            for base in owner.bases
        )

    def _is_class_of_file(self, node: ast.expr) -> bool:
        bound = self._bindings.reaching(node.id, node) if isinstance(node, ast.Name) else ()
        return bool(bound) and all(isinstance(binding, ast.ClassDef) for binding in bound)

    def _calls_by_name(self, defined: Function | ast.ClassDef) -> list[ast.Call] | None:
        """The calls of what is defined by a name, if that is all that is done with it."""
        scope = self._syntax.scope(defined)
        if self._bindings.all_of(defined.name, scope) != [defined]:
            return None
        return self._as_calls(
            read
            for read in self._mentions.reads(defined.name)
            if self._bindings.owner(defined.name, read) is scope and not self._is_a_type(read)
        )

    def _as_calls(self, reads: Iterable[ast.expr]) -> list[ast.Call] | None:
        """The calls that some expressions are the functions of; None if one is no function."""
        calls: list[ast.Call] = []
        for read in reads:
            call = self._syntax.parent(read)
            if not isinstance(call, ast.Call) or call.func is not read:
                return None
            calls.append(call)
        return calls

    def _is_a_type(self, read: ast.Name) -> bool:
        """Whether a name of a class only says of what type something is."""
        child: ast.AST = read
        for part in self._syntax.around(read):
            if isinstance(part, (ast.arg, ast.AnnAssign)):
                return child is part.annotation
            if isinstance(part, FUNCTIONS):
                return child is part.returns
            if isinstance(part, ast.stmt):
                return False
            child = part
        return False
