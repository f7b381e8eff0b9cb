"""What the calls of a file are given that is moved."""

from __future__ import annotations

import ast

import pytest

from torchdev_lint.placement.evidence.feeding import collect_feeding

CALLED = ("net", 1)


@pytest.mark.parametrize(
    ("code", "moved"),
    [
        ("rows = rows.cuda()\nnet(rows)", True),
        ("rows = rows.cuda()\nnet(rows.squeeze())", True),
        ("net(rows.cuda())", True),
        ("net(rows)\nrows = rows.cuda()", False),
        ("net(rows)\nrows = next(images).to(device)", False),
        ("for rows in images:\n    rows = rows.to(device)\n    net(rows)", True),
    ],
)
def test_what_stands_behind_a_call_moves_nothing_for_it(code: str, moved: bool) -> None:
    feeding = collect_feeding(ast.parse(code))
    assert bool(feeding.moved[CALLED]) is moved
