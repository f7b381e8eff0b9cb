"""TDL006: what a file does with namespaces, which may put something else into an attribute."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

SCALED = """\
class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(4)
    def forward(self, x):
        return x.relu() * self.scale
"""
READING = {
    "its names are listed": "names = sorted(name for name in models.__dict__ if name.islower())\n",
    "its names are gone through": "for name in models.__dict__:\n    print(name)\n",
    "something is looked up": "net = models.__dict__['resnet18']()\n",
}


@pytest.mark.parametrize("use", READING.values(), ids=READING.keys())
def test_a_namespace_that_is_only_read_leaves_attributes_alone(use: str) -> None:
    text = SCALED + use
    assert findings(text) == ["TDL006 self.scale = torch.ones(4)"]


def test_a_namespace_that_is_handed_on_may_change_attributes() -> None:
    assert findings(SCALED + "fill(some.__dict__)\n") == []
