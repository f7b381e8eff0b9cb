"""The evidence for reading: `docs/evidence.md`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from .evidence_file import (
    AS_IT_STANDS,
    DEVICES,
    MIXING,
    NO_FIX,
    NOT_RUN,
    SAFE,
    UNSAFE,
    Device,
    Entry,
    Evidence,
    Record,
)
from .mixing_table import ROWS
from .witness.fake import CANNOT
from .witness.reasons import Operation, Reason, reasons

NO_GPU = "simulated accelerator, no GPU took part"
COMMANDS = {
    "simulated": "python -m tests.runtime.evidence --device simulated --merge",
    "real": "python -m tests.runtime.evidence --device real --merge",
}
_NONE = "—"

_Test = Callable[[Entry], bool]


def markdown(evidence: Evidence) -> str:
    """Return the text of the report."""
    return "\n".join(_lines(evidence)) + "\n"


def _lines(evidence: Evidence) -> Iterator[str]:
    yield "# Evidence"
    yield ""
    yield "What each fixture and each operation of the mixing table did. Written by"
    yield "`python -m tests.runtime.evidence`, not by hand; [runtime-suite.md](runtime-suite.md)"
    yield "tells what was run, and [evidence.json](evidence.json) has all of it."
    yield ""
    yield from _conditions(evidence)
    yield ""
    yield from _summary(evidence)
    yield ""
    yield from _disagreements(evidence)
    yield from _witness_disagreements(evidence)
    for folder, entries in groupby(evidence.programs, lambda entry: entry.name.split("/")[0]):
        yield ""
        yield f"## {folder}"
        yield ""
        yield from _programs(entries)
    yield ""
    yield "## Mixing table"
    yield ""
    yield "What happens when an operand is on the host and the others are on the accelerator."
    yield "Operations that did the same share a line."
    yield ""
    yield from _rows(evidence.rows)


def _conditions(evidence: Evidence) -> Iterator[str]:
    if "simulated" in evidence.conditions:
        yield f"**The simulated record: {NO_GPU}.** It is what the simulation in"
        yield "`tests/runtime/simulated` answers, made to raise what CUDA raises."
        yield ""
    if "real" not in evidence.conditions:
        yield "**There is no real record yet.** This makes it, on a machine with a GPU:"
        yield f"`{COMMANDS['real']}`"
        yield ""
    yield "| | simulated | real |"
    yield "| --- | --- | --- |"
    for title, field in (("device", "device"), ("torch", "torch"), ("date", "date")):
        cells = [
            getattr(evidence.conditions[device], field) if device in evidence.conditions else _NONE
            for device in DEVICES
        ]
        yield f"| {title} | {' | '.join(cells)} |"
    commands = [
        f"`{COMMANDS[device]}`" if device in evidence.conditions else _NONE for device in DEVICES
    ]
    yield f"| made by | {' | '.join(commands)} |"


def _summary(evidence: Evidence) -> Iterator[str]:
    kinds: list[tuple[str, tuple[Entry, ...], _Test]] = [
        ("flagged fixtures, as they stand", evidence.programs, _is("flagged_", AS_IT_STANDS)),
        ("clean fixtures, as they stand", evidence.programs, _is("clean_", AS_IT_STANDS)),
        ("projects, as they stand", evidence.programs, _is("project_", AS_IT_STANDS)),
        ("what is flagged, mixing allowed", evidence.programs, _is("", MIXING)),
        ("what is flagged, safe fix", evidence.programs, _is("", SAFE)),
        ("what is flagged, unsafe fix", evidence.programs, _is("", UNSAFE)),
        ("programs of the suite itself", evidence.programs, _is_own),
        ("operations that may mix", evidence.rows, lambda e: _mixes(e) and not _is_alone(e)),
        ("operations with nothing to mix", evidence.rows, lambda e: _mixes(e) and _is_alone(e)),
        ("operations that must raise", evidence.rows, lambda e: e.declared.startswith("raises")),
    ]
    yield "## Summary"
    yield ""
    yield "How many did what is declared, of those that ran."
    yield ""
    yield "| | simulated | real |"
    yield "| --- | --- | --- |"
    for title, entries, test in kinds:
        chosen = [entry for entry in entries if test(entry)]
        yield f"| {title} | {' | '.join(_count(chosen, device) for device in DEVICES)} |"
    yield from _witness_summary(evidence)
    everything = (*evidence.programs, *evidence.rows)
    both = sum(entry.ran_on_both() for entry in everything)
    outcomes = sum(entry.differs_in_outcome() for entry in everything)
    words = sum(entry.differs() for entry in everything) - outcomes
    yield ""
    if both:
        since = [e for e in everything if "real" not in e.records and e.variant != MIXING]
        if since:
            yield f"Newer than the real record: {len(since)}."
        yield f"{both} ran on both devices: {outcomes} ended differently, {words} in other words."
    else:
        yield "Nothing ran on both devices yet."


def _witness_summary(evidence: Evidence) -> Iterator[str]:
    """Count what `FakeTensorMode` said; what it can't run is no agreement."""
    said = [(entry, entry.witness) for entry in evidence.rows if entry.witness is not None]
    if not said:
        return
    unable = Counter(record.type for _, record in said if record.outcome == CANNOT)
    explained = _explained()
    differ = sum(
        (entry.name, entry.variant) in explained or bool(record.fault) for entry, record in said
    )
    agree = len(said) - unable.total() - differ
    alone = sum(_is_alone(entry) and record.outcome != CANNOT for entry, record in said)
    kinds = ", ".join(f"{number} `{kind}`" for kind, number in unable.most_common())
    yield ""
    yield f"| what PyTorch's own `FakeTensorMode` says of {len(said)} operations | |"
    yield "| --- | --- |"
    yield f"| as the table says | {agree}, {alone} of them with nothing to mix |"
    yield f"| otherwise, which is explained below | {differ} |"
    yield f"| can't run it, which is no answer | {unable.total()}: {kinds} |"


