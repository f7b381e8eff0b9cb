"""Models that a function has saved, and whose state it reads back later: the best of a training."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Set

from torchdev_lint.catalog.ecosystem import WRITERS
from torchdev_lint.placement.evidence.destinations import Destination, Use
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import definition_behind
from torchdev_lint.proof.proof import Proof
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import dotted, path_of
from torchdev_lint.syntax.order import is_instead
from torchdev_lint.syntax.parameters import parameter_for
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax
from torchdev_lint.syntax.walking import walk

_MOST_SAVES = 20
"""Of how many calls before it a call may read what one has saved: those that are nearest to it."""


@dataclass(frozen=True, slots=True)
class _Save:
    """A call that may save something.

    Args:
        call: it.
        given: the argument of a function that may save it; None if the call itself saves it.
    """

    call: ast.Call
    given: ast.AST | None = None


class Restoring:
    """What the functions of a file have saved before they read it back.

    Args:
        syntax: the file's tree.
        proof: what is proven of its names.
        file: the file, where others of its project are to be asked.
    """

    def __init__(self, syntax: Syntax, proof: Proof, file: ParsedFile | None) -> None:
        self._syntax = syntax
        self._proof = proof
        self._file = file
        self._saves: dict[ast.AST, dict[str | None, list[_Save]]] = {}
        self._saved: dict[ast.FunctionDef, set[str]] = {}

    def is_restored(self, call: ast.Call, found: Iterable[Destination], is_given: bool) -> bool:
        """Return whether a function has saved the model before that takes what a call reads.

        It did so itself, or has handed it to a function that does: what it reads afterwards is
        what was the best of its run, or the last. What the function is told to read may be
        another file, unless what it saves has to do with that.

        Args:
            call: what reads.
            found: where that goes.
            is_given: whether whoever called the function, or the script, says what is read.
        """
        scope = self._syntax.scope(call)
        takers = {
            path_of(each.node.func.value)
            for each in found
            if each.use is Use.STATE
            and each.elsewhere is None
            and isinstance(each.node.func, ast.Attribute)
            and self._syntax.scope(each.node) is scope
        }
        models = takers - {None, "self"}
        if not models:
            return False
        saves = [
            save
            for save in self._before(call, scope, models)
            if not is_instead(self._syntax, call, save.call)
            and not self._is_by_choice(save.call, call)
            and self._is_made(save)
        ]
        if is_given or self._reads_parameter(call):
            told = _told(call)
            return any(not told.isdisjoint(_told(save.call)) for save in saves)
        return bool(saves)

    def _before(self, call: ast.Call, scope: ast.AST, models: Set[str | None]) -> Iterator[_Save]:
        """Yield what may have saved one of some models before a call, in the function around."""
        if scope not in self._saves:
            self._saves[scope] = self._saves_in(scope)
        for model in models:
            saves = self._saves[scope].get(model, [])
            end = bisect_left(saves, call.lineno, key=_line)
            yield from saves[max(end - _MOST_SAVES, 0) : end]

    def _saves_in(self, scope: ast.AST) -> dict[str | None, list[_Save]]:
        """What a function may save, by what that is, in the order of the text.

        What is in functions inside of it is left out.
        """
        found: dict[str | None, list[_Save]] = {}
        for node in walk(scope):
            if isinstance(node, ast.Call) and self._syntax.scope(node) is scope:
                if self._proof.values.library(node.func) in WRITERS:
                    for saved in _paths_in(node.args[0]) if node.args else ():
                        found.setdefault(saved, []).append(_Save(node))
                    continue
                given: list[tuple[ast.AST, ast.expr]] = [(value, value) for value in node.args]
                given += [(keyword, keyword.value) for keyword in node.keywords]
                for argument, value in given:
                    if path := path_of(value):
                        found.setdefault(path, []).append(_Save(node, argument))
        for saves in found.values():
            saves.sort(key=_line)
        return found

    def _is_made(self, save: _Save) -> bool:
        """Whether something is saved: the function that is given it does so, or it is done here."""
        return save.given is None or self._is_saved_by(save.call, save.given)

    def _reads_parameter(self, call: ast.Call) -> bool:
        """Whether an argument of a call is made of what the function around it is given."""
        reaching = self._proof.bindings.reaching
        names = [part for part in walk(call) if isinstance(part, ast.Name)]
        bound = (binding for name in names for binding in reaching(name.id, name))
        return any(isinstance(binding, ast.arg) and binding.arg != "self" for binding in bound)

    def _is_by_choice(self, save: ast.Call, call: ast.Call) -> bool:
        """Whether a condition beside a call decides whether there is any save before it.

        In a loop it decides how often there is one.
        """
        around = set(self._syntax.around(call))
        by_choice = False
        for part in self._syntax.around(save):
            if part in around:
                return by_choice
            if isinstance(part, (ast.For, ast.AsyncFor, ast.While)):
                by_choice = False
            elif isinstance(part, ast.If):
                by_choice = True
        return by_choice

    def _is_saved_by(self, call: ast.Call, given: ast.AST) -> bool:
        """Whether the function that a call runs saves an argument, or the state of it."""
        function = self._function(call.func)
        parameter = None if function is None else parameter_for(function, call, given, skipped=0)
        if function is None or parameter is None:
            return False
        if function not in self._saved:
            self._saved[function] = _saved_in(function)
        return parameter.arg in self._saved[function]

    def _function(self, called: ast.expr) -> ast.FunctionDef | None:
        """The function of the file, or of another one of its project, that a name stands for."""
        name, reaching = dotted(called), self._proof.bindings.reaching
        bound = reaching(called.id, called) if isinstance(called, ast.Name) else ()
        found: ast.AST | None = next(iter(bound)) if len(bound) == 1 else None
        if not isinstance(found, FUNCTIONS) and self._file is not None and name is not None:
            behind = definition_behind(self._file, name)
            found = None if behind is None else behind[1]
        return found if isinstance(found, ast.FunctionDef) else None


def _line(save: _Save) -> int:
    return save.call.lineno


def _saved_in(function: ast.FunctionDef) -> set[str]:
    """The variables and attributes that a function saves, or the state of them."""
    calls = (node for node in walk(function) if isinstance(node, ast.Call))
    written = (call.args[0] for call in calls if dotted(call.func) in WRITERS and call.args)
    return set[str]().union(*map(_paths_in, written))


def _paths_in(node: ast.expr) -> set[str]:
    """The variables and attributes that an expression reads, each as far as it is written out."""
    found = set()
    for part in walk(node):
        path = path_of(part)
        while path:
            found.add(path)
            path = path.rpartition(".")[0]
    return found


def _told(call: ast.Call) -> set[str]:
    """The variables, attributes and texts that the arguments of a call are made of."""
    parts = [part for given in (*call.args, *call.keywords) for part in walk(given)]
    owners = {part.value for part in parts if isinstance(part, ast.Attribute)}
    named = {path_of(part) for part in parts if part not in owners}
    texts = {part.value for part in parts if isinstance(part, ast.Constant)}
    return {each for each in named | texts if isinstance(each, str) and each}
