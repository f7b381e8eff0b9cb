"""Which optimizers are behind their models, and what may have changed that."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

FILLED = """
model = nn.Linear(2, 2)
optimizer = torch.optim.Adagrad(model.parameters())
{between}
model.to("cuda")
{after}
optimizer.step()
"""
FOUND = ["TDL014 optimizer = torch.optim.Adagrad(model.parameters())"]


@pytest.mark.parametrize(
    "between",
    [
        "scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)",
        "optimizer.zero_grad()",
        "print(optimizer.param_groups[0]['lr'], optimizer.state_dict().keys())",
        "criterion = nn.MSELoss()",
    ],
)
def test_what_leaves_the_state_alone(between: str) -> None:
    assert findings(FILLED.format(between=between, after="")) == FOUND


@pytest.mark.parametrize(
    "after",
    [
        "import tools\ntools.optimizer_to(optimizer, 'cuda')",
        "optimizer = torch.optim.Adagrad(model.parameters())",
        "for s in optimizer.state.values():\n    s['sum'] = s['sum'].cuda()",
        "optimizer.load_state_dict(torch.load('state.pt', map_location='cpu'))",
        "model.cpu()",
        "raise SystemExit",
    ],
)
def test_what_may_mend_it(after: str) -> None:
    assert findings(FILLED.format(between="", after=after)) == []


def test_a_scaler_takes_the_step() -> None:
    program = FILLED.replace(
        "optimizer.step()", "scaler.unscale_(optimizer)\nscaler.step(optimizer)"
    )
    head = "scaler = torch.amp.GradScaler()\n"
    assert findings(head + program.format(between="", after="")) == FOUND


@pytest.mark.parametrize("momentum", ["", ", momentum=0", ", momentum=sys.argv[1]"])
def test_without_momentum_there_is_no_state(momentum: str) -> None:
    program = f"""
    model = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1{momentum})
    optimizer.load_state_dict(torch.load("state.pt", map_location="cpu"))
    model.to("cuda")
    optimizer.step()
    """
    assert findings(program) == []


NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
net = Net().to("cuda")
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
"""


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("net.fc = nn.Linear(2, 3).to('cuda')", True),
        ("net.head = nn.Sequential(nn.Linear(2, 3)).to('cuda')", True),
        ("net.fc = nn.Identity()", False),
        ("net.fc = net.fc", False),
        ("net = nn.DataParallel(net)", False),
        ("net = net.eval()", False),
        ("net.fc = nn.Linear(2, 3)\noptimizer.add_param_group({'params': []})", False),
        ("net.fc = nn.Linear(2, 3)\noptimizer = torch.optim.SGD(net.parameters(), lr=0.1)", False),
        ("net.fc = nn.Linear(2, 3)\nother = torch.optim.SGD(net.fc.parameters(), lr=1.0)", False),
    ],
)  # fmt: skip
def test_parts_that_come_later(change: str, found: bool) -> None:
    line = "TDL014 optimizer = torch.optim.SGD(net.parameters(), lr=0.1)"
    assert findings(NET + change + "\noptimizer.step()") == ([line] if found else [])


def test_without_a_step_nothing_is_lost() -> None:
    assert findings(NET + "net.fc = nn.Linear(2, 3).to('cuda')") == []


@pytest.mark.parametrize(("moved", "expected"), [('.to("cuda")', []), ("", FOUND)])
def test_a_model_with_more_parts_than_are_looked_at(moved: str, expected: list[str]) -> None:
    """One of them may have been moved before: then all that has a state may be there."""
    layers = "\n".join(f"        self.l{i} = nn.Linear(2, 2)" for i in range(70))
    program = f"""
class Net(nn.Module):
    def __init__(self, part):
        super().__init__()
        self.part = part
{layers}

model = Net(nn.Linear(2, 2){moved})
optimizer = torch.optim.Adagrad(model.parameters())
model.to("cuda")
optimizer.step()
"""
    assert findings(program) == expected