def _explained() -> dict[Operation, Reason]:
    return {operation: reason for reason in reasons() for operation in reason.operations}


def _is(prefix: str, variant: str) -> _Test:
    return lambda entry: entry.variant == variant and f"/{prefix}" in entry.name


def _mixes(entry: Entry) -> bool:
    return entry.declared.startswith("mixes")


def _is_alone(entry: Entry) -> bool:
    """Whether an operation of the mixing table has no operand on the host."""
    return entry.name.partition(": ")[2].startswith("nothing")


def _is_own(entry: Entry) -> bool:
    return not any(f"/{kind}_" in entry.name for kind in ("flagged", "clean", "project"))


def _count(entries: Iterable[Entry], device: Device) -> str:
    records = [entry.records[device] for entry in entries if device in entry.records]
    ran = [record for record in records if record.outcome not in (NOT_RUN, NO_FIX)]
    text = f"{sum(not record.fault for record in ran)} of {len(ran)}" if records else _NONE
    for outcome in (NOT_RUN, NO_FIX):
        number = sum(record.outcome == outcome for record in records)
        text += f", {number} {outcome}" if number else ""
    return text


def _disagreements(evidence: Evidence) -> Iterator[str]:
    everything = (*evidence.programs, *evidence.rows)
    faulty = [e for e in everything if any(record.fault for record in _records(e))]
    outcomes = [entry for entry in everything if entry.differs_in_outcome()]
    words = [entry for entry in everything if entry.differs() and entry not in outcomes]
    both = any(entry.ran_on_both() for entry in everything)
    yield "## Disagreements"
    for title, entries, known in (
        ("With what is declared", faulty, True),
        ("Simulated and real end differently", outcomes, both),
        ("Simulated and real say it in other words", words, both),
    ):
        yield ""
        yield f"### {title}"
        yield ""
        if not entries:
            yield "None." if known else "Not known: nothing ran on both devices yet."
            continue
        yield "| what | declared | simulated | real |"
        yield "| --- | --- | --- | --- |"
        for entry in entries:
            what = f"{_code(entry.name)}, {entry.variant}"
            yield f"| {what} | {_code(entry.declared)} | {_cells(entry)} |"


def _records(entry: Entry) -> Iterator[Record]:
    yield from entry.records.values()
    if entry.witness is not None:
        yield entry.witness


def _witness_disagreements(evidence: Evidence) -> Iterator[str]:
    """Show where `FakeTensorMode` says another thing than the table, and why that stands."""
    entries = {(entry.name, entry.variant): entry for entry in evidence.rows}
    sources = {row.title: row.source for row in ROWS}
    yield ""
    yield "### FakeTensor and the mixing table"
    for reason in reasons():
        there = [(entry, entry.witness) for o in reason.operations if (entry := entries.get(o))]
        lines = [
            f"| {_code(entry.variant)} | {_code(entry.name.partition(': ')[2])} | {_cell(said)} "
            f"| {entry.declared.partition(' ')[0]}: {_code(sources[entry.name])} |"
            for entry, said in there
            if said is not None
        ]
        if lines:
            yield ""
            yield f"{reason.sentence} ({_code(reason.source)})"
            yield ""
            yield "| operation | host operand and code | FakeTensor | the table, and its source |"
            yield "| --- | --- | --- | --- |"
            yield from lines


def _programs(entries: Iterable[Entry]) -> Iterator[str]:
    yield "| program | run | simulated | real |"
    yield "| --- | --- | --- | --- |"
    for entry in entries:
        name = entry.name.partition("/")[2] if entry.variant == AS_IT_STANDS else ""
        yield f"| {name} | {entry.variant} | {_cells(entry)} |"


def _rows(entries: Iterable[Entry]) -> Iterator[str]:
    yield "| operation | host operand and code | simulated | real | FakeTensor |"
    yield "| --- | --- | --- | --- | --- |"
    for title, row in groupby(entries, lambda entry: entry.name):
        alike: dict[str, list[str]] = {}
        for entry in row:
            cells = f"{_cells(entry)} | {_said(entry.witness)}"
            alike.setdefault(cells, []).append(entry.variant)
        for cells, names in alike.items():
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            yield f"| {_code(names[0])}{more} | {_code(title.partition(': ')[2])} | {cells} |"


def _cells(entry: Entry) -> str:
    return " | ".join(
        _cell(entry.records[device]) if device in entry.records else _NONE for device in DEVICES
    )


def _said(record: Record | None) -> str:
    """What the witness said, without its wording, in which operations differ."""
    if record is None:
        return _NONE
    return f"{record.outcome}: `{record.type}`" if record.outcome == CANNOT else record.outcome


def _cell(record: Record) -> str:
    text = record.outcome
    if record.type:
        text += f" {record.type}"
    if record.message:
        text += f": {_code(record.message)}"
    return text


def _code(text: str) -> str:
    """Show a text as it is, in one line and without ending the table's cell."""
    fence = "``" if "`" in text else "`"
    line = "; ".join(text.splitlines()).replace("|", "\\|")
    return f"{fence} {line} {fence}" if "`" in text else f"{fence}{line}{fence}"
