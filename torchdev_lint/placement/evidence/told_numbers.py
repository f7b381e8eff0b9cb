"""Parameters that are single numbers, as those say it in their file who give or take them.

`Gate(width)` beside `nn.Linear(width, width)` says that `Gate` is told a number. So does
`Head(width)` in `Gate`, if `Head` uses it as one.
"""

from __future__ import annotations

import ast
from typing import NamedTuple, TypeAlias

from torchdev_lint.catalog.builtins import CONSTRUCTING
from torchdev_lint.placement.evidence.counts import is_computed_number, unsettled
from torchdev_lint.placement.evidence.file_context import FileContext
from torchdev_lint.syntax.names import last_component, path_of
from torchdev_lint.syntax.parameters import arguments_of
from torchdev_lint.syntax.scopes import FUNCTIONS, parameter_names
from torchdev_lint.syntax.walking import walk

_Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"
_Taker: TypeAlias = "tuple[_Function, ast.ClassDef | None]"
_MOST_CALLS = 3
"""Through how many calls a number is followed."""


class _Site(NamedTuple):
    """Where something is called.

    Args:
        call: the call.
        function: what calls it; None at the top of a file, or of a class.
        owner: the class whose method that is.
    """

    call: ast.Call
    function: _Function | None
    owner: ast.ClassDef | None


class ToldNumbers:
    """What calls tell of the parameters of a file's functions, each worked out once.

    Args:
        nodes: all of the file, what is around others before these.
    """

    def __init__(self, nodes: list[ast.AST]) -> None:
        self._sites = _calls_by_name(nodes)
        self._heirs = _heirs_without_constructor(nodes)
        self._defined = _defined(nodes)
        for cls in [name for name, taker in self._defined.items() if taker[1] is not None]:
            for heir in self._built_as(cls):
                self._defined.setdefault(heir, self._defined[cls])
        self._given: dict[_Function, dict[str, list[tuple[_Site, ast.expr]]]] = {}
        self._handed: dict[_Function, dict[str, set[tuple[_Taker, str]]]] = {}
        self._are_told: dict[tuple[_Function, str, int], bool] = {}
        self._are_handed_on: dict[tuple[_Function, str, int], bool] = {}

    def is_told(
        self,
        file: FileContext,
        function: _Function,
        owner: ast.ClassDef | None,
        name: str,
        most: int = _MOST_CALLS,
    ) -> bool:
        """Return whether a parameter is a number for some caller or callee, and no sequence.

        Args:
            file: the file.
            function: a function, or the constructor of a class.
            owner: that class.
            name: the parameter's.
            most: through how many calls to follow it.
        """
        key = function, name, most
        if key not in self._are_told:
            self._are_told[key] = self._is_told(file, function, owner, name, most)
        return self._are_told[key]

    def _is_told(
        self,
        file: FileContext,
        function: _Function,
        owner: ast.ClassDef | None,
        name: str,
        most: int,
    ) -> bool:
        if owner is not None and function.name != "__init__":
            return False
        if not most or name not in parameter_names(function):
            return False
        if name in file.of_nodes(unsettled, function):
            return False
        given = self._given_to(function, owner).get(name, [])
        if any(isinstance(value, (ast.Tuple, ast.List)) for _, value in given):
            return False
        if any(self._is_number(file, site, value, most - 1) for site, value in given):
            return True
        return self.is_handed_on(file, function, name, most - 1)

    def is_handed_on(
        self, file: FileContext, function: _Function, path: str, most: int = _MOST_CALLS
    ) -> bool:
        """Return whether a function hands something to what takes a number there, in its file.

        Args:
            file: the file.
            function: the function.
            path: how the function calls it: `width`, `config.width`.
            most: through how many calls to follow it.
        """
        key = function, path, most
        if key not in self._are_handed_on:
            self._are_handed_on[key] = any(
                name in file.counts_in(taker, owner)
                or (most > 0 and self.is_handed_on(file, taker, name, most - 1))
                for (taker, owner), name in self._handed_by(file, function).get(path, ())
            )
        return self._are_handed_on[key]

    def _is_number(self, file: FileContext, site: _Site, value: ast.expr, most: int) -> bool:
        if isinstance(value, ast.Constant):
            return type(value.value) is int
        if is_computed_number(value):
            return True
        path, caller = path_of(value), site.function
        if path is None or caller is None:
            return False
        if path in file.counts_in(caller, site.owner):
            return True
        return self.is_told(file, caller, site.owner, path, most)

    def _given_to(
        self, function: _Function, owner: ast.ClassDef | None
    ) -> dict[str, list[tuple[_Site, ast.expr]]]:
        """What the calls of a function give for each of its parameters."""
        if function not in self._given:
            found = self._given[function] = {}
            called = [function.name] if owner is None else self._built_as(owner.name)
            for site in (site for name in called for site in self._sites.get(name, ())):
                for name, value in arguments_of(site.call, function, owner is not None).items():
                    found.setdefault(name, []).append((site, value))
        return self._given[function]

    def _built_as(self, cls: str) -> list[str]:
        """The classes of the file that the constructor of one builds: heirs without their own."""
        names = [cls]
        for name in names:
            names += [heir for heir in self._heirs.get(name, ()) if heir not in names]
        return names

    def _handed_by(
        self, file: FileContext, function: _Function
    ) -> dict[str, set[tuple[_Taker, str]]]:
        """To which parameters a function of the file hands what, by how it calls that."""
        if function not in self._handed:
            found = self._handed[function] = {}
            calls = (node for node in file.nodes_in(function) if isinstance(node, ast.Call))
            for call in calls:
                taker = self._defined.get(last_component(call.func))
                if taker is not None:
                    for name, value in arguments_of(call, taker[0], taker[1] is not None).items():
                        found.setdefault(path_of(value) or "", set()).add((taker, name))
        return self._handed[function]


def _defined(nodes: list[ast.AST]) -> dict[str, _Taker]:
    """The functions of a file, and the constructors of its classes, by what is called for them."""
    found: dict[str, _Taker] = {}
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            for part in node.body:
                if isinstance(part, FUNCTIONS) and part.name == "__init__":
                    found[node.name] = part, node
        elif isinstance(node, ast.Module):
            found |= {part.name: (part, None) for part in node.body if isinstance(part, FUNCTIONS)}
    return found


def _heirs_without_constructor(nodes: list[ast.AST]) -> dict[str, list[str]]:
    """The classes of a file that leave building to another one, by what that is called."""
    found: dict[str, list[str]] = {}
    for node in nodes:
        if isinstance(node, ast.ClassDef) and node.bases:
            if not any(getattr(part, "name", "") in CONSTRUCTING for part in node.body):
                found.setdefault(last_component(node.bases[0]), []).append(node.name)
    return found


def _calls_by_name(nodes: list[ast.AST]) -> dict[str, list[_Site]]:
    """The calls of a file, by the last component of what they call."""
    owners = {part: n for n in nodes if isinstance(n, ast.ClassDef) for part in n.body}
    around = {
        part: node
        for node in nodes
        if isinstance(node, FUNCTIONS)
        for part in walk(node)
        if isinstance(part, ast.Call)
    }
    found: dict[str, list[_Site]] = {}
    for call in nodes:
        if isinstance(call, ast.Call):
            function = around.get(call)
            owner = None if function is None else owners.get(function)
            found.setdefault(last_component(call.func), []).append(_Site(call, function, owner))
    return found
