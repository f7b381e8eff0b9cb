"""Findings that may have caused an error: those that lead to where it failed."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from enum import IntEnum

from torchdev_lint.finding import Finding
from torchdev_lint.known.known import Nature
from torchdev_lint.known.trail import trail_to
from torchdev_lint.placement.domain.values import Place
from torchdev_lint.records import dataclass
from torchdev_lint.source.span import Span
from torchdev_lint.tracebacks.files import AnalysedFile
from torchdev_lint.tracebacks.landmarks import landmarks
from torchdev_lint.tracebacks.messages import OWN_TENSORS, DeviceError, ErrorKind
from torchdev_lint.tracebacks.scene import Operand, Scene

_ONLY = {
    ErrorKind.DTYPES: frozenset({"TDL001", "TDL009"}),
    ErrorKind.HOST_WANTED: frozenset({"TDL001", "TDL009", "TDL013"}),
    ErrorKind.PINNED: frozenset({"TDL905"}),
    ErrorKind.LOADED: frozenset({"TDL101"}),
    ErrorKind.CONTAINER: frozenset({"TDL010"}),
    ErrorKind.NO_LEAF: frozenset({"TDL008"}),
}
"""What can raise an error that isn't about two places, such as a move that was lost."""


class Bearing(IntEnum):
    """What a finding has to do with a call, from most to least."""

    NAMED = 0
    """It names just what failed, or a value that takes part."""
    WITHIN = 1
    """It names a part of what failed."""
    VALUE = 2
    """It is about a value that takes part."""
    ORIGIN = 3
    """It is about what such a value comes from."""
    BESIDE = 4
    """It names something in the statement, of which the traceback doesn't say what failed."""
    APART = 5
    """It names something else in the statement than what failed."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A finding that may have caused the error.

    Args:
        file: where it is.
        scene: the call that it leads to.
        level: how many calls lie between that one and where it failed.
        bearing: what it has to do with that call.
        explained: the values taking part in the call that it is about.
    """

    finding: Finding
    file: AnalysedFile
    scene: Scene
    level: int
    bearing: Bearing
    explained: tuple[Operand, ...]

    @property
    def order(self) -> tuple[bool, int, int]:
        """The likely come first, however far out; last what stands only beside what failed."""
        return self.bearing is Bearing.APART, self.level, self.bearing

    @property
    def way(self) -> Operand | None:
        """The value taking part in the call that comes from where the finding is."""
        if self.file is not self.scene.file:
            return None
        span = self.finding.span
        ways = [o for o in self.scene.operands if o.known.places != {Place.ACCELERATOR}]
        itself = [o for o in ways if span in {o.known.span, *(s.known.span for s in o.trail.steps)}]
        on_line = (o for o in ways if any(s.known.span.line == span.line for s in o.trail.steps))
        return next(iter(itself), None) or next(on_line, None)


def suspects(error: DeviceError, scenes: Sequence[Scene]) -> list[Suspect]:
    """Return the findings that lead to where it failed, the likely ones first.

    Args:
        error: what its message says.
        scenes: the calls in the user's files, the innermost first.
    """
    kind = error.kind
    found = [
        suspect
        for file in dict.fromkeys(scene.file for scene in scenes)
        for finding in file.findings
        if finding.code in _ONLY.get(kind, {finding.code})
        if (suspect := _suspect(kind, finding, file, scenes)) is not None
    ]
    return sorted(found, key=lambda suspect: (suspect.order, not _is_meant(suspect, error)))


def _is_meant(suspect: Suspect, error: DeviceError) -> bool:
    """Whether the message names it, where it tells a layer's own tensors from what it is given."""
    if not error.on_host:
        return True
    is_own = suspect.way is not None and suspect.way.known.nature is Nature.MODULE
    return is_own is not OWN_TENSORS.isdisjoint(error.on_host)


def _suspect(
    kind: ErrorKind, finding: Finding, file: AnalysedFile, scenes: Sequence[Scene]
) -> Suspect | None:
    """A finding as a suspect of the innermost call that it leads to, None if there is none."""
    found: list[Suspect] = []
    for level, scene in enumerate(scenes):
        by_value, explained = _by_value(kind, finding, file, scene)
        bearings = [b for b in (_by_place(finding, file, scene), by_value) if b is not None]
        if bearings:
            found.append(Suspect(finding, file, scene, level, min(bearings), explained))
    return min(found, key=lambda suspect: suspect.order, default=None)


def _by_place(finding: Finding, file: AnalysedFile, scene: Scene) -> Bearing | None:
    """What a finding has to do with a call by the places that it names."""
    statement, spots = scene.statement_span, list(_spots_in(finding, file, scene.file))
    if scene.marked is not None:
        marked = scene.file.source.span(scene.marked)
        named = {marked, *(operand.known.span for operand in scene.operands)}
        syntax = scene.file.knowledge.syntax
        call = syntax.parent(scene.marked)
        if call is not None and syntax.is_called(scene.marked):  # of which an attribute is missing
            named.add(scene.file.source.span(call))
        if not named.isdisjoint(spots):
            return Bearing.NAMED
        if any(is_inside(spot, marked) for spot in spots):
            return Bearing.WITHIN
    is_beside = statement is not None and any(_overlaps(spot, statement) for spot in spots)
    if not is_beside:
        return None
    return Bearing.BESIDE if scene.marked is None else Bearing.APART


def _spots_in(finding: Finding, file: AnalysedFile, other: AnalysedFile) -> Iterator[Span]:
    """Yield the places in a file that a finding of a file names."""
    if file is other:
        yield finding.span
    for place in finding.related:
        if (place.path or file.absolute) == other.absolute:
            yield place.span


def is_inside(first: Span, second: Span) -> bool:
    """Return whether a stretch of text is a part of another one, or the same."""
    begins = (first.line, first.column) >= (second.line, second.column)
    return begins and (first.end_line, first.end_column) <= (second.end_line, second.end_column)


def _overlaps(first: Span, second: Span) -> bool:
    begins = (first.line, first.column) < (second.end_line, second.end_column)
    return begins and (second.line, second.column) < (first.end_line, first.end_column)


def _by_value(
    kind: ErrorKind, finding: Finding, file: AnalysedFile, scene: Scene
) -> tuple[Bearing | None, tuple[Operand, ...]]:
    """What a finding has to do with a call by the values that take part, and which these are.

    Of what is certainly on the accelerator nothing was left on the CPU.
    """
    node = _about(finding, file)
    if node is None or file is not scene.file:
        return None, ()
    about_places = kind is ErrorKind.DEVICES
    ways = {
        operand: landmarks(file, operand.trail.steps, about_places)
        for operand in scene.operands
        if not (about_places and operand.known.places == {Place.ACCELERATOR})
    }
    steps = trail_to(file.knowledge, node).steps
    for bearing, own in ((Bearing.VALUE, steps[:1]), (Bearing.ORIGIN, steps)):
        found = landmarks(file, own, about_places)
        explained = tuple(operand for operand, way in ways.items() if found & way)
        if explained:
            return bearing, explained
    return None, ()


def _about(finding: Finding, file: AnalysedFile) -> ast.expr | None:
    """The expression that a finding is about: what is made, or what is moved in vain."""
    node = file.knowledge.exactly(finding.span)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if file.knowledge.origin_made_by(node) is None:
            return node.func.value
    return node
