"""Private names mean what they mean in the class around: `__x` in a class `A` is `_A__x`."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.applying.fixing import fixed
from tests.fixes.running import does_the_same, ran

HEAD = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

loader = DataLoader(TensorDataset(torch.ones(4, 3), torch.ones(4, 1)), batch_size=2)
"""
RUNNER = """\
__device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(__device)
class Runner:
    def run(self):
        for x, y in loader:
            print(model(x).shape)
Runner().run()
"""
OF_ANOTHER_CLASS = {
    "a variable of the file": RUNNER,
    "a variable of the function around": f"def main():\n{indent(RUNNER, '    ')}main()\n",
    "a layer of the base": """\
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.__layer = nn.Linear(3, 3)
    def run(self, x):
        return self.__layer(x)
class Net(Base):
    def forward(self, x):
        y = self.run(x)
        return y + torch.arange(3)
print(Net()(torch.ones(3)).shape)
""",
}
OF_THIS_CLASS = {
    "an attribute": """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.__layer = nn.Linear(3, 3)
    def forward(self, n):
        return self.__layer(torch.ones(3)) * n
print(Net()(2).shape)
""",
    "a variable": """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
    def forward(self, x):
        __y = self.layer(x)
        return __y + torch.arange(3)
print(Net()(torch.ones(3)).shape)
""",
}


@pytest.mark.parametrize("name", OF_ANOTHER_CLASS)
def test_what_another_class_or_none_means_by_a_private_name_is_not_written(name: str) -> None:
    text = HEAD + OF_ANOTHER_CLASS[name]
    assert does_the_same(text)


@pytest.mark.parametrize("name", OF_THIS_CLASS)
def test_what_the_class_means_by_a_private_name_can_be_written(name: str) -> None:
    text = HEAD + OF_THIS_CLASS[name]
    result = fixed(text)
    assert "device=" in result.source.text
    assert ran(result.source.text) == ran(text)
