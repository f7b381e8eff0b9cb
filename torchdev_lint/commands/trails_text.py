"""Trails as text: each value of a line, and below it the steps to where it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchdev_lint.known.known import Known
from torchdev_lint.known.trail import Trail
from torchdev_lint.placement.domain.values import Place
from torchdev_lint.source.shown import beside, place_in, shown, shown_path
from torchdev_lint.source.span import Span

if TYPE_CHECKING:
    from torchdev_lint.commands.why import Answer
    from torchdev_lint.source.cells import Cells

_LONGEST = 60


def as_text(answer: Answer) -> str:
    """Return what there is to say of a line, for a person to read."""
    asked, told = answer.position, set[Span]()
    cell = "" if asked.cell is None else f"cell {asked.cell}:"
    head = f"{shown_path(asked.path)}:{cell}{asked.line}: {shown(answer.text.strip())}"
    trails = (trail_text(trail, asked.path, told, answer.cells) for trail in answer.trails)
    blocks = [head, *trails, verdict(answer)]
    return "\n\n".join(blocks) + "\n"


def trail_text(trail: Trail, path: str, told: set[Span], cells: Cells = ()) -> str:
    """Return a value and the steps to where it comes from, a line each.

    Args:
        path: the file, as the user wrote it.
        told: the expressions of which it was told before where they come from; these are added.
        cells: where its cells are, if it is a notebook.
    """
    first, *steps = trail.steps
    lines = [f"{_code(first.known)} at {place_in(cells, first.known.span)} is {first.known.words}"]
    before = first.known
    for step in steps:
        changed = "" if step.known.words == before.words else f" ({step.known.words})"
        place = place_in(cells, step.known.span)
        lines.append(f"  {place}  {_code(step.known)}{changed}, {shown(step.how)}")
        before = step.known
        if before.span in told:
            lines.append("  and so on as above")
            break
        told.add(before.span)
    else:
        lines += _end_of(trail, path)
    told.add(first.known.span)
    return "\n".join(lines)


def _end_of(trail: Trail, path: str) -> Iterator[str]:
    if trail.site is not None:
        span = trail.site.span
        place = f"{shown_path(beside(trail.site.path, path))}:{span.line}:{span.column + 1}"
        yield f"  {place}  is where that is made"
    if trail.end:
        yield f"  {'not known from here: ' if trail.is_open else ''}{shown(trail.end)}"


def verdict(answer: Answer) -> str:
    """Return what is reported about the line; if nothing is, why that may be."""
    if answer.findings:
        lines = [
            f"Reported: {f.code} at {place_in(answer.cells, f.span)}, {shown(f.message)}"
            for f in answer.findings
        ]
        return "\n".join(lines)
    if not answer.trails:
        return "Nothing here is known to live anywhere, and nothing is reported."
    first = next((trail for trail in answer.trails if trail.is_open), None)
    if first is not None:
        what = f"{_code(first.last)} at {place_in(answer.cells, first.last.span)}"
        return f"Nothing is reported. The first thing that isn't known is {what}: {first.end}."
    places = set[Place]().union(*(trail.steps[0].known.places for trail in answer.trails))
    if Place.HOST in places and any(place.is_device for place in places):
        return "Nothing is reported: what is in different places doesn't meet here and fail."
    return "Nothing is reported: all that is known here lives in one place."


def _code(known: Known) -> str:
    text = " ".join(known.text.split())
    return f"`{shown(text if len(text) <= _LONGEST else text[: _LONGEST - 3] + '...')}`"
