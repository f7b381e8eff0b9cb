"""What is made once, at import, and who is said to read it."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x{given}):
        return self.linear(x) + {mask}
"""
READ = ["TDL015 return self.linear(x) + {mask}"]


def found(before: str, mask: str, given: str = "", after: str = "") -> bool:
    """Whether the reading of a constant in `forward` is found, and nothing else."""
    result = findings(before + NET.format(mask=mask, given=given) + after)
    assert result in ([], [READ[0].format(mask=mask)])
    return bool(result)


@pytest.mark.parametrize(
    ("before", "mask", "given"),
    [
        ("ROW = torch.ones(4)", "ROW", ""),
        ("ROW = torch.ones(4)\nother = ROW", "other", ""),
        ("ROW = torch.ones(4)", "row", ", row=ROW"),
        ("ROWS = (torch.ones(4), torch.zeros(4))\nONE, TWO = ROWS", "TWO", ""),
        ("def make(): return torch.ones(4)\nROW = make()", "ROW", ""),
        ("class Held:\n    ROW = torch.ones(4)\nheld = Held()", "held.ROW", ""),
    ],
)
def test_what_is_kept(before: str, mask: str, given: str) -> None:
    assert found(before, mask, given)


@pytest.mark.parametrize(
    ("before", "mask", "after"),
    [
        ("ROW = torch.ones(4)", "ROW", "def move():\n    global ROW\n    ROW = ROW.cuda()"),
        ("ROW = torch.ones(4)", "ROW", "ROW = ROW.cuda()"),
        ("ROW = torch.ones(())", "ROW", ""),
        ("ROW = torch.ones(4)", "ROW.sum()", ""),
        ("ROW = torch.ones(4)", "ROW.tolist()[0]", ""),
        ("ROW = torch.ones(4)", "ROW.to(x)", ""),
        ("ROW = torch.ones(4)", "torch.zeros_like(x).copy_(ROW)", ""),
        ("class C:\n    ROW = torch.ones(4)", "C.ROW", "C.ROW = C.ROW.cuda()"),
        ("class C:\n    ROW = torch.ones(4)", "C.ROW", "def f(c):\n    c.ROW = 1"),
        ("ROWS = {1: torch.ones(4)}", "ROWS[1]", "def f():\n    ROWS[1] = 1"),
        ("ROWS = {1: torch.ones(4)}", "ROWS[1]", "def f(g):\n    g(ROWS)"),
    ],
)
def test_what_may_be_elsewhere_or_counts_as_a_number(before: str, mask: str, after: str) -> None:
    assert not found(before, mask, after="\n" + after + "\n")


def test_what_an_object_keeps_is_no_constant() -> None:
    program = """
    MEAN = torch.ones(4)

    class Net(nn.Module):
        def __init__(self, scale=torch.ones(4)):
            super().__init__()
            self.linear = nn.Linear(4, 4)
            self.mean = MEAN
            self.scale = scale

        def forward(self, x):
            return self.linear(x - self.mean) * self.scale
    """
    assert findings(program) == []


def test_one_defect_is_one_finding() -> None:
    """A move that is thrown away; an input; what is made on the device mends all that read it."""
    thrown = """
    ROW = torch.ones(4)

    def run(x):
        ROW.cuda()
        return x.cuda() + ROW
    """
    assert findings(thrown) == ["TDL001 ROW.cuda()"]
    given = """
    model = nn.Linear(4, 4).cuda()
    ROW = torch.ones(4)

    def run(x):
        return model(ROW) + model(x.cuda()) * ROW
    """
    assert findings(given) == ["TDL005 return model(ROW) + model(x.cuda()) * ROW"]
    made = """
    device = torch.device("cuda")
    model = nn.Linear(4, 4).to(device)
    ROW = torch.ones(4)

    def run(x):
        return model(x.to(device)) * ROW

    print(model(torch.ones(4, device=device)) + ROW)
    """
    assert findings(made) == ["TDL015 ROW = torch.ones(4)"]
