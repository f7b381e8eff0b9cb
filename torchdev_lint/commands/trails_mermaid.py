"""Trails as a drawing, in Mermaid's language: the values flow from where they are made."""

from __future__ import annotations

from collections.abc import Iterable

from torchdev_lint.known.known import Known
from torchdev_lint.known.trail import Trail
from torchdev_lint.placement.domain.values import Place
from torchdev_lint.source.cells import Cells, line_in_words
from torchdev_lint.source.span import Span

_LONGEST = 40
_COLOURS = {
    Place.HOST: ("host", "fill:#fde2c8,stroke:#b35c00,color:#000"),
    Place.ACCELERATOR: ("accelerator", "fill:#d3e9d3,stroke:#2c7a2c,color:#000"),
    Place.GIVEN: ("given", "fill:#d6e4f7,stroke:#2b5c9e,color:#000"),
    Place.UNKNOWN: ("unknown", "fill:#eeeeee,stroke:#777777,color:#000"),
}


def drawn(trails: Iterable[Trail], cells: Cells) -> str:
    """Return a flow chart; what several values come from is in it once.

    Args:
        trails: the values, each with what it comes from.
        cells: where the cells of the file are, if it is a notebook.
    """
    names: dict[Span, str] = {}
    boxes: list[str] = []
    arrows: dict[str, None] = {}
    for trail in trails:
        for step in trail.steps:
            if step.known.span not in names:
                names[step.known.span] = name = f"v{len(names)}"
                boxes.append(f"  {name}{_box(step.known, cells)}")
        for before, step in zip(trail.steps, trail.steps[1:], strict=False):
            source, target = names[step.known.span], names[before.known.span]
            arrows[f'  {source} -->|"{_escaped(step.how)}"| {target}'] = None
        if trail.end:
            last = names[trail.last.span]
            arrows[f'  {last}_end>"{_escaped(trail.end)}"] -.-> {last}'] = None
    classes = [f"  classDef {name} {style}" for name, style in _COLOURS.values()]
    return "\n".join(["flowchart TD", *boxes, *arrows, *classes]) + "\n"


def _box(known: Known, cells: Cells) -> str:
    text = " ".join(known.text.split())
    text = text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."
    words = f"line {line_in_words(cells, known.span.line)}: {text}"
    return f'["{_escaped(words)}<br/>{_escaped(known.words)}"]:::{_COLOURS[known.place][0]}'


def _escaped(text: str) -> str:
    """A text as it may stand between quotes: what means something there is written as a code."""
    return "".join(c if c.isprintable() and c not in '"#<>&`|;' else f"#{ord(c)};" for c in text)
