"""Where two sides were put, and what is another rule's to say."""

from __future__ import annotations

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from tests.placement.linting import HEAD, findings
from torchdev_lint.linter import lint
from torchdev_lint.rules import EVERY_RULE
from torchdev_lint.source.source import Source

SETUP = """
model = nn.Linear(2, 2).to("cuda")
x = torch.ones(3, 2).to("cuda")
"""


@pytest.mark.parametrize(
    "move",
    ["x.cpu()", "x.to('cpu')", "x.to(device='cpu')", "x.to(torch.device('cpu'))",
     "x.type(torch.FloatTensor)", "x.type('torch.FloatTensor')", "x.to('cpu', torch.double)"],
)  # fmt: skip
def test_moves_to_the_cpu(move: str) -> None:
    assert findings(SETUP + f"there = {move}\nprint(x + there)") == ["TDL011 print(x + there)"]


@pytest.mark.parametrize(
    "program",
    [
        "there = x.to(torch.ones(3))\nx + there",  # it goes where something else is
        "there = x.cpu().cuda()\nx + there",
        "print(x + x.cpu().to(x.device))",
        "x = x.cpu()\nprint(x + x)",
        "there = x.cpu()\nwith pytest.raises(RuntimeError):\n    x + there",
        "there = x.cpu() if len(sys.argv) > 1 else x\nprint(x + there)",
    ],
)
def test_nothing_conflicts(program: str) -> None:
    assert findings("import pytest\n" + SETUP + program) == []


@pytest.mark.parametrize(
    ("use", "fails"),
    [
        ("x[there[:, 0].long()]", False),
        ("there[x[:, 0].long()]", True),
        ("there[x[0, 0].long()]", False),
        ("x * there.sum()", False),
        ("torch.dot(x[0], there[0])", True),
        ("torch.matmul(x, there.sum())", True),
        ("x.sum(1) - there.sum(1)", True),
        ("x.sum(-1) - there.sum(-1)", True),
        ("x.sum(-1) - there[0].sum(-1)", False),  # of a vector: a number
        ("torch.where(x > 0, x, there)", True),
        ("torch.where(x > 0, x, there.max())", False),
        ("torch.stack([x, there])", True),
        ("x.copy_(there)", False),
        ("x.new_tensor([1.0]) + there", True),
        ("x.fill_(there.sum())", False),
    ],
)
def test_what_may_come_from_the_cpu(use: str, fails: bool) -> None:
    found = findings(SETUP + f"there = x.cpu()\nprint({use})")
    assert found == ([f"TDL011 print({use})"] if fails else [])


def test_both_places_are_told() -> None:
    """Where the one side was moved to the CPU, and the other one to the accelerator."""
    program = SETUP + "y = torch.ones(3, 2, device='cuda')\nthere = x.cpu()\nprint(there + y)"
    source = Source.from_text(HEAD + program, "program.py")
    (finding,) = lint(source, source.parse(), EVERY_RULE)
    assert [(place.span.line, place.message) for place in finding.related] == [
        (9, "moved to the CPU by `x.cpu()` here"),
        (8, "`y` is put on the accelerator here"),
    ]


def test_one_move_is_one_finding() -> None:
    program = SETUP + "there = x.cpu()\nprint(there + x)\nprint(there - x)\n"
    assert findings(program) == ["TDL011 print(there + x)"]


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ("y = x.cpu()\ny.cuda()\nprint(x + y)", "TDL001 y.cuda()"),
        ("y = torch.ones(3, 2, device='cpu')\nprint(x + y)",
         "TDL015 y = torch.ones(3, 2, device='cpu')"),
        ("y = torch.ones(3, 2)\nprint(model(y))", "TDL005 y = torch.ones(3, 2)"),
        ("def f(n: int):\n    y = torch.ones(n, 2, device='cpu')\n    return model(x) + y\n",
         "TDL016 y = torch.ones(n, 2, device='cpu')"),
        ("def f(y: torch.Tensor):\n    return y.cpu() + y\n", None),
        ("y = model(x).numpy() + x.cpu().numpy()", "TDL013 y = model(x).numpy() + x.cpu().numpy()"),
    ],
)  # fmt: skip
def test_what_others_say(program: str, expected: str | None) -> None:
    assert findings(SETUP + program) == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("program", "found"),
    [
        (
            "a = torch.ones(3, device='cuda:0')\nb = torch.zeros(3, device='cuda:1')\nprint(a + b)",
            True,
        ),
        ("d = torch.device('cuda', 1)\na = x.cuda(0)\nprint(a + x.to(d))", True),
        ("a = x.to('cuda:0')\nprint(a + a.sum().to('cuda:1'))", True),  # only the CPU's are taken
        ("a = x.to('cuda:1')\nprint(a + x)", False),
        ("a = x.to('cuda:1')\nprint(a + x.to(a.device))", False),
        ("a, b = x.to('cuda:1'), x.to('cuda:1')\nprint(a + b.exp())", False),
        ("i = sys.argv[1]\nprint(x.to(f'cuda:{i}') + x.to('cuda:1'))", False),
        ("a = x.to('cuda:0')\na.copy_(x.to('cuda:1'))", False),
        ("a = x.to('cuda:0') if len(sys.argv) else x\nprint(a + x.to('cuda:1'))", False),
    ],
)
def test_two_accelerators(program: str, found: bool) -> None:
    assert bool(findings(SETUP + program)) == found


def test_two_accelerators_are_two_places() -> None:
    """As PyTorch's own fake tensors have it, for want of two accelerators."""
    with FakeTensorMode():
        first, second = torch.empty(3, device="cuda:0"), torch.empty(3, device="cuda:1")
        number = second.sum()
        for other in (second, number):
            with pytest.raises(RuntimeError, match=r"two devices, cuda:0 and cuda:1"):
                first + other


FORWARD = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
    def forward(self, x):
        return self.layer(x) + x.relu().cpu()
"""


def test_a_module_that_nobody_moves() -> None:
    """Its copy to the CPU says that it may be for the CPU."""
    assert findings(FORWARD) == []
    found = findings(FORWARD + "net = Net().to('cuda')\n")
    assert found == ["TDL011 return self.layer(x) + x.relu().cpu()"]


def test_a_model_on_the_cpu_is_given_copies() -> None:
    program = "x = torch.ones(3, 2).to('cuda')\nmodel = nn.Linear(2, 2)\nprint(model(x.cpu()))"
    assert findings(program) == []
