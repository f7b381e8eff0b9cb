"""Defects are seeded where a placement is right, and counted as found where a finding is new."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest

from tests.benchmark.seeded.__main__ import Neighbours, draw, is_found, settings_for
from tests.benchmark.seeded.defects import defects_of

_TRAINING = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.full((4,), 0.5))
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

    def forward(self, x):
        noise = torch.randn(4, device=x.device)
        for layer in self.layers:
            x = layer(x + noise) * self.scale
        return x


def smooth(x: torch.Tensor):
    return x * torch.linspace(0, 1, 4, device=x.device)


def train(model, loader, path, device):
    model.load_state_dict(torch.load(path, map_location="cpu"))
    criterion = nn.CrossEntropyLoss(weight=torch.ones(4)).to(device)
    for images, labels in loader:
        images, labels = images.to(device), labels.to(device)
        criterion(model(images), labels).backward()
    start = torch.zeros(1, 4)
    start = start.to(device)
    return model(start).detach().cpu().numpy()
"""


def _mutants() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for defect in defects_of(_TRAINING):
        lines = defect.text.splitlines()
        found.setdefault(defect.kind, []).append(lines[defect.line - 1].strip())
    return found


def test_each_kind_takes_one_placement_away() -> None:
    assert _mutants() == {
        "buffer": ["self.scale = torch.full((4,), 0.5)"],
        "list": ["self.layers = [nn.Linear(4, 4), nn.Linear(4, 4)]"],
        "forward": ["noise = torch.randn(4)"],
        "function": ["return x * torch.linspace(0, 1, 4)"],
        "load": ["model.load_state_dict(torch.load(path))"],
        "loss": ["criterion = nn.CrossEntropyLoss(weight=torch.ones(4))"],
        "batch": [
            "images, labels = images, labels.to(device)",
            "images, labels = images.to(device), labels",
        ],
        "input": ["start = start"],
        "statement": ["start.to(device)"],
        "numpy": ["return model(start).detach().numpy()"],
    }


def test_nothing_else_of_the_file_changes() -> None:
    lines = _TRAINING.splitlines()
    for defect in defects_of(_TRAINING):
        ast.parse(defect.text)
        changed = [
            pair for pair in zip(lines, defect.text.splitlines(), strict=True) if len(set(pair)) > 1
        ]
        assert len(changed) == 1


def test_a_page_break_ends_no_line() -> None:
    text = "import torch\n\x0c\ndef f(x):\n    return torch.ones(3{})\n"
    (defect,) = defects_of(text.format(", device=x.device"))
    assert defect.text == text.format("")


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    x = x.to(torch.float16)\n",  # a cast
        "def f(x):\n    x = x.to(torch.int64)\n",
        "def f(x, y):\n    x = x.to(y.dtype)\n",
        "def f(x, input_dtype):\n    x = x.to(input_dtype)\n",
        "def f(self, x):\n    x = x.to(dtype=self.precision)\n",
        "def f(model, d):\n    model = model.to(d)\n",  # modules move in place
        "net = build()\nnet.eval()\nnet = net.to('cuda')\n",
        "def f(n, x):\n    return torch.zeros(n, device=x.device).to('cpu')\n",  # moved on
        "table = torch.zeros(3, device='cuda')\n",
    ],
)
def test_what_may_be_left_out_is_no_defect(text: str) -> None:
    assert defects_of(text) == []


def test_defect_is_found_where_a_finding_is_new(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "net.py").write_text(_TRAINING)
    drawn = draw(tmp_path, 1, random.Random(1))
    settings = settings_for(preview=False)
    found = {place.kind: is_found(tmp_path, place, settings) for place in drawn}
    assert len(drawn) == len(_mutants())
    assert found["forward"]
    assert found["function"]
    assert found["list"]
    assert found["numpy"]
    assert (tmp_path / "one" / "net.py").read_text() == _TRAINING


def test_a_move_that_casts_as_well_is_one() -> None:
    kinds = {d.kind for d in defects_of("def f(x, y):\n    x = x.to(y.device, torch.half)\n")}
    assert kinds == {"input", "statement"}


def test_who_calls_a_function_is_told_what_it_has_lost(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / ".git").mkdir()
    helper = "import torch\n\n\ndef as_array(x):\n    return x.cpu().numpy()\n"
    (tmp_path / "one" / "helpers.py").write_text(helper)
    script = (
        "import torch\nfrom helpers import as_array\n\n"
        "print(as_array(torch.ones(3, device='cuda') * 2))\n"
    )
    (tmp_path / "one" / "main.py").write_text(script)
    (place,) = draw(tmp_path, 1, random.Random(1))
    settings = settings_for(preview=False)
    assert place.kind == "numpy"
    assert is_found(tmp_path, place, settings) is False
    assert Neighbours(tmp_path).tell(place, settings)
    assert (tmp_path / "one" / "helpers.py").read_text() == helper


def test_one_repository_gives_few_of_a_kind(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        for number in range(7):
            (tmp_path / name / f"f{number}.py").write_text(_TRAINING)
    kinds = [place.kind for place in draw(tmp_path, 60, random.Random(1))]
    assert kinds.count("batch") == 8
    assert kinds.count("list") == 8
    assert len(draw(tmp_path, 3, random.Random(1))) == 3 * len(set(kinds))


def test_file_that_is_no_python_gives_nothing(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "f.py").write_text("import torch\nprint 'old'\n")
    (tmp_path / "old" / "g.py").write_bytes(b"import torch\n\xff\n")
    assert draw(tmp_path, 5, random.Random(1)) == []
