"""Which parts of a file can possibly lead to a finding, told from names alone.

Most code never makes a tensor without a device, never throws a move away and never builds a
layer outside `__init__`. It is sorted out here, before the analysis runs.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Set
from functools import cached_property

from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.containers import movers_of_containers
from torchdev_lint.triage.early import Early
from torchdev_lint.triage.given import converts_given, may_be_given_tensors
from torchdev_lint.triage.handing_on import idle
from torchdev_lint.triage.imports import NOTHING, Imported, uses_in
from torchdev_lint.triage.keeping import (
    built_by,
    hands_out,
    kept_by_classes,
    makers_in,
    methods_using,
    reads_of_part,
)
from torchdev_lint.triage.kept import keepers
from torchdev_lint.triage.lost import losers_of_moves
from torchdev_lint.triage.scope import Scope
from torchdev_lint.triage.survey import Survey
from torchdev_lint.triage.training import training
from torchdev_lint.triage.triggers import Trigger
from torchdev_lint.triage.users import Users, with_users


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entry points the analysis has to run.

    Args:
        everything: all functions and classes that may have to do with a finding.
        first: those without which there is none, unless one of them gives back something that it
            makes on the host.
    """

    everything: Set[ast.AST]
    first: Set[ast.AST]

    @property
    def is_staged(self) -> bool:
        """Whether a part of it tells whether all of it is to be run."""
        return len(self.first) < len(self.everything)


def triage(tree: ast.Module, triggers: Set[Trigger], imported: Imported = NOTHING) -> Wanted | None:
    """Return which entry points the analysis has to run, None if there are none.

    Args:
        tree: the file's syntax tree.
        triggers: what the rules need to find something.
        imported: what the file imports of its project.

    Returns:
        What can lead to a finding.
    """
    survey = Survey(tree, triggers, imported)
    wanted = _Reach(survey).wanted()
    return wanted if wanted.everything or survey.tells_from_text else None


