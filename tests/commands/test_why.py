"""`torchdev-lint why`: what is known of the values on a line, and where that comes from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from torchdev_lint.cli import main

from ..notebooks.made import written

PROGRAM = """\
import torch
from torch import nn
from torch.utils.data import DataLoader
from elsewhere import augment, images

device = torch.device("cuda")
model = nn.Linear(3, 4)
model.to(device)
loader = DataLoader(images, batch_size=4)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        noise = torch.randn(4)
        later = noise * 2
        return self.layer(x) + later


for batch, labels in loader:
    bright = augment(batch)
    out = model(bright)
    wanted = labels.to(device)
    print(len("é"), model(wanted))
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program, in the folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "train.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


def line_of(text: str) -> int:
    """The line of the program that begins with a text."""
    return next(n for n, s in enumerate(PROGRAM.splitlines(), 1) if s.strip().startswith(text))


def why(place: str, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """What the command says of a place."""
    assert main(["why", place, *options]) == 0
    return capsys.readouterr().out


@pytest.mark.usefixtures("program")
class TestText:
    def test_a_value_is_followed_to_where_it_is_made(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        line = line_of("return self.layer")
        out = why(f"train.py:{line}", capsys)
        assert out.startswith(f"train.py:{line}: return self.layer(x) + later\n")
        made = line_of("noise = ")
        assert (
            f"`later` at {line}:32 is a tensor on the CPU\n"
            f"  {line - 1}:17  `noise * 2`, assigned to `later`\n"
            f"  {line - 1}:17  `noise`, computed from it\n"
            f"  {made}:17  `torch.randn(4)`, assigned to `noise`\n"
            "  `torch.randn` makes it on the CPU: it is told no other device\n"
        ) in out

    def test_what_is_reported_about_the_line(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = why(f"train.py:{line_of('return self.layer')}", capsys)
        last = out.splitlines()[-1]
        assert last.startswith(f"Reported: TDL002 at {line_of('noise = ')}:17, `torch.randn` ")

    def test_the_first_thing_that_is_not_known(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = why(f"train.py:{line_of('out = model')}", capsys)
        unknown = f"`augment(batch)` at {line_of('bright = ')}:14"
        assert out.splitlines()[-1] == (
            f"Nothing is reported. The first thing that isn't known is {unknown}: "
            "what `augment` gives is not known: its code is out of sight."
        )

    def test_a_module_moved_in_place(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = why(f"train.py:{line_of('out = model')}:11", capsys)
        moved = line_of("model.to")
        assert "`model` at " in out
        assert f"\n  {moved}:1  `model.to(device)`, moved in place\n" in out
        assert "`device` (a device: the accelerator), `.to()` moves it there\n" in out

    def test_a_module_that_is_moved_further_down(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = why(f"train.py:{line_of('model = ')}", capsys)
        assert "`model` at 7:1 is a module on the CPU\n" in out
        assert "  `Linear` is built on the CPU, where it stays until it is moved\n" in out

    def test_where_places_differ_and_do_not_meet(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = why(f"train.py:{line_of('wanted = ')}", capsys)
        assert "`labels` at " in out
        assert out.endswith("what is in different places doesn't meet here and fail.\n")

    def test_a_part_of_a_module(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = why(f"train.py:{line_of('return self.layer')}:21", capsys)
        built = line_of("self.layer = ")
        assert f"`self.layer` at {built + 5}:16 is a module on the accelerator\n" in out
        assert f"  {built}:22  `nn.Linear(4, 4)` (a module on the CPU), assigned to the " in out

    def test_a_line_where_nothing_lives(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = why("train.py:1", capsys)
        assert out.endswith("Nothing here is known to live anywhere, and nothing is reported.\n")

    def test_columns_count_characters(self, capsys: pytest.CaptureFixture[str]) -> None:
        line = line_of("print")
        column = PROGRAM.splitlines()[line - 1].index("wanted") + 1
        assert f"`wanted` at {line}:{column} is " in why(f"train.py:{line}:{column}", capsys)

    def test_a_line_within_a_statement_tells_of_the_statement(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "a.py").write_text("import torch\nx = torch.ones(\n    3\n)\n")
        assert "`torch.ones( 3 )` at 2:5 is a tensor on the CPU" in why("a.py:4", capsys)

    def test_a_part_of_a_batch_to_which_no_way_leads_back(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "loop.py").write_text(
            "import torch\nfrom torch import nn\nfrom torch.utils.data import DataLoader\n\n\n"
            "def train(data):\n    model = nn.Linear(3, 3).cuda()\n"
            "    for x, y in DataLoader(data):\n        x.cuda()\n"
            "        nn.functional.mse_loss(model(x), y)\n"
        )
        out = why("loop.py:10:42", capsys)
        assert "`y` at 10:42 is a tensor or a structure of tensors on the CPU\n" in out
        assert "\n  data loaders give their batches on the CPU\n" in out

    def test_a_value_of_another_file(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "pyproject.toml").touch()
        (tmp_path / "make.py").write_text(
            "import torch\n\n\ndef grid():\n    return torch.ones(3)\n"
        )
        (tmp_path / "use.py").write_text("from make import grid\nx = grid()\nprint(x)\n")
        out = why("use.py:3:7", capsys)
        assert "  2:5  `grid()`, assigned to `x`\n" in out
        assert "  make.py:5:12  is where that is made\n" in out


@pytest.mark.usefixtures("program")
class TestOtherFormats:
    def test_mermaid_draws_what_follows_from_what(self, capsys: pytest.CaptureFixture[str]) -> None:
        out = why(f"train.py:{line_of('later = ')}", capsys, "--format", "mermaid")
        first, *rest = out.splitlines()
        assert first == "flowchart TD"
        boxes = [line.strip() for line in rest if ":::" in line]
        assert any("torch.randn(4)<br/>a tensor on the CPU" in box for box in boxes)
        assert sum("noise<br/>" in box for box in boxes) == 1, "drawn once, whoever needs it"
        assert any(line.strip().startswith("v2 -->") for line in rest)

    def test_json_has_the_steps(self, capsys: pytest.CaptureFixture[str]) -> None:
        line = line_of("later = ")
        said = json.loads(why(f"train.py:{line}:17", capsys, "--format", "json"))
        (value,) = said["values"]
        assert (said["filename"], said["line"], value["text"]) == ("train.py", line, "noise")
        assert value["cases"] == [{"nature": "tensor", "place": "host"}]
        assert value["location"] == {"row": line, "column": 17}
        assert [step["text"] for step in value["steps"]] == ["torch.randn(4)"]
        assert value["known"] is True


@pytest.mark.usefixtures("program")
class TestBadInput:
    @pytest.mark.parametrize(
        ("place", "message"),
        [
            ("train.py:1000", "train.py: error: there is no line 1000: it has "),
            ("train.py:0", "train.py: error: there is no line 0: it has "),
            ("train.py:5:1", "train.py:5:1: error: no expression is there"),
            ("absent.py:1", "absent.py: error: cannot be read: "),
            ("broken.py:1", "broken.py:1:4: error: syntax error"),
            ("data.csv:1", "data.csv: error: is not Python"),
        ],
    )
    def test_a_line_says_what_is_wrong(
        self, place: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "broken.py").write_text("x =\n")
        (tmp_path / "data.csv").write_text("x\n")
        assert main(["why", place]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.startswith(message)
        assert len(printed.err.splitlines()) == 1

    @pytest.mark.parametrize("arguments", [[], ["train.py"], ["train.py:x"], ["a:1", "b:2"]])
    def test_wrong_usage(self, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit) as caught:
            main(["why", *arguments])
        assert caught.value.code == 2
        assert "usage: torchdev-lint why" in capsys.readouterr().err


@pytest.mark.usefixtures("program")
class TestNotebooks:
    """Places in them are told by cell and line, and asked about as findings tell them."""

    @pytest.fixture(autouse=True)
    def notebook(self, tmp_path: Path) -> None:
        text = written(
            "#md Title",
            "%matplotlib inline\nimport torch\nimages = torch.randn(8, 3)",
            '!nvidia-smi\nmodel = torch.nn.Linear(3, 3).to("cuda")\nout = model(images)',
        )
        (tmp_path / "nb.ipynb").write_text(text, encoding="utf-8")

    @pytest.mark.parametrize("place", ["nb.ipynb:3:3:13", "nb.ipynb:cell 3:3:13"])
    def test_steps_lead_into_other_cells(
        self, place: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert why(place, capsys).splitlines()[:6] == [
            "nb.ipynb:cell 3:3: out = model(images)",
            "",
            "`images` at cell 3:3:13 is a tensor on the CPU",
            "  cell 2:3:10  `torch.randn(8, 3)`, assigned to `images`",
            "  `torch.randn` makes it on the CPU: it is told no other device",
            "",
        ]

    def test_what_is_reported_is_told_in_the_same_way(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = why("nb.ipynb:3:3", capsys)
        assert out.splitlines()[-1].startswith("Reported: TDL005 at cell 2:3:10, ")

    def test_other_formats_name_the_cell(self, capsys: pytest.CaptureFixture[str]) -> None:
        said = json.loads(why("nb.ipynb:3:3:13", capsys, "--format", "json"))
        (step,) = said["values"][0]["steps"]
        assert (said["cell"], said["line"]) == (3, 3)
        assert (step["cell"], step["location"]) == (2, {"row": 3, "column": 10})
        drawn = why("nb.ipynb:3:3:13", capsys, "--format", "mermaid")
        assert "line 3 of cell 2: torch.randn" in drawn

    @pytest.mark.parametrize(
        ("place", "message"),
        [
            ("nb.ipynb:1:1", "nb.ipynb: error: cell 1 holds no code"),
            ("nb.ipynb:9:1", "nb.ipynb: error: cell 9 holds no code"),
            ("nb.ipynb:2:4", "nb.ipynb: error: there is no line 4: cell 2 has 3"),
            ("nb.ipynb:3:1:90", "nb.ipynb:cell 3:1:90: error: no expression is there"),
        ],
    )
    def test_a_place_that_is_none(
        self, place: str, message: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["why", place]) == 2
        assert capsys.readouterr().err == f"{message}\n"

    def test_a_place_without_a_cell(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit):
            main(["why", "nb.ipynb:3"])
        assert "'nb.ipynb:3' names no cell: FILE:CELL:LINE" in capsys.readouterr().err


def test_a_file_of_that_name_is_linted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("why").write_text("#!/usr/bin/env python\nimport torch\nx = torch.ones(3)\nx.cuda()\n")
    assert main(["./why", "--no-cache"]) == 1
    assert capsys.readouterr().out.startswith("./why:4:1: TDL001")
