"""What code moves to the accelerator was not there before, nor was what it is made of."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

PROGRAM = """
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, value, given):
        mask = torch.ones(3, 3).repeat(given.shape[0], 1, 1)
        {step}
        return self.layer(value) * {mask}
"""
FOUND = ["TDL002 mask = torch.ones(3, 3).repeat(given.shape[0], 1, 1)"]


@pytest.mark.parametrize("step", ["mask += given", "mask = mask + given"])
@pytest.mark.parametrize(
    ("mask", "found"), [("mask.to(value.device)", []), ("mask.to(given.device)", FOUND)]
)
def test_what_is_added_to_what_is_moved(step: str, mask: str, found: list[str]) -> None:
    """A move to where something is itself says nothing of that."""
    assert findings(PROGRAM.format(step=step, mask=mask)) == found
