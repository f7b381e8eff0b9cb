"""What chains of modules take: those that have state take what is where that is."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

PROGRAM = """
class Net(nn.Module):
    def __init__(self, parts):
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
        ("nn.ReLU()", []),
        ("*parts", []),
        ("nn.ReLU(), *parts", []),
        ("*(part for part in parts)", []),
    ],
)
def test_a_chain_takes_what_is_on_the_cpu_if_it_may_have_no_state(
    parts: str, found: list[str]
) -> None:
    assert findings(PROGRAM.format(parts=parts)) == found
