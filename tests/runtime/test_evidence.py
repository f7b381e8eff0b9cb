"""The evidence in `docs/` is complete and as declared, and the command that writes it works."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.command import ROOT
from tests.runtime import evidence as evidence_command
from tests.runtime import run_program
from tests.runtime.evidence import DOCS, PROGRAMS, fault
from tests.runtime.evidence_file import (
    AS_IT_STANDS,
    MIXING,
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
from tests.runtime.evidence_report import NO_GPU, markdown
from tests.runtime.mixing_table import ROWS
from tests.runtime.outcomes import Runners
from tests.runtime.witness.fake import CANNOT
from tests.runtime.witness.reasons import reasons

pytestmark = pytest.mark.slow

AGAIN = "run `python -m tests.runtime.evidence --merge`"
SIMULATED = Conditions("simulated accelerator", "2.13.0", "2026-01-31")
REAL = Conditions("NVIDIA H200", "2.11.0", "2026-02-28")


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    """What is committed."""
    return loaded((DOCS / "evidence.json").read_text(encoding="utf-8"))


def records(entries: tuple[Entry, ...]) -> Iterator[tuple[Entry, Record]]:
    """Every record of every device."""
    return ((entry, record) for entry in entries for record in entry.records.values())


def test_every_program_is_there(evidence: Evidence) -> None:
    """In each of its forms; a real device may have none of the newest programs."""
    expected = set()
    for program in PROGRAMS:
        forms = (MIXING, SAFE, UNSAFE) if evidence_command.has_forms(program) else ()
        variants = (AS_IT_STANDS, *forms)
        expected |= {(program.name, variant) for variant in variants}
    assert {(entry.name, entry.variant) for entry in evidence.programs} == expected, AGAIN
    for entry in evidence.programs:
        assert "simulated" in entry.records, f"{entry.name}: {AGAIN}"
        assert entry.variant != MIXING or "real" not in entry.records


def test_every_operation_is_there(evidence: Evidence) -> None:
    """A real device may have none of the newest."""
    expected = {(row.title, name) for row in ROWS for name in row.called}
    assert {(entry.name, entry.variant) for entry in evidence.rows} == expected, AGAIN
    for entry in evidence.rows:
        assert "simulated" in entry.records, f"{entry.name}: {AGAIN}"
        assert entry.witness is not None, f"{entry.name}: {AGAIN}"


def test_programs_did_what_they_declare(evidence: Evidence) -> None:
    """The recorded outcome fits the `# runtime:` line as it is now."""
    declared = {program.name: program.declaration for program in PROGRAMS}
    for entry in evidence.programs:
        if entry.variant != AS_IT_STANDS:
            continue
        for device, record in entry.records.items():
            said = declared[entry.name]
            if record.outcome == NOT_RUN:
                assert said.kind == NOT_RUN or said.needs is not None
                assert device == "real" or record.message == said.on(real=False).text
            else:
                assert not fault(said, record), entry.name


def test_operations_did_what_their_rows_say(evidence: Evidence) -> None:
    """The recorded outcome fits the row as it is now."""
    rows = {row.title: row for row in ROWS}
    for entry, record in records(evidence.rows):
        row = rows[entry.name]
        assert (record.outcome, record.type) == (row.expected, row.error), entry
        assert row.text in record.message, entry
        assert not record.fault, entry


def test_what_the_witness_said_is_as_the_table_says_or_explained(evidence: Evidence) -> None:
    """What it can't run is neither."""
    explained = {operation for reason in reasons() for operation in reason.operations}
    said = {(e.name, e.variant): (e, e.witness) for e in evidence.rows if e.witness is not None}
    differing = {
        operation
        for operation, (entry, record) in said.items()
        if record.outcome not in (CANNOT, entry.declared.partition(" ")[0])
        or (record.outcome == "mixes" and record.message)
    }
    assert differing == explained, AGAIN
    assert not [operation for operation, (_, record) in said.items() if record.fault]
    report = (DOCS / "evidence.md").read_text(encoding="utf-8")
    unable = sum(record.outcome == CANNOT for _, record in said.values())
    assert f"`FakeTensorMode` says of {len(said)} operations" in report
    assert f"| as the table says | {len(said) - unable - len(explained)}, " in report


@pytest.mark.parametrize("variant", [AS_IT_STANDS, MIXING, SAFE, UNSAFE])
def test_no_fault_is_recorded(evidence: Evidence, variant: str) -> None:
    """Mixing is the only fault of flagged programs, and what a fix leaves finishes."""
    runs = [(e.name, r) for e, r in records(evidence.programs) if e.variant == variant]
    assert runs
    assert not [(name, record) for name, record in runs if record.fault]


def test_the_report_is_of_this_file(evidence: Evidence) -> None:
    """And says what took part; both files are as the command writes them."""
    report = (DOCS / "evidence.md").read_text(encoding="utf-8")
    assert report == markdown(evidence), AGAIN
    assert dumped(evidence) == (DOCS / "evidence.json").read_text(encoding="utf-8")
    assert NO_GPU in report
    assert ("There is no real record yet" in report) == ("real" not in evidence.conditions)


@pytest.mark.parametrize("name", ["evidence.json", "evidence.md"])
def test_no_machine_is_named(name: str) -> None:
    """No absolute paths, addresses or durations: a second run changes little."""
    text = (DOCS / name).read_text(encoding="utf-8")
    assert str(ROOT) not in text
    assert not re.findall(r"[\s\"'(]/(?:home|root|tmp|usr|opt|work|private|Users)/\S*", text)
    assert not re.findall(r"0x[0-9a-f]{6}|seconds", text)


