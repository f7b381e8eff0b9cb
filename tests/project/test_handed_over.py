"""What is handed over to the code of another file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_imports import findings, lines, write

FILLED = """
import torch
from torch import nn
from elsewhere import Embedding

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = Embedding()

    def forward(self, data, mask):
        given = self.embed(data)
        given["batch"] = torch.zeros(3)
        given[{key}] = mask
        return given
"""
FILLING = """
import numpy as np
import torch
from parts import Net

def run(data, device):
    model = Net().to(device)
    print(np.zeros(3))
    return model(data, torch.ones(3, device=device))
"""


@pytest.mark.parametrize("key", ["'mask'", "0", "..."])
def test_what_it_is_put_into_need_not_be_an_array(tmp_path: Path, key: str) -> None:
    write(tmp_path, {"parts.py": FILLED.format(key=key), "main.py": FILLING})
    assert lines(tmp_path) == []


PART = """
from torch import nn

class Part(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def kept(self, x):
        return self.layer(x)
"""
CALLING = """
import torch
from parts import Part

def run(config):
    part = Part()
    part.to(config["device"])
    return part.kept(torch.ones(3))
"""


def test_a_method_has_no_parameters_its_module_has(tmp_path: Path) -> None:
    write(tmp_path, {"parts.py": PART, "main.py": CALLING})
    (found,) = findings(tmp_path)
    fix = found.fix_for(unsafe=True)
    assert fix is not None
    assert fix.message == "Add `device=next(part.parameters()).device`"
