"""Programs out of which nothing is told: something in them may be another thing than it seems."""

from __future__ import annotations

import pytest

from tests.command import FIXTURES
from torchdev_lint.api import check_source

GRAPHS = (FIXTURES / "TDL001" / "clean_graphs_or_rows.py").read_text().partition("KINDS")[0]
"""What the fixture defines, without the call that gives it graphs."""
ASKED = 'get("empty", False)'

MIXED = """\
import torch
from somewhere import like


def mixed(images: torch.Tensor, chance):
    drawn = like(torch.rand(images.shape[0], device=images.device))
    return images * torch.Tensor({given})
"""


@pytest.mark.parametrize(("asked", "codes"), [(ASKED, []), ("dim()", ["TDL001"])])
def test_what_is_asked_for_what_tensors_lack_may_move_in_place(
    asked: str, codes: list[str]
) -> None:
    assert ASKED in GRAPHS
    found = check_source(GRAPHS.replace(ASKED, asked))
    assert [finding.code for finding in found] == codes


@pytest.mark.parametrize(("given", "codes"), [("drawn > chance", []), ("[chance]", ["TDL016"])])
def test_a_tensor_of_a_comparison_is_where_that_is(given: str, codes: list[str]) -> None:
    assert [finding.code for finding in check_source(MIXED.format(given=given))] == codes
