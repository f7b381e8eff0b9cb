"""What chains of modules take: those that have state take what is where that is."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

PROGRAM = """
import torchvision
from torchvision import transforms
from torchvision.transforms import Resize

class Net(nn.Module):
    def __init__(self, parts, model):
        super().__init__()
        self.chain = nn.Sequential({parts})
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        more = self.chain(torch.zeros(3))
        return self.layer(x) + more.to(x.device)
"""
FOUND = ["TDL002 more = self.chain(torch.zeros(3))"]


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ("nn.Linear(3, 3), nn.ReLU()", FOUND),
        ("*list(model.children())[:-1]", FOUND),
        ("*parts", FOUND),
        ("nn.ReLU()", []),
        ("transforms.Resize(4), nn.ReLU()", []),
        ("*parts, transforms.Resize(4)", []),
        ("Resize(4), *parts", []),
        ("*[torchvision.transforms.Resize(4), *parts]", []),
        ("transforms.Resize(4), nn.Linear(3, 3)", FOUND),
    ],
)
def test_a_chain_with_transforms_takes_what_is_on_the_cpu(parts: str, found: list[str]) -> None:
    assert findings(PROGRAM.format(parts=parts)) == found
