"""Every fixture runs on an accelerator, real or simulated, and does what it declares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.applying.fixing import fixed_copy
from tests.fixtures import FLAGGED, Declaration, Fixture, name_of
from tests.runtime.evidence import PROGRAMS
from tests.runtime.outcomes import Run, Runner

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    """One server for all programs, on the simulated accelerator."""
    server = Runner("simulated")
    yield server
    server.close()


@pytest.fixture(scope="module")
def real_runner() -> Iterator[Runner]:
    """One server for all programs, on a real accelerator."""
    server = Runner("real")
    yield server
    server.close()


def assert_declared(declared: Declaration, run: Run) -> None:
    """Check a run against the fixture's `# runtime:` line."""
    outcome = run.outcome
    if declared.kind == "passes":
        assert outcome.outcome == "passes", run.printed
        return
    assert outcome.outcome == "raises", f"it should have raised {declared.type}\n{run.printed}"
    assert outcome.type == declared.type, run.printed
    assert declared.text in outcome.message, run.printed


@pytest.mark.parametrize("program", PROGRAMS, ids=name_of)
def test_simulated(program: Fixture, runner: Runner) -> None:
    """The fixture does what its `# runtime:` line says."""
    assert_declared(_runnable(program), runner.run(program.main))


@pytest.mark.parametrize("program", FLAGGED, ids=name_of)
def test_mixing_is_the_only_fault(program: Fixture, runner: Runner) -> None:
    """A fixture that fails does so for its device bug alone: allowed to mix, it finishes.

    A discarded change of dtype fails without any mixing, and then nothing may have met.
    """
    declared = program.declaration
    if declared.kind != "fails":
        pytest.skip(f"runtime: {declared.kind}")
    run = runner.run(program.main, allow_mixing=True)
    if not run.outcome.meetings:
        assert_declared(declared, run)
        return
    assert run.outcome.outcome == "passes", run.printed
    if program.code == "TDL002":
        chains = (chain for meeting in run.outcome.meetings for chain in meeting.created)
        flagged = {
            (path.relative_to(program.main.parent).as_posix(), line)
            for path, lines in program.expected.items()
            for line in lines
        }
        # What a function of another file makes is flagged where it is called.
        created = {next((p for p in chain if p in flagged), chain[0]) for chain in chains if chain}
        assert created == flagged, "made on other lines than those flagged"


def _fixed(program: Fixture, folder: Path, unsafe: bool) -> Fixture:
    """Copy a program as fixes leave it; one with a finding left is skipped."""
    copy, left = fixed_copy(program, folder, unsafe)
    if left:
        pytest.skip("a finding has no such fix")
    return copy


def _runnable(program: Fixture) -> Declaration:
    """Return what a program declares; one that isn't run is skipped, for the reason it gives."""
    declared = program.declaration
    if declared.kind == "not run":
        pytest.skip(declared.text)  # such as "needs transformers"
    return declared


def _assert_fixed_finishes(program: Fixture, unsafe: bool, runner: Runner, folder: Path) -> None:
    _runnable(program)
    run = runner.run(_fixed(program, folder, unsafe).main)
    assert run.outcome.outcome == "passes", run.printed


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("program", FLAGGED, ids=name_of)
def test_a_fixed_program_finishes(
    program: Fixture, unsafe: bool, runner: Runner, tmp_path: Path
) -> None:
    """What fixes make of a program that fails does not fail."""
    _assert_fixed_finishes(program, unsafe, runner, tmp_path)


@pytest.mark.parametrize("program", FLAGGED, ids=name_of)
def test_a_safe_fix_keeps_the_numbers(program: Fixture, runner: Runner, tmp_path: Path) -> None:
    """A program prints the same with its fix as it would if devices could mix."""
    if _runnable(program).kind != "fails":
        pytest.skip("it prints what the defect makes of it")
    fixed = _seeded(_fixed(program, tmp_path / "fixed", unsafe=False))
    mixed = runner.run(_seeded(program.copied_to(tmp_path / "as it stands")), allow_mixing=True)
    if mixed.outcome.outcome != "passes":
        pytest.skip("it fails for another reason than mixing")
    assert _numbers(runner.run(fixed).printed) == _numbers(mixed.printed)


def _seeded(program: Fixture) -> Path:
    """Have a program begin with the same random numbers each time."""
    text = program.main.read_text(encoding="utf-8")
    program.main.write_text(f"import torch; torch.manual_seed(0)\n{text}", encoding="utf-8")
    return program.main


def _numbers(printed: str) -> str:
    """What a program printed, without where tensors are and how long something took."""
    return re.sub(r", device='[^']*'|\b[\d.]+ ?m?s\b", "", printed)


@pytest.mark.gpu
@pytest.mark.parametrize("program", PROGRAMS, ids=name_of)
def test_real(program: Fixture, real_runner: Runner) -> None:
    """The same expectation on a real accelerator; without one this fails."""
    assert_declared(_runnable(program), real_runner.run(program.main))


@pytest.mark.gpu
@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("program", FLAGGED, ids=name_of)
def test_a_fixed_program_finishes_on_a_real_accelerator(
    program: Fixture, unsafe: bool, real_runner: Runner, tmp_path: Path
) -> None:
    """What fixes make of a program that fails does not fail."""
    _assert_fixed_finishes(program, unsafe, real_runner, tmp_path)
