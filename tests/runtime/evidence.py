"""Run every fixture and every row of the mixing table, and write down what happened.

    python -m tests.runtime.evidence [--device auto|real|simulated] [--merge]
                                     [--only GLOB] [--changed] [--jobs N] [--output-dir docs]

writes `evidence.json` and, for reading, `evidence.md`. Flagged fixtures run as they stand, with
mixing allowed (which only the simulated accelerator can do), and as the safe and the unsafe fixes
leave them; clean ones as they stand. `--merge` keeps the other device's records that the file
already has. `--changed` runs the programs alone that are new, or no more what they were, or of
which the device lacks a record that another one has; what the linter makes of the others may have
changed as well, which only a run of all tells. The exit code is 1 if anything is not as declared.
"""

from __future__ import annotations

import argparse
import datetime
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import torch

from tests.command import ROOT
from tests.fixtures import ALL, Declaration, Fixture
from torchdev_lint.rules import EVERY_RULE

from . import run_program, simulated
from .evidence_file import (
    AS_IT_STANDS,
    MIXING,
    NO_FIX,
    NOT_RUN,
    SAFE,
    UNSAFE,
    Conditions,
    Device,
    Entry,
    Evidence,
    Record,
    dumped,
    loaded,
    merged,
    updated,
)
from .evidence_report import markdown
from .mixing_table import ROWS, Result
from .on_record import digest_of, is_current, simulation_digest
from .outcomes import RunnerError, Runners
from .witness.reasons import Operation, differs, reasons

OWN = Path(__file__).parent / "programs"
PROGRAMS = (*ALL, *map(Fixture, sorted(OWN.glob("*.py"))))
DOCS = ROOT / "docs"

_PACKAGES = Path(torch.__file__).parents[1]
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}")
_PASSES = Declaration("passes")
_FAILS = Declaration("fails")
_FIXES = {SAFE: ["--fix"], UNSAFE: ["--fix", "--unsafe-fixes"]}


def in_words(declared: Declaration) -> str:
    """Say what a program declares about its run."""
    if declared.kind in ("fails", "silent"):
        return f"raises {declared.type}: {declared.text}".rstrip(": ")
    return f"not run: {declared.text}" if declared.kind == NOT_RUN else declared.kind


def fault(declared: Declaration, record: Record) -> str:
    """Say in what a run differs from what was declared; a failure without a type may be any."""
    expected = "passes" if declared.kind == "passes" else "raises"
    if record.outcome != expected:
        return f"{record.outcome}, not {expected}"
    if declared.type and (record.type != declared.type or declared.text not in record.message):
        return f"not {in_words(declared)}"
    return ""


def has_forms(program: Fixture) -> bool:
    """Whether a program also runs with mixing allowed, and as fixes leave it."""
    return program.flagged and program.declaration.on(real=False).kind != NOT_RUN


def changed(device: Device, old: Evidence, jobs: int) -> Evidence:
    """Run what there is no record of on a device, and keep the other records.

    Another accelerator than the one that made those is named beside it.
    """
    known = {(entry.name, entry.program) for entry in old.programs if entry.variant == AS_IT_STANDS}
    lacking = {
        entry.name
        for entry in old.programs
        if entry.variant != MIXING and device not in entry.records
    }
    programs = [p for p in PROGRAMS if (p.name, digest_of(p)) not in known or p.name in lacking]
    operations = sorted({row.variant for row in old.rows if device not in row.records})
    rows = tuple(row for operation in operations for row in _rows(device, operation))
    before, name = old.conditions[device], _name_of(device)
    if name not in before.device:
        before = replace(before, device=f"{before.device}, and for what is newer {name}")
    new = Evidence({device: before}, _entries(device, programs, jobs), rows)
    return updated(new, old, (program.name for program in PROGRAMS))


def _name_of(device: Device) -> str:
    return (run_program.real_accelerator() or "") if device == "real" else simulated.NAME


def _entries(device: Device, programs: Sequence[Fixture], jobs: int) -> tuple[Entry, ...]:
    with tempfile.TemporaryDirectory() as folder, Runners(device, jobs) as runners:
        return tuple(_Session(runners, device, Path(folder).resolve()).entries(programs))


def collected(device: Device, only: str, jobs: int) -> Evidence:
    """Run everything whose name matches on one device.

    Args:
        device: the kind of accelerator.
        only: a pattern for names of programs (`TDL001/flagged_*`) and of operations
            (`torch.nn.*`); a row of the mixing table is run for all its operations or not at all.
        jobs: how many programs run at once.
    """
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    programs = [program for program in PROGRAMS if fnmatchcase(program.name, only)]
    simulation = simulation_digest() if device == "simulated" else ""
    conditions = {device: Conditions(_name_of(device), torch.__version__, today, simulation)}
    return Evidence(conditions, _entries(device, programs, jobs), tuple(_rows(device, only)))


