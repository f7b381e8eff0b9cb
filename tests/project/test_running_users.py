"""Files that call a function are run, where only what they give it tells what that mixes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import codes_in, lint

NOISE = """\
import torch


def add_noise(images, level):
    scale = torch.linspace(0, 1, 4)
    return images + level * scale
"""
MODEL = """\
from torch import nn
from noise import add_noise


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return add_noise(self.layer(x), 0.5)
"""
IMPORTS = "import torch\nfrom noise import add_noise\n"
CALLS = "images = torch.rand(3, 4, device='cuda')\nadd_noise(images, 0.5)\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "setup.cfg").write_text("[metadata]\nname = project\n")
    (tmp_path / "noise.py").write_text(NOISE)
    return tmp_path


def found_in_noise(project: Path, *options: str) -> list[tuple[str, int]]:
    return codes_in("noise.py", *options, cwd=project)


def test_without_a_user_nothing_is_told(project: Path) -> None:
    assert found_in_noise(project) == []


def test_the_call_is_a_related_place(project: Path) -> None:
    (project / "main.py").write_text(IMPORTS + CALLS)
    out = lint("noise.py", "--output-format=full", cwd=project).out
    assert "on the accelerator" in out
    assert "::: main.py:4:1:" in out
    assert "called with what is on the accelerator here" in out


def test_what_a_user_of_a_user_gives_counts(project: Path) -> None:
    (project / "augment.py").write_text(
        "from noise import add_noise\n\n\ndef augment(images):\n    return add_noise(images, 1)\n"
    )
    assert found_in_noise(project) == []
    (project / "main.py").write_text(
        "import torch\nfrom augment import augment\naugment(torch.rand(3, 4, device='cuda'))\n"
    )
    assert found_in_noise(project) == [("TDL016", 5)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("main.py", IMPORTS + CALLS.replace(", device='cuda'", "")),
        ("main.py", IMPORTS + "torch.set_default_device('cuda')\n" + CALLS),
        ("main.py", IMPORTS + "import nowhere.at_all\n" + "\n\ndef main():\n    pass\n"),
        ("main.py", IMPORTS + f"FUNCTIONS = {{'noise': add_noise}}\n{CALLS.splitlines()[0]}\n"),
        ("test_noise.py", IMPORTS + CALLS),
        ("main.py", IMPORTS + CALLS + "this is no Python\n"),
    ],
)
def test_users_that_show_nothing(project: Path, name: str, text: str) -> None:
    (project / name).write_text(text)
    assert found_in_noise(project) == []


def test_a_model_counts_where_it_is_moved(project: Path) -> None:
    (project / "model.py").write_text(MODEL)
    assert found_in_noise(project) == []
    (project / "main.py").write_text("from model import Net\n\nmodel = Net().cuda()\n")
    assert found_in_noise(project) == [("TDL016", 5)]


def test_a_cached_result_goes_with_the_users(project: Path) -> None:
    main = project / "main.py"
    main.write_text(IMPORTS + CALLS)
    assert found_in_noise(project, "--cache-dir=kept") == [("TDL016", 5)]
    assert found_in_noise(project, "--cache-dir=kept") == [("TDL016", 5)]
    main.write_text(IMPORTS + CALLS.replace(", device='cuda'", ""))
    assert found_in_noise(project, "--cache-dir=kept") == []
