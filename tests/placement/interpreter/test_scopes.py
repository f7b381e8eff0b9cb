"""Variables are found, and bound, where Python finds and binds them."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

CALLED = ["TDL005 return model(x)"]


@pytest.mark.parametrize(
    "undecided",
    [
        "",
        "if len(sys.argv) > 3:\n    print('verbose')",
        "for i in range(3):\n    print(i)",
        "while input():\n    print('again')",
        "try:\n    import foo\nexcept Exception:\n    foo = None",
        "with open('log') as log:\n    print(log)",
    ],
)
def test_a_function_reads_the_global_of_now(undecided: str) -> None:
    program = f"""
{undecided}

def go(x):
    return model(x)

model = nn.Linear(4, 2).cuda()
go(torch.zeros(3, 4))
"""
    assert findings(program) == CALLED


def test_a_global_that_is_bound_in_a_branch() -> None:
    program = """
    def go(x):
        return model(x)

    if __name__ == "__main__":
        model = nn.Linear(4, 2).cuda()
        go(torch.zeros(3, 4))
    """
    assert findings(program) == CALLED


CLOSURE = """
def main(argv):
    model = nn.Linear(4, 2).cuda()
    x = torch.zeros(3, 4)
    def step():
        return model(x)
    if argv:
        print("hi")
    {before}
    step()
main([])
"""


def test_a_closure_sees_what_is_bound_after_it_was_defined() -> None:
    assert findings(CLOSURE.format(before="x = x.cuda()")) == []
    assert findings(CLOSURE.format(before="pass")) == CALLED


def test_a_closure_that_is_handed_over_sees_what_is_bound_by_then() -> None:
    program = """
    class Trainer:
        def __init__(self):
            self.model = nn.Linear(4, 2).cuda()

        def fit(self, opt, verbose):
            x = torch.zeros(3, 4)

            def closure():
                return self.model(x).sum()

            if verbose:
                print("start")
            x = x.cuda()
            opt.step(closure)

    Trainer().fit(None, False)
    """
    assert findings(program) == []


def test_a_lambda_reads_the_loop_variable_of_now() -> None:
    program = """
    model = nn.Linear(4, 2).cuda()
    x = torch.zeros(3, 4)
    run = lambda: model(x)
    x = x.cuda()
    run()
    """
    assert findings(program) == []


NONLOCAL = """
model = nn.Linear(4, 2).cuda()
x = torch.zeros(3, 4{outside})

def outer():
    x = None
    def inner():
        nonlocal x
        x = torch.zeros(3, 4{inside})
    inner()
    return x

{use}
"""
ON = ', device="cuda"'


def test_nonlocal_binds_the_variable_of_the_function_around() -> None:
    kept = NONLOCAL.format(outside=ON, inside="", use="outer()\nmodel(x)")
    assert findings(kept) == []
    still = NONLOCAL.format(outside="", inside=ON, use="outer()\nmodel(x)")
    assert findings(still) == ["TDL005 x = torch.zeros(3, 4)"]
    returned = NONLOCAL.format(outside=ON, inside="", use="model(outer())")
    assert findings(returned) == ["TDL005 model(outer())"]


def test_global_binds_the_variable_of_the_module() -> None:
    program = """
    model = nn.Linear(4, 2).cuda()
    x = torch.zeros(3, 4)

    def move():
        global x
        x = x.cuda()

    {before}
    model(x)
    """
    assert findings(program.format(before="move()")) == []
    assert findings(program.format(before="pass")) == ["TDL005 x = torch.zeros(3, 4)"]


def test_a_global_that_is_moved_on_one_path_is_nowhere_for_certain() -> None:
    program = """
    model = nn.Linear(4, 2).cuda()
    x = torch.zeros(3, 4)

    def move(late):
        global x
        if late:
            x = x.cuda()

    move(len(sys.argv) > 1)
    model(x)
    """
    assert findings(program) == []


def test_a_global_that_functions_assign_is_not_known_in_others() -> None:
    program = """
    model = nn.Linear(4, 2).cuda()
    x = torch.zeros(3, 4)

    def move():
        global x
        x = x.cuda()

    def step():
        return model(x)
    """
    assert findings(program) == []


def test_methods_do_not_see_the_variables_of_the_class_body() -> None:
    program = """
    x = torch.zeros(3, 4, device="cuda")

    class Net(nn.Module):
        x = torch.zeros(3, 4)

        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 2)

        def forward(self, y):
            return self.fc(x) + self.fc(y)
    """
    assert findings(program) == []


def test_a_class_body_sees_the_function_around() -> None:
    program = """
    def build():
        device = "cuda"

        class Holder:
            x = torch.zeros(3, 4).to(device)
        return Holder

    model = nn.Linear(4, 2).cuda()
    model(build().x)
    """
    assert findings(program) == []


def test_defaults_are_looked_up_where_the_function_is_defined() -> None:
    program = """
    place = "cuda"

    def make(where=place):
        return torch.zeros(3, 4, device=where)

    def use(place):
        model = nn.Linear(4, 2).cuda()
        return model(make())

    use("cpu")
    """
    assert findings(program) == []
