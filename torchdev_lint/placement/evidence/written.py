"""What a file, or a project, writes to files, and whether it has brought that to the CPU."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from torchdev_lint.catalog.checkpoints import COMPILERS, WRITERS
from torchdev_lint.placement.evidence.bringing_files import brings_nothing
from torchdev_lint.placement.evidence.entries import Keys, keys_of
from torchdev_lint.placement.evidence.from_host import Moves, held_once, is_from_host
from torchdev_lint.placement.evidence.given import Given
from torchdev_lint.placement.evidence.host_files import (
    LEADS_TO_ACCELERATOR,
    MOST_FILES,
    names_no_accelerator,
)
from torchdev_lint.placement.evidence.neighbours import MOST_IMPORTED, imports_of, reached_by
from torchdev_lint.placement.evidence.reading_back import mentioned
from torchdev_lint.placement.evidence.stems import GAP, name_in_folder, pattern_of, stem_at_end
from torchdev_lint.project.files import ParsedFile, parsed_file, source_of
from torchdev_lint.project.names import defined_in
from torchdev_lint.project.seen import remembered
from torchdev_lint.project.users import files_that_name
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax
from torchdev_lint.syntax.walking import walk

_OF_TORCH, _WRITES = re.compile(r"\btorch\b"), re.compile(r"\bsave\b")
"""What stands in a file that writes something of PyTorch's, one after the other."""
_SAVE, _LOAD = "save", "load"
_MOST_VARIABLES = 8
"""Over how many variables it is followed what a file is called."""
_TRAIN = "backward"
_STATE = "state_dict"


class Written(NamedTuple):
    """A file that code writes.

    Args:
        pattern: how its path reads, with gaps for what is not written out.
        is_from_host: whether what it holds was brought to the CPU for that.
        keys: the entries that it has.
        in_script: whether it is built, and written, by the statements of a file themselves.
    """

    pattern: str
    is_from_host: bool
    keys: Keys = None
    in_script: bool = False


def project_stays_on_host(path: str, writes: bool) -> bool:
    """Return whether files of a project write models, and none names an accelerator.

    Nor what finds one by itself, nor a device that is not written out to be the CPU. So its models
    are written from the CPU. It is enough if that goes for the folder of the file, if what writes
    some there trains them as well, and nothing that names an accelerator has to do with it: tools
    read, and write again, what others have trained.

    Args:
        path: the file that asks, absolute; empty if that is not known.
        writes: whether that writes some itself; it names no accelerator.
    """
    if not path or not os.path.isabs(path):
        return False
    named = files_that_name(path, sorted(LEADS_TO_ACCELERATOR))
    if not named.complete:
        return False
    if len(named.files) > MOST_FILES:
        return False
    writing = files_that_name(path, [_SAVE]).files[:MOST_FILES]
    leading = [f for f in named.files if not (names_no_accelerator(f) or brings_nothing(f))]
    if not leading:
        return writes or any(map(written_by, writing))
    folder = os.path.join(os.path.dirname(path), "")
    if any(file.startswith(folder) for file in leading):
        return False
    writers = {file for file in writing if file.startswith(folder) and written_by(file)}
    writers |= {path} if writes else set()
    training = files_that_name(path, [_TRAIN]).files
    trainers = {file for file in writers if not reached_by(file).isdisjoint(training)}
    return bool(trainers) and _are_apart(writers, set(leading))


def _are_apart(some: set[str], others: set[str]) -> bool:
    """Whether no file imports one of some others, itself or through more, nor the other way."""
    imported = [(reached_by(file), others) for file in some]
    imported += [(reached_by(file), some) for file in others]
    return all(
        len(reached) < MOST_IMPORTED and reached.isdisjoint(apart) for reached, apart in imported
    )


@remembered
def names_written_for(path: str) -> frozenset[str]:
    """Return the names of the files that those write which a file imports, in whatever folder.

    Args:
        path: the file, absolute; empty if that is not known.
    """
    if not path or not os.path.isabs(path):
        return frozenset()
    others = reached_by(path).intersection(files_that_name(path, [_SAVE]).files)
    return frozenset[str]().union(*map(_names_written_by, others))