class _Reach:
    """Finds what has a trigger, and what leads there.

    Args:
        survey: what the functions and classes of the file do.
    """

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._scopes = survey.scopes
        self._triggers = survey.triggers
        self._imported = survey.imported
        self._early = Early(survey)

    def wanted(self) -> Wanted:
        """The functions and classes that have a trigger, or use something that has.

        What is made while a module is built moves with it: there, only the classes of what is made
        matter, which `forward` calls later.
        """
        wants_early = Trigger.ATTRIBUTE in self._triggers or any(s.makes for s in self._scopes)
        early = self._early.scopes() if wants_early else set()
        certain = [scope for scope in self._scopes if scope.triggered]
        certain += self._converters()
        certain += movers_of_containers(self._scopes) if Trigger.CONTAINER in self._triggers else []
        certain += losers_of_moves(self._scopes) if Trigger.LOST in self._triggers else []
        certain += training(self._scopes) if Trigger.TRAINING in self._triggers else []
        certain += self._users_of_converters() if Trigger.ARRAY in self._triggers else []
        certain += self._users_of_constants() + self._users_of_built()
        importers = self._users_of_imported()
        makers = [scope for scope in self._scopes if scope.makes and scope not in early]
        makers = self._but_idle(makers, [s for s in makers if s.builds and not s.made], early)
        importers = self._but_idle(importers, [s for s in importers if self._gets_modules(s)])
        kept = self._users_of_kept(early)
        keeping = keepers(self._scopes, self._survey.names, self._survey.kin, self._imported)
        kept |= keeping | self._users_of_metrics(keeping)

        def reached(stops: Callable[[Scope], Set[ast.AST]] | None) -> set[ast.AST]:
            found = set(kept)
            if certain:
                found |= with_users(certain, Users(self._scopes))
            if importers:
                found |= with_users(importers, Users(self._scopes), stops)
            if makers:
                found |= with_users(makers, Users(self._scopes, early), stops)
            return found

        everything = reached(None)
        return Wanted(everything, reached(self._stopping) if everything else everything)

    def _stopping(self, scope: Scope) -> Set[ast.AST]:
        """What has to be run of a `forward` to learn whether those who call it matter: its classes.

        It is run with tensors on the accelerator as it is. Others learn of what it makes only from
        what it gives back, or keeps. Nothing of a function that its callers tell more about.
        """
        owner = scope.owner
        if scope.name != "forward" or owner is None or owner.name not in self._survey.names.modules:
            return frozenset()
        if owner.name in self._survey.kin.large_families:
            return frozenset()
        for node in walk(scope.node):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                return frozenset()
        return {self._owners[name] for name in self._survey.kin.below(owner.name)}

    def _users_of_metrics(self, keeping: Set[ast.AST]) -> set[ast.AST]:
        """The methods of classes that may keep metrics in plain containers, and of their heirs.

        What such a metric is given tells whether it should be elsewhere.
        """
        if not (keeping and self._survey.names.has_metrics):
            return set()
        names = (owner.name for owner in self._survey.classes if owner in keeping)
        heirs = {self._owners[heir] for name in names for heir in self._survey.kin.below(name)}
        return heirs | {scope.node for scope in self._scopes if scope.owner in heirs}

    def _users_of_kept(self, early: set[Scope]) -> set[ast.AST]:
        """The methods of modules that lead to what these have made and keep, and the classes.

        What uses a method that gives that back leads there as well.
        """
        if Trigger.ATTRIBUTE not in self._triggers:
            return set()
        kept = kept_by_classes(self._survey, self._imported)
        kin = self._survey.kin
        for base in kin.outer:
            if names := self._imported.kept_by({base}):
                for heir in kin.below(base):
                    kept.setdefault(self._owners[heir], set()).update(names)
        if not kept:
            return set()
        parts = self._users_of_parts(kept, early) | self._builders_of_kept(kept)
        return self._users_in_families(kept, early) | parts

    def _builders_of_kept(self, kept: dict[ast.ClassDef, set[str]]) -> set[ast.AST]:
        """The modules that build a class which keeps what it makes of an argument, and use it.

        Args:
            kept: the attributes of each class that keeps some.
        """
        names = {
            owner.name
            for owner in kept
            for part in owner.body
            if isinstance(part, FUNCTIONS) and converts_given(part)
        }
        builders = {
            scope.owner
            for scope in self._scopes
            if scope.owner is not None
            and scope.owner.name in self._survey.names.modules
            and not scope.mentions.isdisjoint(names - {scope.owner.name})
        }
        return {*builders, *(scope.node for scope in self._scopes if scope.owner in builders)}

    def _users_in_families(
        self, kept: dict[ast.ClassDef, set[str]], early: set[Scope]
    ) -> set[ast.AST]:
        """What uses the attributes that classes, those above and those below them keep.

        Args:
            kept: the attributes of each class that keeps some.
        """
        by_name: dict[str, list[ast.ClassDef]] = defaultdict(list)
        for owner in kept:
            by_name[owner.name].append(owner)
        keeping = _keepers(kept)
        # a `forward` that other files define may use it
        reached: set[ast.AST] = set(self._heirs_of_others(kept))
        giving: list[Scope] = []
        methods = self._methods_of_classes(early)
        for owners, family in self._families(methods):
            kin = {k for name in family for k in by_name.get(name, ())}
            names = set[str]().union(*(kept[keeper] for keeper in kin))
            if not names:
                continue
            late = [method for owner in owners for method in methods[owner]]
            above = self._survey.kin.above(owners[0].name) & family if len(owners) == 1 else ()
            bases = [self._owners[name] for name in above]
            inherited = [method for base in bases for method in methods.get(base, ())]
            using = methods_using(names, [*late, *inherited], owners)
            if using:
                mentioned = set[str]().union(*(method.mentions for method in late))
                reached |= using.union(*(keeping[n] & kin for n in mentioned & names))
            giving += [method for method in late if hands_out(method.node, names)]
        return reached | with_users(giving, Users(self._scopes, early)) if giving else reached

    def _users_of_parts(
        self, kept: dict[ast.ClassDef, set[str]], early: set[Scope]
    ) -> set[ast.AST]:
        """The methods of modules that read what their parts keep, those that lead there, and both.

        Args:
            kept: the attributes of each class that keeps some.
        """
        keeping = _keepers(kept)
        reached = set[ast.AST]()
        for owner, methods in self._methods_of_classes(early).items():
            if owner.name not in self._survey.names.modules:
                continue
            for method in methods:
                if method.mentions.isdisjoint(keeping):
                    continue
                if read := reads_of_part(method.node, keeping.keys()):
                    reached |= {method.node, owner}.union(*(keeping[name] for name in read))
                    reached |= methods_using({method.name}, methods, [owner])
        return reached

    def _methods_of_classes(self, early: set[Scope]) -> dict[ast.ClassDef, list[Scope]]:
        """The methods of each class, but for those that run while a module is built."""
        found: dict[ast.ClassDef, list[Scope]] = {}
        for scope in self._scopes:
            if scope.owner is not None and scope.node is not scope.owner and scope not in early:
                found.setdefault(scope.owner, []).append(scope)
        return found

    def _families(
        self, owners: Iterable[ast.ClassDef]
    ) -> Iterator[tuple[list[ast.ClassDef], Set[str]]]:
        """Yield classes with the names of their kin: one by one, where that are not too many."""
        together: dict[Set[str], list[ast.ClassDef]] = defaultdict(list)
        for owner in owners:
            family = self._survey.kin.large_families.get(owner.name)
            if family is None:
                yield [owner], self._survey.kin.of(owner.name)
            else:
                together[family].append(owner)
        yield from ((several, family) for family, several in together.items())

    def _heirs_of_others(self, owners: Iterable[ast.ClassDef]) -> Iterator[ast.ClassDef]:
        """Those that inherit from a module of the project that another file defines."""
        kin = self._survey.kin
        names = [*self._owners, *kin.outer]
        heirs = kin.heirs_of({name for name in names if self._imported.is_module(name)})
        return (owner for owner in owners if owner.name in heirs)

    @cached_property
    def _owners(self) -> dict[str, ast.ClassDef]:
        return {owner.name: owner for owner in self._survey.classes}

    def _converters(self) -> list[Scope]:
        """The functions that make arrays, or put something elsewhere than the rest.

        They count in a file that moves something to a device, or makes it there, or has modules
        that do so themselves or call them.
        """
        arrays, apart = Trigger.ARRAY in self._triggers, Trigger.APART in self._triggers
        converters = [s for s in self._scopes if (arrays and s.converts) or (apart and s.parts)]
        if self._moving() or any(scope.triggered or scope.places for scope in self._scopes):
            return converters
        modules = self._survey.names.modules
        of_modules = (s for s in self._scopes if s.owner and s.owner.name in modules)
        called = set[str]().union(*(scope.mentions for scope in of_modules))
        return [s for s in converters if (s.owner.name in modules if s.owner else s.name in called)]

    def _users_of_converters(self) -> list[Scope]:
        """The functions that may hand tensors to what makes arrays of them in other files.

        Or lengths to what packs sequences.
        """
        mentioned = set[str]().union(*(scope.mentions for scope in self._scopes))
        converters = self._imported.converters_among(mentioned)
        if not converters:
            return []
        using = [scope for scope in self._scopes if not scope.mentions.isdisjoint(converters)]
        names = set(converters).union(*(built_by(scope.node, converters) for scope in using))
        moving = self._moving()
        return [
            scope
            for scope in self._scopes
            if not scope.mentions.isdisjoint(names)
            and not self._early.has(scope)
            and self._meets_device(scope, moving)
        ]

    def _users_of_imported(self) -> list[Scope]:
        """The functions that use what other files give back of what they make on the host.

        One that only tells them the device may have them move something there.
        """
        moving = self._moving()
        return [
            scope
            for scope in self._scopes
            if (self._meets_device(scope, moving) or not DEVICE_NAMES.isdisjoint(scope.mentions))
            and not self._early.has(scope)
            and self._imported.may_lead(scope.mentions)
            and self._imported.leads(uses_in(scope.node), self._bases_above(scope.owner))
        ]

    def _but_idle(
        self, scopes: list[Scope], builders: list[Scope], early: Set[Scope] = frozenset()
    ) -> list[Scope]:
        """Leave out those that do nothing with modules but hand them on.

        Args:
            builders: those of them that get nothing but modules.
            early: what runs while a module is built.
        """
        out = idle(builders, self._scopes, early, self._survey.names, self._imported)
        return [scope for scope in scopes if scope not in out]

    def _gets_modules(self, scope: Scope) -> bool:
        """Whether what a scope gets from other files is nothing but modules."""
        bases = self._bases_above(scope.owner)
        return not self._imported.leads(uses_in(scope.node), bases, tensor=True)

    def _users_of_constants(self) -> list[Scope]:
        """The functions that use what is made once, if some code that leads to them has a device.

        What reads it may be a function that a module calls.
        """
        late = [scope for scope in self._scopes if not self._early.has(scope)]
        making = makers_in(self._survey)

        def gives(function: ast.expr) -> bool:
            return last_component(function) in making or self._imported.is_given_by(function)

        read = set[str]().union(
            *(scope.mentions for scope in late if scope is not self._survey.module)
        )
        names = self._survey.constants.holding(read, gives)
        users = [scope for scope in late if not scope.mentions.isdisjoint(names)]
        if not users:
            return []
        reached, moving = with_users(users, Users(self._scopes)), self._moving()
        leading = (scope for scope in self._scopes if scope.node in reached)
        return users if any(self._meets_device(s, moving) for s in leading) else []

    def _users_of_built(self) -> list[Scope]:
        """The functions that use modules which are built once, and moved by no code of the file.

        They count where they, or what stands beside them, move something else.
        """
        moved = set[str]().union(*(scope.moved for scope in self._scopes))
        names, moving = self._survey.constants.built - moved, self._moving()
        return [
            scope
            for scope in self._scopes
            if isinstance(scope.node, FUNCTIONS)
            and not names.isdisjoint(scope.mentions)
            and not moving.isdisjoint({self._survey.module.node, scope.owner or scope.node})
            and not self._early.has(scope)
        ]

    def _moving(self) -> set[ast.AST]:
        """The functions and classes that move something."""
        return {s.owner or s.node for s in self._scopes if s.moved or s.moved_parts}

    def _bases_above(self, owner: ast.ClassDef | None) -> set[str]:
        return set() if owner is None else self._survey.kin.above(owner.name)

    def _meets_device(self, scope: Scope, moving: Set[ast.AST]) -> bool:
        """Whether a scope may have values on the accelerator.

        A module's may, one beside a move, and one that is given tensors from anywhere.
        """
        if scope.owner is not None and scope.owner.name in self._survey.names.modules:
            return True
        if isinstance(scope.node, FUNCTIONS) and may_be_given_tensors(scope.node):
            return True
        return not moving.isdisjoint({self._survey.module.node, scope.owner or scope.node})


def _keepers(kept: dict[ast.ClassDef, set[str]]) -> dict[str, set[ast.AST]]:
    """Return which classes keep something in an attribute, by its name."""
    keeping: dict[str, set[ast.AST]] = defaultdict(set)
    for owner, names in kept.items():
        for name in names:
            keeping[name].add(owner)
    return keeping
