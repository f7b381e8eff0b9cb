"""Every fixture runs on an accelerator, real or simulated, and does what it declares."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .runtime.outcomes import FIXTURES, Declaration, Run, Runner, declaration, expected_lines

OWN = Path(__file__).parent / "runtime" / "programs"  # what any accelerator must be able to do
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
    declared = declaration(program.read_text(encoding="utf-8"))
    if declared.kind == "not run":
        pytest.skip(declared.text)
    assert_declared(declared, runner.run(program))


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


@pytest.mark.gpu
@pytest.mark.parametrize("program", PROGRAMS, ids=_name)
def test_real(program: Path, real_runner: Runner) -> None:
    """The same expectation on a real accelerator; without one this fails."""
    declared = declaration(program.read_text(encoding="utf-8"))
    if declared.kind == "not run":
        pytest.skip(declared.text)
    assert_declared(declared, real_runner.run(program))
