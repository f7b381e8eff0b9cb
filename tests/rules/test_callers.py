"""Who calls a function, and with what, decides whether what it is given may be elsewhere."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

MIXES = """
def smooth(x: torch.Tensor) -> torch.Tensor:
    return x * torch.linspace(0, 1, 4)
"""
FOUND = ["TDL016 return x * torch.linspace(0, 1, 4)"]
HANDS_ON = """
def halved(x: torch.Tensor) -> torch.Tensor:
    return smooth(x / 2)
"""
AGAIN = """
def again(x: torch.Tensor, times: int) -> torch.Tensor:
    return again(halved(x), times - 1) if times else halved(x)
"""
DATA_SET = """
class Signals(torch.utils.data.Dataset):
    def __getitem__(self, index):
        return {call}
"""


@pytest.mark.parametrize(
    "callers",
    [
        "",
        "smooth(torch.load('signal.pt'))",
        "def read(name):\n    return smooth(sys.modules[name].signal)",
        # Of a caller nobody calls, nobody knows what it is given.
        HANDS_ON,
        HANDS_ON + "def quartered(y: torch.Tensor):\n    return halved(y / 2)",
        # Nobody else calls these.
        HANDS_ON + AGAIN,
        # One caller is enough of which that isn't known.
        "smooth(torch.rand(4))\n" + HANDS_ON,
        "smooth(torch.rand(4))\nsmooth(torch.load('signal.pt'))",
        "smooth(torch.rand(4, device='cuda'))",
    ],
    ids=[
        "nobody",
        "what is loaded",
        "what is not known",
        "a function nobody calls",
        "a chain nobody begins",
        "a circle",
        "the host, and a function nobody calls",
        "the host, and what is not known",
        "an accelerator",
    ],
)
def test_may_bring_a_device(callers: str) -> None:
    assert findings(MIXES + callers) == FOUND


@pytest.mark.parametrize(
    "callers",
    [
        "smooth(torch.rand(4))",
        "if __name__ == '__main__':\n    smooth(torch.rand(4))",
        "def main():\n    smooth(torch.rand(4))\n    smooth(torch.zeros(4))",
        HANDS_ON + "halved(torch.rand(4))",
        HANDS_ON + "def quartered(y: torch.Tensor):\n    return halved(y / 2)\n"
        "quartered(torch.ones(4))",
        HANDS_ON + AGAIN + "again(torch.rand(4), 2)",
        DATA_SET.format(call="smooth(torch.load(f'{index}.pt'))"),
        HANDS_ON + DATA_SET.format(call="halved(self.signals[index])"),
        "def test_smooth(signal):\n    assert smooth(signal).sum() > 0",
    ],
    ids=[
        "the module",
        "the script",
        "a function",
        "a chain the module begins",
        "a longer chain",
        "a circle the module enters",
        "a data set",
        "a chain a data set begins",
        "a test",
    ],
)
def test_only_the_host_calls(callers: str) -> None:
    assert findings(MIXES + callers) == []


def test_a_function_that_calls_itself_is_called_by_nobody() -> None:
    program = """
    def levels(x: torch.Tensor, depth: int):
        return [x] if depth == 0 else levels(x[:2] * torch.ones(2), depth - 1)
    """
    found = ["TDL016 return [x] if depth == 0 else levels(x[:2] * torch.ones(2), depth - 1)"]
    assert findings(program) == found
    assert findings(program + "\n    levels(torch.rand(2), 3)") == []
