"""Where a project brings to an accelerator what a class or a function of it is part of.

That a module is on the accelerator is an assumption, as long as nothing is seen of its user. Here
its name is looked for in the project; what is built of it is followed, from variable to variable
and from file to file, to where it is moved. Nothing is run: whether that place is ever reached, and
with this very object, the syntax doesn't tell.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator, Set

from torchdev_lint.catalog.bringing import (
    BRINGING_METHODS,
    BRINGS_WHAT_IT_IS_GIVEN,
    LIGHTNING_MODULES,
    LIGHTNING_RUNS,
    LIGHTNING_TRAINERS,
)
from torchdev_lint.catalog.modules import CONTAINERS, FLUENT_METHODS, PARALLEL, WRAPPERS
from torchdev_lint.placement.domain.origins import Site
from torchdev_lint.placement.evidence.devices import names_accelerator
from torchdev_lint.placement.evidence.host_callers import is_given_host_values
from torchdev_lint.placement.evidence.told_host import moves_to_host
from torchdev_lint.project.files import ParsedFile, parsed_file
from torchdev_lint.project.names import Definition, meaning_of, references
from torchdev_lint.project.users import files_that_name
from torchdev_lint.proof.grounds import Grounds
from torchdev_lint.syntax.names import dotted, names_in
from torchdev_lint.syntax.parameters import parameter_for
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax
from torchdev_lint.syntax.walking import walk

MAX_NAMES = 12
"""How many classes and functions are looked for, each as it is part of the one before."""
MAX_FILES = 40
"""How many files are read for all of them."""
_MOST_ABOVE = 3
"""How many classes above one are asked whether they move their objects."""
MAX_STEPS = 400
"""How many expressions are followed that hold what is built."""


def where_brought(file: ParsedFile, name: str) -> Site | None:
    """Return where something is moved to an accelerator that a definition is part of, if anywhere.

    Args:
        file: the file.
        name: the class or function, which stands at its top.
    """
    return _Search(file).from_name(name)


class _Search:
    """A search, which ends with the first place that is found.

    Args:
        file: where it begins.
    """

    def __init__(self, file: ParsedFile) -> None:
        self._files: dict[str, ParsedFile | None] = {file.path: file}
        self._names: deque[tuple[Definition, bool]] = deque()
        self._asked: set[tuple[Definition, bool]] = set()
        self._followed: set[ast.AST] = set()
        self._path = file.path

    def from_name(self, name: str) -> Site | None:
        """Look for uses of a definition, of what that is part of, and so on."""
        self._ask(self._files[self._path], name)
        for _ in range(MAX_NAMES):
            if not self._names:
                break
            definition, gives_it = self._names.popleft()
            moved = self._moved_by_itself(definition)
            if moved is not None:
                return moved
            for file in self._naming(definition):
                for node in references(file, definition):
                    if not gives_it and is_given_host_values(file, node):
                        continue  # whatever has called it keeps to the CPU there
                    found = self._used(file, node, gives_it)
                    if found is not None:
                        return found
        return self._trained(Definition(self._path, name))

    def _trained(self, definition: Definition) -> Site | None:
        """Where a trainer of Lightning is built, if a class is one of its modules.

        Which module it trains may be for a configuration to say. The nearest file that builds one
        says whether it stays on the CPU.
        """
        if not definition.path or not self._is_trained(definition):
            return None
        for path in (definition.path, *files_that_name(definition.path, ["Trainer"]).files):
            file = self._file(path)
            built = [] if file is None else file.derived(_trainers_built)
            if file is not None and built:
                found = next((call for call in built if not _names_host(call)), None)
                return None if found is None else Site(file.path, file.source.span(found))
        return None

    def _is_trained(self, definition: Definition, above: int = _MOST_ABOVE) -> bool:
        """Whether a class inherits from Lightning's module, directly or by way of others."""
        file = self._file(definition.path)
        node = None if file is None else file.derived(_definitions).get(definition.name)
        if file is None or not isinstance(node, ast.ClassDef):
            return False
        names = (dotted(base) for base in node.bases)
        meant = [m for name in names if name and (m := meaning_of(file, name)) is not None]
        if any(not m.path and m.name in LIGHTNING_MODULES for m in meant):
            return True
        return above > 0 and any(self._is_trained(m, above - 1) for m in meant if m.path)

    def _ask(self, file: ParsedFile | None, name: str, gives_it: bool | None = None) -> None:
        """Look for a name later on.

        Args:
            gives_it: whether its call gives what is looked for; as a class does.
        """
        node = None if file is None else file.derived(_definitions).get(name)
        if file is None or node is None:
            return
        asked = Definition(file.path, name), gives_it or isinstance(node, ast.ClassDef)
        if asked not in self._asked:
            self._asked.add(asked)
            self._names.append(asked)

    def _moved_by_itself(self, definition: Definition, above: int = _MOST_ABOVE) -> Site | None:
        """Where a class, or one above it, moves its own objects: `self.to(device)`.

        Args:
            above: how many classes above it are looked into, each above the one before.
        """
        file = self._file(definition.path)
        node = None if file is None else file.derived(_definitions).get(definition.name)
        if file is None or not isinstance(node, ast.ClassDef):
            return None
        for mover in _movers_of_itself(file, node):
            return Site(file.path, file.source.span(mover))
        for base in node.bases if above else ():
            name = dotted(base)
            meaning = None if name is None else meaning_of(file, name)
            found = None
            if meaning is not None and meaning.path:
                found = self._moved_by_itself(meaning, above - 1)
            if found is not None:
                return found
        return None

    def _naming(self, definition: Definition) -> Iterator[ParsedFile]:
        """Yield the files in which a name stands, its own first."""
        paths = [definition.path]
        if definition.path:
            paths += files_that_name(definition.path, [definition.name]).files
        for path in paths:
            file = self._file(path)
            if file is not None:
                yield file

    def _file(self, path: str) -> ParsedFile | None:
        if path not in self._files and len(self._files) <= MAX_FILES:
            self._files[path] = parsed_file(path)
        return self._files.get(path)

    def _used(self, file: ParsedFile, node: ast.expr, gives_it: bool) -> Site | None:
        syntax = file.syntax
        parent = syntax.parent(node)
        if isinstance(parent, ast.ClassDef) and node in parent.bases:
            self._ask(file, parent.name)
        elif isinstance(parent, ast.Call) and parent.func is node:
            outer = syntax.outermost(node)
            if outer is not None and (isinstance(outer, ast.ClassDef) or not gives_it):
                self._ask(file, outer.name)
            if gives_it:
                return self._follow(file, parent)
        return None

    def _follow(self, file: ParsedFile, node: ast.expr) -> Site | None:
        """Follow an expression that gives what is looked for to where that is moved."""
        pending: list[tuple[ParsedFile, ast.expr]] = [(file, node)]
        while pending and len(self._followed) < MAX_STEPS:
            file, node = pending.pop()
            if node in self._followed:
                continue
            self._followed.add(node)
            mover = _mover(file, node)
            if mover is not None:
                return Site(file.path, file.source.span(mover))
            pending += self._next(file, node)
        return None

    def _next(self, file: ParsedFile, node: ast.expr) -> Iterator[tuple[ParsedFile, ast.expr]]:
        """Yield what else holds what an expression gives."""
        syntax = file.syntax
        parent = syntax.parent(node)
        if isinstance(parent, ast.keyword):
            node, parent = parent, syntax.parent(parent)  # type: ignore[assignment]  # of a call
        if isinstance(parent, ast.Return):
            self._returned(file, parent)
        elif isinstance(parent, (ast.Assign, ast.AnnAssign, ast.NamedExpr)):
            targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
            for target in targets:
                yield from ((file, other) for other in _reads(syntax, target))
        elif isinstance(parent, ast.Attribute):
            call = syntax.parent(parent)
            if parent.attr in FLUENT_METHODS and isinstance(call, ast.Call):
                yield file, call
        elif isinstance(parent, ast.Call):
            yield from self._passed(file, parent, node)
        elif isinstance(parent, _HOLDING):
            yield file, parent

    def _returned(self, file: ParsedFile, node: ast.Return) -> None:
        function = file.syntax.scope(node)
        if isinstance(function, FUNCTIONS):
            self._ask(file, function.name, gives_it=True)

    def _passed(
        self, file: ParsedFile, call: ast.Call, given: ast.AST
    ) -> Iterator[tuple[ParsedFile, ast.expr]]:
        """Yield what holds an argument of a call: its result, or a parameter of the project's."""
        name = dotted(call.func)
        callee = None if name is None else meaning_of(file, name)
        if callee is None:
            return
        if not callee.path:
            if callee.name in _WRAPPING:
                yield file, call
            return
        target = self._file(callee.path)
        node = None if target is None else target.derived(_definitions).get(callee.name)
        function, skipped = (_init_of(node), 1) if isinstance(node, ast.ClassDef) else (node, 0)
        if target is None or not isinstance(function, FUNCTIONS):
            return
        parameter = parameter_for(function, call, given, skipped)
        for use in target.syntax.named(parameter.arg, function) if parameter else ():
            if isinstance(use.ctx, ast.Load):
                yield target, use


