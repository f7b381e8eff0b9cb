"""Every fixture runs on an accelerator, real or simulated, and does what it declares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runtime.outcomes import FIXTURES, Declaration, Run, Runner, declaration, expected_lines
from torchdev_lint.applying.apply import fix_source
from torchdev_lint.rules import ALL_RULES
from torchdev_lint.source.source import read_source

pytestmark = pytest.mark.slow

OWN = Path(__file__).parent / "programs"  # what any accelerator must be able to do
PROGRAMS = sorted(FIXTURES.glob("**/*.py")) + sorted(OWN.glob("*.py"))
FLAGGED = [path for path in PROGRAMS if path.name.startswith("flagged_")]


def _name(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


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


@pytest.mark.parametrize("program", PROGRAMS, ids=_name)
def test_simulated(program: Path, runner: Runner) -> None:
    """The fixture does what its `# runtime:` line says."""
    assert_declared(_runnable(program), runner.run(program))


@pytest.mark.parametrize("program", FLAGGED, ids=_name)
def test_mixing_is_the_only_fault(program: Path, runner: Runner) -> None:
    """A fixture that fails does so for its device bug alone: allowed to mix, it finishes.

    A discarded change of dtype fails without any mixing, and then nothing may have met.
    """
    source = program.read_text(encoding="utf-8")
    declared = declaration(source)
    if declared.kind != "fails":
        pytest.skip(f"runtime: {declared.kind}")
    run = runner.run(program, allow_mixing=True)
    if not run.outcome.meetings:
        assert_declared(declared, run)
        return
    assert run.outcome.outcome == "passes", run.printed
    if program.parent.name == "TDL002":
        created = {chain[0] for m in run.outcome.meetings for chain in m.created if chain}
        assert created == set(expected_lines(source)), "made on other lines than those flagged"


def _fixed(program: Path, unsafe: bool) -> str:
    """Return a program as fixes leave it; one with a finding left is skipped."""
    result = fix_source(read_source(str(program)), ALL_RULES, unsafe)
    if result.findings:
        pytest.skip("a finding has no such fix")
    return result.source.text


def _runnable(program: Path) -> Declaration:
    """Return what a program declares; one that isn't run is skipped, for the reason it gives."""
    declared = declaration(program.read_text(encoding="utf-8"))
    if declared.kind == "not run":
        pytest.skip(declared.text)  # such as "needs transformers"
    return declared


def _assert_fixed_finishes(program: Path, unsafe: bool, runner: Runner, folder: Path) -> None:
    _runnable(program)
    path = folder / program.name
    path.write_text(_fixed(program, unsafe), encoding="utf-8")
    run = runner.run(path)
    assert run.outcome.outcome == "passes", run.printed


@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("program", FLAGGED, ids=_name)
def test_a_fixed_program_finishes(
    program: Path, unsafe: bool, runner: Runner, tmp_path: Path
) -> None:
    """What fixes make of a program that fails does not fail."""
    _assert_fixed_finishes(program, unsafe, runner, tmp_path)


@pytest.mark.parametrize("program", FLAGGED, ids=_name)
def test_a_safe_fix_keeps_the_numbers(program: Path, runner: Runner, tmp_path: Path) -> None:
    """A program prints the same with its fix as it would if devices could mix."""
    if _runnable(program).kind != "fails":
        pytest.skip("it prints what the defect makes of it")
    seeded = "import torch; torch.manual_seed(0)\n"
    path = tmp_path / program.name
    path.write_text(seeded + program.read_text(encoding="utf-8"), encoding="utf-8")
    mixed = runner.run(path, allow_mixing=True)
    path.write_text(seeded + _fixed(program, unsafe=False), encoding="utf-8")
    if mixed.outcome.outcome != "passes":
        pytest.skip("it fails for another reason than mixing")
    assert _numbers(runner.run(path).printed) == _numbers(mixed.printed)


def _numbers(printed: str) -> str:
    """What a program printed, without where tensors are and how long something took."""
    return re.sub(r", device='[^']*'|\b[\d.]+ ?m?s\b", "", printed)


@pytest.mark.gpu
@pytest.mark.parametrize("program", PROGRAMS, ids=_name)
def test_real(program: Path, real_runner: Runner) -> None:
    """The same expectation on a real accelerator; without one this fails."""
    assert_declared(_runnable(program), real_runner.run(program))


@pytest.mark.gpu
@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("program", FLAGGED, ids=_name)
def test_a_fixed_program_finishes_on_a_real_accelerator(
    program: Path, unsafe: bool, real_runner: Runner, tmp_path: Path
) -> None:
    """What fixes make of a program that fails does not fail."""
    _assert_fixed_finishes(program, unsafe, real_runner, tmp_path)
