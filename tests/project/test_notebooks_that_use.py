"""A notebook uses what the project defines, as a script does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import codes_in, lint
from tests.notebooks.made import written

HELPERS = """\
import torch


def evaluate(model, count):
    batch = torch.randn(count, 4)
    return model(batch)


def shift(x: torch.Tensor):
    return x + torch.arange(4.0)
"""
IMPORTS = "import torch\nfrom torch import nn\n\nfrom helpers import evaluate, shift"
ON_THE_ACCELERATOR = "model = nn.Linear(4, 2)\nmodel.cuda()"
ON_THE_HOST = "model = nn.Linear(4, 2)"
CALLS = "evaluate(model, 3)\nshift(torch.ones(4))"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "setup.cfg").write_text("[metadata]\nname = project\n")
    (tmp_path / "helpers.py").write_text(HELPERS)
    return tmp_path


def codes(project: Path) -> list[tuple[str, int]]:
    return codes_in("helpers.py", cwd=project)


def test_what_it_hands_to_a_function_is_what_that_is_given(project: Path) -> None:
    (project / "a.ipynb").write_text(written(IMPORTS, ON_THE_ACCELERATOR, CALLS))
    assert codes(project) == [("TDL005", 5)]
    (project / "a.ipynb").write_text(written(IMPORTS, ON_THE_HOST, CALLS))
    assert codes(project) == []
    (project / "a.ipynb").unlink()
    assert codes(project) == [("TDL016", 10)]


def test_a_place_in_it_is_one_of_a_cell(project: Path) -> None:
    (project / "net.py").write_text(
        "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
        "    def forward(self, x):\n        return nn.functional.relu(x) + torch.randn(4)\n"
    )
    cells = "from net import Net", "model = Net()\n\nmodel.cuda()"
    (project / "a.ipynb").write_text(written("# A text\n", *cells))
    out = lint("net.py", "--output-format=full", cwd=project).out
    assert "::: a.ipynb:cell 3:3:1:\n" in out
    assert "\n3 | model.cuda()\n" in out
    (found,) = json.loads(lint("net.py", "--output-format=json", cwd=project).out)
    place = found["related"][-1]
    assert (place["filename"], place["cell"]) == (str(project / "a.ipynb"), 3)
    assert place["location"] == {"row": 3, "column": 1}


def with_a_picture(text: str, size: int) -> str:
    """A notebook of which a cell has put out a picture of so many characters."""
    made = json.loads(text)
    picture = {"data": {"image/png": "Abc4+/" * (size // 6)}, "metadata": {}}
    made["cells"][1]["outputs"] = [{"output_type": "display_data", **picture}]
    return json.dumps(made, indent=1)


def test_what_its_cells_have_put_out_is_no_part_of_it(project: Path) -> None:
    text = written(IMPORTS, ON_THE_HOST, CALLS)
    (project / "a.ipynb").write_text(with_a_picture(text, 2_000_000))
    assert codes(project) == []
    (project / "a.ipynb").write_text(with_a_picture(text, 5_000_000))  # too large to be read
    assert codes(project) == [("TDL016", 10)]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cells": 1}', written("x = (")])
def test_one_that_is_none_is_no_user(project: Path, text: str) -> None:
    (project / "a.ipynb").write_text(text + "\n" + "evaluate shift")
    assert codes(project) == [("TDL016", 10)]