def types_written_through(path: str, name: str) -> frozenset[str]:
    """Return the types of the files that a function of another file writes, or one it names there.

    Args:
        path: the file that imports it, absolute; empty if that is not known.
        name: what it is called there.
    """
    return frozenset[str]().union(*(_types_written_by(*each) for each in _homes_of(path, name)))


def writes_as_told(path: str, name: str) -> bool:
    """Return whether a function of another file writes a file by a name that it is told.

    Args:
        path: the file that imports it, absolute; empty if that is not known.
        name: what it is called there.
    """
    return any(_names_by_parameter(*each) for each in _homes_of(path, name))


@remembered
def _names_by_parameter(path: str, function: str) -> bool:
    """Whether a function writes a file whose name is a parameter, or ends with one."""
    file = parsed_file(path) if _may_write(path) else None
    own = None if file is None else defined_in(file, function)
    if file is None or not isinstance(own, FUNCTIONS):
        return False
    calls = (c for c in _writes_in(file.tree) if file.syntax.scope(c) is own and c.args[1:])
    parameters = {each.arg for each in parameters_of(own)}
    given = file.syntax.derived(Given).of(own)
    for call in calls:
        ends = [name_in_folder(call.args[1])]
        for end in islice(ends, _MOST_VARIABLES):  # it grows meanwhile
            if not isinstance(end, ast.Name):
                continue
            if end.id in parameters:
                return True
            ends += map(name_in_folder, given.get(end.id, []))
    return False


