"""Trails as JSON, for tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from torchdev_lint.known.known import Known
from torchdev_lint.known.trail import Trail
from torchdev_lint.source.cells import Cells, cell_at, in_cell
from torchdev_lint.source.span import Span

if TYPE_CHECKING:
    from torchdev_lint.commands.why import Answer


def as_json(answer: Answer) -> str:
    """Return what there is to say of a line as one object."""
    asked, cells = answer.position, answer.cells
    said = {
        "filename": asked.path,
        "cell": asked.cell,
        "line": asked.line,
        "values": [_trail(trail, cells) for trail in answer.trails],
        "findings": [
            {"code": f.code, "message": f.message, **_span(f.span, cells)} for f in answer.findings
        ],
    }
    return json.dumps(said, indent=2) + "\n"


def _trail(trail: Trail, cells: Cells) -> dict[str, Any]:
    steps = [{**_known(step.known, cells), "how": step.how} for step in trail.steps[1:]]
    site = trail.site
    return {
        **_known(trail.steps[0].known, cells),
        "steps": steps,
        "end": trail.end,
        "known": not trail.is_open,
        "made_in": None if site is None else {"filename": site.path, **_span(site.span, ())},
    }


def _known(known: Known, cells: Cells) -> dict[str, Any]:
    """Return what is known of an expression; its cases are the ways on which it was met."""
    cases = [{"nature": c.nature.name.lower(), "place": c.place.name.lower()} for c in known.cases]
    return {"text": known.text, "is": known.words, "cases": cases, **_span(known.span, cells)}


def _span(span: Span, cells: Cells) -> dict[str, Any]:
    """Return a place; in a notebook rows are counted in the cell."""
    cell, span = cell_at(cells, span.line), in_cell(cells, span)
    return {
        "cell": None if cell is None else cell.number,
        "location": {"row": span.line, "column": span.column + 1},
        "end_location": {"row": span.end_line, "column": span.end_column + 1},
    }
