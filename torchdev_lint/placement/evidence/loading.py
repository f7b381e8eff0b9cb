"""Calls that read tensors back to the device they were saved from, and what excuses them."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from torchdev_lint.catalog.builtins import THERE
from torchdev_lint.catalog.checkpoints import DOWNLOADING_READERS, MAPPING_READERS
from torchdev_lint.catalog.devices import ACCELERATOR_TYPES, HOST_TYPE
from torchdev_lint.catalog.ecosystem import DISTRIBUTES, SHARDS, TEST_LIBRARIES
from torchdev_lint.catalog.methods import TO_ACCELERATOR
from torchdev_lint.placement.evidence.bringing_files import brings_nothing
from torchdev_lint.placement.evidence.destinations import Destination
from torchdev_lint.placement.evidence.devices import is_setting, type_named
from torchdev_lint.placement.evidence.entries import keys_read
from torchdev_lint.placement.evidence.failures import survives
from torchdev_lint.placement.evidence.flags import (
    by_assumption,
    is_asked_for,
    is_asked_for_none,
    says_device,
)
from torchdev_lint.placement.evidence.host_files import keeps_to_host, words_of
from torchdev_lint.placement.evidence.own_saves import is_of_own_models
from torchdev_lint.placement.evidence.published_elsewhere import is_published_for_callers
from torchdev_lint.placement.evidence.restoring import Restoring
from torchdev_lint.placement.evidence.saved_files import SavedFiles
from torchdev_lint.placement.evidence.shipped import lies_beside_code
from torchdev_lint.placement.evidence.writers import is_written_by_nobody, is_written_from_host
from torchdev_lint.placement.evidence.written import project_stays_on_host
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.names import Definition
from torchdev_lint.project.uses import uses_of
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.bindings import REFLECTION
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax
from torchdev_lint.syntax.walking import walk

_READERS = frozenset(name.rpartition(".")[2] for name in MAPPING_READERS)
"""What they are called."""
_OF_CUDA = frozenset({"set_device", "set_rng_state"})
"""Functions of `torch.cuda` that fail without an accelerator."""
_DEVICE = "device"
_TAKE_DEVICE = frozenset({"to", "device"})
"""Functions whose first argument is a device, where it names one."""


class Loading:
    """The calls of a file that read what was saved, and say nothing of where it should go.

    Args:
        syntax: the file's tree.
        proof: what is proven of its names.
        file: the file itself, where others of its project are to be asked.
    """

    def __init__(self, syntax: Syntax, proof: Proof, file: ParsedFile | None = None) -> None:
        self._file = file
        self._path = "" if file is None else file.path
        self._syntax = syntax
        self._proof = proof
        self._files = SavedFiles(syntax, proof)
        self._read: dict[ast.stmt | None, set[str | None]] = {}
        self._restoring = Restoring(syntax, proof, file)
        named = ((call, proof.values.library(call.func)) for call in _named_readers(syntax.tree))
        self._readers = [(call, name) for call, name in named if name in MAPPING_READERS]

    def unmapped(self) -> Iterator[tuple[ast.Call, str]]:
        """Yield the calls that nothing excuses, each with the name of its function."""
        unmapped = [each for each in self._readers if not says_where(*each)]
        if not unmapped or self._is_special() or self._is_bound_to_accelerator():
            return
        for call, name in unmapped:
            if not (
                self._has_other_way(call)
                or self._is_told_nothing(call)
                or self._is_of_test(call)
                or self._is_tried(call)
                or self._is_known(call, name)
            ):
                yield call, name

    def _is_told_nothing(self, call: ast.Call) -> bool:
        """Whether a call is told a variable that nobody has: it raises on every machine."""
        owner = self._proof.bindings.owner
        names = (part for value in call.args for part in walk(value) if isinstance(part, ast.Name))
        unbound = any(name.id not in THERE and owner(name.id, name) is None for name in names)
        return unbound and not self._binds_out_of_sight

    @cached_property
    def _binds_out_of_sight(self) -> bool:
        """Whether the file may have variables without writing their names."""
        return not self._path.endswith(".py") or any(
            (isinstance(node, ast.alias) and node.name == "*")
            or (isinstance(node, ast.Name) and node.id in REFLECTION)
            for node in walk(self._syntax.tree)
        )

    def is_restored(self, call: ast.Call, found: list[Destination]) -> bool:
        """Return whether the function that reads a file has saved the model before that takes it.

        Args:
            call: what reads.
            found: where that goes.
        """
        source = self._files.source(call)
        return self._restoring.is_restored(call, found, source, self._files.is_given(call))

    def is_written_from_host(self, call: ast.Call, name: str) -> bool:
        """Return whether files of the project write what a call reads, all from the CPU.

        They bring it there, or put nothing on an accelerator. Or they name it, and it was
        published, or it lies beside the code, and none of them writes it. To be asked last: it
        takes reading them.

        Args:
            name: the name of its function.
        """
        source = self._files.source(call)
        if self._file is not None and is_published_for_callers(self._file, source):
            return True
        if self._is_shipped(call):
            return True
        if name in DOWNLOADING_READERS or self._files.is_downloaded(call):
            return False
        nothing = self._files.writes_nothing
        path = self._path
        if not self._knows_devices or keeps_to_host(path) or brings_nothing(path):
            if project_stays_on_host(path, writes=not nothing):
                return True
            if self._file is not None and is_of_own_models(self._file, self._proof, call):
                return True
        keys = keys_read(self._syntax, call)
        return is_written_from_host(self._path, self._files.pattern(call), keys)

    def is_called_with_accelerator(self, call: ast.Call) -> bool:
        """Return whether the project calls the function around only where there is an accelerator.

        A condition in the functions that call it has found one.
        """
        function = self._syntax.outermost(call)
        if self._file is None or not isinstance(function, FUNCTIONS):
            return False
        uses = uses_of(self._file, Definition(self._path, function.name))
        return (
            bool(uses.places)
            and uses.complete
            and all(
                user.syntax.is_called(node) and _is_way_with(user.syntax, node)
                for user, node in uses.places
            )
        )

    def _is_shipped(self, call: ast.Call) -> bool:
        """Whether what a call reads lies beside the code, and no file of the project writes it."""
        if self._file is None or not lies_beside_code(self._file, self._files.source(call)):
            return False
        return is_written_by_nobody(self._path, self._files.pattern(call))

    def _is_special(self) -> bool:
        """Whether a file is of tests, which read what they have written, or of sharded states.

        Where these are saved from is a matter of how they are set up.
        """
        mentions = self._proof.mentions
        return not (
            TEST_LIBRARIES.isdisjoint(mentions.imported)
            and SHARDS.isdisjoint(mentions.words | mentions.imported)
        )

    def _is_bound_to_accelerator(self) -> bool:
        """Whether a file needs an accelerator, on one that it calls by its name.

        What runs in several processes doesn't count: there each has another one. Nor does what a
        parameter is by default, for which callers may say something else.
        """
        return DISTRIBUTES.isdisjoint(self._proof.mentions.words) and any(
            isinstance(node, ast.Call)
            and self._needs_accelerator(node)
            and not (self._is_decided(node) or self._passes_on(node))
            and not isinstance(self._syntax.parent(node), ast.arguments)
            for node in walk(self._syntax.tree)
        )

    def _needs_accelerator(self, call: ast.Call) -> bool:
        """Whether a call fails without an accelerator: `x.cuda()`, `x.to("cuda")`."""
        name = _called(call)
        if name in TO_ACCELERATOR and isinstance(call.func, ast.Attribute):
            return True
        if name in _OF_CUDA and self._proof.values.library(call.func).startswith("torch.cuda."):
            return True
        devices = by_keyword(call, "device")
        if name in _TAKE_DEVICE:
            devices += call.args[:1]
        return any(map(_names_accelerator, devices))

    def _is_decided(self, node: ast.AST) -> bool:
        """Whether a condition about devices decides whether code is run."""
        return is_asked_for(self._syntax, node)

    def _passes_on(self, call: ast.Call) -> bool:
        """Whether a call is what somebody asks for who calls a method `cuda` of an object."""
        around = self._syntax.around(call)
        return any(isinstance(p, FUNCTIONS) and p.name in TO_ACCELERATOR for p in around)

    def _is_known(self, call: ast.Call, name: str) -> bool:
        """Whether the code knows the file that is read: it lies on the host, or where it is wanted.

        The same program has written it, or the code itself says what is downloaded, which all have
        tried before, or a script that knows nothing of devices names what it reads. What the file
        writes, it has brought to the CPU.
        """
        files = self._files
        if files.is_written_here(call) or files.writes_from_host(call):
            return True
        if files.is_left_to_others(call, self._path) or files.is_published(call):
            return True
        is_downloaded = name in DOWNLOADING_READERS or files.is_downloaded(call)
        if files.is_given(call):  # else than as the folder for what is downloaded
            return is_downloaded and files.is_named_here(call)
        if is_downloaded:
            return True
        return not self._knows_devices

    @cached_property
    def _knows_devices(self) -> bool:
        """Whether anything in the file says something of devices."""
        mentions = self._proof.mentions
        if any(map(says_device, mentions.words - {HOST_TYPE, _DEVICE})):
            return True
        return _DEVICE in mentions.words and not self._only_follows()

    def _only_follows(self) -> bool:
        """Whether no device is named in the file, but where something else lives: `g.device`."""
        reads = list(self._proof.mentions.lookups(_DEVICE))
        named = (node for node in walk(self._syntax.tree) if _DEVICE in words_of(node))
        return not any(map(is_setting, reads)) and all(node in reads for node in named)

    def _is_of_test(self, call: ast.Call) -> bool:
        """Whether a call is part of a test, which the file itself doesn't call."""
        around = (part for part in self._syntax.around(call) if isinstance(part, FUNCTIONS))
        tests = (part.name for part in around if part.name.startswith("test_"))
        return not all(map(self._is_called, tests))

    def _is_called(self, name: str) -> bool:
        """Whether the file itself calls a function, or a method, of a name."""
        mentions = self._proof.mentions
        uses = (*mentions.reads(name), *mentions.lookups(name))
        return any(map(self._syntax.is_called, uses))

    def _has_other_way(self, call: ast.Call) -> bool:
        """Whether a call stands beside one that says where, of which devices decide.

        Or whatever decides whether the same is read to the CPU instead.
        """
        if self._is_read_to_host_instead(call):
            return True
        if not (self._is_decided(call) or self._syntax.scope(call) in self._with_other_way):
            return False
        return not self._is_way_without(call)

    def _is_read_to_host_instead(self, call: ast.Call) -> bool:
        """Whether the other branch of a condition around a call reads the same, and says where."""
        for _, _, instead in _branches_around(self._syntax, call):
            others = {node for statement in instead for node in walk(statement)}
            if any(_is_mapped(other, call) for other, _ in self._readers if other in others):
                return True
        return False

    def _is_way_without(self, call: ast.Call) -> bool:
        """Whether a call reads without an accelerator what is read where there is one as well.

        Whatever was saved on an accelerator can't be read there. Who names none of several may want
        all of them: `if args.gpu is None`.
        Source: https://github.com/pytorch/examples/blob/main/imagenet/main.py
        """
        for test, holds, instead in _branches_around(self._syntax, call):
            if (verdict := by_assumption(test)) is None:
                continue
            if is_asked_for_none(test):
                return False
            if holds is not verdict:
                key = _reads(call)
                return key is not None and key in self._reads_in(instead)
        return False

    def _reads_in(self, body: list[ast.stmt]) -> set[str | None]:
        """What the calls in some code are told to read, and by what."""
        first = body[0] if body else None
        if first not in self._read:
            calls = (n for part in body for n in walk(part) if isinstance(n, ast.Call))
            self._read[first] = set(map(_reads, calls))
        return self._read[first]

    @cached_property
    def _with_other_way(self) -> set[ast.AST]:
        """The functions in which some call says where, of which devices decide."""
        deciding = (
            call
            for call, name in self._readers
            if says_where(call, name) and self._is_decided(call)
        )
        return {self._syntax.scope(call) for call in deciding}

    def _is_tried(self, node: ast.AST) -> bool:
        """Whether the code has another way where it fails to read something."""
        child = node
        for part in self._syntax.around(node):
            if isinstance(part, ast.Try) and child in part.body and survives(part):
                return self._readers_in[part] > 1
            child = part
        return False

    @cached_property
    def _readers_in(self) -> Counter[ast.AST]:
        """How many calls that read something each `try` holds."""
        around = (part for call, _ in self._readers for part in self._syntax.around(call))
        return Counter(part for part in around if isinstance(part, ast.Try))


