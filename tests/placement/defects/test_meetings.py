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


def test_what_has_failed_already_gives_nothing_on_the_accelerator() -> None:
    """A model on the CPU is asked for what meets limits that are not there: that fails first."""
    program = """
    device = "cpu"


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            layers = []
            layers.append(nn.Linear(4, 4))
            self.layers = nn.Sequential(*layers)

        def forward(self, x):
            return self.layers(x)


    class Actor(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = Net()

        def forward(self, x):
            return torch.chunk(self.net(x), 2, dim=-1)

        def sample(self, x):
            mean, deviation = self.forward(x)
            return limits[0] * torch.tanh(mean), deviation


    class Critic(nn.Module):
        def forward(self, x, actions):
            return torch.cat([x, actions], dim=-1)


    actor = Actor().to(device)
    critic = Critic().to(device)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    limits = torch.tensor([[-1.0, 1.0], [-1.0, 1.0]], device=device)


    def follow(actor, start=None, critic=None):
        device = next(actor.parameters()).device
        x = start.to(device)
        for _ in range(3):
            actions, deviation = actor.sample(x)
            if critic is not None:
                print(critic(x, actions))


    follow(actor=actor, start=torch.randn(3, 4, device=device), critic=critic)
    """
    assert not any("critic" in found for found in findings(program))
