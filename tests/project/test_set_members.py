"""A variable of another file that the file at hand sets holds that for all that read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_imports import write
from torchdev_lint.known.revealed import revealed_in
from torchdev_lint.source.source import Source

SETTINGS = """
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""
NOISE = """
import torch
import settings

def make(rows):
    return torch.empty(rows, 4, device=settings.device).normal_(0, 1)
"""
MAIN = """
import settings
import torch
from noise import make
from torchdev_lint import reveal_device

{set}

def main():
    reveal_device(make(3))

main()
"""


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("", "a tensor on the accelerator"),
        ('settings.device = torch.device("cpu")', "a tensor on the CPU"),
        ('settings.device = torch.device("cuda")', "a tensor on the accelerator"),
        ('settings.rows = torch.device("cpu")', "a tensor on the accelerator"),
        (
            'if len(settings.__name__) > 3:\n    settings.device = torch.device("cpu")',
            "a tensor on a device that isn't known",
        ),
        (
            'for _ in settings.__name__:\n    settings.device = torch.device("cpu")',
            "a tensor on a device that isn't known",
        ),
        (
            'def choose():\n    settings.device = torch.device("cpu")\n\nchoose()',
            "a tensor on a device that isn't known",
        ),
    ],
)
def test_what_is_set_is_read(tmp_path: Path, statement: str, words: str) -> None:
    write(tmp_path, {"settings.py": SETTINGS, "noise.py": NOISE})
    path = tmp_path / "main.py"
    path.write_text(MAIN.format(set=statement), encoding="utf-8")
    revealed = revealed_in(Source.from_text(path.read_text("utf-8"), str(path)))
    assert [note.words for note in revealed] == [words]
