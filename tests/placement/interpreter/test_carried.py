"""What a caller has asked, its functions know."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

FOUND = ["TDL002 mask = torch.zeros(3, 4)"]
CALLED = """
class Net(nn.Module):
    def __init__(self, order, mode):
        super().__init__()
        self.order = order
        self.mode = mode
        self.layer = nn.Linear(4, 4)

    def forward(self, x, flag=None):
        x = self.layer(x)
        if {asked}:
            return {call}
        return {otherwise}

    def scaled(self, x, on=None):
        if {again}:
            scale = x * 2
        else:
            scale = torch.zeros(4)
        return x * scale
"""


@pytest.mark.parametrize(
    ("asked", "call", "again"),
    [
        ("self.order > 1", "self.scaled(x)", "self.order > 1"),
        ("self.order >= 2", "self.scaled(x)", "self.order > 1"),
        ("self.order > 1 and self.mode", "self.scaled(x)", "self.mode"),
        ("flag", "self.scaled(x, flag)", "on"),
        ("flag", "self.scaled(x, on=flag)", "on"),
        ("flag", "Net.scaled(self, x, flag)", "on"),
        ("self.mode == 'a'", "self.scaled(x, self.mode)", "on == 'a'"),
    ],
)
def test_a_function_that_asks_what_its_caller_has_asked(asked: str, call: str, again: str) -> None:
    program = CALLED.format(asked=asked, call=call, again=again, otherwise="x")
    assert findings(program) == []
    # Without the condition, or by a call that comes from elsewhere, the other branch is taken.
    assert findings(program.replace(f"if {asked}", "if x.ndim", 1)) != []
    assert findings(program.replace("return x\n", f"return {call} + 1\n", 1)) != []


@pytest.mark.parametrize(
    ("asked", "call", "again"),
    [
        ("x.kept", "[*map(self.scaled, x)]", "x.kept"),
        ("flag", "given(x)", "on"),
        ("flag", "self.scaled(x, flag=flag)", "flag"),
    ],
)
def test_what_a_name_holds_is_not_handed_over_under_it(asked: str, call: str, again: str) -> None:
    """But an element of it, what it held before, or one of `others`."""
    program = f"""
    from functools import partial

    flag = json.load(sys.stdin)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x, flag, later):
            x = self.layer(x)
            given = partial(self.scaled, on=flag)
            flag = later
            if {asked}:
                return {call}
            return x

        def scaled(self, x, on=None, **others):
            if {again}:
                return x
            return x * torch.zeros(4)
    """
    assert findings(program) == ["TDL002 return x * torch.zeros(4)"]


def test_a_variable_of_the_module_and_one_of_the_caller() -> None:
    program = """
    import sys

    fast = len(sys.argv) > 1

    def scaled(x):
        scale = x * 2 if fast else torch.zeros(4)
        return x * scale

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 4)

        def forward(self, x{parameter}):
            x = self.layer(x)
            if fast:
                return scaled(x)
            return x
    """
    assert findings(program.format(parameter="")) == []
    assert findings(program.format(parameter=", fast")) != []


def test_what_has_changed_before_the_call_or_in_it() -> None:
    program = CALLED.format(
        asked="self.order > 1", call="self.scaled(x)", again="self.order > 1", otherwise="x"
    )
    changed = "self.order = flag\n            return self.scaled(x)"
    assert findings(program.replace("return self.scaled(x)", changed)) != []
    changed = "self.order = on\n        if self.order > 1:\n            scale"
    assert findings(program.replace("if self.order > 1:\n            scale", changed)) != []


def test_a_function_behind_another_one() -> None:
    program = (
        CALLED.format(asked="flag", call="self.between(x, flag)", again="on", otherwise="x")
        + """
    def between(self, x, given):
        return self.scaled(x, given)
"""
    )
    assert findings(program) == []
    assert findings(program.replace("return x\n", "return self.between(x, flag)\n", 1)) != []
