"""Members of tensors and modules that something else is asked for: that raises everywhere."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

MEETING = "nn.Linear(4, 2).cuda()(torch.zeros(3, 4))"
FOUND = [f"TDL005 {MEETING}"]


def program(statement: str) -> str:
    return f"""
import numpy as np


def use(w, size=3):
    {statement}
    {MEETING}


use(sys.argv)
"""


@pytest.mark.parametrize(
    "statement",
    [
        "[w, w].shape",
        "(w, 3).mean()",
        "rows = [w]\n    rows.append(w)\n    rows.view(-1)",
        "rows = {'a': w}\n    rows.backward()",
        "{'a': w}.unsqueeze(0)",
        "np.ones(3).unsqueeze(0)",
        "rows = np.ones(3)\n    rows.backward()",
        "rows = np.ones(3)\n    rows.to(w)",
        "loss = 0\n    loss.backward()",
        "'text'.parameters()",
        "torch.cat(([1, 2], torch.ones(2)))",
        "torch.stack([torch.ones(2), (1, 2)])",
        "torch.ones(2).copy()",
        "rows = torch.ones(2)\n    rows.append(w)",
        "rows = torch.ones(2)\n    rows.astype('float32')",
        "device = torch.device('cuda')\n    torch.zeros((2, 3), device)",
        "torch.zeros(2, 3, torch.device('cpu'))",
        "torch.arange(3, torch.ones(2).device)",
        "torch.zeros_like(torch.ones(2), torch.ones(2).device)",
        "torch.ones(2).new_zeros((2, 3), torch.ones(2).device)",
    ],
)
def test_nothing_is_said_behind_it(statement: str) -> None:
    assert findings(program(statement)) == []


@pytest.mark.parametrize(
    "statement",
    [
        "[w, w].index(w)",
        "rows = [w]\n    if w: rows = torch.ones(2)\n    rows.mean()",
        "torch.ones(2, 2).max(dim=1).values.shape",
        "{'a': w}.keys()",
        "np.ones(3).mean()",
        "np.ones(3).T.reshape(-1)",
        "loss = 0\n    for row in w: loss = loss + torch.ones(1, requires_grad=True)\n"
        "    loss.backward()",
        "loss = 2\n    loss.real",
        "size.unsqueeze(0)",
        "torch.cat([torch.ones(2), torch.ones(2)])",
        "rows = torch.ones(2)\n    rows.clone()",
        "rows = torch.ones(2, 2).max(dim=1)\n    rows.values",
        "rows = torch.ones(2)\n    if w: rows = np.ones(2)\n    rows.copy()",
        "rank = torch.cuda.current_device()\n    torch.full((1,), rank)",
        "torch.zeros((2, 3), device=torch.device('cuda'))",
        "torch.nn.Transformer.generate_square_subsequent_mask(3, torch.device('cpu'))",
    ],
)
def test_what_is_there_raises_nothing(statement: str) -> None:
    assert findings(program(statement)) == FOUND


def test_what_an_attribute_holds_may_have_been_replaced() -> None:
    code = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = []
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        return self.layer(x) + self.rows.mean() + torch.randn(3, 3)
"""
    assert findings(code) == ["TDL002 return self.layer(x) + self.rows.mean() + torch.randn(3, 3)"]


BUILT = """
class Net(nn.Module):
    def __init__(self, options=None):
        super().__init__()
        {first}
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        return self.layer(x)


{decorator}
def main(options=None):
    net = Net({given})
    print(net(torch.randn(2, 3).cuda()))


main()
"""


@pytest.mark.parametrize(
    ("first", "given", "decorator", "raises"),
    [
        ("self.width = options.width", "", "", True),
        ("self.width = options['width']", "None", "", True),
        ("self.width = options.width", "sys", "", False),
        ("self.width = options.width", "options", "@sys.wraps", False),
        ("self.width = options.width if options else 3", "", "", False),
        ("options = options or sys\n        self.width = options.width", "", "", False),
        ("self.options = options", "", "", False),
    ],
)
def test_a_parameter_that_a_call_leaves_out(
    first: str, given: str, decorator: str, raises: bool
) -> None:
    code = BUILT.format(first=first, given=given, decorator=decorator)
    assert bool(findings(code)) is not raises