def may_be_unmapped(tree: ast.Module) -> bool:
    """Return whether some call in a file may read something and not say where, by its name."""
    return any(
        all(keyword.arg not in {"map_location", None} for keyword in call.keywords)
        for call in _named_readers(tree)
    )


def _named_readers(tree: ast.Module) -> Iterator[ast.Call]:
    """Yield the calls of a file that read what was saved, going by their names."""
    for node in walk(tree):
        if isinstance(node, ast.Call) and _called(node) in _READERS:
            yield node


def _is_way_with(syntax: Syntax, node: ast.AST) -> bool:
    """Whether a condition about devices leads to a place where there is an accelerator."""
    return any(by_assumption(test) is holds for test, holds, _ in _branches_around(syntax, node))


def _branches_around(
    syntax: Syntax, node: ast.AST
) -> Iterator[tuple[ast.expr, bool, list[ast.stmt]]]:
    """Yield the conditions of the branches that a place is in, the innermost first.

    Each with whether it holds there, and with what is run instead where it turns out otherwise.
    """
    child = node
    for part in syntax.around(node):
        if isinstance(part, ast.If) and child is not part.test:
            holds = child in part.body
            yield part.test, holds, part.orelse if holds else part.body
        child = part


def says_where(call: ast.Call, name: str) -> bool:
    """Whether a call says where to put what it reads, or may do so.

    Args:
        name: the reader.
    """
    if len(call.args) > MAPPING_READERS[name]:
        return True
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return True
    return any(keyword.arg in {"map_location", None} for keyword in call.keywords)


def _reads(call: ast.Call) -> str | None:
    """What a call is told to read first, and by what, in words to be compared; None: nothing."""
    return f"{ast.dump(call.func)}({ast.dump(call.args[0])})" if call.args else None


def _is_mapped(call: ast.Call, unmapped: ast.Call) -> bool:
    """Whether a call reads what another one does, and says where to put that."""
    return _reads(call) == _reads(unmapped) and bool(by_keyword(call, "map_location"))


def _called(call: ast.Call) -> str:
    return last_component(call.func)


def _names_accelerator(node: ast.expr) -> bool:
    """Whether a device is an accelerator by its type, or by its number alone: there is one CPU."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return True
    return type_named(node) in ACCELERATOR_TYPES
