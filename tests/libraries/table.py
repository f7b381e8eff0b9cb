"""The classes of one library by name, and the file that holds them."""

from __future__ import annotations

import textwrap
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from torchdev_lint.catalog.classes import ClassKind
from torchdev_lint.catalog.modules import MODULE_BASES

from .kinds import Judge
from .outline import Class, Imported, Outline, Renamed
from .world import World

_WIDTH = 100
_TELLING = MODULE_BASES | {"DataLoader"}
"""Names by which a class is taken for something, unless its library says that it isn't."""
_ORDER = {kind: position for position, kind in enumerate(ClassKind)}


@dataclass(frozen=True, slots=True)
class Table:
    """The classes of a library.

    Args:
        library: what is imported.
        releases: which releases were read for it, as `NAME VERSION`.
        kinds: of what kinds a class is, by its name, or by full names where classes of the same
            name differ.
    """

    library: str
    releases: tuple[str, ...]
    kinds: dict[str, frozenset[ClassKind]]


def tabulated(world: World, library: str, releases: Mapping[str, Set[str]]) -> Table:
    """Return the classes of a library that are of some kind.

    Args:
        library: what is imported.
        releases: which releases each library was read from.
    """
    judge = Judge(world)
    below = {library}
    found: defaultdict[str, dict[str, frozenset[ClassKind] | None]] = defaultdict(dict)
    for module, outline in world.modules.items():
        if module.partition(".")[0] != library:
            continue
        for name in _offered(world, outline):
            if not name.startswith("_"):
                meanings = world.member(module, name)
                found[name][f"{module}.{name}"] = judge.of_any(meanings)
                below.update(*map(judge.libraries_below, meanings))
    read = sorted(release for each in below for release in releases[each])
    return Table(library, tuple(dict.fromkeys(read)), dict(_told_apart(found)))


def _told_apart(
    found: Mapping[str, Mapping[str, frozenset[ClassKind] | None]],
) -> Iterator[tuple[str, frozenset[ClassKind]]]:
    """Name classes by their own names, in full where others of that name have nothing in common.

    Args:
        found: for each name the kinds of the classes of that name, by their full names.
    """
    for name, by_path in found.items():
        known = {path: kinds for path, kinds in by_path.items() if kinds is not None}
        common = frozenset.intersection(*known.values()) if known else None
        if common or not any(known.values()):
            known = {} if common is None else {name: common}
        for path, kinds in known.items():
            if kinds or name in _TELLING:
                yield path, kinds


def _offered(world: World, outline: Outline) -> Iterator[str]:
    """The names that are classes where others import them from a module.

    A module offers what it defines, under whatever name, and what it imports from its own library;
    of other libraries what its `__all__` names, and a package what it imports by name.
    """
    library = outline.name.partition(".")[0]
    for name, bindings in outline.bindings.items():
        for binding in bindings:
            if isinstance(binding, (Class, Renamed)) or (
                isinstance(binding, Imported)
                and (
                    binding.module.partition(".")[0] == library
                    or name in outline.exported
                    or (outline.is_package and binding.member is not None)
                )
            ):
                yield name
                break
    for star in outline.stars:
        if star in world.modules and star != outline.name:
            yield from world.modules[star].bindings


def dumped(table: Table) -> str:
    """Write the file of a library."""
    groups: defaultdict[tuple[ClassKind, ...], list[str]] = defaultdict(list)
    for name, kinds in table.kinds.items():
        groups[tuple(sorted(kinds, key=_ORDER.__getitem__))].append(name)
    lines = [f"# {release}" for release in table.releases]
    for group in sorted(groups, key=lambda each: [_ORDER[kind] for kind in each]):
        lines.append(f"[{' '.join(kind.value for kind in group)}]")
        names = " ".join(sorted(groups[group]))
        lines += textwrap.wrap(names, _WIDTH, break_long_words=False, break_on_hyphens=False)
    return "".join(f"{line}\n" for line in lines)
