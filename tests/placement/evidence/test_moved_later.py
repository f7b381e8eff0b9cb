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


TARGETS = """
def loss(model: nn.Module, y: list[torch.Tensor], others: list[torch.Tensor], device):
    for i in range(len(y)):
        y[i] = torch.cat([y[i][:9], torch.LongTensor([3])])
    {targets}
    return model(targets)
"""


@pytest.mark.parametrize(
    ("targets", "is_moved"),
    [
        ("targets = [t.to(device) for t in y]", True),
        ("targets = [t[1:] for t in y]; targets = [t.to(device) for t in targets]", True),
        ("targets = [t[1:].cuda() for t in y if len(t)]", True),
        ("targets = [t.to(device) for t in others] + [t[1:] for t in y]", False),
        ("targets = [t[1:] for t in y]", False),
    ],
)
def test_what_a_comprehension_goes_through(targets: str, is_moved: bool) -> None:
    """Its variable is one of its own: another one may have the same name for something else."""
    found = ["TDL016 y[i] = torch.cat([y[i][:9], torch.LongTensor([3])])"]
    assert findings(TARGETS.format(targets=targets)) == ([] if is_moved else found)
