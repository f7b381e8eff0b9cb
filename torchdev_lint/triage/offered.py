"""What a file of the project offers to those that import it, as far as the file itself tells."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from dataclasses import field
from functools import cached_property

from torchdev_lint.catalog.arrays import PACKERS
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.top_level import top_level
from torchdev_lint.triage.flows import (
    ANNOTATED,
    ATTRIBUTE,
    BUILT,
    HELD,
    MADE,
    MODULE,
    OWN,
    UNLESS_MODULE,
    Sources,
    Symbol,
    sources_in,
)
from torchdev_lint.triage.import_table import ImportTable
from torchdev_lint.triage.kin import Kin
from torchdev_lint.triage.scope import CALLED_OF_OBJECTS, Position, Scope, position_of
from torchdev_lint.triage.survey import Survey
from torchdev_lint.triage.triggers import Trigger
from torchdev_lint.triage.users import Users, with_users


@dataclass(slots=True)
class Origins:
    """Where a symbol's value may come from: what the file has not told itself.

    Args:
        made: whether the file makes it itself, as a tensor or so; nothing else is told then.
        builds: whether the file builds it itself, as a module.
        names: what is imported, and read.
        built: what is imported, and is a class of which there is an object.
        given: what is imported, and is a class of which others have built an object.
        attributes: the attributes that are read, of whatever.
        own: those of the object that a method belongs to, with its class.
        unless_modules: classes whose `__init__` makes it; of modules it moves with them.
    """

    made: bool = False
    builds: bool = False
    names: set[str] = field(default_factory=set)
    built: set[str] = field(default_factory=set)
    given: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    own: set[tuple[str, str]] = field(default_factory=set)
    unless_modules: set[str] = field(default_factory=set)


class OfferedFile:
    """What a file of the project offers to those that import it.

    Args:
        parsed: the file.
        triggers: what the rules need to find something.
    """

    def __init__(self, parsed: ParsedFile, triggers: frozenset[Trigger]) -> None:
        self._tree = parsed.tree
        self._triggers = triggers
        self.table = ImportTable(parsed.tree, parsed.path)
        self._origins: dict[Symbol, Origins] = {}
        self._behind: dict[str, list[str]] = {}
        self.defined = top_level(parsed.tree.body).bindings.keys()

    def name_of(self, node: ast.AST) -> str:
        """What a function of the module is called; empty for a method, or one in another."""
        number = self._numbers.get(position_of(node))
        scope = None if number is None else self._scopes[number]
        return "" if scope is None or scope.owner is not None else scope.name

    def symbol_of(self, node: ast.AST) -> Symbol:
        """What stands for the value that a function of the file gives."""
        number = self._numbers.get(position_of(node))
        return Symbol(0, getattr(node, "name", "")) if number is None else Symbol(number, "")

    def origins_of(self, symbol: Symbol) -> Origins:
        """Go back from a symbol to all that its value may come from."""
        if symbol in self._origins:
            return self._origins[symbol]
        origins = self._origins[symbol] = Origins()
        pending, seen = [symbol], {symbol}
        while pending and not origins.made:
            at = pending.pop()
            self._note(at, origins)
            found = [*self._sources.get(at, ()), *self._stands_for(at)]
            fresh = [source for source in found if source not in seen]
            seen.update(fresh)
            pending += fresh
        return origins

    def _note(self, symbol: Symbol, origins: Origins) -> None:
        """Note where a symbol leads out of the file, or what is made here."""
        scope, name = symbol
        if symbol == MADE:
            origins.made = True
        elif symbol == MODULE:
            origins.builds = True
        elif scope == 0 and name in self.survey.names.modules:
            origins.builds = True  # a table of classes may be asked for one of them, to build it
        elif scope == OWN:
            owner, _, member = name.partition(".")
            origins.own.add((owner, member))
        elif scope == ATTRIBUTE:
            origins.attributes.add(name)
        elif scope == UNLESS_MODULE:
            origins.unless_modules.add(name)
        elif self._is_imported(name):
            imported = {0: origins.names, BUILT: origins.built, ANNOTATED: origins.given}
            imported.get(scope, set()).add(name)

    def _stands_for(self, symbol: Symbol) -> Iterator[Symbol]:
        """Yield what else a symbol stands for in the file."""
        scope, name = symbol
        if scope == BUILT and name in self.bases:
            yield Symbol(0, name)
        elif scope == ANNOTATED and name in self.bases:
            yield from self._called_by_class(name)
        elif scope == OWN:
            owner, _, member = name.partition(".")
            yield from (Symbol(HELD, f"{kin}.{member}") for kin in self._kin.of(owner))

    def _called_by_class(self, name: str) -> Iterator[Symbol]:
        """Yield what objects of a class give without a member of theirs being named."""
        for owner in self.classes_behind(name):
            for member in CALLED_OF_OBJECTS & self.own_members[owner].keys():
                yield self.own_members[owner][member]

    def _is_imported(self, name: str) -> bool:
        return name in self.table or (bool(self.table.stars) and name not in self.defined)

    @cached_property
    def survey(self) -> Survey:
        """What triage found in the file, without what it imports."""
        return Survey(self._tree, self._triggers, is_offered=True)

    @cached_property
    def _scopes(self) -> list[Scope]:
        module = self.survey.module
        return [module, *(scope for scope in self.survey.scopes if scope is not module)]

    @cached_property
    def _numbers(self) -> dict[Position, int]:
        return {position_of(scope.node): number for number, scope in enumerate(self._scopes)}

    @cached_property
    def is_idle(self) -> bool:
        """Whether nothing in the file makes anything on the host, or brings it there."""
        return not any(scope.triggered or scope.makes or scope.parts for scope in self._scopes)

    @cached_property
    def packs(self) -> bool:
        """Whether something in the file packs sequences, for which lengths are on the CPU."""
        return any(not PACKERS.isdisjoint(scope.mentions) for scope in self._scopes)

    @cached_property
    def converting(self) -> frozenset[str]:
        """The functions and classes of the module that make arrays of what may be tensors."""
        starting = [scope for scope in self._scopes if scope.converts]
        reached = with_users(starting, Users(self._scopes)) if starting else set()
        return frozenset(getattr(node, "name", "") for node in reached)

    def mentioned_by(self, name: str) -> Set[str]:
        """All that a function or class of the module mentions."""
        own = (s for s in self._scopes if name == (s.owner.name if s.owner else s.name))
        return frozenset[str]().union(*(scope.mentions for scope in own))

    @cached_property
    def _sources(self) -> Sources:
        return sources_in(self.survey, self._scopes, self.defined)

    @cached_property
    def bases(self) -> dict[str, list[str]]:
        """The bases of the file's classes."""
        classes = [scope.node for scope in self._scopes if isinstance(scope.node, ast.ClassDef)]
        return {node.name: [last_component(base) for base in node.bases] for node in classes}

    @cached_property
    def own_members(self) -> dict[str, dict[str, Symbol]]:
        """What the classes of the file have themselves, and what gives it."""
        members: dict[str, dict[str, Symbol]] = {name: {} for name in self.bases}
        for number, scope in enumerate(self._scopes):
            owner = scope.owner
            if owner is None:
                continue
            if scope.node is not owner:
                members[owner.name][scope.name] = Symbol(number, "")
                continue
            for name in top_level(owner.body).bindings:
                members[owner.name].setdefault(name, Symbol(HELD, f"{owner.name}.{name}"))
        return members

    def classes_behind(self, name: str) -> list[str]:
        """The classes of the file that a name may stand for an object of, and their bases.

        Of a function, those that it mentions.
        """
        if name not in self._behind:
            self._behind[name] = self._find_behind(name)
        return self._behind[name]

    def _find_behind(self, name: str) -> list[str]:
        if name in self.bases:
            found = [name]
        else:
            found = [
                owner
                for scope in self._scopes
                if scope.name == name and scope.owner is None
                for owner in scope.mentions & self.bases.keys()
            ]
        for owner in found:
            found += [
                base for base in self.bases[owner] if base in self.bases and base not in found
            ]
        return found

    def outer_bases(self, name: str) -> list[str]:
        """The bases that classes behind a name have in other files; itself if it is imported."""
        if name in self.table:
            return [name]
        behind = self.classes_behind(name)
        bases = [base for owner in behind for base in self.bases[owner]]
        return [base for base in bases if base not in self.bases]

    @cached_property
    def _kin(self) -> Kin:
        return Kin(self.bases)
