"""What a file of the project is asked by triage, while another one is linted."""

from __future__ import annotations

import ast
from collections.abc import Set
from functools import cached_property
from typing import TYPE_CHECKING

from torchdev_lint.syntax.scopes import FUNCTIONS, parameter_names
from torchdev_lint.triage.flows import BUILT, Symbol
from torchdev_lint.triage.keeping import kept_by_classes
from torchdev_lint.triage.kept import returns_what_it_builds
from torchdev_lint.triage.offered import OfferedFile, Origins
from torchdev_lint.triage.scope import CALLED_OF_OBJECTS

if TYPE_CHECKING:
    from torchdev_lint.triage.imported import ImportedFiles


class Asked:
    """A file that is asked what it offers, while another one is linted, and those that it imports.

    Args:
        offered: what the file itself tells.
        imports: what it imports.
    """

    def __init__(self, offered: OfferedFile, imports: ImportedFiles) -> None:
        self.offered = offered
        self.imports = imports
        self._coming_out: dict[tuple[Symbol, bool], bool] = {}
        self._members: dict[str, Set[str]] = {}

    def is_module(self, name: str) -> bool:
        """Whether a class is one of modules."""
        known = name in self.offered.survey.names.modules
        return known or any(map(self.imports.is_module, self.offered.outer_bases(name)))

    def is_loader(self, name: str) -> bool:
        """Whether a class is one of data loaders."""
        known = name in self.offered.survey.names.loaders
        return known or any(map(self.imports.is_loader, self.offered.outer_bases(name)))

    def converts(self, name: str) -> bool:
        """Whether a class or function may make arrays, or take lengths, which are on the CPU."""
        if name in self.offered.table:
            return bool(self.imports.converters_among({name}))
        if name not in self.offered.defined:
            return False
        if self.offered.packs or name in self.offered.converting:
            return True
        return bool(self.imports.converters_among(self.offered.mentioned_by(name)))

    def gives(self, name: str, built: bool = False, tensor: bool = False) -> bool:
        """Whether a name of the module gives back something that is made on the host.

        Args:
            built: whether it is asked for classes only, which are built.
            tensor: whether modules are no matter.
        """
        return self.comes_out(Symbol(BUILT if built else 0, name), tensor)

    def members(self, name: str) -> Set[str]:
        """The members of an object of a class, or that a function gives; all names for no name."""
        if name not in self._members:
            self._members[name] = self._find_members(name)
        return self._members[name]

    def _find_members(self, name: str) -> Set[str]:
        if not name:
            return self.offered.defined
        found = set[str]()
        for owner in self.offered.classes_behind(name):
            found |= self.offered.own_members[owner].keys()
        for base in self.offered.outer_bases(name):
            found |= self.imports.members(base)
        return found

    def owners(self, name: str, members: Set[str]) -> list[str]:
        """What some members may be read from: of a module, which has no name, its classes too."""
        return [name] if name else [name, *(members & self.offered.bases.keys())]

    def member_gives(self, name: str, member: str, tensor: bool = False) -> bool:
        """Whether one of the members of what a name stands for gives something back."""
        if not name:
            if self.gives(member, tensor=tensor) or self.is_loader(member):
                return True
            return not tensor and self.is_module(member)
        for owner in self.offered.classes_behind(name):
            symbol = self.offered.own_members[owner].get(member)
            if symbol is not None and self.comes_out(symbol, tensor):
                return True
        return self.imports.members_give(self.offered.outer_bases(name), {member}, tensor)

    def gives_container(self, name: str) -> bool:
        """Whether a function of the module gives a plain container of modules that it builds."""
        if name not in self.offered.defined:
            return False
        if name in self.offered.table:
            return self.imports.gives_container(name)

        def builds(call: ast.Call) -> bool:
            names = self.offered.survey.names
            return names.builds_module(call) or self.imports.gives_module(call.func)

        functions = (scope for scope in self.offered.survey.scopes if scope.name == name)
        return any(returns_what_it_builds(scope.node, builds) for scope in functions)

    def kept_by(self, name: str) -> Set[str]:
        """The attributes in which objects of a class keep tensors that its methods make."""
        own = (self._kept.get(owner, set()) for owner in self.offered.classes_behind(name))
        return self.imports.kept_by(self.offered.outer_bases(name)) | set().union(*own)

    def working_with_kept(self, name: str) -> Set[str]:
        """The methods of a class that are given something, and mention a tensor that it keeps."""
        kept = self.kept_by(name)
        if not kept:
            return frozenset()
        owners = set(self.offered.classes_behind(name))
        return {
            scope.name
            for scope in self.offered.survey.scopes
            if scope.owner is not None and scope.owner.name in owners
            if isinstance(scope.node, FUNCTIONS)
            and len(parameter_names(scope.node)) > 1
            and not scope.mentions.isdisjoint(kept)
        }

    @cached_property
    def _kept(self) -> dict[str, set[str]]:
        survey = self.offered.survey
        kept = kept_by_classes(survey, self.imports)
        return {owner.name: names for owner, names in kept.items()}

    def gives_object_of(self, node: ast.AST) -> bool:
        """Whether a function of the module gives an object of which some member gives something."""
        name = self.offered.name_of(node)
        return bool(name) and any(self.member_gives(name, m) for m in self.members(name))

    def comes_out(self, symbol: Symbol, tensor: bool = False) -> bool:
        """Whether the value of a symbol may be made on the host, in this file or in others.

        Args:
            tensor: whether modules are no matter.
        """
        key = symbol, tensor
        if key not in self._coming_out:
            self._coming_out[key] = False  # in a circle
            self._coming_out[key] = self._follow(symbol, tensor)
        return self._coming_out[key]

    def _follow(self, symbol: Symbol, tensor: bool) -> bool:
        offered, imports = self.offered, self.imports
        if offered.is_idle and not offered.table:
            return False
        origins = offered.origins_of(symbol)
        if origins.made or any(not self.is_module(name) for name in origins.unless_modules):
            return True
        if not tensor and (origins.builds or any(map(imports.is_module, origins.names))):
            return True
        return (
            any(imports.gives(name, tensor=tensor) for name in origins.names)
            or any(imports.gives(name, built=True, tensor=tensor) for name in origins.built)
            or self._members_give(origins, tensor)
        )

    def _members_give(self, origins: Origins, tensor: bool) -> bool:
        """Whether members that are read of what is imported, or inherited, give something back."""
        give = self.imports.members_give
        called = origins.attributes | CALLED_OF_OBJECTS
        return (
            give(origins.given, called, tensor)
            or give(origins.names | origins.built, origins.attributes, tensor)
            or any(
                give(self.offered.outer_bases(owner), {member}, tensor)
                for owner, member in origins.own
            )
        )
