"""What is read from a file is on the host, unless the call says otherwise."""

from __future__ import annotations

import pytest

from torchdev_lint.linter import lint
from torchdev_lint.rules import EVERY_RULE
from torchdev_lint.source.source import Source

PROGRAM = """\
import torch
import torchvision
import safetensors.torch

model = torch.nn.Linear(2, 2).to("cuda")
model({call})
"""


@pytest.mark.parametrize(
    ("call", "codes"),
    [
        ("torchvision.io.decode_jpeg(data)", ["TDL005"]),
        ("torchvision.io.decode_jpeg(data, device='cpu')", ["TDL005"]),
        ("torchvision.io.decode_jpeg(data, device='cuda')", []),
        ("torchvision.io.decode_jpeg(data, device=chosen())", []),
        ("torchvision.io.decode_jpeg(data, **options)", []),
        ("safetensors.torch.load_file(path)['x']", ["TDL005"]),
        ("safetensors.torch.load_file(path, 'cuda')['x']", []),
        ("safetensors.torch.load_file(path, device=chosen())['x']", []),
        ("safetensors.torch.load_file(*given)['x']", []),
    ],
)
def test_a_device_that_is_named_counts(call: str, codes: list[str]) -> None:
    source = Source.from_text(PROGRAM.format(call=call), "a.py")
    assert [finding.code for finding in lint(source, source.parse(), EVERY_RULE)] == codes
