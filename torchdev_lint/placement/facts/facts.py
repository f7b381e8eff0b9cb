"""What the placement analysis found out about a file: all that rules may ask."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field
from typing import TypeVar, cast

from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.facts.events import Event, Excused, OwnState, Rebuilt
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.records import dataclass
from torchdev_lint.source.span import Span
from torchdev_lint.syntax.scopes import Syntax

EventType = TypeVar("EventType", bound=Event)
T = TypeVar("T")


@dataclass(slots=True)
class Facts:
    """The facts about one file: what has happened in it, in the order in which it was met.

    Args:
        span: turns a syntax node into its place in the text.
        tree: the file's syntax tree.
        text: gives the source text of a node.
        line_of: names the line of a node in a message.
        fixable: whether fixes are worked out: each has to be tried, for which large files are too
            large, and the analysis has to have come to the end of the file.
        on_host: the functions, classes and methods that the project calls with samples only, on the
            host.
        on_samples: those that the project does nothing else with than to work on samples.
        not_shown: those of which the project doesn't show that they come to an accelerator, as far
            as that was asked.
        fed_from_host: where something meets what the project gives a `forward` from the CPU only.
        told_host: the functions that take a device, for which the project always gives the CPU.
        unsupposed: what was found out where nothing is supposed of devices, if that was looked at.
        work: how many expressions were evaluated to find it out, or what counts as one, in all
            the analyses of the file that this took.
        file: the file, by which others of its project are found; None if it is of none.
    """

    span: Callable[[ast.AST], Span]
    tree: ast.Module
    text: Callable[[ast.AST], str]
    line_of: Callable[[ast.AST], str]
    fixable: bool = True
    on_host: frozenset[str] = frozenset()
    on_samples: frozenset[str] = frozenset()
    not_shown: frozenset[str] = frozenset()
    fed_from_host: frozenset[Span] = frozenset()
    told_host: frozenset[str] = frozenset()
    unsupposed: Facts | None = None
    work: int = 0
    file: ParsedFile | None = None
    _events: dict[type[Event], dict[object, Event]] = field(default_factory=dict)
    _derived: dict[object, object] = field(default_factory=dict)

    @property
    def syntax(self) -> Syntax:
        """The tree with the way back from a node to what it is part of."""
        return self.concluded(_syntax_of)

    def derived(self, make: Callable[[Syntax], T]) -> T:
        """Return something that follows from the tree, made when it is first asked for."""
        if make not in self._derived:
            self._derived[make] = self.syntax.derived(make)
        return cast("T", self._derived[make])

    def concluded(self, make: Callable[[Facts], T]) -> T:
        """Return something that follows from all that has happened, made when first asked for."""
        if make not in self._derived:
            self._derived[make] = make(self)
        return cast("T", self._derived[make])

    def note(self, event: Event) -> None:
        """Keep an event that has happened; the analysis does that by way of `Run.note`."""
        known = self._events.setdefault(type(event), {})
        if any(key in known for key in event.implied_by):
            return
        earlier = known.get(event.key)
        known[event.key] = event if earlier is None else event.after(earlier)

    def of(self, kind: type[EventType]) -> Collection[EventType]:
        """Return the events of a type."""
        return cast("Collection[EventType]", self._events.get(kind, {}).values())

    def find(self, kind: type[EventType], key: object) -> EventType | None:
        """Return the event of a type with a key, if it has happened."""
        return cast("EventType | None", self._events.get(kind, {}).get(key))

    def unexcused(self) -> Sequence[Meeting]:
        """Return the meetings that are defects of their own."""
        return self.concluded(_unexcused)

    def untrained(self) -> Iterator[Rebuilt]:
        """Yield the layers whose parameters are lost with each call, and don't fail before."""
        for rebuilt in self.of(Rebuilt):
            if self.find(OwnState, rebuilt.key) is None and self.find(Meeting, rebuilt.key) is None:
                yield rebuilt


def _syntax_of(facts: Facts) -> Syntax:
    return Syntax(facts.tree) if facts.file is None else facts.file.syntax


def _unexcused(facts: Facts) -> list[Meeting]:
    return [meeting for meeting in facts.of(Meeting) if not _is_excused(facts, meeting.origin)]


def _is_excused(facts: Facts, origin: Origin | None) -> bool:
    while origin is not None and facts.find(Excused, origin.made.identity) is None:
        origin = origin.whole
    return origin is not None
