"""How a message calls what meets another tensor."""

from __future__ import annotations

import pytest

from tests.placement.linting import HEAD
from torchdev_lint.linter import lint
from torchdev_lint.rules import EVERY_RULE
from torchdev_lint.source.source import Source

PROGRAM = """\
class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
    def forward(self, z):
        return self.layer(z)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.decoder = Decoder()
    def forward(self, x):
        {made}
"""


@pytest.mark.parametrize(
    ("made", "name"),
    [
        ("latent = torch.randn(2, 4)\n        return self.decoder(latent) + x", "`latent`"),
        ("latent = -torch.randn(2, 4).abs()\n        return self.decoder(latent)", "`latent`"),
        ("return self.decoder(torch.randn(2, 4)) + x", "a tensor"),
        ("out = self.decoder(torch.randn(2, 4))\n        return out + x", "a tensor"),
        ("x = x + self.decoder(z=torch.randn(2, 4))\n        return x", "a tensor"),
    ],
)
def test_its_name_is_that_where_it_is_made(made: str, name: str) -> None:
    """A function that it is handed calls it something else."""
    source = Source.from_text(HEAD + PROGRAM.format(made=made), "program.py")
    found = list(lint(source, source.parse(), EVERY_RULE))
    assert [finding.message.partition(";")[0] for finding in found] == [
        f"`torch.randn` makes {name} on the CPU"
    ]


FIXED = """\
first, second = nn.Linear(3, 3), nn.Linear(3, 3)
print(second(first(torch.rand(2, 3).cuda())))
"""


def test_a_module_on_the_cpu_tells_no_device() -> None:
    """What it is asked for is where the other one is already."""
    source = Source.from_text(HEAD + FIXED, "program.py")
    found = list(lint(source, source.parse(), EVERY_RULE))
    assert [finding.code for finding in found] == ["TDL012", "TDL012"]
    assert not any(finding.fix and "weight" in str(finding.fix) for finding in found)
