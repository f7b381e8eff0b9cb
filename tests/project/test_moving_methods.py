"""Methods of other files that move what their object holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_imports import findings, write

TRAINER = """\
import torch
from torch import nn

class Trainer:
    def __init__(self):
        self.layer = nn.Linear(3, 3)
        if torch.cuda.is_available():
            self.cuda()

    def cuda(self):
        self.layer.cuda()

    def cpu(self):
        self.layer.cpu()

    def train(self, image):
        return self.layer(image).detach()
"""
MAIN = """\
import torch
from trainer import Trainer

def show(image):
    trainer = Trainer()
    {moved}
    return trainer.train(torch.rand(3)).numpy()
"""


@pytest.mark.parametrize(
    ("moved", "codes"), [("trainer.cpu()", []), ("trainer.cuda()", ["TDL005", "TDL013"])]
)
def test_they_are_followed(tmp_path: Path, moved: str, codes: list[str]) -> None:
    write(tmp_path, {"trainer.py": TRAINER, "main.py": MAIN.format(moved=moved)})
    assert sorted(found.code for found in findings(tmp_path)) == codes
