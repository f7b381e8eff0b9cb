"""Trails as JSON, for tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from torchdev_lint.known.known import Known
from torchdev_lint.known.trail import Trail
from torchdev_lint.source.span import Span

if TYPE_CHECKING:
    from torchdev_lint.commands.why import Answer


def as_json(answer: Answer) -> str:
    """Return what there is to say of a line as one object."""
    said = {
        "filename": answer.position.path,
        "line": answer.position.line,
        "values": [_trail(trail) for trail in answer.trails],
        "findings": [
            {"code": f.code, "message": f.message, **_span(f.span)} for f in answer.findings
        ],
    }
    return json.dumps(said, indent=2) + "\n"


def _trail(trail: Trail) -> dict[str, Any]:
    steps = [{**known_json(step.known), "how": step.how} for step in trail.steps[1:]]
    site = trail.site
    return {
        **known_json(trail.steps[0].known),
        "steps": steps,
        "end": trail.end,
        "known": not trail.is_open,
        "made_in": None if site is None else {"filename": site.path, **_span(site.span)},
    }


def known_json(known: Known) -> dict[str, Any]:
    """Return what is known of an expression; its cases are the ways on which it was met."""
    cases = [{"nature": c.nature.name.lower(), "place": c.place.name.lower()} for c in known.cases]
    return {"text": known.text, "is": known.words, "cases": cases, **_span(known.span)}


def _span(span: Span) -> dict[str, Any]:
    return {
        "location": {"row": span.line, "column": span.column + 1},
        "end_location": {"row": span.end_line, "column": span.end_column + 1},
    }
