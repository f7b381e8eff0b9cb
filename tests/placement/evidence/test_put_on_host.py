"""Whether the code of a model too large to be run may put anything on the CPU."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchdev_lint.placement.evidence.put_on_host import puts_on_host

_MODEL = """\
import torch
from helper import helped


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))

    def forward(self, x):
        for i in range(3):
            x = helped(x * self.weight)
        return x
"""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("x", False),
        ("x + torch.arange(3, device=x.device)", False),
        ("x + torch.zeros_like(x)", False),
        ("x + torch.arange(3)", True),
        ("x.cpu()", True),
        ("x.tolist()", True),
    ],
)
def test_what_a_model_and_its_helpers_put_on_the_cpu(
    tmp_path: Path, given: str, expected: bool
) -> None:
    model = tmp_path / "model.py"
    model.write_text(_MODEL)
    (tmp_path / "helper.py").write_text(f"import torch\n\n\ndef helped(x):\n    return {given}\n")
    assert puts_on_host(str(model)) is expected


def test_files_that_can_not_be_read_may_put_anything_anywhere(tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text(_MODEL)
    (tmp_path / "helper.py").write_text("def helped(x:\n")
    assert puts_on_host(str(model))
