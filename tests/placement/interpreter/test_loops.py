"""What a loop changes is not certain in the rounds behind the first."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

LOOP = """
model = nn.Linear(4, 2).cuda()
x = torch.zeros(3, 4)
items = sys.argv
for {target} in {source}:
    {body}
    x = x.cuda()
"""
FOUND = ["TDL005 x = torch.zeros(3, 4)"]


@pytest.mark.parametrize(
    ("target", "source", "body"),
    [
        ("i", "range(10)", "if i > 0: model(x)"),
        ("i", "range(10)", "y = model(x) if i > 0 else None"),
        ("i, item", "enumerate(items)", "if i: model(x)"),
        ("item", "items", "if item.ready: model(x)"),
        ("item", "items", "if sys.stdin.read(): model(x)"),
        ("i", "range(1, 10)", "if i == 0: model(x)"),
    ],
)
def test_a_branch_that_may_not_be_taken_in_the_first_round(
    target: str, source: str, body: str
) -> None:
    assert findings(LOOP.format(target=target, source=source, body=body)) == []


@pytest.mark.parametrize(
    ("target", "source", "body"),
    [
        ("i", "range(10)", "model(x)"),
        ("i", "range(10)", "if i == 0: model(x)"),
        ("i, item", "enumerate(items)", "if not i: model(x)"),
        ("i", "range(5, 10)", "if i > 4: model(x)"),
    ],
)
def test_what_the_first_round_certainly_reaches(target: str, source: str, body: str) -> None:
    assert findings(LOOP.format(target=target, source=source, body=body)) == FOUND


def test_a_branch_that_stays_wrong_in_every_round() -> None:
    program = """
    model = nn.Linear(4, 2).cuda()
    x = torch.zeros(3, 4)
    for item in sys.argv:
        if item.ready:
            model(x)
    """
    assert findings(program) == FOUND


def test_a_branch_of_a_loop_that_has_only_one_round() -> None:
    program = """
    model = nn.Linear(4, 2).cuda()
    x = torch.zeros(3, 4)
    for item in sys.argv:
        if item.ready:
            model(x)
        break
    """
    assert findings(program) == FOUND


def test_elements_that_are_replaced_one_by_one() -> None:
    program = """
    model = nn.Linear(4, 2).cuda()
    xs = [torch.zeros(3, 4) for _ in sys.argv]
    for i in range(len(xs)):
        xs[i] = {value}
    model(xs[0])
    """
    assert findings(program.format(value="xs[i].cuda()")) == []
    assert findings(program.format(value="model(xs[i].cuda())")) == []


@pytest.mark.parametrize("counter", ["step", "state.step"])
@pytest.mark.parametrize("condition", ["{} % 100 == 99", "{} > 7", "not {} < 3"])
def test_what_asks_a_counter_that_goes_on(counter: str, condition: str) -> None:
    """A later round may take a branch that neither of the first two takes."""
    program = f"""
    class State:
        def __init__(self):
            self.step = 0

    model = nn.Linear(4, 2).cuda()
    x = torch.zeros(3, 4)
    state = State()
    {counter} = 0
    for item in sys.argv:
        if {condition.format(counter)}:
            model(x)
        {counter} += 1
    """
    assert findings(program) == FOUND


def test_a_container_that_a_loop_puts_into_the_next() -> None:
    """Whichever round builds it, it is one object to the analysis, and so a part of itself."""
    code = """
    class Stack(nn.Module):
        def __init__(self, sizes):
            super().__init__()
            self.layers = nn.Sequential()
            for size in sizes:
                self.layers = nn.Sequential(self.layers, nn.Linear(size, size))

        def forward(self, x):
            x = self.layers(x)
            return x + torch.zeros(3)
    """
    assert findings(code) == ["TDL002 return x + torch.zeros(3)"]


@pytest.mark.parametrize(
    "loop",
    [
        "done = False\n    while not done: done = step()",
        "count = 0\n    while count < 5: count += 1",
        "count = 0\n    while count != 5: count += 1",
        "count = done = 0\n    while not done:\n        count += 1\n        done = count == 4",
    ],
)
def test_what_is_behind_a_loop_is_run(loop: str) -> None:
    program = f"""
def run(step):
    {loop}
    return nn.Linear(4, 2).cuda()(torch.zeros(3, 4))
"""
    assert findings(program) == ["TDL005 return nn.Linear(4, 2).cuda()(torch.zeros(3, 4))"]


@pytest.mark.parametrize("loop", ["while True: step()", "while 1: step()"])
def test_what_is_behind_an_endless_loop_is_not(loop: str) -> None:
    program = f"""
def run(step):
    {loop}
    return nn.Linear(4, 2).cuda()(torch.zeros(3, 4))
"""
    assert not findings(program)


def test_what_the_first_round_alone_binds_is_bound_in_the_others() -> None:
    program = """
def run(parts):
    for index, part in enumerate(parts):
        if index == 0:
            low = part
        else:
            low = torch.minimum(low, part)
            nn.Linear(4, 2).cuda()(torch.zeros(3, 4))
    return low
"""
    assert findings(program) == ["TDL005 nn.Linear(4, 2).cuda()(torch.zeros(3, 4))"]
