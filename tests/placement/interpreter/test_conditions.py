"""The same condition turns out the same way, however it is asked."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

TWICE = """
class Net(nn.Module):
    def forward(self, x, a, b, c, items):
        mask = torch.zeros(3, 4)
        if {first}:
            mask = torch.ones(3, 4, device=x.device)
{between}
        if {second}:
            x = x.relu() * mask
        return x
"""
FOUND = ["TDL002 mask = torch.zeros(3, 4)"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a", "a"),
        ("a", "a and b"),
        ("a", "b and a"),
        ("not a", "not a"),
        ("not a", "not a and b"),
        ("a is None", "a is None and b"),
        ("a is not None", "not (a is None)"),
        ("a and b", "a and b and c"),
        ("a and b", "b and a"),
        ("a or b", "a"),
        ("a or b", "a or b"),
        ("not (a and b)", "not a"),
        ("a > 1", "a > 1"),
        ("isinstance(a, int)", "isinstance(a, int) and b"),
        ("len(items) > 2", "len(items) > 2"),
        ("items.training", "items.training"),
    ],
)
def test_a_condition_that_implies_the_one_before(first: str, second: str) -> None:
    assert findings(TWICE.format(first=first, second=second, between="")) == []


@pytest.mark.parametrize(
    ("first", "second", "between"),
    [
        ("a", "not a", ""),
        ("a", "b", ""),
        ("a and b", "not a", ""),
        ("a", "a", "        a = b"),
        ("items.training", "items.training", "        items.training = b"),
        ("items.pop()", "items.pop()", ""),
    ],
)
def test_a_condition_that_does_not(first: str, second: str, between: str) -> None:
    assert findings(TWICE.format(first=first, second=second, between=between)) == FOUND


def test_in_a_long_function() -> None:
    between = "\n".join(f"        if c > {i}:\n            y{i} = {i}" for i in range(2, 60))
    assert findings(TWICE.format(first="a", second="a and b", between=between)) == []


def test_behind_a_branch_that_returned() -> None:
    program = """
    class Net(nn.Module):
        def forward(self, x, flag):
            mask = torch.zeros(3, 4)
            if flag:
                return mask
            if {second}:
                x = x.relu() * mask
            return x
    """
    assert findings(program.format(second="flag")) == []
    assert findings(program.format(second="not flag")) == FOUND


def test_what_one_path_moves_and_another_does_not() -> None:
    program = """
    class Net(nn.Module):
        def forward(self, x, flag):
            mask = torch.zeros(3, 4)
            if flag:
                mask = mask.to(x.device)
            return x.relu() * mask
    """
    assert findings(program) == []


def test_what_one_path_makes_elsewhere_fails_on_the_other() -> None:
    program = """
    class Net(nn.Module):
        def forward(self, x, flag):
            if flag:
                mask = torch.zeros(3, 4)
            else:
                mask = torch.zeros(3, 4, device=x.device)
            return x.relu() * mask
    """
    assert findings(program) == FOUND


MOVED = """
model = nn.Linear(4, 2)
if {test}:
    model.cuda()
print(model(torch.zeros(3, 4)))
"""


@pytest.mark.parametrize(
    "test",
    [
        "args.cuda.startswith('True')",
        "args.use_gpu == 'yes'",
        "args.cuda.strip().lower() == 'true'",
        "args.cuda is True",
        "args.cuda != 'no'",
        "not args.no_cuda == True",
        "args.no_cuda == 'False'",
    ],
)
def test_a_flag_that_is_written_in_words(test: str) -> None:
    assert findings(MOVED.format(test=test)) == ["TDL005 print(model(torch.zeros(3, 4)))"]


@pytest.mark.parametrize(
    "test",
    [
        "args.cuda.startswith(args.beginning)",
        "args.cuda == 'False'",
        "args.gpu == 0",
        "args.cuda == args.wanted",
        "args.cuda.replace('a', 'b') == 'True'",
        "args.cuda < True",
        "args.mode == 'True'",
    ],
)
def test_what_is_no_flag_or_not_said(test: str) -> None:
    assert findings(MOVED.format(test=test)) == []
