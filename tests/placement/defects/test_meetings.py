"""Two values that may both be in either place meet nowhere for certain."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

EITHER = """
class Net(nn.Module):
    def forward(self, x, labels):
        if labels:
            base = torch.zeros(4)
        else:
            base = x.relu()
        other = base.detach() * 2.0
        return {use}
"""


@pytest.mark.parametrize(
    "use",
    [
        "base + other",
        "torch.add(base, other)",
        "base.add(other)",
        "base.index_add_(0, other, other)",
        "other.matmul(base)",
    ],
)
def test_what_follows_from_the_same_alternatives(use: str) -> None:
    assert findings(EITHER.format(use=use)) == []


@pytest.mark.parametrize("use", ["base + x", "torch.add(base, x)", "base.add(x)", "x.add(base)"])
def test_an_alternative_beside_what_is_certain(use: str) -> None:
    assert findings(EITHER.format(use=use)) == ["TDL002 base = torch.zeros(4)"]


def test_parts_of_a_container_are_told_apart() -> None:
    program = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.pairs = nn.ModuleList([nn.ModuleList([nn.Linear(4, 4), nn.Embedding(9, 4)])])

        def forward(self, x):
            for linear, embed in self.pairs:
                x = linear(x) + embed({index})
            return x
    """
    assert findings(program.format(index="torch.zeros(4).long()")) == [
        "TDL002 x = linear(x) + embed(torch.zeros(4).long())"
    ]
    assert findings(program.format(index="x.argmax(1)")) == []
