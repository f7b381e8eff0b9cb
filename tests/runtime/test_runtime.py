"""Every fixture runs on an accelerator, real or simulated, and does what it declares.

What the record in `docs/evidence.json` has of the very same program, in the same simulation, is not
run again but for one in twelve; `pytest -m exhaustive` runs the others as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.applying.fixing import fixed_copy
from tests.fixtures import FLAGGED, Declaration, Fixture, name_of
from tests.runtime.evidence import DOCS, PROGRAMS
from tests.runtime.evidence_file import AS_IT_STANDS, MIXING, SAFE, loaded
from tests.runtime.on_record import digest_of, on_record
from tests.runtime.outcomes import Run, Runner
from tests.runtime.run_program import Choice
from tests.turns import has_turn, in_turn
from torchdev_lint.finding import Finding

pytestmark = pytest.mark.slow

KNOWN = on_record(loaded((DOCS / "evidence.json").read_text(encoding="utf-8")))


def to_run(programs: Sequence[Fixture], variant: str, turn: int) -> list[object]:
    """Return the parameters of a test; what is on record and not in turn is `exhaustive`."""
    return in_turn(programs, turn, name_of, lambda p: (p.name, variant, digest_of(p)) in KNOWN)


class Bench:
    """Fixes programs and runs them, each of them once.

    Most fixes are safe, so that mostly the safe and the unsafe ones leave the same program.

    Args:
        device: the kind of accelerator.
        folder: where fixed programs go.
    """

    def __init__(self, device: Choice, folder: Path) -> None:
        self.runner = Runner(device)
        self._folder = folder
        self._runs: dict[object, Run] = {}
        self._fixed: dict[tuple[Fixture, bool], tuple[Fixture, list[Finding]]] = {}

    def run(self, program: Fixture, allow_mixing: bool = False) -> Run:
        """Run a program, or tell what one with the same files did."""
        above = program.root.parent
        files = tuple((path.relative_to(above), path.read_bytes()) for path in program.files)
        key = files, allow_mixing
        if key not in self._runs:
            self._runs[key] = self.runner.run(program.main, allow_mixing)
        return self._runs[key]

    def fixed(self, program: Fixture, unsafe: bool) -> Fixture:
        """Return a copy as fixes leave it; a test of one with a finding left is skipped."""
        key = program, unsafe
        if key not in self._fixed:
            self._fixed[key] = fixed_copy(program, self._folder / str(unsafe), unsafe)
        copy, left = self._fixed[key]
        if left:
            pytest.skip("a finding has no such fix")
        return copy


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """One for all programs, with the simulated accelerator."""
    one = Bench("simulated", tmp_path_factory.mktemp("fixed"))
    yield one
    one.runner.close()


@pytest.fixture(scope="module")
def real_bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """One for all programs, with a real accelerator."""
    one = Bench("real", tmp_path_factory.mktemp("fixed"))
    yield one
    one.runner.close()


def assert_declared(declared: Declaration, run: Run) -> None:
    """Check a run against the fixture's `# runtime:` line."""
    outcome = run.outcome
    if declared.kind == "passes":
        assert outcome.outcome == "passes", run.printed
        return
    assert outcome.outcome == "raises", f"it should have raised {declared.type}\n{run.printed}"
    assert outcome.type == declared.type, run.printed
    assert declared.text in outcome.message, run.printed


@pytest.mark.parametrize("program", to_run(PROGRAMS, AS_IT_STANDS, 0))
def test_simulated(program: Fixture, bench: Bench) -> None:
    """The fixture does what its `# runtime:` line says."""
    assert_declared(_runnable(program), bench.run(program))


@pytest.mark.parametrize("program", to_run(FLAGGED, MIXING, 1))
def test_mixing_is_the_only_fault(program: Fixture, bench: Bench) -> None:
    """A fixture that fails does so for its device bug alone: allowed to mix, it finishes.

    A discarded change of dtype fails without any mixing, and then nothing may have met.
    """
    declared = _runnable(program)
    if declared.kind != "fails":
        pytest.skip(f"runtime: {declared.kind}")
    run = bench.run(program, allow_mixing=True)
    if not run.outcome.meetings:
        assert_declared(declared, run)
        return
    assert run.outcome.outcome == "passes", run.printed
    if program.code == "TDL002":
        flagged = {
            (path.relative_to(program.main.parent).as_posix(), line)
            for path, lines in program.expected.items()
            for line in lines
        }
        created = set()
        for meeting in run.outcome.meetings:
            chains = filter(None, meeting.created)
            # What a function of another file makes is flagged where it is called.
            made = {next((p for p in chain if p in flagged), chain[0]) for chain in chains}
            if made & flagged:
                made -= {place for place in made - flagged if _is_told(program, *place)}
            created |= made
        assert created == flagged, "made on other lines than those flagged"