def _homes_of(path: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the files from which one may import a function, and what it is called there."""
    for home, aliases in imports_of(path) if os.path.isabs(path) else ():
        names = {alias.asname or alias.name: alias.name for alias in aliases}
        if name in names:
            yield home, names[name]


@remembered
def _types_written_by(path: str, function: str) -> frozenset[str]:
    """The types of the files that a function writes under a name that it was told, or makes up."""
    file = parsed_file(path) if _may_write(path) else None
    if file is None:
        return frozenset()
    own = {node.name: node for node in file.tree.body if isinstance(node, FUNCTIONS)}
    links = {name: mentioned(node) & own.keys() for name, node in own.items()}
    reached = {function} & own.keys()
    while more := {each for name in reached for each in links[name]} - reached:
        reached |= more
    scopes = {own[name] for name in reached}
    calls = [c for c in _writes_in(file.tree) if file.syntax.outermost(c) in scopes]
    stems = map(stem_at_end, _files_written(file.syntax, calls))
    return frozenset(stem.type for stem in stems if stem is not None)


def _files_written(syntax: Syntax, calls: list[ast.Call]) -> Iterator[ast.expr]:
    """Yield the files that calls write: what stands there, or what their function gives that."""
    given = syntax.derived(Given)
    for file in (call.args[1] for call in calls if call.args[1:]):
        yield file
        if isinstance(file, ast.Name):
            yield from given.of(syntax.scope(file)).get(file.id, ())


@remembered
def _names_written_by(path: str) -> frozenset[str]:
    """The names of the files that a file writes, where they are written out at their end."""
    file = parsed_file(path) if _may_write(path) else None
    calls = [] if file is None else _writes_in(file.tree)
    named = (name_at_end(call.args[1]) for call in calls if call.args[1:])
    return frozenset(name for name in named if name is not None)


def name_at_end(file: ast.expr) -> str | None:
    """Return the name of a file, None if it isn't written out at the end of the expression."""
    texts = [
        node
        for node in walk(file)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    last = max(texts, key=lambda node: (node.lineno, node.col_offset), default=None)
    ends = last is not None and last.end_lineno == file.end_lineno
    text = str(last.value) if last is not None and ends else ""
    name = text.rpartition("/")[2]
    return name if "." in name[1:] else None


@remembered
def written_by(path: str) -> tuple[Written, ...]:
    """Return the files that the code of one writes.

    What it has read itself, and moves nowhere, is where that was, and counts for nothing.

    Args:
        path: where the code lies, absolute.
    """
    if not _may_write(path):
        return ()
    file = parsed_file(path)
    if file is None:
        return (Written(GAP, is_from_host=False),)
    syntax = file.syntax
    found = (
        written_with(syntax, call)
        for call in _writes_in(file.tree)
        if not (call.args and _is_written_again(syntax, call.args[0]))
    )
    scripts = (_script_written(syntax, node) for node in walk(file.tree))
    return tuple(dict.fromkeys((*found, *(each for each in scripts if each is not None))))


def _script_written(syntax: Syntax, node: ast.AST) -> Written | None:
    """What the method of a compiled model writes: `torch.jit.script(model.cpu()).save(path)`.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.jit.ScriptModule.html
    """
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
        return None
    owner = held_once(syntax, node.func.value) if node.func.attr == _SAVE else None
    if not (isinstance(owner, ast.Call) and dotted(owner.func) in COMPILERS and owner.args):
        return None
    return Written(_pattern(syntax, node, 0), is_from_host(syntax, owner.args[0]))


def calls_that_write(file: ParsedFile, written: Written) -> list[ast.Call]:
    """Return the calls of a file that write something, one for each place."""
    calls = _writes_in(file.tree)
    return [call for call in calls if call.args and written_with(file.syntax, call) == written]


def written_with(syntax: Syntax, call: ast.Call) -> Written:
    """Return what a call writes.

    Args:
        syntax: the file's tree.
        call: what writes.
    """
    if not call.args:
        return Written(_pattern(syntax, call), is_from_host=False)
    what = call.args[0]
    return Written(
        _pattern(syntax, call),
        is_from_host(syntax, what),
        keys_of(held_once(syntax, what)),
        _is_of_script(syntax, what),
    )


def _is_of_script(syntax: Syntax, what: ast.expr) -> bool:
    """Whether the statements of a file write what they have built themselves, and have not read."""
    if not isinstance(syntax.scope(what), ast.Module):
        return False
    given = syntax.derived(Given).held_by(what)
    built = (isinstance(v, ast.Call) and last_component(v.func) != _LOAD for v in given)
    return bool(given) and all(built)


def _pattern(syntax: Syntax, call: ast.Call, position: int = 1) -> str:
    """How the path of the file reads that a call writes: one of its arguments."""
    given, path = syntax.derived(Given).of(syntax.scope(call)), call.args[position:]
    return pattern_of(path[0], lambda n: given.get(n.id, [])) if path else GAP


def _is_written_again(syntax: Syntax, node: ast.expr) -> bool:
    """Whether what is written was read in the same function, which moves nothing."""
    scope = syntax.scope(node)
    given = syntax.derived(Given).held_by(node)
    is_read = all(isinstance(v, ast.Call) and last_component(v.func) == _LOAD for v in given)
    return bool(given) and is_read and not syntax.derived(Moves).of(scope)


def _may_write(path: str) -> bool:
    """Whether something in a file may write anything of PyTorch's: most need not be parsed."""
    source = source_of(path)
    first = _OF_TORCH.search(source.text) if source is not None else None
    return first is not None and _WRITES.search(first.string, first.end()) is not None


def _writes_in(tree: ast.Module) -> list[ast.Call]:
    """The calls by which a file writes something of PyTorch's."""
    writers = WRITERS | frozenset(_other_names(tree))
    calls = (node for node in walk(tree) if isinstance(node, ast.Call))
    return [call for call in calls if dotted(call.func) in writers]


def _other_names(tree: ast.Module) -> Iterator[str]:
    """Yield what else a file calls the functions that write something of PyTorch's."""
    for node in walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name == "torch" and alias.asname:
                    yield f"{alias.asname}.{_SAVE}"
        elif isinstance(node, ast.ImportFrom) and node.module == "torch":
            yield from (a.asname or a.name for a in node.names if a.name == _SAVE)