_WRAPPING = WRAPPERS | PARALLEL | {f"torch.nn.{name}" for name in CONTAINERS}
"""What gives a module that holds the one it is given, or that itself."""
_HOLDING = (ast.List, ast.Tuple, ast.Dict, ast.Starred, ast.IfExp, ast.Await)
"""Expressions that hold, or give, what is in them."""


_Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def _definitions(file: ParsedFile) -> dict[str, _Definition]:
    """The classes and functions at the top of a file."""
    return {n.name: n for n in file.tree.body if isinstance(n, (ast.ClassDef, *FUNCTIONS))}


def _init_of(node: ast.ClassDef) -> ast.AST | None:
    inits = (n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__")
    return next(inits, None)


def _reads(syntax: Syntax, target: ast.expr) -> Iterator[ast.expr]:
    """Yield where a variable is read that has been assigned; an attribute in its whole class.

    By then it may hold something else: where that is certain, it is not followed.
    """
    if isinstance(target, ast.Name):
        values = syntax.derived(Grounds).values
        for name in syntax.named(target.id, syntax.scope(target)):
            if isinstance(name.ctx, ast.Load):
                bound = values.bound(name.id, name)
                if not bound or target in bound:
                    yield name
    elif isinstance(target, ast.Attribute) and (path := dotted(target)):
        method = syntax.method(target)
        for node in walk(method[1] if method else syntax.tree):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                if node.attr == target.attr and dotted(node) == path:
                    yield node


def _mover(file: ParsedFile, node: ast.expr) -> ast.Call | None:
    """The call that brings what an expression gives to an accelerator, if one does."""
    syntax = file.syntax
    parent = syntax.parent(node)
    keyword = parent if isinstance(parent, ast.keyword) else None
    if keyword is not None:
        parent = syntax.parent(keyword)
    if isinstance(parent, ast.Call) and parent.func is not node:
        return parent if _brings_argument(file, parent, keyword or node) else None
    call = syntax.parent(parent) if isinstance(parent, ast.Attribute) else None
    if not isinstance(call, ast.Call) or not isinstance(parent, ast.Attribute):
        return None
    if parent.attr == "cuda":
        return call
    is_brought = parent.attr == "to" and names_accelerator(syntax, call)
    return call if is_brought and not moves_to_host(file, call) else None


def _movers_of_itself(file: ParsedFile, node: ast.ClassDef) -> Iterator[ast.Call]:
    """Yield the calls by which methods of a class move its object to an accelerator.

    A method that is told where to has its callers say it, but for the constructor.
    """
    for method in node.body:
        if not isinstance(method, FUNCTIONS) or not method.args.args:
            continue
        own, *others = (parameter.arg for parameter in method.args.args)
        told = set(others) if method.name != "__init__" else set()
        for part in walk(method):
            if isinstance(part, ast.Name) and part.id == own:
                mover = _mover(file, part)
                if mover is not None and told.isdisjoint(names_in(mover)):
                    yield mover


def _brings_argument(file: ParsedFile, call: ast.Call, given: ast.AST) -> bool:
    """Whether a call hands a model to a library that brings it to an accelerator itself.

    What a trainer of Lightning's is given beside its model stays where it is: its data.

    Args:
        given: the argument, or the keyword with it.
    """
    if _names_host(call):
        return False
    if _is_of(file, call.func, BRINGS_WHAT_IT_IS_GIVEN):
        return True
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in BRINGING_METHODS:
        return False
    if call.func.attr in LIGHTNING_RUNS and not _is_model(call, given):
        return False
    built = (made for made in _built(file, call.func.value) if not _names_host(made))
    return any(_is_of(file, made.func, BRINGING_METHODS[call.func.attr]) for made in built)


def _is_model(call: ast.Call, given: ast.AST) -> bool:
    """Whether an argument is the model that a trainer of Lightning's runs."""
    return given.arg == "model" if isinstance(given, ast.keyword) else given is call.args[0]


def _trainers_built(file: ParsedFile) -> list[ast.Call]:
    """The calls of a file that build a trainer of Lightning's."""
    calls = (node for node in walk(file.tree) if isinstance(node, ast.Call))
    return [call for call in calls if _is_of(file, call.func, LIGHTNING_TRAINERS)]


def _built(file: ParsedFile, owner: ast.expr) -> Iterator[ast.Call]:
    """Yield the calls that may give an object: it may be written out, as in `Trainer().fit()`."""
    if isinstance(owner, ast.Call):
        yield owner
    name = dotted(owner)
    if name is not None:
        yield from file.derived(_calls_kept).get(name, ())


def _calls_kept(file: ParsedFile) -> dict[str, list[ast.Call]]:
    """The calls of which a file keeps what they give, by the variables and attributes that do."""
    found: dict[str, list[ast.Call]] = {}
    for node in walk(file.tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            for name in {dotted(target) for target in node.targets} - {None}:
                found.setdefault(str(name), []).append(node.value)
    return found


def _names_host(call: ast.Call) -> bool:
    return any(isinstance(k.value, ast.Constant) and k.value.value == "cpu" for k in call.keywords)


def _is_of(file: ParsedFile, function: ast.expr, names: Set[str]) -> bool:
    """Whether what is called is one of some members of libraries."""
    name = dotted(function)
    meaning = None if name is None else meaning_of(file, name)
    return meaning is not None and not meaning.path and meaning.name in names