def test_a_fixture_in_all_its_forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulated, and then beside it as on a real device, which can't allow mixing."""
    output = tmp_path / "new" / "folder"
    name = "TDL001/flagged_batch_in_training_loop"
    arguments = ["--only", name, "--jobs", "2", "--output-dir", str(output)]
    assert evidence_command.main(["--device", "simulated", *arguments]) == 0
    found = loaded((output / "evidence.json").read_text(encoding="utf-8"))
    assert [entry.variant for entry in found.programs] == [AS_IT_STANDS, MIXING, SAFE, UNSAFE]
    ended = [entry.records["simulated"].outcome for entry in found.programs]
    assert ended == ["raises", "passes", "passes", "passes"]
    assert found.programs[1].records["simulated"].meetings
    assert not found.rows
    assert NO_GPU in (output / "evidence.md").read_text(encoding="utf-8")

    monkeypatch.setattr(run_program, "real_accelerator", lambda: REAL.device)
    monkeypatch.setattr(evidence_command, "Runners", lambda _, number: Runners("simulated", number))
    assert evidence_command.main(["--merge", *arguments]) == 0
    both = loaded((output / "evidence.json").read_text(encoding="utf-8"))
    assert both.conditions["real"].device == REAL.device
    assert [len(entry.records) for entry in both.programs] == [2, 1, 2, 2]
    assert both.programs[1] == found.programs[1]
    report = (output / "evidence.md").read_text(encoding="utf-8")
    assert "3 ran on both devices: 0 ended differently, 0 in other words." in report


def test_operations_by_name_beside_an_older_real_record(tmp_path: Path) -> None:
    """With `--merge` the real record stays, and the disagreement is shown."""
    row = next(row for row in ROWS if row.names == ("torch.cat",))
    old = Entry(row.title, "torch.cat", "", {"real": Record("raises", "OSError", "no luck")})
    file = tmp_path / "evidence.json"
    file.write_text(dumped(Evidence({"real": REAL}, (), (old,))), encoding="utf-8")
    arguments = ["--device", "simulated", "--only", "torch.cat", "--output-dir", str(tmp_path)]
    assert evidence_command.main(["--merge", *arguments]) == 0
    found = loaded(file.read_text(encoding="utf-8"))
    assert found.conditions["real"] == REAL
    (entry,) = [entry for entry in found.rows if entry.name == row.title]
    assert entry.records["real"].type == "OSError"
    assert entry.differs_in_outcome()
    report = (tmp_path / "evidence.md").read_text(encoding="utf-8")
    assert "1 ended differently" in report
    assert "no luck" in report.partition("### Simulated and real end")[2].partition("###")[0]


def test_a_subset_does_not_replace_the_evidence(capsys: pytest.CaptureFixture[str]) -> None:
    """Trying out must not overwrite what is committed."""
    with pytest.raises(SystemExit, match="2"):
        evidence_command.main(["--only", "torch.cat"])
    assert "--output-dir" in capsys.readouterr().err


def one(device: Device, conditions: Conditions, record: Record, program: str = "") -> Evidence:
    """Evidence of one program on one device."""
    entry = Entry("TDL001/clean_thing", AS_IT_STANDS, "passes", {device: record}, program)
    return Evidence({device: conditions}, (entry,), ())


def test_records_of_another_program_are_left_out() -> None:
    """A record of a program that was changed since is no evidence for it."""
    passes = Record("passes")
    old = one("real", REAL, passes, program="1")
    both, stale = merged(one("simulated", SIMULATED, passes, program="1"), old)
    assert (set(both.programs[0].records), stale) == ({"simulated", "real"}, 0)
    both, stale = merged(one("simulated", SIMULATED, passes, program="2"), old)
    assert (set(both.programs[0].records), stale) == ({"simulated"}, 1)


def test_other_words_are_no_other_end() -> None:
    """The report tells them apart, and cells hold any text."""
    simulated = one("simulated", SIMULATED, Record("raises", "E", "a | `b`"))
    real = one("real", REAL, Record("raises", "E", "other words"))
    both, _ = merged(simulated, real)
    assert loaded(dumped(both)) == both
    report = markdown(both)
    assert "0 ended differently, 1 in other words" in report
    assert "raises E: `` a \\| `b` `` | raises E: `other words` |" in report
    assert "no real record" not in report


def test_what_was_not_run_again_keeps_its_record() -> None:
    """New records take the place of old ones, in the order of the programs; what is gone goes.

    Another device's record of a program stays as long as the program is what it was.
    """
    here: dict[Device, Record] = {"simulated": Record("passes")}
    there: dict[Device, Record] = {"real": Record("passes")}
    a, b, c = (
        Entry(f"TDL001/clean_{name}", AS_IT_STANDS, "passes", here | there, "1") for name in "abc"
    )
    old = Evidence({"simulated": SIMULATED, "real": REAL}, (a, b, c), ())
    ran = (replace(b, program="2", records=here), replace(c, records=here))
    new = Evidence({"simulated": SIMULATED}, ran, ())
    found = updated(new, old, ["TDL001/clean_c", "TDL001/clean_b", "TDL001/clean_a"])
    assert found.programs == (c, ran[0], a)
    assert found.conditions == old.conditions
    assert updated(new, old, ["TDL001/clean_a"]).programs == (a,)
