"""Quantized operations run on the CPU, whatever they are called like."""

from __future__ import annotations

import pytest

from .linting import findings

PROGRAM = """
class Flipped(nn.Module):
    def forward(self, x):
        sign = torch.randn(x.shape)
        return {operation}(sign, x)
"""


@pytest.mark.parametrize("operation", ["torch.ops.quantized.mul", "torch.nn.quantized.F.mul"])
def test_quantized_operations_meet_nothing(operation: str) -> None:
    assert findings(PROGRAM.format(operation=operation)) == []


def test_others_do() -> None:
    flagged = ["TDL002 sign = torch.randn(x.shape)"]
    assert findings(PROGRAM.format(operation="torch.mul")) == flagged
