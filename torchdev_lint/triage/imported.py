"""What a file imports of its project: the files are opened that triage asks something about."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from functools import cached_property

from torchdev_lint.project.files import parsed_file
from torchdev_lint.project.resolution import find_submodule
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.scopes import root_name
from torchdev_lint.triage.asked import Asked
from torchdev_lint.triage.import_table import ImportTable
from torchdev_lint.triage.imports import Imported, Uses
from torchdev_lint.triage.offered import OfferedFile
from torchdev_lint.triage.triggers import Trigger

DEPTH = 2
"""Over how many files it is followed what an import gives: it may itself only be handed on."""
_IN_ITS_FILE = frozenset({Trigger.MOVE})
"""What leads to nothing but in its own file: a move that is thrown away there."""


class ImportedFiles(Imported):
    """What a file imports of its project.

    Args:
        table: its imports.
        opened: the files that were opened for the file that is linted.
        depth: over how many files the imports are followed.
    """

    def __init__(self, table: ImportTable, opened: _Opened, depth: int) -> None:
        self._table = table
        self._opened = opened
        self._depth = depth
        self._giving: dict[tuple[str, bool, bool], bool] = {}
        self._leading: dict[tuple[str, bool], bool] = {}
        self._read: dict[tuple[str, bool], bool] = {}
        self._loaders: dict[str, bool] = {}
        self._sources: dict[str, list[tuple[Asked, str]]] = {}

    def is_module(self, name: str) -> bool:
        """Whether what is known by a name is a class of modules."""
        return any(file.is_module(known) for file, known in self._named(name))

    def is_of_project(self, name: str) -> bool:
        """Whether what is known by a name is defined in another file of the project."""
        return bool(self._sources_of(name))

    def builds_module(self, function: ast.expr) -> bool:
        """Whether what is called is a class of modules, by its name or as a member of a file."""
        name, root = last_component(function), root_name(function)
        if self.is_module(name):
            return True
        if root is None or not isinstance(function, ast.Attribute):
            return False
        if any(file.is_module(name) for file, known in self._sources_of(root) if not known):
            return True
        return any(file.is_module(name) for file in self._below(function.value))

    def gives_module(self, function: ast.expr) -> bool:
        """Whether a function that is called may give back a module that it builds."""
        if isinstance(function, ast.Name):
            return self.gives(function.id)
        root = root_name(function)
        return root is not None and self.members_give([root], {last_component(function)})

    def gives_container(self, name: str) -> bool:
        """Whether a function of that name gives a plain container of modules that it builds."""
        if name in self._table:
            return any(file.gives_container(known) for file, known in self._named(name))
        files = (file for owner in self._modules for file, known in self._sources_of(owner))
        return any(file.gives_container(name) for file in (*self._starred, *files))

    def is_loader(self, name: str) -> bool:
        """Whether what is known by a name is a class of data loaders."""
        if name not in self._loaders:
            self._loaders[name] = any(file.is_loader(known) for file, known in self._named(name))
        return self._loaders[name]

    def converters_among(self, mentions: Set[str]) -> Set[str]:
        """Those of some names that may make arrays of what they are given, or take lengths."""
        known = self._known_among(mentions)
        return {n for n in known if any(file.converts(name) for file, name in self._named(n))}

    def may_lead(self, mentions: Set[str]) -> bool:
        """Whether something that is mentioned may lead to a finding where it is used."""
        return (
            any(map(self._leads_by_name, self._known_among(mentions)))
            or any(map(self._leads_by_attribute, mentions & self._members))
            or not mentions.isdisjoint(self._keeping)
            or self.members_give(self._modules, mentions)
        )

    def _known_among(self, mentions: Set[str]) -> Set[str]:
        """Those of some names that may be imported: all where a module is with all it has."""
        return mentions if self._table.stars else {name for name in mentions if name in self._table}

    def may_give_tensor(self, mentions: Set[str]) -> bool:
        """Whether a function that is mentioned may give back a tensor that it makes on the host."""
        if any(self.gives(name, tensor=True) for name in self._known_among(mentions)):
            return True
        roots = (name for name in mentions if name in self._table)
        return self.members_give(roots, mentions, tensor=True)

    def leads(self, uses: Uses, bases: Set[str], tensor: bool = False) -> bool:
        """Whether something that is used leads to a finding."""
        return (
            any(self._leads_by_name(name, tensor) for name in uses.names)
            or any(map(self.is_loader, uses.types))
            or any(self._leads_by_attribute(name, tensor) for name in uses.attributes)
            or not uses.attributes.isdisjoint(self._keeping)
            or self.members_give(self._modules, uses.attributes, tensor)
            or self.members_give(bases, uses.own, tensor)
        )

    def is_given_by(self, function: ast.expr) -> bool:
        """Whether a function that is called gives back a tensor that it makes on the host."""
        if isinstance(function, ast.Name):
            return self.gives(function.id, tensor=True)
        root, members = root_name(function), {last_component(function)}
        return root is not None and self.members_give([root], members, tensor=True)

    def kept_by(self, names: Iterable[str]) -> Set[str]:
        """The attributes in which objects of classes that are known by some names keep tensors."""
        known = [(file, known) for name in names for file, known in self._classes(name)]
        return frozenset(attribute for file, name in known for attribute in file.kept_by(name))

    def _classes(self, name: str) -> Iterator[tuple[Asked, str]]:
        """Yield the files that may define a class, also as a member of a file, and its name."""
        yield from self._named(name)
        if name not in self._table:
            files = (file for owner in self._modules for file, _ in self._sources_of(owner))
            yield from ((file, name) for file in files if name in file.offered.bases)

    def _leads_by_name(self, name: str, tensor: bool = False) -> bool:
        key = name, tensor
        if key not in self._leading:
            leads = self.gives(name, tensor=tensor) or self.is_loader(name)
            self._leading[key] = leads or (not tensor and self.is_module(name))
        return self._leading[key]

    def _leads_by_attribute(self, name: str, tensor: bool = False) -> bool:
        """Whether an attribute of some object of what is imported gives something back."""
        key = name, tensor
        if key not in self._read:
            self._read[key] = any(
                name in members and file.member_gives(known, name, tensor)
                for members, file, known in self._owners
            )
        return self._read[key]

    @cached_property
    def _owners(self) -> list[tuple[Set[str], Asked, str]]:
        """What is imported and is no module, with the members that its objects have."""
        named = (source for name in self._table for source in self._sources_of(name))
        return [(file.members(known), file, known) for file, known in named if known]

    @cached_property
    def _members(self) -> Set[str]:
        """All that objects of what is imported have."""
        return frozenset[str]().union(*(members for members, _, _ in self._owners))

    @cached_property
    def _keeping(self) -> Set[str]:
        """The methods in which objects work with tensors that they make, and keep, and others."""
        working = (
            file.working_with_kept(known)
            for _, file, known in self._owners
            if not file.is_module(known)
        )
        return frozenset[str]().union(*working)

    @cached_property
    def _modules(self) -> list[str]:
        """The names that modules are imported by."""
        return [name for name in self._table if not all(k for _, k in self._sources_of(name))]

    def gives(self, name: str, built: bool = False, tensor: bool = False) -> bool:
        """Whether what is known by a name gives back something that it makes on the host.

        Args:
            built: whether it is asked for classes only, which are built.
            tensor: whether modules are no matter.
        """
        key = name, built, tensor
        if key not in self._giving:
            named = self._named(name)
            self._giving[key] = any(file.gives(known, built, tensor) for file, known in named)
        return self._giving[key]

    def members(self, name: str) -> Set[str]:
        """The members of a module that is known by a name, or of an object of what is."""
        found = set[str]()
        for file, known in self._sources_of(name):
            found |= file.members(known)
        return found

    def members_give(self, names: Iterable[str], members: Set[str], tensor: bool = False) -> bool:
        """Whether some members of what is known by some names give something back."""
        return any(
            file.member_gives(owner, member, tensor)
            for name in names
            for file, known in self._sources_of(name)
            for owner in file.owners(known, members)
            for member in members & file.members(owner)
        )

    def _named(self, name: str) -> Iterator[tuple[Asked, str]]:
        """Yield the files that may define what is known by a name, and how they call it."""
        if name in self._table:
            yield from ((file, known) for file, known in self._sources_of(name) if known)
            return
        for file in self._starred:
            if name in file.offered.defined:
                yield file, name

    def _sources_of(self, name: str) -> list[tuple[Asked, str]]:
        """Where a name may be imported from, and what it is called there; a module has no name."""
        if name not in self._sources:
            sources = self._table.sources_of(name)
            opened = ((self._open(source.module), source.name) for source in sources)
            self._sources[name] = [(file, known) for file, known in opened if file is not None]
        return self._sources[name]

    @cached_property
    def _starred(self) -> list[Asked]:
        opened = map(self._open, self._table.starred())
        return [file for file in opened if file is not None]

    def _below(self, owner: ast.expr) -> Iterator[Asked]:
        """Yield the files that an expression stands for which reads modules of a package."""
        root, *inner = (dotted(owner) or "").split(".")
        for source in self._table.sources_of(root) if inner else ():
            path = None if source.name else source.module
            for name in inner:
                path = path and find_submodule(path, name)
            file = self._open(path) if path else None
            if file is not None:
                yield file

    def _open(self, path: str) -> Asked | None:
        return self._opened.take(path, self._depth - 1) if self._depth else None


class _Opened:
    """The files that were opened for one that is linted: each is asked the same thing once.

    Args:
        triggers: what the rules need to find something.
    """

    def __init__(self, triggers: frozenset[Trigger]) -> None:
        self._triggers = triggers
        self._files: dict[tuple[str, int], Asked | None] = {}

    def take(self, path: str, depth: int) -> Asked | None:
        """Return a file, None if it can't be read.

        Args:
            depth: over how many files its own imports are followed.
        """
        key = path, depth
        if key not in self._files:
            parsed = parsed_file(path)
            if parsed is None:
                self._files[key] = None
            else:
                offered = parsed.derived_with(OfferedFile, self._triggers)
                self._files[key] = Asked(offered, ImportedFiles(offered.table, self, depth))
        return self._files[key]


class ImportsOf:
    """What the imports of a file that is linted may lead to.

    Args:
        tree: the file's syntax tree.
        path: where it lies, absolute; empty if it is of no project.
        triggers: what the rules need to find something.
    """

    def __init__(self, tree: ast.Module, path: str, triggers: frozenset[Trigger]) -> None:
        self._opened = _Opened(triggers - _IN_ITS_FILE)
        self.imported = ImportedFiles(ImportTable(tree, path), self._opened, DEPTH)

    def lead(self, path: str, node: ast.AST) -> bool:
        """Whether a function of another file may lead to a finding where it is used.

        Args:
            path: the file.
            node: the function's definition.
        """
        file = self._opened.take(path, DEPTH - 1)
        if file is None:
            return False
        return file.comes_out(file.offered.symbol_of(node)) or file.gives_object_of(node)
