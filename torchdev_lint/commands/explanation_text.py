"""What caused an error, as text."""

from __future__ import annotations

from collections.abc import Iterator

from torchdev_lint.applying.difference import difference
from torchdev_lint.applying.edit import Text, apply_edits
from torchdev_lint.change import CannotEdit, Fix
from torchdev_lint.commands.trails_text import trail_text
from torchdev_lint.known.known import Nature
from torchdev_lint.placement.domain.values import Place
from torchdev_lint.source.cells import line_in_words
from torchdev_lint.source.shown import located, shown, shown_lines, shown_path
from torchdev_lint.source.span import Span
from torchdev_lint.tracebacks.explaining import MOST, Explanation
from torchdev_lint.tracebacks.files import AnalysedFile
from torchdev_lint.tracebacks.messages import ErrorKind
from torchdev_lint.tracebacks.scene import Operand, Scene
from torchdev_lint.tracebacks.suspects import Suspect

_SIDES = {
    Place.HOST: "on the CPU",
    Place.ACCELERATOR: "on the accelerator",
    Place.GIVEN: "where the caller's tensors are",
}

_NOWHERE = "Nothing that takes part in it is known to be on the CPU, or not known."
_NO_LEAD = {
    ErrorKind.PINNED: "No finding leads there. Only what is on the CPU can be pinned: "
    "pin before the move, or don't pin what is moved already.",
    ErrorKind.CONTAINER: "No finding leads there. Only tensors and modules have such a method: "
    "what the container holds has to be moved.",
    ErrorKind.NO_LEAF: "No finding leads there. What is computed of a parameter is none, and a "
    "move computes: it has to be moved first, and made a parameter then.",
}
"""What there is to say where nothing is found, of errors that aren't about two places."""


def as_text(explanation: Explanation) -> str:
    """Return what there is to say about an error, for a person to read."""
    blocks = [*_what_failed(explanation)]
    if explanation.certain:
        blocks += _for_certain(explanation)
    elif explanation.suspects or explanation.leads:
        blocks += _candidates(explanation)
    else:
        blocks.append(_NO_LEAD.get(explanation.error.kind, _NOWHERE))
    return "\n\n".join(blocks) + "\n"


def _what_failed(explanation: Explanation) -> Iterator[str]:
    scene, error = explanation.scene, explanation.error
    called = f" in {shown(scene.frame.function)}" if scene.frame.function else ""
    place = _place(scene)
    yield (
        f"{explanation.raised}: {shown(error.text)}\n"
        f"at {place}{called}:\n    {shown(scene.text.strip())}"
    )
    if scene.is_stale:
        yield f"{shown_path(scene.file.path)} has changed since: it has no such line any more."
    sides = list(_sides(explanation))
    if sides:
        yield "\n".join(sides)


def _sides(explanation: Explanation) -> Iterator[str]:
    """Which operand is where, a line for each place."""
    operands = [o for o in explanation.scene.operands if o.known.nature is not Nature.DEVICE]
    places = {operand: _places(operand, explanation) for operand in operands}
    for place, words in _SIDES.items():
        there = [operand for operand in operands if places[operand] == {place}]
        if there:
            yield f"{words}: {_listed(there)}"
    unknown = [
        o
        for o in operands
        if len(places[o]) > 1 or (o.known.is_open and o not in explanation.passed)
    ]
    if unknown:
        yield f"not known, or not always the same: {_listed(unknown)}"


def _places(operand: Operand, explanation: Explanation) -> frozenset[Place]:
    """Where an operand is; what it was passed from counts, if that is told."""
    if operand not in explanation.passed:
        return operand.known.places
    return frozenset({Place.HOST}) | (frozenset() if explanation.certain else operand.known.places)


def _listed(operands: list[Operand]) -> str:
    return ", ".join(dict.fromkeys(f"`{_short(operand.known.text)}`" for operand in operands))


def _short(text: str) -> str:
    text = " ".join(text.split())
    return shown(text if len(text) <= 50 else f"{text[:47]}...")


def _for_certain(explanation: Explanation) -> Iterator[str]:
    for suspect in explanation.suspects:
        yield f"The cause is {_told(suspect)}"
        if suspect.way is not None:
            yield _trail(suspect.way, suspect.scene)
        yield _remedy(suspect.file, suspect.finding.fix, suspect.finding.code)


def _told(suspect: Suspect) -> str:
    finding = suspect.finding
    place = located(suspect.file.path, suspect.file.source.cells, finding.span)
    return f"at {place} ({finding.code}):\n  {shown(finding.message)}"


def _remedy(file: AnalysedFile, fix: Fix | None, code: str) -> str:
    patch = b"" if fix is None else _patch(file, fix)
    if fix is None or not patch:
        return f"There is no fix to be applied; `torchdev-lint --explain {code}` says what to do."
    safe = "" if fix.applicability == "safe" else ", which may change more than that"
    return f"{shown(fix.message)}{safe}:\n{shown_lines(patch)}".rstrip("\n")


def _patch(file: AnalysedFile, fix: Fix) -> bytes:
    """What a fix changes, as a patch; nothing if it can't be done."""
    source = file.source
    try:
        after = apply_edits(source, Text(source).edits(fix))
    except CannotEdit:
        return b""
    return difference(file.path, source.data, after.data)


def _candidates(explanation: Explanation) -> Iterator[str]:
    yield "It is not certain what the cause is. The likely ones first:"
    scene, told = explanation.asked, len(explanation.suspects)
    for number, suspect in enumerate(explanation.suspects, 1):
        remedy = _remedy(suspect.file, suspect.finding.fix, suspect.finding.code)
        asked = suspect.way or next(iter(suspect.explained), None)
        if explanation.error.kind is not ErrorKind.DEVICES:
            asked = None
        question = "" if asked is None else f"  {_question(asked, suspect.scene)}\n"
        yield f"{number}. {_told(suspect)}\n{question}\n{remedy}"
    for number, operand in enumerate(explanation.leads[: MOST - told], told + 1):
        way = _trail(operand, scene)
        yield f"{number}. {way}\n  {_question(operand, scene)}"


def _place(scene: Scene) -> str:
    """Where it failed, without a column."""
    line = scene.line or scene.frame.line
    return located(scene.file.path, scene.file.source.cells, Span(line, 0, line, 0))[: -len(":1")]


def _trail(operand: Operand, scene: Scene) -> str:
    return trail_text(operand.trail, scene.file.path, set(), scene.file.source.cells)


def _question(operand: Operand, scene: Scene) -> str:
    """What to print to know where something is."""
    text = " ".join(operand.known.text.split())
    is_module = any(case.nature is Nature.MODULE for case in operand.known.cases)
    asked = f"next({text}.parameters()).device" if is_module else f"{text}.device"
    line = line_in_words(scene.file.source.cells, scene.line or scene.frame.line)
    place = f"line {line} of {shown_path(scene.file.path)}"
    return f"To know, put this before {place}: print({shown(asked)})"
