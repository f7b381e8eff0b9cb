"""`reveal_device`: a note when linting, a line on stderr at run time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.command import flake8
from torchdev_lint import reveal_device
from torchdev_lint.cli import main

PROGRAM = """\
import torch
from torchdev_lint import reveal_device


class Net(torch.nn.Module):
    def forward(self, x):
        noise = reveal_device(torch.randn(4))
        return noise


def shift(z: torch.Tensor, y: torch.Tensor):
    reveal_device(z)
    return z + reveal_device(y.to("cuda"))
"""


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "net.py"
    path.write_text(PROGRAM)
    return path


class TestLinting:
    def test_notes_that_do_not_fail_the_run(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["net.py", "--output-format", "concise", "--quiet"]) == 0
        assert capsys.readouterr().out == (
            "net.py:7:31: revealed: `torch.randn(4)` is a tensor on the CPU\n"
            "net.py:12:19: revealed: `z` is a tensor where the caller's tensors are\n"
            'net.py:13:30: revealed: `y.to("cuda")` is a tensor on the accelerator\n'
        )

    def test_told_again_from_the_cache(self, capsys: pytest.CaptureFixture[str]) -> None:
        told = []
        for _ in range(2):
            assert main(["net.py"]) == 0
            told.append(capsys.readouterr().out)
        assert told[0] == told[1]
        assert "revealed: " in told[0]

    def test_what_is_told_of_names_holds(
        self, program: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        program.write_text(PROGRAM.replace("torch.randn(4)", "there(torch.randn(4))"))
        (program.parent / "torchdev-lint.toml").write_text('moves = ["nowhere.there"]')
        program.write_text("from nowhere import there\n" + program.read_text())
        assert main(["net.py", "--output-format", "concise", "--quiet"]) == 0
        assert "`there(torch.randn(4))` is a tensor on the accelerator" in capsys.readouterr().out

    def test_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["net.py", "--output-format", "json"]) == 0
        first = json.loads(capsys.readouterr().out)[0]
        assert (first["code"], first["severity"], first["name"]) == (None, None, "revealed")
        assert (first["location"], first["scope"]) == ({"row": 7, "column": 31}, "Net.forward")

    @pytest.mark.parametrize(
        ("text", "notes"),
        [
            ("import torchdev_lint\ntorchdev_lint.reveal_device(1)\n", 1),
            ("from torchdev_lint import reveal_device as show\nshow(1)\n", 1),
            ("import torch\ndef reveal_device(x): return x\nreveal_device(1)\n", 0),
            ("import torch\nprint('reveal_device(1)')\n", 0),
            ("import torchdev_lint\ntorchdev_lint.reveal_device()\n", 0),
        ],
    )
    def test_which_calls_ask(
        self, text: str, notes: int, program: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        program.write_text(text)
        assert main(["net.py"]) == 0
        assert capsys.readouterr().out.count("revealed: ") == notes

    def test_a_finding_beside_it_fails_the_run(
        self, program: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        program.write_text(PROGRAM + "\n\nx = torch.ones(3)\nx.cuda()\n")
        assert main(["net.py"]) == 1
        assert "revealed: " in capsys.readouterr().out

    def test_flake8_knows_no_notes(self, tmp_path: Path) -> None:
        assert flake8("--isolated", "--select=TDL", "net.py", cwd=tmp_path).out == ""


class TestRunning:
    def test_a_tensor_is_told_of_and_returned(self, capsys: pytest.CaptureFixture[str]) -> None:
        x = torch.ones(3, 4)
        assert reveal_device(x) is x
        told = capsys.readouterr()
        assert told.out == ""
        assert told.err.endswith(": reveal_device: cpu, torch.float32, shape (3, 4)\n")
        assert Path(told.err.rpartition(": reveal")[0].rpartition(":")[0]).samefile(__file__)

    def test_parts_of_structures(self, capsys: pytest.CaptureFixture[str]) -> None:
        reveal_device({"image": torch.ones(2), "sizes": [torch.tensor(3), 4]})
        told = [
            line.partition("reveal_device:")[2] for line in capsys.readouterr().err.splitlines()
        ]
        assert told == [
            " ['image'] cpu, torch.float32, shape (2)",
            " ['sizes'][0] cpu, torch.int64, shape ()",
            " ['sizes'][1] int, no tensor",
        ]

    def test_modules(self, capsys: pytest.CaptureFixture[str]) -> None:
        reveal_device(torch.nn.BatchNorm1d(3))
        reveal_device(torch.nn.ReLU())
        told = [
            line.partition("reveal_device: ")[2] for line in capsys.readouterr().err.splitlines()
        ]
        assert told == ["BatchNorm1d, 5 tensors on cpu", "ReLU, no parameters or buffers"]

    def test_large_structures_are_cut_short(self, capsys: pytest.CaptureFixture[str]) -> None:
        reveal_device([torch.ones(1)] * 25)
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 21
        assert lines[-1].endswith(": reveal_device: and 5 more")

    def test_anything_else(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert reveal_device("x") == "x"
        assert capsys.readouterr().err.endswith(": reveal_device: str, no tensor\n")


def test_importing_the_package_imports_nothing_else() -> None:
    code = (
        "import sys; before = set(sys.modules); import torchdev_lint; "
        "assert not {m for m in set(sys.modules) - before if not m.startswith('_')} "
        "- {'torchdev_lint'}, set(sys.modules) - before; "
        "torchdev_lint.reveal_device(1); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-S", "-c", code], check=True, cwd=Path(__file__).parents[2])