def _is_told(program: Fixture, file: str, line: int) -> bool:
    """Whether a line says where to put what it makes: beside a defect, it may go by that."""
    text = (program.main.parent / file).read_text(encoding="utf-8").splitlines()[line - 1]
    return "device=" in text or ".to(" in text


def _runnable(program: Fixture, real: bool = False) -> Declaration:
    """Return what a program declares; one that isn't run is skipped, for the reason it gives."""
    declared = program.declaration.on(real)
    if declared.kind == "not run":
        pytest.skip(declared.text)  # such as "needs transformers"
    return declared


def _assert_finishes(program: Fixture, bench: Bench) -> None:
    run = bench.run(program)
    assert run.outcome.outcome == "passes", run.printed


@pytest.mark.parametrize("program", FLAGGED, ids=name_of)
def test_a_fixed_program_finishes(program: Fixture, bench: Bench) -> None:
    """What safe fixes make of a program that fails does not fail, which may be on record."""
    _runnable(program)
    fixed = bench.fixed(program, unsafe=False)
    if has_turn(program.name, 2) or (program.name, SAFE, digest_of(fixed)) not in KNOWN:
        _assert_finishes(fixed, bench)


@pytest.mark.parametrize("program", in_turn(FLAGGED, 5, name_of))
def test_a_program_that_is_fixed_unsafely_finishes(program: Fixture, bench: Bench) -> None:
    """Nor does what is left with the unsafe ones."""
    _runnable(program)
    _assert_finishes(bench.fixed(program, unsafe=True), bench)


@pytest.mark.exhaustive
@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("program", FLAGGED, ids=name_of)
def test_a_fixed_program_finishes_again(program: Fixture, unsafe: bool, bench: Bench) -> None:
    """Whatever the record says."""
    _runnable(program)
    _assert_finishes(bench.fixed(program, unsafe), bench)


@pytest.mark.parametrize("program", in_turn(FLAGGED, 4, name_of))
def test_a_safe_fix_keeps_the_numbers(program: Fixture, bench: Bench) -> None:
    """A program prints the same with its fix as it would if devices could mix."""
    if _runnable(program).kind != "fails":
        pytest.skip("it prints what the defect makes of it")
    fixed = bench.fixed(program, unsafe=False)
    mixed = bench.run(program, allow_mixing=True)
    if mixed.outcome.outcome != "passes":
        pytest.skip("it fails for another reason than mixing")
    assert " at 0x" not in mixed.printed, "an address is another one in every run"
    assert _numbers(bench.run(fixed).printed) == _numbers(mixed.printed)


def _numbers(printed: str) -> str:
    """What a program printed, without where tensors are, how long something took, and warnings.

    These name the file, which is another one when it is fixed.
    """
    told = re.sub(r"^.*:\d+: \w*Warning: .*\n(?: .*\n)?", "", printed, flags=re.MULTILINE)
    return re.sub(r", device='[^']*'|\b[\d.]+ ?m?s\b", "", told)


@pytest.mark.gpu
@pytest.mark.parametrize("program", PROGRAMS, ids=name_of)
def test_real(program: Fixture, real_bench: Bench) -> None:
    """The same expectation on a real accelerator; without one this fails."""
    assert_declared(_runnable(program, real=True), real_bench.run(program))


@pytest.mark.gpu
@pytest.mark.parametrize("unsafe", [False, True], ids=["safe", "unsafe"])
@pytest.mark.parametrize("program", FLAGGED, ids=name_of)
def test_a_fixed_program_finishes_on_a_real_accelerator(
    program: Fixture, unsafe: bool, real_bench: Bench
) -> None:
    """What fixes make of a program that fails does not fail."""
    _runnable(program, real=True)
    _assert_finishes(real_bench.fixed(program, unsafe), real_bench)
