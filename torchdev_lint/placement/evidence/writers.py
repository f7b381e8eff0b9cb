"""Who in a project may have written a file, and whether that was on the CPU."""

from __future__ import annotations

import ast
import os
import re
from typing import NamedTuple

from torchdev_lint.catalog.bringing import LIGHTNING_ROOTS
from torchdev_lint.placement.evidence.bringing_files import brings_nothing
from torchdev_lint.placement.evidence.entries import Keys, may_have
from torchdev_lint.placement.evidence.hiding import hides_accelerators
from torchdev_lint.placement.evidence.host_files import (
    LEADS_TO_ACCELERATOR,
    MOST_FILES,
    keeps_to_host,
)
from torchdev_lint.placement.evidence.made_of import Placed
from torchdev_lint.placement.evidence.neighbours import MOST_IMPORTED, programs_with, reached_by
from torchdev_lint.placement.evidence.shipped import lies_beside_code
from torchdev_lint.placement.evidence.stems import (
    GAP,
    are_of_one_type,
    is_named,
    may_be_named_alike,
    may_be_same,
)
from torchdev_lint.placement.evidence.unmoved_models import stays_where_built
from torchdev_lint.placement.evidence.written import Written, calls_that_write, written_by
from torchdev_lint.project.files import ParsedFile, parsed_file, source_of
from torchdev_lint.project.seen import remembered
from torchdev_lint.project.users import files_that_name, is_test
from torchdev_lint.syntax.names import imported_from
from torchdev_lint.syntax.walking import walk

_MOST_WRITTEN = 100
"""How many different files a project may write of which it is asked whether one is read."""
_SAVE = "save"
_WRITES_ITSELF = "ModelCheckpoint"
"""What Lightning, and others, call what writes a model wherever that is."""
_TYPES = frozenset({"ckpt", "pt", "pth", "tar"})
"""Types of the files that such a thing writes.
Source: https://lightning.ai/docs/pytorch/stable/common/checkpointing_basic.html and
https://docs.pytorch.org/ignite/generated/ignite.handlers.checkpoint.ModelCheckpoint.html"""
_KERAS = frozenset({"keras", "tensorflow", "tf_keras"})
"""Libraries that write models of their own."""
_LEADS = re.compile(rf"\b({'|'.join(sorted(LEADS_TO_ACCELERATOR))})\b")
_TRAINS = re.compile(r"\bbackward\b")


@remembered
def is_written_from_host(path: str, pattern: str, keys: Keys) -> bool:
    """Return whether the project writes what may be a file, and all that on the CPU.

    It was brought there, or those that write it put nothing on an accelerator. Who writes
    what is read of it comes before others, and who says what such files are called, or, where the
    name is told by somebody else, who lies in the folder of the file that asks; who writes to the
    folder that is read, and a file which reads what it may have written itself. Of a file that
    nobody writes any more, those say it that bring others of its type there. Tests write what they
    read.

    Args:
        path: the file that asks, absolute; empty if that is not known.
        pattern: how the path of the file that is read reads.
        keys: the entries that are read of it.
    """
    if not path or not os.path.isabs(path):
        return False
    with_keys = [w for w in _written_around(path) if may_have(w.written.keys, keys)]
    may_be = [w for w in with_keys if may_be_same(w.written.pattern, pattern)]
    fitting = [each for each in may_be if keys and each.written.keys is not None] or may_be
    alike = [each for each in fitting if keys and each.written.keys == keys] or fitting
    if folder := _folder_in(pattern):
        alike = [each for each in alike if _folder_in(each.written.pattern) == folder] or alike
    named = [each for each in alike if is_named(each.written.pattern)]
    told = named or alike
    if not is_named(pattern):
        folder = os.path.join(os.path.dirname(path), "")
        told = [each for each in alike if each.file.startswith(folder)] or told
    own = [each for each in told if each.file == path]
    of_type = [w for w in with_keys if are_of_one_type(w.written.pattern, pattern)]
    is_brought = bool(of_type) and all(each.written.is_from_host for each in of_type)
    is_known = _are_from_host(told) or _are_from_host(own) or (is_brought and not named)
    if not (is_known or _are_of_unmoved_models(told, pattern)):
        return False
    type_ = pattern.rpartition(".")[2]
    may_write_itself = type_ in _TYPES or GAP in type_ or "/" in type_
    writing = files_that_name(path, [_WRITES_ITSELF]).files if may_write_itself else ()
    is_state = keys == frozenset()
    return all(
        _imports(each, _KERAS) or (is_state and _imports(each, LIGHTNING_ROOTS)) for each in writing
    )


