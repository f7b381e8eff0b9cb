"""Models that a function has saved, and whose state it reads back later: the best of a training."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Set
from functools import cached_property

from torchdev_lint.catalog.checkpoints import WRITERS
from torchdev_lint.placement.evidence.destinations import Destination, Use
from torchdev_lint.placement.evidence.saving import Saving, paths_in
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import Definition
from torchdev_lint.project.users import files_that_name
from torchdev_lint.project.uses import uses_of
from torchdev_lint.proof.proof import Proof
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import path_of
from torchdev_lint.syntax.order import is_instead
from torchdev_lint.syntax.parameters import argument_for, parameters_of
from torchdev_lint.syntax.scopes import Syntax
from torchdev_lint.syntax.walking import walk

_SAVE = "save"
_TYPE = re.compile(r"[/\\]*(\.\w+)*|[./\\]*")
"""The type of a file, `.pt`, which many have, and what stands between folders."""
_MOST_CALLS = 16
"""How many calls of a function that reads are looked at."""
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
        self._made: dict[_Save, bool] = {}
        self._saving = Saving(syntax, file)

    def is_restored(
        self, call: ast.Call, found: Iterable[Destination], source: ast.expr, is_given: bool
    ) -> bool:
        """Return whether a function has saved the model before that takes what a call reads.

        It did so itself, or has handed it to a function that does: what it reads afterwards is
        what was the best of its run, or the last. What the function is told to read may be
        another file, unless what it saves has to do with that. A function that is given the model
        reads it back if all that call it have saved it before.

        Args:
            call: what reads.
            found: where that goes.
            source: what is read.
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
        is_told = is_given or self._reads_parameter(call)
        if self._has_saved(call, models, _parts([source]) if is_told else None):
            return True
        return isinstance(scope, ast.FunctionDef) and self._have_callers_saved(
            scope, models, is_told
        )

    def _has_saved(self, call: ast.Call, models: Set[str | None], told: Set[str] | None) -> bool:
        """Whether the function around a call has saved one of some models before.

        Args:
            told: of what the name of the file is made, if what saves has to be told of that.
        """
        saves = (
            save
            for save in self._before(call, self._syntax.scope(call), models)
            if not is_instead(self._syntax, call, save.call)
            and not self._is_by_choice(save.call, call)
            and self._is_made(save)
        )
        return any(told is None or not told.isdisjoint(self._told(save)) for save in saves)

    def _told(self, save: _Save) -> set[str]:
        """What a call is told that saves, and the object that does so was when it was built."""
        built = self._saving.built_by(save.call.func)
        return _told(save.call) | (_told(built) if built is not None else set())

    def _have_callers_saved(
        self, reader: ast.FunctionDef, models: Set[str | None], is_told: bool
    ) -> bool:
        """Whether all that call a function have saved before what they give it for a model."""
        parameters = [part for part in parameters_of(reader) if part.arg in models]
        if self._file is None or not parameters or self._syntax.outermost(reader) is not None:
            return False
        if self._is_never_saved:
            return False
        path = self._file.path
        uses = uses_of(self._file, Definition(path, reader.name))
        if not uses.complete or not 0 < len(uses.places) <= _MOST_CALLS:
            return False
        for user, node in uses.places:
            call = user.syntax.parent(node)
            if not isinstance(call, ast.Call) or call.func is not node:
                return False
            model = argument_for(self._syntax, call, parameters[0])
            given = None if model is None else path_of(model)
            there = Restoring(user.syntax, user.syntax.derived(Proof), user)
            others = [a for a in (*call.args, *call.keywords) if a is not model]
            if given in {None, "self"} or not there._has_saved(
                call, {given}, _parts(others) if is_told else None
            ):
                return False
        return True

    @cached_property
    def _is_never_saved(self) -> bool:
        """Whether nobody in the project saves anything."""
        if self._file is None or _SAVE in self._file.source.text:
            return False
        return not files_that_name(self._file.path, [_SAVE]).files

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
                    for saved in paths_in(node.args[0]) if node.args else ():
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
        if save.given is None:
            return True
        if save not in self._made:
            self._made[save] = self._saving.is_saved_by(save.call, save.given)
        return self._made[save]

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


def _line(save: _Save) -> int:
    return save.call.lineno


def _told(call: ast.Call) -> set[str]:
    """The variables, attributes and texts that the arguments of a call are made of."""
    return _parts([*call.args, *call.keywords])


def _parts(given: Iterable[ast.AST]) -> set[str]:
    """The variables, attributes and texts that some expressions are made of."""
    parts = [part for each in given for part in walk(each)]
    inner = {part.value for part in parts if isinstance(part, ast.Attribute)}
    inner |= {part.func for part in parts if isinstance(part, ast.Call)}
    named = {path_of(part) for part in parts if part not in inner}
    texts = {part.value for part in parts if isinstance(part, ast.Constant)}
    told = {each for each in named | texts if isinstance(each, str) and each}
    return {each for each in told if not _TYPE.fullmatch(each)}