@dataclass(frozen=True, slots=True)
class _Fixed:
    """A fixture after fixing: whether it was changed, and how many findings are left."""

    program: Fixture
    changed: bool
    left: int


class _Session:
    """Runs programs on one device.

    Args:
        runners: what runs them.
        device: the kind of accelerator.
        folder: where fixed programs go.
    """

    def __init__(self, runners: Runners, device: Device, folder: Path) -> None:
        self._runners = runners
        self._device: Device = device
        self._folder = folder

    def entries(self, programs: Sequence[Fixture]) -> Iterator[Entry]:
        """Run programs in all their forms."""
        declared = {program: program.declaration for program in programs}
        flagged = [p for p in programs if has_forms(p)]
        fixed = {form: self._fixed(form, flagged) for form in _FIXES}

        def ran(program: Fixture) -> list[Entry]:
            entries = [self._as_it_stands(program, declared[program])]
            if program in fixed[SAFE]:
                entries.append(self._with_mixing(program, declared[program]))
                entries += [self._after(form, program, fixed[form][program]) for form in _FIXES]
            return entries

        with ThreadPoolExecutor(self._runners.number) as pool:
            for number, entries in enumerate(pool.map(ran, programs), 1):
                _show_progress(f"{number} of {len(programs)} programs")
                yield from entries
        _show_progress("")

    def _as_it_stands(self, program: Fixture, declared: Declaration) -> Entry:
        here = declared.on(self._device == "real")
        if here.kind == NOT_RUN:
            record = Record(NOT_RUN, message=here.text)
        else:
            record = self._run(program)
            record = replace(record, fault=fault(declared, record))
        return self._entry(program, AS_IT_STANDS, declared, record)

    def _with_mixing(self, program: Fixture, declared: Declaration) -> Entry:
        """Show that mixing devices is all that is wrong, where it is wrong that they mix."""
        if self._device == "real":
            return Entry(program.name, MIXING, "passes", {}, digest_of(program))
        record = self._run(program, allow_mixing=True)
        expected = _PASSES if record.meetings else declared
        record = replace(record, fault=fault(expected, record))
        return self._entry(program, MIXING, expected, record)

    def _after(self, form: str, program: Fixture, fixed: _Fixed) -> Entry:
        """Run what a fix made; a program with findings left should still fail."""
        if not fixed.changed:
            records = {self._device: Record(NO_FIX)}
            return Entry(program.name, form, NO_FIX, records, digest_of(program))
        expected = _FAILS if fixed.left else _PASSES
        record = self._run(fixed.program)
        record = replace(record, fault=fault(expected, record))
        entry = self._entry(program, form, expected, record)
        return replace(entry, program=digest_of(fixed.program))

    def _entry(
        self, program: Fixture, variant: str, declared: Declaration, record: Record
    ) -> Entry:
        records = {self._device: record}
        return Entry(program.name, variant, in_words(declared), records, digest_of(program))

    def _run(self, program: Fixture, allow_mixing: bool = False) -> Record:
        try:
            outcome = self._runners.run(program.main, allow_mixing)
        except RunnerError as error:
            return Record("died", message=self._relative(str(error)))
        meetings = tuple(_in_words(meeting, program) for meeting in outcome.meetings)
        message = self._relative(outcome.message)
        return Record(outcome.outcome, outcome.type, message, meetings)

    def _relative(self, message: str) -> str:
        """Return the first line, without what differs from machine to machine and run to run."""
        line = message.partition("\n")[0]
        folders = [self._folder / form.split()[0] for form in _FIXES]
        for folder in (*folders, ROOT, _PACKAGES):
            line = line.replace(f"{folder}/", "")
        return _ADDRESS.sub("0x...", line)

    def _fixed(self, form: str, flagged: Iterable[Fixture]) -> dict[Fixture, _Fixed]:
        """Fix copies of fixtures, by the command that users run."""
        folder = self._folder / form.split()[0]
        copies = {program: program.copied_to(folder) for program in flagged}
        if not copies:
            return {}
        rules = ",".join(EVERY_RULE.rules)
        command = [sys.executable, "-m", "torchdev_lint", "--select", rules, *_FIXES[form]]
        process = subprocess.run(
            [*command, "--output-format", "json", str(folder)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        if process.returncode not in (0, 1):
            raise SystemExit(f"fixing failed: {process.stderr}")
        left = Counter(Path(found["filename"]) for found in json.loads(process.stdout))
        return {
            program: _Fixed(
                copy,
                digest_of(copy) != digest_of(program),
                sum(left[path] for path in copy.files),
            )
            for program, copy in copies.items()
        }


def _in_words(meeting: simulated.Meeting, program: Fixture) -> str:
    """Say where what met; places in the file that is run are lines and no more."""

    def shown(place: simulated.Place) -> str:
        file = "" if place.file == program.main.name else f"{place.file}:"
        return f"{file}{place.line}"

    made = ", ".join(shown(chain[0]) for chain in meeting.created if chain) or "?"
    where = shown(meeting.place) if meeting.place else "?"
    return f"line {where}, {meeting.operation}, with what was made in line {made}"


def _rows(device: Device, only: str) -> Iterator[Entry]:
    """Run the mixing table in a process of its own, and ask the witness beside the simulation."""
    chosen = [
        str(number)
        for number, row in enumerate(ROWS)
        if any(fnmatchcase(name, only) for name in row.names)
    ]
    if not chosen:
        return
    lines = _objects("mixing_table", "--device", device, *chosen)
    if len(lines) != len(chosen):
        raise SystemExit("the mixing table ended early")
    witness = _witness(chosen) if device == "simulated" else {}
    for line in lines:
        row = ROWS[line["row"]]
        declared = f"{row.expected} {row.error}: {row.text}" if row.error else row.expected
        for result in line["results"]:
            name = result["name"]
            faults = [text for text in line["faults"] if text.startswith(f"{name} ")]
            message = _ADDRESS.sub("0x...", result["message"])
            record = Record(result["outcome"], result["error"], message, fault="; ".join(faults))
            said = witness.get((row.title, name))
            yield Entry(row.title, name, declared, {device: record}, witness=said)


def _witness(rows: Sequence[str]) -> dict[Operation, Record]:
    """Ask `FakeTensorMode` about the operations of some rows of the mixing table."""
    explained = {operation for reason in reasons() for operation in reason.operations}
    said = {}
    for line in _objects("witness.fake", *rows):
        row = ROWS[line.pop("row")]
        answer = Result(**line)
        message = _ADDRESS.sub("0x...", answer.message)
        if answer.outcome == "mixes" and answer.place != row.result:
            message = f"the result is on the {answer.place}"
        new = differs(row, answer) and (row.title, answer.name) not in explained
        said[row.title, answer.name] = Record(
            answer.outcome, answer.error, message, fault="FakeTensor disagrees" if new else ""
        )
    return said


def _objects(module: str, *arguments: str) -> list[dict[str, Any]]:
    """Run a command of this package that prints JSON objects.

    Much that it calls is deprecated or in beta, and torch warns of that.
    """
    process = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", f"{__package__}.{module}", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    return [json.loads(line) for line in process.stdout.splitlines()]


def _show_progress(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run all and write the files; the exit code is 1 if anything is not as declared."""
    parser = argparse.ArgumentParser(prog="python -m tests.runtime.evidence")
    parser.add_argument("--device", choices=("auto", "real", "simulated"), default="auto")
    parser.add_argument("--merge", action="store_true", help="keep the other device's records")
    parser.add_argument("--only", metavar="GLOB", help="only programs or operations of that name")
    parser.add_argument("--changed", action="store_true", help="only what is new or was changed")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="programs at once")
    parser.add_argument("--output-dir", type=Path, default=DOCS, metavar="FOLDER")
    options = parser.parse_args(arguments)
    if options.only is not None and options.output_dir.resolve() == DOCS:
        parser.error("--only is for trying out: with it, give another --output-dir")
    has_real = run_program.real_accelerator() is not None
    if options.device == "real" and not has_real:
        parser.error("there is no real accelerator on this machine")
    device: Device = "real" if has_real and options.device != "simulated" else "simulated"
    output = options.output_dir / "evidence.json"
    old = None
    if (options.merge or options.changed) and output.exists():
        old = loaded(output.read_text(encoding="utf-8"))
    if options.changed and (old is None or device not in old.conditions):
        parser.error("--changed is for evidence of this device that is there")
    if options.changed and device == "simulated" and old is not None and not is_current(old):
        parser.error("--changed is of no use here: the simulation, or torch, is another one")
    if options.changed and old is not None:
        evidence = changed(device, old, options.jobs)
    else:
        evidence = collected(device, options.only or "*", options.jobs)
    if old is not None and not options.changed:
        evidence, stale = merged(evidence, old)
        if stale:
            print(f"{stale} records of the other device left out: their programs have changed")
    options.output_dir.mkdir(parents=True, exist_ok=True)
    output.write_text(dumped(evidence), encoding="utf-8")
    report = options.output_dir / "evidence.md"
    report.write_text(markdown(evidence), encoding="utf-8")
    faults = [
        f"{entry.name}, {entry.variant}: {record.fault}"
        for entry in (*evidence.programs, *evidence.rows)
        for record in (entry.records.get(device), entry.witness)
        if record is not None and record.fault
    ]
    print(*faults, sep="\n", end="\n" if faults else "")
    print(
        f"{len(evidence.programs)} runs of programs and {len(evidence.rows)} operations,", end=" "
    )
    print(f"{len(faults)} not as declared: {output}, {report}")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
