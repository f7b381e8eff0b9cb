"""Which files a program reads and writes, as far as its code says it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from torchdev_lint.catalog.bringing import LIGHTNING_FILES
from torchdev_lint.catalog.checkpoints import COPIERS, WRITERS
from torchdev_lint.placement.evidence.downloads import EXISTENCE, Downloads
from torchdev_lint.placement.evidence.entries import keys_read, may_have
from torchdev_lint.placement.evidence.files_by_name import FilesByName
from torchdev_lint.placement.evidence.reading_back import ReadingBack
from torchdev_lint.placement.evidence.stems import (
    GAP,
    GAPS,
    JOINING,
    is_named_for_host,
    is_published,
    name_in_folder,
    pattern_of,
    spelled,
    stem_at_end,
    without_keys,
    written_out,
)
from torchdev_lint.placement.evidence.written import (
    Written,
    name_at_end,
    names_written_for,
    types_written_through,
    writes_as_told,
    written_with,
)
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.names import last_component, path_of, text_of
from torchdev_lint.syntax.parameters import argument_for
from torchdev_lint.syntax.scopes import Syntax, root_name
from torchdev_lint.syntax.walking import walk

_FILE = frozenset({"f", "url"})
"""Keywords by which readers and writers are told of the file."""
_NO_OTHERS = JOINING | EXISTENCE
"""Functions that write nothing where they are told of a folder."""
_MOST_REMEMBERED = 20
"""How many places that set an attribute, or functions that write a file, are asked about it."""
_MOST_FOLLOWED = 20
"""Over how many expressions it is followed who says what is read; whoever calls, if over more."""
_OF_USER = frozenset({"parse_args", "parse_known_args", "input", "getenv"})
"""Functions that give what the user of a script says."""


class SavedFiles:
    """What files the calls of one file read and write.

    Args:
        syntax: the file's tree.
        proof: what is proven of its names.
    """

    def __init__(self, syntax: Syntax, proof: Proof) -> None:
        self._syntax = syntax
        self._proof = proof
        self._downloads = Downloads(syntax)
        self._known: dict[ast.Call, bool] = {}
        self._held: dict[ast.Name, list[ast.expr]] = {}

    def is_written_here(self, call: ast.Call) -> bool:
        """Return whether the program that reads a file has written it itself."""
        return (
            self._reads_one_of(self._written_by_name, call)
            or self._reads_one_like_written(call)
            or self._reads_one_handed_on(call)
            or self._reads_one_of_lightning(call)
        )

    def _reads_one_of_lightning(self, call: ast.Call) -> bool:
        """Whether a call reads what the callback for checkpoints has written."""
        files = self._called_for(call, 0)
        return any(isinstance(f, ast.Attribute) and f.attr in LIGHTNING_FILES for f in files)

    def is_left_to_others(self, call: ast.Call, path: str) -> bool:
        """Return whether another file has written what a function reads, in a folder it was told.

        So do objects that keep the best model: `early_stopping(loss, model, folder)`, then
        `torch.load(folder + "/checkpoint.pth")`. The other file is one that this one imports,
        itself or through others. Where a function of it was told the name, `train(name, model)`,
        it is enough that this writes files of that type, or by the name that it was told.

        Args:
            path: where this file lies, absolute; empty if that is not known.
        """
        source = self._file_of(call, 0)
        if source is None:
            return False
        if self._is_written_as_told(name_in_folder(source), call, path):
            return True
        if (stem := stem_at_end(source)) is not None:
            called = self._syntax.derived(ReadingBack).told_before(stem.name, call)
            return any(stem.type in types_written_through(path, each) for each in called)
        name = name_at_end(source)
        if name is None or name not in names_written_for(path):
            return False
        told = self._told.get(self._syntax.scope(call), {})
        return any(told.get(folder, call.lineno) < call.lineno for folder in _variables_in(source))

    def _is_written_as_told(self, name: ast.expr, call: ast.Call, path: str) -> bool:
        """Whether a function of another file was told the name of a file before, and writes it."""
        if not isinstance(name, ast.Name):
            return False
        called = self._syntax.derived(ReadingBack).told_before(name, call)
        return any(writes_as_told(path, each) for each in called)

    @cached_property
    def _told(self) -> dict[ast.AST, dict[str, int]]:
        """The variables that functions hand to others, each with the first line where they do."""
        found: dict[ast.AST, dict[str, int]] = {}
        for node in walk(self._syntax.tree):
            if isinstance(node, ast.Call) and last_component(node.func) not in _NO_OTHERS:
                first = found.setdefault(self._syntax.scope(node), {})
                for value in (*node.args, *(keyword.value for keyword in node.keywords)):
                    if isinstance(value, ast.Name):
                        first[value.id] = min(node.lineno, first.get(value.id, node.lineno))
        return found

    def is_downloaded(self, call: ast.Call) -> bool:
        """Return whether the program that reads a file downloads it, as what it calls is named."""
        source = self._file_of(call, 0)
        if isinstance(source, ast.Call) and self._downloads.fetches(source):
            return True
        return self._reads_one_of(self._downloaded, call)

    def is_published(self, call: ast.Call) -> bool:
        """Return whether a file is one that was published, which all can read that check it.

        Or one for those who have but the CPU, as its name says.
        """
        files = list(self._called_for(call, 0))
        return any(map(is_published, files)) or any(map(is_named_for_host, files))

    def source(self, call: ast.Call) -> ast.expr:
        """Return the expression of the file that a call reads; the call if it gives none."""
        return self._file_of(call, 0) or call

    def pattern(self, call: ast.Call) -> str:
        """Return how the path of a file reads, with gaps for what is not written out."""
        file = next(iter(self._called_for(call, 0)), None)
        return GAP if file is None else pattern_of(file, self._values)

    def is_named_here(self, call: ast.Call) -> bool:
        """Return whether the code says what a file is called, in whatever folder."""
        source = self._file_of(call, 0)
        name = None if source is None else name_in_folder(source)
        return name is not source and isinstance(name, ast.Constant)

    def writes_from_host(self, call: ast.Call) -> bool:
        """Return whether what the file writes, if it does, was all brought to the CPU for that.

        What has none of the entries that are read of it doesn't count. Where names end as that of
        the file does that a call reads, these alone count.
        """
        ending, keys = self._ending(call, 0), keys_read(self._syntax, call)
        contents = self._own.get(ending, {}) if ending is not None else {}
        alike = [each for each in contents if may_have(each.keys, keys)]
        if not alike:
            every = dict.fromkeys(each for contents in self._own.values() for each in contents)
            if len(every) > _MOST_REMEMBERED:
                return False
            alike = [each for each in every if may_have(each.keys, keys)]
        return bool(alike) and all(each.is_from_host for each in alike)

    @property
    def writes_nothing(self) -> bool:
        """Whether the file writes nothing itself, which others may have written for it then."""
        return not self._own

    @cached_property
    def _own(self) -> dict[str | None, dict[Written, None]]:
        """What the file writes, whatever its name is, by how that ends."""
        found: dict[str | None, dict[Written, None]] = {}
        for node, is_function in self._saves.items():
            if is_function and node.args:
                written = written_with(self._syntax, node)._replace(pattern="")
                found.setdefault(self._ending(node, 1), {})[written] = None
        return found

    def _ending(self, call: ast.Call, position: int) -> str | None:
        """What is written out at the end of a file's name, if it is more than its type."""
        file = self._file_of(call, position)
        texts = [text for text in written_out(file) if isinstance(text, str)] if file else []
        ending = GAPS.split(texts[-1])[-1] if texts else ""
        return ending if "." in ending[1:] else None

    def _reads_one_of(self, files: FilesByName, call: ast.Call) -> bool:
        """Whether a call reads one of some files, which are found by how they read."""
        return any(map(files.hold, (*self._called_for(call, 0), *self._remembered_for(call))))

    def _remembered_for(self, call: ast.Call) -> list[ast.Name]:
        """The variables with which methods set the attribute that a call is told to read."""
        path = path_of(call.args[0]) if call.args else None
        return self._remembered.get(path, [])[:_MOST_REMEMBERED] if path else []

    @cached_property
    def _remembered(self) -> dict[str, list[ast.Name]]:
        """The variables with which methods set attributes of their object: `self.best = path`."""
        found: dict[str, list[ast.Name]] = {}
        for node in walk(self._syntax.tree):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
                for target in node.targets:
                    if isinstance(target, ast.Attribute) and root_name(target) == "self":
                        found.setdefault(path_of(target) or "", []).append(node.value)
        return found

    def _reads_one_like_written(self, call: ast.Call) -> bool:
        """Whether a function writes files whose names differ in a number, say, and reads one.

        It may have another function write them.
        """
        scope, order = self._syntax.scope(call), self._syntax.derived(ReadingBack)
        sources = self._called_for(call, 0)
        written = [self._writers.get(written_out(source), {}) for source in sources]
        if any(scope in scopes for scopes in written):
            return True
        if scope in self._spelled and not self._spelled[scope].isdisjoint(self._spell(sources)):
            return True
        return any(
            order.is_run_before(each, call)
            for scopes in written
            for each in islice(scopes, _MOST_REMEMBERED)
        )

    @cached_property
    def _writers(self) -> dict[tuple[object, ...], dict[ast.AST, None]]:
        """The functions that write files, by what is written out of the names of these."""
        found: dict[tuple[object, ...], dict[ast.AST, None]] = {}
        for node in self._written:
            if parts := written_out(node):
                found.setdefault(parts, {})[self._syntax.scope(node)] = None
        return found

    @cached_property
    def _spelled(self) -> dict[ast.AST, set[str]]:
        """The names of the files that functions write, in however many pieces they are written."""
        found: dict[ast.AST, set[str]] = {}
        for node in self._written:
            found.setdefault(self._syntax.scope(node), set()).update(self._spell([node]))
        return found

    def _spell(self, files: list[ast.expr]) -> Iterator[str]:
        """Yield the names of files that are put together of what code computes."""
        yield from (name for file in files if "{" in (name := spelled(file, self._values)))

    def _reads_one_handed_on(self, call: ast.Call) -> bool:
        """Whether the function that reads a file has told one that writes files of it before."""
        told = self._handed_on.get(self._syntax.scope(call), {})
        read = map(text_of, self._called_for(call, 0) if told else ())
        return any(told.get(file, call.lineno) < call.lineno for file in read)

    @cached_property
    def _handed_on(self) -> dict[ast.AST, dict[str, int]]:
        """The files of which functions tell others that write to what they are told.

        Each with the first line where one does.
        """
        reaching = self._proof.bindings.reaching
        told: dict[ast.AST, ast.arg] = {}
        for save, is_function in self._saves.items():
            file = next(iter(self._called_for(save, 1)), None) if is_function else None
            for bound in reaching(file.id, file) if isinstance(file, ast.Name) else ():
                if isinstance(bound, ast.arg):
                    told[self._syntax.scope(save)] = bound
        found: dict[ast.AST, dict[str, int]] = {}
        for node in walk(self._syntax.tree) if told else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                first = found.setdefault(self._syntax.scope(node), {})
                for function in told.keys() & reaching(node.func.id, node.func):
                    file = argument_for(self._syntax, node, told[function])
                    if file is not None:
                        text = text_of(file)
                        first[text] = min(file.lineno, first.get(text, file.lineno))
        return found

    def is_given(self, call: ast.Call) -> bool:
        """Return whether a file is named by the caller of a function, or the user of a script."""
        if call not in self._known:
            self._known[call] = self._is_source_given(self._file_of(call, 0))
        return self._known[call]

    def _is_source_given(self, source: ast.expr | None) -> bool:
        pending, seen = [source], set[ast.expr]()
        while pending:
            current = pending.pop()
            if current is None or len(seen) > _MOST_FOLLOWED:
                return True
            if current in seen:
                continue
            seen.add(current)
            for part in without_keys(current):
                if isinstance(part, ast.Call) and last_component(part.func) in _OF_USER:
                    return True
                if isinstance(part, ast.Name) and self._is_from_outside(part, current):
                    values = self._values(part)
                    if not values and self._is_given(part):
                        return True
                    pending += values
        return False

    def _is_from_outside(self, name: ast.Name, around: ast.expr) -> bool:
        """Whether an expression reads a variable that it doesn't bind itself; `self` is none."""
        owner = self._proof.bindings.owner(name.id, name)
        inside = owner is around or (owner is not None and around in self._syntax.around(owner))
        return not inside and name.id not in {"self", "cls"}

    def _is_given(self, name: ast.Name) -> bool:
        """Whether a name holds what a function was called with, or a loop goes through."""
        bound = self._proof.bindings.reaching(name.id, name)
        return any(isinstance(binding, (ast.arg, ast.Name)) for binding in bound)

    @cached_property
    def _written(self) -> list[ast.expr]:
        """The files that are written."""
        found: list[ast.expr] = []
        for node, is_function in self._saves.items():
            found += self._called_for(node, 1 if is_function else 0)
        for node in self._copies if found else ():
            found += self._called_for(node, 1)
        return found

    @cached_property
    def _written_by_name(self) -> FilesByName:
        return FilesByName(self._syntax, self._proof.bindings, self._written)

    @cached_property
    def _downloaded(self) -> FilesByName:
        return FilesByName(self._syntax, self._proof.bindings, self._downloads.files)

    @property
    def _copies(self) -> Iterator[ast.Call]:
        """The calls that give a file another name, as the best of those that were written."""
        calls = (node for node in walk(self._syntax.tree) if isinstance(node, ast.Call))
        return (call for call in calls if self._proof.values.library(call.func) in COPIERS)

    @cached_property
    def _saves(self) -> dict[ast.Call, bool]:
        """The calls of what saves something, and whether that is a function which writes a file."""
        calls = (node for node in walk(self._syntax.tree) if isinstance(node, ast.Call))
        named = (node for node in calls if last_component(node.func) == "save")
        return {node: self._proof.values.library(node.func) in WRITERS for node in named}

    def _file_of(self, call: ast.Call, position: int) -> ast.expr | None:
        """The expression of the file that a call reads or writes; None if it gives none."""
        return next(iter(self._called_for(call, position)[::-1]), None)

    def _called_for(self, call: ast.Call, position: int) -> list[ast.expr]:
        """The expression of the file as a call gives it; then what that holds, if it is known."""
        named = (keyword.value for keyword in call.keywords if keyword.arg in _FILE)
        given = call.args[position] if len(call.args) > position else next(named, None)
        if given is None:
            return []
        values = self._values(given) if isinstance(given, ast.Name) else []
        files = [value for value in values if not _is_none(value)]
        return [given, *files] if len(files) == 1 else [given]

    def _values(self, name: ast.Name) -> list[ast.expr]:
        """What a variable may hold; of an open file, its path."""
        if name not in self._held:
            self._held[name] = self._values_of(name)
        return self._held[name]

    def _values_of(self, name: ast.Name) -> list[ast.expr]:
        bound = self._proof.bindings.reaching(name.id, name)
        only = next(iter(bound)) if len(bound) == 1 else None
        opened = self._syntax.parent(only) if only is not None else None
        if isinstance(opened, ast.withitem) and isinstance(opened.context_expr, ast.Call):
            return opened.context_expr.args[:1]
        return self._proof.values.values(name.id, name)


def _variables_in(node: ast.expr) -> set[str]:
    """The variables that an expression reads as they are, and not for a part of theirs."""
    parts = set(walk(node))
    owners = {part.value for part in parts if isinstance(part, ast.Attribute)}
    return {part.id for part in parts - owners if isinstance(part, ast.Name)}


def _is_none(node: ast.expr) -> bool:
    """Whether a variable holds no file yet: nothing is read from that."""
    return isinstance(node, ast.Constant) and node.value is None
