"""The command that runs a program, and the server that runs many."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command import ROOT
from tests.fixtures import Declaration, declaration, expected_lines
from tests.runtime.outcomes import Runner, RunnerError
from tests.runtime.run_program import Outcome

pytestmark = pytest.mark.slow

MIXED = """import torch

def noise():
    return torch.rand(3)

x = torch.rand(3).to("cuda")
y = x + noise() * 2
print("sum", y.device)
"""


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    """A server of simulated runs."""
    server = Runner("simulated")
    yield server
    server.close()


def program(folder: Path, text: str) -> Path:
    """Write a program."""
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    return path


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line."""
    return subprocess.run(
        [sys.executable, "-m", "tests.runtime.run_program", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_last_line_is_the_outcome(tmp_path: Path) -> None:
    """Whatever else is printed."""
    done = command("--device", "simulated", str(program(tmp_path, MIXED)))
    outcome = Outcome.from_json(done.stdout.splitlines()[-1])
    assert done.returncode == 0
    assert (outcome.outcome, outcome.type) == ("raises", "RuntimeError")
    assert outcome.message.startswith("Expected all tensors to be on the same device")
    assert not outcome.meetings
    assert "line 7" in done.stderr


def test_mixing_allowed_names_the_lines(tmp_path: Path) -> None:
    """Where the tensors met, where the host tensor was made, and who asked for it."""
    done = command("--allow-mixing", str(program(tmp_path, MIXED)))
    *printed, last = done.stdout.splitlines()
    outcome = Outcome.from_json(last)
    assert printed == ["sum cuda:0"]
    assert outcome.outcome == "passes"
    (meeting,) = outcome.meetings
    assert (meeting.operation, meeting.place) == ("add.Tensor", ("program.py", 7))
    assert meeting.created == ((("program.py", 4), ("program.py", 7)),)


def test_places_in_other_files_of_a_project(runner: Runner, tmp_path: Path) -> None:
    """What is beside a project's `main.py` is the project's; it leaves nothing behind."""
    folder = tmp_path / "project_noise"
    (folder / "parts").mkdir(parents=True)
    (folder / "parts" / "__init__.py").write_text("from .noise import noise\n")
    (folder / "parts" / "noise.py").write_text("\n".join(MIXED.splitlines()[:4]))
    main = folder / "main.py"
    main.write_text("import torch\nfrom parts import noise\nprint(torch.rand(3).cuda() + noise())")
    before = sorted(folder.rglob("*"))
    (meeting,) = runner.run(main, allow_mixing=True).outcome.meetings
    assert meeting.place == ("main.py", 3)
    assert meeting.created == ((("parts/noise.py", 4), ("main.py", 3)),)
    assert sorted(folder.rglob("*")) == before


def test_only_the_simulated_device_mixes(tmp_path: Path) -> None:
    """A real one can't be told to."""
    done = command("--device", "real", "--allow-mixing", str(program(tmp_path, MIXED)))
    assert done.returncode == 1
    assert "accelerator" in done.stderr


def test_the_server_survives_its_programs(runner: Runner, tmp_path: Path) -> None:
    """A program that ends its process has no outcome; the next one has."""
    with pytest.raises(RunnerError, match="exit status 5"):
        runner.run(program(tmp_path, "import os\nos._exit(5)"))
    run = runner.run(program(tmp_path, "print('still there')"))
    assert run.outcome.outcome == "passes"
    assert run.printed == "still there\n"


def test_exits_and_syntax_errors_are_outcomes(runner: Runner, tmp_path: Path) -> None:
    """Exit code 0 passes, everything else raises."""
    assert runner.run(program(tmp_path, "raise SystemExit(0)")).outcome.outcome == "passes"
    assert runner.run(program(tmp_path, "raise SystemExit('no')")).outcome.message == "no"
    assert runner.run(program(tmp_path, "x = (")).outcome.type == "SyntaxError"


def test_the_cpu_is_one_place_by_whatever_number(runner: Runner, tmp_path: Path) -> None:
    """As in PyTorch, where what is made on `cpu:0` says that it is on `cpu`."""
    text = """import torch
made, moved = torch.ones(2, device="cpu:0"), torch.ones(2).to("cpu:0")
print((made + torch.ones(2)).device, torch.cat([moved, torch.ones(2)]).device)
assert made.device == moved.device == torch.device("cpu")
"""
    run = runner.run(program(tmp_path, text))
    assert run.outcome.outcome == "passes", run.outcome
    assert run.printed == "cpu cpu\n"


def test_programs_do_not_see_each_other(runner: Runner, tmp_path: Path) -> None:
    """Each has a process of its own."""
    runner.run(program(tmp_path, "import torch\ntorch.set_default_device('cuda')"))
    run = runner.run(program(tmp_path, "import torch\nassert torch.zeros(1).device.type == 'cpu'"))
    assert run.outcome.outcome == "passes", run.printed


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("passes", Declaration("passes")),
        ("fails TypeError: can't convert", Declaration("fails", "TypeError", "can't convert")),
        ("fails RuntimeError: a: b", Declaration("fails", "RuntimeError", "a: b")),
        ("silent", Declaration("silent", "AssertionError")),
        ("not run (needs transformers)", Declaration("not run", text="needs transformers")),
        ("passes (on a real device)", Declaration("passes", needs=())),
        (
            "fails RuntimeError: a (b) (on a real device with timm, einops)",
            Declaration("fails", "RuntimeError", "a (b)", needs=("timm", "einops")),
        ),
    ],
)
def test_declarations(line: str, expected: Declaration) -> None:
    """What a fixture may say about its run."""
    assert declaration(f'"""Text."""\n# runtime: {line}\nx = 1\n') == expected


def test_what_needs_a_real_device_is_not_run_elsewhere() -> None:
    """Nor on one that lacks the packages."""
    here, there = Declaration("passes", needs=("torch",)), Declaration("passes", needs=("no_such",))
    reason = "needs a real device with "
    assert (here.on(real=True), there.on(real=False).kind) == (here, "not run")
    assert here.on(real=False) == Declaration("not run", text=f"{reason}torch")
    assert there.on(real=True) == Declaration("not run", text=f"{reason}no_such")


@pytest.mark.parametrize(
    "text", ["", "# runtime: fails\n", "# runtime: passes\n# runtime: silent\n"]
)
def test_bad_declarations(text: str) -> None:
    """A fixture must say one thing, and fully."""
    with pytest.raises(ValueError, match=r"expected|needs"):
        declaration(text)


def test_expected_lines() -> None:
    """The markers of a fixture."""
    source = "a = 1  # expect: TDL001\nb = 2\nc = 3  # expect: TDL001, TDL002\n"
    assert expected_lines(source) == {1: ("TDL001",), 3: ("TDL001", "TDL002")}
