"""What names stand for, across the modules of all libraries that were read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from .outline import Binding, Class, Imported, Outline, Renamed, Something


@dataclass(frozen=True, slots=True)
class Module:
    """A module of a library that was read."""

    name: str


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A member of a library that was not read, by its dotted name."""

    name: str


Meaning: TypeAlias = "Class | Module | Elsewhere | Something"


class World:
    """The modules of libraries, by name."""

    def __init__(self, outlines: Iterable[Outline]) -> None:
        self.modules = {outline.name: outline for outline in outlines}
        self.libraries = {name.partition(".")[0] for name in self.modules}
        self._by_name: defaultdict[tuple[str, str], list[Class]] = defaultdict(list)
        for outline in self.modules.values():
            library = outline.name.partition(".")[0]
            for bindings in outline.bindings.values():
                for binding in bindings:
                    if isinstance(binding, Class):
                        self._by_name[library, binding.name].append(binding)
        self._known: dict[tuple[str, str], tuple[Meaning, ...]] = {}
        self._asked: set[tuple[str, str]] = set()
        self._in_circle = False

    def member(self, module: str, name: str) -> tuple[Meaning, ...]:
        """Return what a member of a module may be; nothing if that can't be told.

        Args:
            module: the module's dotted name.
        """
        key = (module, name)
        if key in self._known:
            return self._known[key]
        if key in self._asked:
            self._in_circle = True
            return ()
        self._asked.add(key)
        found = tuple(dict.fromkeys(self._look_up(module, name)))
        self._asked.discard(key)
        # What was found on the way round a circle is only a part of what there is.
        if not self._in_circle or not self._asked:
            self._known[key] = found
            self._in_circle = False
        return found

    def meanings(self, module: str, name: str) -> tuple[Meaning, ...]:
        """Return what a dotted name may stand for at the top of a module."""
        first, *rest = name.split(".")
        found = self.member(module, first)
        if not found and first == "object":
            return (Something(),)
        for part in rest:
            found = tuple(option for meaning in found for option in self._attribute(meaning, part))
        return found

    def _attribute(self, owner: Meaning, name: str) -> tuple[Meaning, ...]:
        if isinstance(owner, Module):
            return self.member(owner.name, name)
        if isinstance(owner, Elsewhere):
            return (Elsewhere(f"{owner.name}.{name}"),)
        return ()

    def _look_up(self, module: str, name: str) -> list[Meaning]:
        outline = self.modules.get(module)
        if outline is None:
            # A folder without `__init__` is a package as well.
            full = f"{module}.{name}"
            if module.partition(".")[0] not in self.libraries:
                return [Elsewhere(full)]
            return [Module(full)] if full in self.modules else []
        bound = outline.bindings.get(name, [])
        found = [option for binding in bound for option in self._of_binding(outline, binding)]
        if found:
            return found
        for star in reversed(outline.stars):
            # A library that was not read may have the name or not.
            in_sight = star in self.modules and star != module
            if in_sight and (not name.startswith("_") or self._exports(star, name)):
                if found := [*self.member(star, name)]:
                    return found
        if f"{module}.{name}" in self.modules:
            return [Module(f"{module}.{name}")]
        return list(self._by_name[module.partition(".")[0], name]) if outline.lazy else []

    def _exports(self, module: str, name: str) -> bool:
        outline = self.modules.get(module)
        return outline is not None and name in outline.exported

    def _of_binding(self, outline: Outline, binding: Binding) -> tuple[Meaning, ...]:
        if isinstance(binding, Imported):
            if binding.member is not None:
                return self.member(binding.module, binding.member)
            if binding.module in self.modules:
                return (Module(binding.module),)
            known = binding.module.partition(".")[0] in self.libraries
            return () if known else (Elsewhere(binding.module),)
        if isinstance(binding, Renamed):
            return tuple(
                option for name in binding.names for option in self.meanings(outline.name, name)
            )
        return (binding,)
