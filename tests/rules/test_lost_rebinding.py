"""What is reported where moved tensors are bound for nothing, and what is another rule's to say."""

from __future__ import annotations

from textwrap import dedent

import pytest

from tests.placement.linting import findings

MODEL = """
model = nn.Linear(2, 2).to("cuda")
xs = [torch.ones(2), torch.ones(2)]
entries = {"a": torch.ones(2)}
"""


@pytest.mark.parametrize("statement", ["x.to('cuda')", "x.cuda()", "_ = x"])
def test_a_statement_that_binds_nothing_is_no_lost_variable(statement: str) -> None:
    """A move that isn't even assigned is TDL001's; without a move, the input is at fault."""
    program = MODEL + f"for x in xs:\n    {statement}\nmodel(xs[0])\n"
    expected = "TDL005 xs = [torch.ones(2), torch.ones(2)]"
    assert findings(program) == [expected if "_" in statement else f"TDL001 {statement}"]


def test_comprehensions_that_are_thrown_away() -> None:
    """A list of moved tensors is TDL001's, as each single move is thrown away."""
    program = MODEL + "[x.to('cuda') for x in xs]\nmodel(xs[0])\n"
    assert findings(program) == ["TDL001 [x.to('cuda') for x in xs]"]
    program = MODEL + "{k: v.to('cuda') for k, v in entries.items()}\nmodel(entries['a'])\n"
    assert findings(program) == ["TDL009 {k: v.to('cuda') for k, v in entries.items()}"]


def test_the_input_that_was_moved_for_nothing_is_not_reported_again() -> None:
    program = MODEL + "for x in xs:\n    x = x.to('cuda')\nmodel(xs[0])\n"
    assert findings(program) == ["TDL009 x = x.to('cuda')"]


def test_another_input_is() -> None:
    program = MODEL + "y = torch.ones(2)\nfor x in xs:\n    x = x.to('cuda')\nmodel(y)\nprint(xs)\n"
    assert findings(program) == ["TDL005 y = torch.ones(2)", "TDL009 x = x.to('cuda')"]


def test_a_batch_that_was_moved_for_nothing_is_not_reported_again() -> None:
    program = MODEL + (
        "for batch in torch.utils.data.DataLoader(torch.utils.data.TensorDataset(xs[0], xs[1])):\n"
        "    for part in batch:\n        part = part.to('cuda')\n    model(batch[0])\n"
    )
    assert findings(program) == ["TDL009 part = part.to('cuda')"]


def test_a_function_that_only_seems_to_move_what_it_meets() -> None:
    """What the function makes itself is no matter of TDL016's then."""
    program = """
    def scaled(x: torch.Tensor):
        parts = [torch.ones(2), torch.ones(2)]
        for part in parts:
            part = part.to(x.device)
        return x * parts[0]
    """
    assert findings(program) == ["TDL009 part = part.to(x.device)"]


def test_a_helper_that_is_given_modules_as_well() -> None:
    """Modules move in place, and so the helper does something."""
    program = """
    def move(x):
        x = x.to("cuda")
    move(nn.Linear(1, 1))
    move(torch.ones(1))
    """
    assert findings(program) == []


@pytest.mark.parametrize(
    "behind",
    ["print(x)", "while sys.argv:\n    print(x)", "ys = [x]", "def last():\n    return x",
     "if sys.argv:\n    x = 1\nprint(x)"],
)  # fmt: skip
def test_a_variable_that_is_read_behind_the_loop(behind: str) -> None:
    assert findings(f"{MODEL}for x in xs:\n    x = x.to('cuda')\n{behind}\nprint(xs)\n") == []


@pytest.mark.parametrize(
    "behind", ["x = 1\nprint(x)", "for x in xs:\n    print(x)", "print([x for x in xs])"]
)
def test_a_variable_that_is_bound_anew_behind_the_loop(behind: str) -> None:
    program = f"{MODEL}for x in xs:\n    x = x.to('cuda')\n{behind}\nprint(xs)\n"
    assert findings(program) == ["TDL009 x = x.to('cuda')"]


@pytest.mark.parametrize(
    "source", ["iter(xs)", "map(torch.abs, xs)", "(x for x in xs)", "xs[:1]", "sys.argv"]
)
def test_what_keeps_nothing(source: str) -> None:
    """Nobody can tell that it gives the same tensors when it is gone through again."""
    assert findings(f"{MODEL}for x in {source}:\n    x = x.to('cuda')\nprint(xs)\n") == []


def test_a_read_in_the_next_round_of_an_inner_loop() -> None:
    program = """
    for x in xs:
        for step in range(2):
            print(x)
            x = x.to("cuda")
    print(xs)
    """
    assert findings(MODEL + dedent(program)) == []