@remembered
def _imports(path: str, roots: frozenset[str]) -> bool:
    """Whether a file imports one of some libraries: the callback that it names is of those.

    That of Lightning writes files that hold states under a key, and that of Keras none of
    PyTorch's.
    Source: https://lightning.ai/docs/pytorch/stable/common/checkpointing_basic.html and
    https://keras.io/api/callbacks/model_checkpoint/
    """
    file = parsed_file(path)
    nodes = [] if file is None else walk(file.tree)
    imports = (node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)))
    return any(imported_from(node, roots) for node in imports)


def _folder_in(pattern: str) -> str:
    """The name of the folder at the end of a pattern; empty if it isn't written out."""
    folder = pattern.rpartition("/")[0].rpartition("/")[2]
    return "" if GAP in folder else folder


def _are_from_host(writers: list[_Writer]) -> bool:
    return bool(writers) and all(map(_is_from_host, writers))


def _is_from_host(writer: _Writer) -> bool:
    """Whether something was brought to the CPU to be written, or those that write it stay there."""
    if writer.written.is_from_host or _stays_on_host(writer.file) or _hides_all(writer.file):
        return True
    return writer.written.in_script and all(map(brings_nothing, reached_by(writer.file)))


def _are_of_unmoved_models(writers: list[_Writer], pattern: str) -> bool:
    """Whether nothing moves the models that some write, and one may write a file of that name."""
    return any(may_be_named_alike(each.written.pattern, pattern) for each in writers) and all(
        _is_from_host(each) or _is_of_unmoved_models(each) for each in writers
    )


@remembered
def _is_of_unmoved_models(writer: _Writer) -> bool:
    """Whether nothing moves the models of which a file that is written holds the states."""
    states = [Placed(file, call.args[0]) for file, call in _calls_of(writer)]
    return bool(states) and all(map(stays_where_built, states))


def _calls_of(writer: _Writer) -> list[tuple[ParsedFile, ast.Call]]:
    """The calls by which a file writes something, each with the file."""
    file = parsed_file(writer.file)
    return [] if file is None else [(file, c) for c in calls_that_write(file, writer.written)]


class _Writer(NamedTuple):
    """A file that another one writes.

    Args:
        file: the one whose code writes it.
        written: what that is.
    """

    file: str
    written: Written


def is_written_by_nobody(path: str, pattern: str) -> bool:
    """Return whether no file of a project may write one that lies beside the code.

    What writes files of any name counts if it puts them beside the code as well.

    Args:
        path: the file that asks, absolute; empty if that is not known.
        pattern: how the path of the file that is read reads.
    """
    if not path or not os.path.isabs(path):
        return False
    writers = _all_written_around(path)
    return writers is not None and not any(
        may_be_same(each.written.pattern, pattern)
        and (_is_worded(each.written.pattern) or _writes_beside_code(each))
        for each in writers
    )


def _writes_beside_code(writer: _Writer) -> bool:
    """Whether a file writes something to where the code lies."""
    paths = ((file, call.args[1]) for file, call in _calls_of(writer) if call.args[1:])
    return any(lies_beside_code(file, path) for file, path in paths)


def _is_worded(pattern: str) -> bool:
    r"""Whether a pattern says more of where a file is than `\0_\0.pth`."""
    return any(letter.isalnum() for letter in pattern.rpartition(".")[0] or pattern)


def _written_around(path: str) -> tuple[_Writer, ...]:
    """What the files of a project write; nothing if that is too much to tell."""
    return _all_written_around(path) or ()


@remembered
def _all_written_around(path: str) -> tuple[_Writer, ...] | None:
    """What the files of a project write; None if that is too much to tell."""
    users = files_that_name(path, [_SAVE])
    others = [file for file in users.files if not is_test(file)]
    if not users.complete or len(others) > MOST_FILES:
        return None
    found = [_Writer(file, written) for file in (path, *others) for written in written_by(file)]
    return tuple(found) if len(found) <= _MOST_WRITTEN else None


@remembered
def _hides_all(writer: str) -> bool:
    """Whether a program hides all accelerators from itself: it can't have written from one."""
    file = parsed_file(writer)
    return file is not None and hides_accelerators(file.tree.body)


@remembered
def _stays_on_host(writer: str) -> bool:
    """Whether the programs that a file is part of put nothing on an accelerator, and train."""
    programs = list(programs_with(writer))
    parts = {file for root in programs for file in reached_by(root)}
    if len(programs) > MOST_FILES or len(parts) >= MOST_IMPORTED:
        return False
    trains = any(_mentions(file, _TRAINS) for file in parts)
    leading = (file for file in parts if _mentions(file, _LEADS))
    return trains and all(keeps_to_host(f, True) or brings_nothing(f) for f in leading)


def _mentions(file: str, words: re.Pattern[str]) -> bool:
    source = source_of(file)
    return source is not None and words.search(source.text) is not None
