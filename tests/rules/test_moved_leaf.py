"""What is reported where leaves are moved, and what is another rule's to say."""

from __future__ import annotations

import pytest
import torch

from tests.placement.linting import findings
from torchdev_lint.catalog.gradients import ASKS_FOR_GRADIENTS, LEAF_MAKERS

OPTIMIZER = "optimizer = torch.optim.SGD([w], lr=0.1)\n"


def test_parameters_ask_for_gradients_without_being_told() -> None:
    for name in LEAF_MAKERS:
        assert getattr(torch.nn, name)(torch.ones(1)).requires_grad
    assert torch.ones(1, **{ASKS_FOR_GRADIENTS: True}).is_leaf  # type: ignore[call-overload]  # any keyword


def test_a_move_that_is_thrown_away_leaves_the_leaf_as_it_is() -> None:
    program = "w = torch.ones(2, requires_grad=True)\nw.to('cuda')\n" + OPTIMIZER
    assert findings(program) == ["TDL001 w.to('cuda')"]


def test_a_leaf_that_is_never_moved_is_an_input_that_is_not() -> None:
    program = "w = torch.ones(2, requires_grad=True)\n" + OPTIMIZER
    assert findings(program + "model = nn.Linear(2, 2).to('cuda')\nmodel(w)\n") == [
        "TDL005 w = torch.ones(2, requires_grad=True)"
    ]


def test_a_plain_tensor_on_the_device_is_no_attribute_that_stays_behind() -> None:
    """It is on the accelerator; what is wrong is that nobody trains it."""
    program = """
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(2, 2)
            self.scale = nn.Parameter(torch.ones(2)).to(device)
        def forward(self, x):
            return self.layer(x) * self.scale
    """
    assert findings(program) == ["TDL008 self.scale = nn.Parameter(torch.ones(2)).to(device)"]


@pytest.mark.parametrize(
    "made",
    ["torch.ones(2, requires_grad=True)", "torch.randn(2, requires_grad=True, dtype=torch.half)",
     "nn.Parameter(torch.zeros(2))", "torch.nn.Parameter(torch.zeros(2), True)",
     "nn.Parameter(torch.zeros(2), requires_grad=True)"],
)  # fmt: skip
@pytest.mark.parametrize("move", ["to('cuda')", "cuda()", "to(device='cuda')", "cuda(0)"])
def test_leaves_of_all_kinds(made: str, move: str) -> None:
    assert findings(f"w = {made}.{move}\n{OPTIMIZER}") == [f"TDL008 w = {made}.{move}"]


@pytest.mark.parametrize(
    "made",
    ["torch.ones(2).to('cuda')", "torch.ones(2, requires_grad=False).to('cuda')",
     "torch.ones(2, requires_grad=bool(sys.argv)).to('cuda')",
     "nn.Parameter(torch.zeros(2), False).to('cuda')",
     "torch.ones(2, requires_grad=True).to(torch.float64)",
     "torch.ones(2, requires_grad=True).to(sys.argv[1])",
     "torch.ones(2, requires_grad=True, device='cuda').to('cuda')",
     "torch.ones(2, requires_grad=True).to('cpu')"],
)  # fmt: skip
def test_what_is_no_leaf_or_stays_one(made: str) -> None:
    assert findings(f"w = {made}\n{OPTIMIZER}") == []


@pytest.mark.parametrize(
    "use",
    ["print(w)", "w.grad = None", "w.retain_grad()\nprint(w.grad)",
     "optimizer = torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=float(w.sum()))",
     "w = w.detach().requires_grad_()\n" + OPTIMIZER.strip()],
)  # fmt: skip
def test_what_needs_no_leaf(use: str) -> None:
    assert findings(f"w = torch.ones(2, requires_grad=True).to('cuda')\n{use}\n") == []
