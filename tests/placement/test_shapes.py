"""No shape of code makes the analysis do more than its budget allows, or fall over."""

from __future__ import annotations

import ast

import pytest

from tests.benchmark.shapes import SHAPES, Shape
from torchdev_lint.placement import analysis
from torchdev_lint.placement.domain.budget import EXPRESSION, Budget
from torchdev_lint.placement.facts.events import Extent, Skipped
from torchdev_lint.source.source import Source

_SIZE = 5_000
_SLACK = 1.2
"""What was begun before the budget was spent is ended."""


@pytest.mark.parametrize("shape", SHAPES.values(), ids=lambda shape: shape.name)
def test_what_is_done_stays_within_the_budget(
    shape: Shape, monkeypatch: pytest.MonkeyPatch
) -> None:
    budgets: list[Budget] = []

    def for_file(nodes: int) -> Budget:
        budgets.append(make(nodes))
        return budgets[-1]

    make = Budget.for_file
    monkeypatch.setattr(Budget, "for_file", for_file)
    source = Source.from_bytes(shape.of_size(_SIZE).encode(), "shape.py")
    analysis.analyse(source.parse(), source, lambda node: True)
    assert budgets[0].used <= _SLACK * budgets[0].total


def test_the_budget_of_a_file_is_in_proportion_to_its_size() -> None:
    small, large, vast = (Budget.for_file(nodes).total for nodes in (10_000, 40_000, 10**9))
    assert large <= 4 * small
    assert vast <= 1_000_000 * EXPRESSION


def test_a_statement_that_was_cut_off_leaves_nothing_known() -> None:
    """What it moved before is not taken for left behind."""
    body = "".join(f"        x = [x, {i}, len(x)]\n" for i in range(4_000))
    source = Source.from_bytes(
        f"""import torch
model = torch.nn.Linear(1, 1)
for a in range(9):
    for x in [[1]]:
{body}
    model.cuda()
model(torch.zeros(1).cuda())
""".encode(),
        "cut.py",
    )
    facts = analysis.analyse(source.parse(), source, lambda node: isinstance(node, ast.AST))
    assert not list(facts.unexcused())


def test_functions_are_looked_at_behind_a_script_that_was_cut_off() -> None:
    """What it doesn't set is as it was: where factories make their tensors, and the device."""
    body = "".join(f"            x = [x, {i}, len(x)]\n" for i in range(4_000))
    source = Source.from_bytes(
        f"""import torch

where = torch.device("cuda")


def main():
    for a in range(9):
        for x in [[1]]:
{body}


def shifted(values: torch.Tensor) -> torch.Tensor:
    return values + torch.ones(values.shape[0])


def scaled() -> torch.Tensor:
    factors = torch.arange(3)
    return torch.ones(3, device=where) * factors


if __name__ == "__main__":
    main()
""".encode(),
        "cut.py",
    )
    facts = analysis.analyse(source.parse(), source, lambda node: isinstance(node, ast.AST))
    assert any(skipped.extent is Extent.REST for skipped in facts.of(Skipped))
    origins = {meeting.origin.scope for meeting in facts.unexcused()}
    assert origins == {"shifted", "scaled"}
