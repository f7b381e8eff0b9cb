"""What a user tells of names, for the file at hand: it joins what the catalog knows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class Told:
    """What is told, by dotted names as they are imported.

    Args:
        moves: functions whose result is what they are given, moved to the accelerator.
        moves_in_place: functions that move what they are given itself.
        module_bases: classes that are modules.
        loaders: classes and functions that give data loaders.
        host_only: functions and methods that never see an accelerator.
        device_expression: what gives the device wherever its first name is bound, as it is written.
        src: folders that modules are imported from, absolute.
        rule_options: by codes or names of rules, what each is told; the last one counts.
    """

    moves: tuple[str, ...] = ()
    moves_in_place: tuple[str, ...] = ()
    module_bases: tuple[str, ...] = ()
    loaders: tuple[str, ...] = ()
    host_only: tuple[str, ...] = ()
    device_expression: tuple[str, ...] = ()
    src: tuple[str, ...] = ()
    rule_options: tuple[tuple[str, tuple[tuple[str, object], ...]], ...] = ()

    def is_known(self, name: str) -> bool:
        """Whether it is told what something that is imported does."""
        return name in self.imported()

    def has_library(self, root: str) -> bool:
        """Whether something is told of a library, by what is imported up to the first dot."""
        return any(name.partition(".")[0] == root for name in self.imported())

    def imported(self) -> tuple[str, ...]:
        """Return all that is told of what is imported."""
        return (*self.moves, *self.moves_in_place, *self.module_bases, *self.loaders)


NOTHING = Told()
_now = NOTHING


def now() -> Told:
    """Return what holds for the file at hand."""
    return _now


@contextmanager
def told(what: Told) -> Iterator[None]:
    """Have something hold for as long as a file is analysed."""
    global _now
    before, _now = _now, what
    try:
        yield
    finally:
        _now = before
