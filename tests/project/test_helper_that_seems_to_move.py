"""A helper of another file that only seems to move what it is given is the defect itself."""

from __future__ import annotations

from pathlib import Path

from torchdev_lint.api import check

UTILS = """\
import torch


def to_device(batch: list[torch.Tensor], device: torch.device) -> None:
    for part in batch:
        part = part.to(device)
"""
MAIN = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from utils import to_device

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
for batch in DataLoader(TensorDataset(torch.rand(8, 4), torch.rand(8, 2)), batch_size=4):
    to_device(batch, device)
    inputs, wanted = batch
    outputs = model(inputs.to(device))
    loss = (outputs - wanted).pow(2).mean()
"""


def test_it_is_reported_in_its_own_file_alone(tmp_path: Path) -> None:
    (tmp_path / "utils.py").write_text(UTILS)
    (tmp_path / "main.py").write_text(MAIN)
    reports = check([tmp_path])
    places = [(Path(report.path).name, f.code) for report in reports for f in report.findings]
    assert places == [("utils.py", "TDL009")]
