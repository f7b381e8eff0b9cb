"""From a traceback to the line that has to be changed."""

from __future__ import annotations

import re

from torchdev_lint.records import dataclass
from torchdev_lint.source.source import SourceError
from torchdev_lint.tracebacks.certainty import is_certain, was_passed
from torchdev_lint.tracebacks.files import AnalysedFile, is_installed, located
from torchdev_lint.tracebacks.leads import leads
from torchdev_lint.tracebacks.messages import DeviceError, ErrorKind, device_error
from torchdev_lint.tracebacks.notebooks import in_notebook
from torchdev_lint.tracebacks.reading import Traceback, tracebacks_in
from torchdev_lint.tracebacks.scene import Operand, Scene
from torchdev_lint.tracebacks.suspects import Suspect, suspects

MAX_CALLS = 12
"""How many calls in the user's files are looked at, from the innermost."""
MOST = 3
"""How many possible causes are told."""
_CELL = re.compile(r"Cell In ?\[\d+\], line \d+|<ipython-input-")
"""What tells of cells, also of those that aren't read."""
_NO_FILE = "no call in the traceback is in a file of yours"
_NO_NOTEBOOK = (
    "the traceback doesn't say which notebook its cells are of; `torchdev-lint explain-error "
    "NOTEBOOK.ipynb` reads those that it keeps"
)


class NotExplained(Exception):
    """There is nothing to explain, or nothing to explain it by.

    Args:
        message: why.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class Explanation:
    """What caused an error.

    Args:
        error: what its message says.
        raised: the exception's class.
        scene: where it failed, in the user's files.
        suspects: the findings that lead there, the likely ones first.
        asked: the innermost call in which something may be on the CPU.
        leads: the values that may be, the likely ones first, if it isn't certain.
        passed: what takes part, and was on the CPU before it was passed to there, by a finding.
        certain: whether the findings are the cause for certain.
    """

    error: DeviceError
    raised: str
    scene: Scene
    suspects: tuple[Suspect, ...]
    asked: Scene
    leads: tuple[Operand, ...]
    passed: tuple[Operand, ...]
    certain: bool


def explain(text: str, notebook: str | None = None) -> Explanation:
    """Explain the first device error in a text.

    Args:
        text: what holds a traceback.
        notebook: the one that its cells are of, where that is known.

    Raises:
        NotExplained: there is none, or its files aren't here.
    """
    traceback, error = _first_device_error(text)
    traceback = in_notebook(traceback, notebook)
    scenes = _scenes(traceback, _CELL.search(text) is not None)
    found = suspects(error, scenes)
    certain = is_certain(found, scenes)
    if certain:
        found = [suspect for suspect in found if suspect.order == found[0].order]
    about_places = error.kind is ErrorKind.DEVICES
    told = tuple(found[:MOST])
    passed = tuple(
        operand
        for operand in scenes[0].operands
        if about_places and was_passed(told, operand, scenes)
    )
    told_of = {(each.scene, operand) for each in told for operand in each.explained}
    told_of |= {(scenes[0], operand) for operand in passed}
    asked, others = leads(scenes, told_of) if about_places and not certain else (scenes[0], [])
    return Explanation(
        error, traceback.type, scenes[0], told, asked, tuple(others[:MOST]), passed, certain
    )


def _first_device_error(text: str) -> tuple[Traceback, DeviceError]:
    found = tracebacks_in(text)
    for traceback in found:
        error = device_error(traceback.message)
        if error is not None:
            return traceback, error
    if found:
        raise NotExplained(f"the traceback ends in a {found[-1].type}, which is no device error")
    raise NotExplained("there is no traceback in it")


def _scenes(traceback: Traceback, has_cells: bool) -> list[Scene]:
    """The calls in the user's files, the innermost first.

    Args:
        traceback: names the calls.
        has_cells: whether some are in cells of a notebook, which it doesn't name.

    Raises:
        NotExplained: none of the files is here, or can be read.
    """
    marks = any(frame.marked is not None for frame in traceback.frames)
    own = [f for f in traceback.frames if not f.is_cell and not is_installed(f.path)]
    if not own:
        raise NotExplained(_NO_NOTEBOOK if has_cells else _NO_FILE)
    files: dict[str, AnalysedFile | None] = {}
    scenes: list[Scene] = []
    problems: dict[str, None] = {}
    for frame in reversed(own[-MAX_CALLS:]):
        path = located(frame.path)
        if path is None:
            problems[f"{frame.path} is not here"] = None
            continue
        if path not in files:
            try:
                files[path] = AnalysedFile(path)
            except SourceError as error:
                files[path] = None
                problems[f"{path}: {error.message}"] = None
        file = files[path]
        if file is not None:
            scenes.append(Scene(frame, file, marks))
    if not scenes:
        raise NotExplained("; ".join(problems))
    return scenes
