"""The evidence as it is kept in `docs/evidence.json`."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Device = Literal["simulated", "real"]
DEVICES: tuple[Device, ...] = ("simulated", "real")

AS_IT_STANDS = "as it stands"
MIXING = "mixing allowed"
SAFE = "safe fix"
UNSAFE = "unsafe fix"

NOT_RUN = "not run"
NO_FIX = "no fix"

_WITNESS = "fake_tensor"


@dataclass(frozen=True, slots=True)
class Conditions:
    """Under what the records of a device were made.

    Args:
        device: the name of the accelerator.
        torch: torch's version.
        date: the day, as `2026-01-31`.
        simulation: a digest of the simulation, empty for a real device.
    """

    device: str
    torch: str
    date: str
    simulation: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """What one program, or one operation of the mixing table, did on one device.

    Args:
        outcome: `passes`, `raises`, `mixes`, `died`, `not run` or `no fix`; `can't run` where the
            witness can't.
        type: the exception's class name, where it raises.
        message: the first line of its text, or why it was not run.
        meetings: what CUDA would have refused, where mixing was allowed.
        fault: in what this is not as declared.
    """

    outcome: str
    type: str = ""
    message: str = ""
    meetings: tuple[str, ...] = ()
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that was run, with a record for each device that ran it.

    Args:
        name: the program as `folder/name`, or the title of the mixing table's row.
        variant: in which form the program ran, or which of the row's operations it was.
        declared: what was promised, in words.
        records: what happened.
        program: a digest of the program that ran, empty for the mixing table.
        witness: what `FakeTensorMode` says, of operations of the mixing table.
    """

    name: str
    variant: str
    declared: str
    records: Mapping[Device, Record]
    program: str = ""
    witness: Record | None = None

    def differs(self) -> bool:
        """Whether simulated and real ended differently, be it only in the message."""
        if not self.ran_on_both():
            return False
        simulated, real = (self.records[device] for device in DEVICES)
        return _ending(simulated) != _ending(real) or simulated.message != real.message

    def differs_in_outcome(self) -> bool:
        """Whether the outcome or the type of the exception differ."""
        return self.ran_on_both() and len(set(map(_ending, self.records.values()))) > 1

    def ran_on_both(self) -> bool:
        """Whether simulated and real have both run it."""
        ran = [record for record in self.records.values() if record.outcome != NOT_RUN]
        return len(ran) == len(DEVICES)


def _ending(record: Record) -> tuple[str, str]:
    return record.outcome, record.type


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that was run.

    Args:
        conditions: for each device, how its records were made.
        programs: the fixtures, and what any accelerator must be able to run.
        rows: the operations of the mixing table.
    """

    conditions: Mapping[Device, Conditions]
    programs: tuple[Entry, ...]
    rows: tuple[Entry, ...]


def merged(new: Evidence, old: Evidence) -> tuple[Evidence, int]:
    """Add the other device's records to those of one device.

    Args:
        new: the records of one device.
        old: where the other's are.

    Returns:
        Both together, and how many old records were left out since their program has changed.
    """
    (device,) = new.conditions
    other: Device = "real" if device == "simulated" else "simulated"
    if other not in old.conditions:
        return new, 0
    kept = {
        (entry.name, entry.variant): entry
        for entry in (*old.programs, *old.rows)
        if other in entry.records
    }
    stale = 0

    def both(entry: Entry) -> Entry:
        nonlocal stale
        before = kept.get((entry.name, entry.variant))
        if before is None:
            return entry
        if before.program != entry.program:
            stale += 1
            return entry
        if not entry.records:
            return dataclasses.replace(before, records={other: before.records[other]})
        records = {**entry.records, other: before.records[other]}
        return dataclasses.replace(entry, records=records, witness=entry.witness or before.witness)

    evidence = Evidence(
        {**new.conditions, other: old.conditions[other]},
        tuple(map(both, new.programs)),
        tuple(map(both, new.rows)),
    )
    return evidence, stale


def updated(new: Evidence, old: Evidence, names: Iterable[str]) -> Evidence:
    """Put records of some programs in the place of those they had before.

    Args:
        new: one device's records of the programs that were run again, or for the first time.
        old: those of all others, and of other devices.
        names: the programs there are, in order; records of others are dropped.
    """
    entries: dict[str, list[Entry]] = {}
    both, _ = merged(new, old)
    again = {entry.name for entry in both.programs}
    for entry in (*both.programs, *(e for e in old.programs if e.name not in again)):
        entries.setdefault(entry.name, []).append(entry)
    programs = (entry for name in names for entry in entries.get(name, ()))
    rows = {(row.name, row.variant): row for row in (*old.rows, *both.rows)}
    conditions = {**old.conditions, **new.conditions}
    return Evidence(conditions, tuple(programs), tuple(rows.values()))


def dumped(evidence: Evidence) -> str:
    """Return the text of the file: one entry a line, so that differences are small."""
    conditions = {
        device: _filled(evidence.conditions[device]) | {"gpu_took_part": device == "real"}
        for device in DEVICES
        if device in evidence.conditions
    }
    return (
        f'{{"conditions": {json.dumps(conditions, indent=2)},\n'
        f'"programs": {_lines(evidence.programs)},\n'
        f'"mixing_table": {_lines(evidence.rows)}}}\n'
    )


def _lines(entries: Iterable[Entry]) -> str:
    lines = [json.dumps(_plain(entry), ensure_ascii=False) for entry in entries]
    return "[\n" + ",\n".join(lines) + "\n]"


def _plain(entry: Entry) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "name": entry.name,
        "variant": entry.variant,
        "declared": entry.declared,
    }
    if entry.program:
        plain["program"] = entry.program
    for device in DEVICES:
        if device in entry.records:
            plain[device] = _filled(entry.records[device])
    if entry.witness is not None:
        plain[_WITNESS] = _filled(entry.witness)
    return plain


def _filled(record: Record | Conditions) -> dict[str, Any]:
    return {name: value for name, value in dataclasses.asdict(record).items() if value}


def loaded(text: str) -> Evidence:
    """Read what `dumped` wrote."""
    file = json.loads(text)
    conditions: dict[Device, Conditions] = {}
    for device, fields in file["conditions"].items():
        del fields["gpu_took_part"]  # the device's kind says it
        conditions[device] = Conditions(**fields)
    return Evidence(
        conditions,
        tuple(map(_entry, file["programs"])),
        tuple(map(_entry, file["mixing_table"])),
    )


def _entry(plain: dict[str, Any]) -> Entry:
    return Entry(
        plain["name"],
        plain["variant"],
        plain["declared"],
        {device: _record(plain[device]) for device in DEVICES if device in plain},
        plain.get("program", ""),
        _record(plain[_WITNESS]) if _WITNESS in plain else None,
    )


def _record(plain: dict[str, Any]) -> Record:
    fields = dict(plain)
    meetings = tuple(fields.pop("meetings", ()))
    return Record(**fields, meetings=meetings)
