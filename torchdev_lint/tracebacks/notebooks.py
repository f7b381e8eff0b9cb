"""Tracebacks of notebooks: those that one keeps, and which one the cells are of."""

from __future__ import annotations

import glob
import json
from collections.abc import Iterator, Sequence

from torchdev_lint.records import replace
from torchdev_lint.source.source import NOTEBOOK, SourceError, read_source
from torchdev_lint.tracebacks.reading import Frame, Traceback


def errors_in(data: bytes) -> str:
    """Return the tracebacks that a notebook keeps of when it was run; none if it is none."""
    try:
        return "\n".join(_errors_in(json.loads(data)))
    except (ValueError, RecursionError, TypeError, AttributeError, KeyError):
        return ""


def _errors_in(content: dict[str, list[dict[str, list[dict[str, list[str]]]]]]) -> Iterator[str]:
    for cell in content["cells"]:
        for output in cell.get("outputs", ()):
            yield from output.get("traceback", ())


def in_notebook(traceback: Traceback, notebook: str | None) -> Traceback:
    """Return a traceback with the notebook that its cells are of, if that can be told.

    Args:
        traceback: the traceback.
        notebook: that notebook; None: the only one in the current folder that has such lines.
    """
    lines = [frame.text for frame in traceback.frames if frame.is_cell]
    among = sorted(glob.glob(f"*{NOTEBOOK}")) if notebook is None else [notebook]
    found = [path for path in among if _has(path, lines)] if lines else []
    if len(found) != 1:
        return traceback
    return replace(
        traceback, frames=tuple(_in(found[0], f) if f.is_cell else f for f in traceback.frames)
    )


def _in(path: str, frame: Frame) -> Frame:
    return replace(frame, path=path, is_cell=False)


def _has(path: str, lines: Sequence[str]) -> bool:
    """Whether a notebook has some lines of code."""
    try:
        there = {line.strip() for line in read_source(path).lines}
    except SourceError:
        return False
    return there.issuperset(lines)
