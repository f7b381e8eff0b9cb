"""What a class is, going by what it inherits and defines."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache

import torch
from torch.utils import data

from torchdev_lint.catalog.classes import ClassKind
from torchdev_lint.catalog.modules import CONDITIONAL_LAYERS, LAYERS, LAZY_LAYERS
from torchdev_lint.syntax.names import canonical

from .outline import Class
from .world import Elsewhere, Meaning, World

_BASES: dict[ClassKind, type] = {
    ClassKind.MODULE: torch.nn.Module,
    ClassKind.LOADER: data.DataLoader,
    ClassKind.DATASET: data.Dataset,
    ClassKind.SAMPLER: data.Sampler,
}
_METRICS = frozenset({"torchmetrics.metric.Metric"})
_MOVE = "to"
_LOOKED_UP = (["ops"], ["classes"])
"""Members of torch that look up whatever name they are asked for, and raise where it is missing."""
_SEQUENTIAL = "torch.nn.Sequential"
_STATEFUL = LAYERS | LAZY_LAYERS | {"Parameter", "UninitializedParameter"}
_ALWAYS_STATEFUL = LAYERS - CONDITIONAL_LAYERS.keys()


class Judge:
    """Judges the classes of libraries.

    Args:
        world: what names stand for.
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self._known: dict[Class, frozenset[ClassKind] | None] = {}

    def kinds_of(self, meaning: Meaning) -> frozenset[ClassKind] | None:
        """Return what kinds something is of; None if that can't be told."""
        if isinstance(meaning, Elsewhere):
            return kinds_in_torch(meaning.name)
        if not isinstance(meaning, Class):
            return frozenset()
        if meaning not in self._known:
            self._known[meaning] = frozenset()  # what a class in its own lineage adds
            self._known[meaning] = self._judged(meaning)
        return self._known[meaning]

    def of_any(self, meanings: tuple[Meaning, ...]) -> frozenset[ClassKind] | None:
        """Return what kinds a name is of that may stand for several things.

        What stands in for a class that is missing doesn't count, nor what is of no kind beside
        something that is.
        """
        meanings = tuple(m for m in meanings if not (isinstance(m, Class) and m.stands_in))
        found = {kinds for meaning in meanings if (kinds := self.kinds_of(meaning)) != frozenset()}
        if not found:
            return frozenset() if meanings else None
        return found.pop() if len(found) == 1 else None

    def libraries_below(self, meaning: Meaning) -> set[str]:
        """Return the libraries that a class inherits from, its own among them."""
        lineage = self._lineage(meaning) if isinstance(meaning, Class) else ()
        return {cls.module.partition(".")[0] for cls in lineage}

    def _judged(self, cls: Class) -> frozenset[ClassKind] | None:
        inherited = [self.of_any(meanings) for meanings in self._bases(cls)]
        kinds = {kind for found in inherited for kind in found or ()}
        if f"{cls.module}.{cls.name}" in _METRICS:
            kinds.add(ClassKind.METRIC)
        kinds -= {ClassKind.LAYER}
        if ClassKind.MODULE in kinds:
            kinds -= {ClassKind.MOVER}
            if self._is_layer(cls):
                kinds.add(ClassKind.LAYER)
        elif _MOVE in cls.methods:
            kinds -= {ClassKind.MOVER}
            if self._gives_itself(cls, _MOVE):
                kinds.add(ClassKind.MOVER)
        if cls.mentions_devices:
            kinds -= {ClassKind.LOADER}
        if kinds and any(ancestor.has_device for ancestor in self._lineage(cls)):
            kinds.add(ClassKind.DEVICE)
        if not kinds and None in inherited:
            return None
        return frozenset(kinds)

    def _bases(self, cls: Class) -> Iterator[tuple[Meaning, ...]]:
        for names in cls.bases:
            yield tuple(m for name in names for m in self.world.meanings(cls.module, name))

    def _is_layer(self, cls: Class) -> bool:
        """Whether `forward` certainly applies state that `__init__` certainly makes."""
        lineage = list(self._lineage(cls))
        if any(ancestor.state.moves for ancestor in lineage):
            return False
        forward = next((each.state for each in lineage if "forward" in each.methods), None)
        if forward is None:
            return self._extends_layer(lineage)
        for attr in forward.applied or ():
            owners = [each for each in lineage if attr in each.state.set]
            if len(owners) == 1 and self._makes_state(owners[0], attr):
                return True
        return False

    def _extends_layer(self, lineage: list[Class]) -> bool:
        """Whether a class leaves what a layer of `torch.nn` does to it."""
        beyond = {m for cls in lineage for ms in self._bases(cls) for m in ms}
        names = {canonical(m.name) for m in beyond if isinstance(m, Elsewhere)}
        return any(name.removeprefix("torch.nn.") in _ALWAYS_STATEFUL for name in names)

    def _makes_state(self, cls: Class, attr: str) -> bool:
        """Whether the `__init__` of a class gives an attribute something with state."""
        ways = cls.state.made.get(attr, ())
        return bool(ways) and all(self._has_state(cls.module, *names) for names in ways)

    def _has_state(self, module: str, made: str, *inner: str) -> bool:
        """Whether what is built has state, or what is built for its arguments, in a chain."""
        if self.world.meanings(module, made) == (Elsewhere(_SEQUENTIAL),):
            return any(self._is_stateful(module, name) for name in inner)
        return self._is_stateful(module, made)

    def _is_stateful(self, module: str, name: str) -> bool:
        """Whether what a name stands for makes objects with state, which applying them meets."""
        meanings = self.world.meanings(module, name)
        return bool(meanings) and all(
            _is_stateful(meaning.name)
            if isinstance(meaning, Elsewhere)
            else ClassKind.LAYER in (self.kinds_of(meaning) or ())
            for meaning in meanings
        )

    def _gives_itself(self, cls: Class, method: str, depth: int = 3) -> bool:
        """Whether a method always gives back the object itself."""
        for ancestor in self._lineage(cls):
            if method in ancestor.methods:
                through = ancestor.methods[method]
                return through == "" or (
                    through is not None
                    and depth > 0
                    and self._gives_itself(cls, through, depth - 1)
                )
        return False

    def _lineage(self, cls: Class) -> Iterator[Class]:
        """The class and its ancestors in libraries that were read, nearest first."""
        seen: set[Class] = set()
        pending = [cls]
        while pending:
            current = pending.pop()
            if current not in seen:
                seen.add(current)
                yield current
                bases = [m for ms in self._bases(current) for m in ms if isinstance(m, Class)]
                pending.extend(reversed(bases))


def _is_stateful(name: str) -> bool:
    """Whether a class of torch makes state where no argument forbids it."""
    owner, _, last = canonical(name).rpartition(".")
    return owner in {"torch.nn", "torch.nn.parameter"} and last in _STATEFUL


@cache
def kinds_in_torch(name: str) -> frozenset[ClassKind] | None:
    """Return what a member of torch is, asking the one that is installed; None for others."""
    root, *path = name.split(".")
    if root != torch.__name__:
        return None
    if path[:1] in _LOOKED_UP:
        return frozenset()
    found: object = torch
    for position, part in enumerate(path):
        try:
            found = getattr(found, part)
        except AttributeError:
            try:
                found = importlib.import_module(".".join([root, *path[: position + 1]]))
            except ImportError:
                return None
    if not isinstance(found, type):
        return frozenset()
    return frozenset(kind for kind, base in _BASES.items() if issubclass(found, base))
