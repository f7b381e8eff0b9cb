"""How many axes tensors have: what asks for others raises everywhere, and what is left counts."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

MEETING = "nn.Linear(4, 2).cuda()(torch.zeros(3, 4))"
FOUND = [f"TDL005 {MEETING}"]


def program(statement: str) -> str:
    return f"""
import torchvision.transforms as T


def use(w, n):
    x = torch.ones(2, 3, 4)
    {statement}
    {MEETING}


use(sys.argv, 3)
"""


@pytest.mark.parametrize(
    "statement",
    [
        "x.permute(0, 2)",
        "torch.permute(x, (0, 2, 1, 3))",
        "x.expand(2, 3)",
        "x.repeat(2, 3)",
        "x.t()",
        "x.sum(3)",
        "x.sum(-4)",
        "x.mean(dim=(0, 3))",
        "torch.softmax(x, dim=3)",
        "x.unsqueeze(4)",
        "x[0].sum(2)",
        "x[:, 0, 0].permute(0, 1)",
        "x[0, 0, 0, 0]\n    x[0, 0].transpose(0, 1)",
        "b, c = x.shape",
        "b, c, h, w = x.size()",
        "b, c = torch.zeros_like(x).shape",
        "b, c, h = x[:, None].shape",
        "b, c = x.view(-1, 3, n).shape",
        "b, c, h = x.flatten(1).shape",
        "b, c = x.reshape(n).shape",
        "b, c = (x * 2 + torch.ones(4)).shape",
        "b, c = torch.stack([x, x]).shape",
        "b, c = torch.cat((x, x), 1).shape",
        "b, c = torch.tensor([1, 2]).shape",
        "b, c = torch.arange(n).shape",
        "b, c, h = torch.eye(n).shape",
        "b, c, h = torch.zeros(x.shape[0], n).shape",
        "b, c = x.new_zeros(x.shape).shape",
        "b, c = nn.Embedding(4, 4)(torch.ones(4, dtype=torch.long)).relu().sum(1).sum(0).shape",
        "b, c = nn.ReLU()(x).float().cuda().cpu().shape",
        "torch.cat([x, x[0]])",
        "torch.stack([x, torch.ones(3, 4)])",
        "nn.Conv2d(3, 3, 3)(x[0])",
        "nn.BatchNorm2d(3)(x)",
        "nn.functional.conv3d(x, w)",
        "T.ToTensor()(w).permute(0, 2, 3, 1)",
        "y = torch.ones(w)\n    b, c = y.shape\n    y.permute(0, 1, 2)",
        "for row in x: row.permute(0, 1, 2)",
    ],
)
def test_nothing_is_said_behind_it(statement: str) -> None:
    assert findings(program(statement)) == []


@pytest.mark.parametrize(
    "statement",
    [
        "x.permute(0, 2, 1)",
        "x.permute(*w)",
        "x.expand(5, 2, 3, 4)",
        "x.repeat(1, 2, 3, 4)",
        "x.sum(2)",
        "x.unsqueeze(3)",
        "x.topk(5)",
        "x.view(*w).permute(0, 1)",
        "x.view(w).permute(0, 1)",
        "x.squeeze().permute(0, 1)",
        "x.unsqueeze_(0)\n    x.permute(0, 1, 2, 3)",
        "x.std(True)",
        "x.sum(1, True).permute(0, 1, 2)",
        "x.flatten(1, 2).permute(0, 1)",
        "x.flatten(0, 1).permute(0, 1)",
        "x[..., 0].permute(0, 1)",
        "x[..., None].permute(0, 1, 2, 3)",
        "x[x > 0].permute(0)",
        "x[w].permute(0, 1)",
        "x = x if input() else x[0]\n    x.permute(0, 1)",
        "for i in range(3): x = x.unsqueeze(0)\n    x.permute(0, 1, 2, 3, 4, 5)",
        "while len(x.shape) > 1: x = x[0]\n    x.permute(0)",
        "b, c, h = x.shape",
        "b, *rest = x.shape",
        "b, c = x.shape[1:]",
        "b, c, h, w = (x + w).shape",
        "torch.cat([x, torch.Tensor()])",
        "torch.cat([torch.ones(2), x[0, 0]])",
        "nn.Conv2d(3, 3, 3)(x)",
        "nn.Unfold(2)(x).permute(0, 1)",
        "nn.Flatten()(x).permute(0, 1)",
        "nn.AdaptiveAvgPool2d(1)(torch.ones(2, 2, 2, 2, 2))",
        "x.view(torch.float32).permute(0, 1, 2)",
        "if input(): x.permute(0, 1)",
    ],
)
def test_where_it_need_not_come_to_that(statement: str) -> None:
    assert findings(program(statement)) == FOUND


SETUP = """
model = nn.Linear(2, 2).to("cuda")
x = torch.ones(3, 2, 4).to("cuda")
there = x.cpu()
"""


@pytest.mark.parametrize(
    ("use", "fails"),
    [
        ("x.mean(0) - there.mean(0)", True),
        ("x[0] - there[0]", True),
        ("x.mean(0).mean(0) - there.mean(0).mean(0)", True),
        ("x[0, 0, 0] - there[0, 0, 0]", False),
        ("x - there.mean(dim=(0, 1, 2))", False),
        ("x - there.mean(dim=(0, -1))", True),
        ("x - there.view(-1)[0]", False),
        ("x.max(0).values - there.max(0).values", True),
    ],
)
def test_what_is_left_of_several_axes_meets_what_is_elsewhere(use: str, fails: bool) -> None:
    found = findings(SETUP + f"print({use})")
    assert found == ([f"TDL011 print({use})"] if fails else [])
