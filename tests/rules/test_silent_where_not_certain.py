"""Programs out of which nothing is told: something in them may be another thing than it seems."""

from __future__ import annotations

import pytest

from torchdev_lint.api import check_source

GRAPHS = """\
import numpy as np
import torch


class Model:
    def __init__(self, transform, device):
        self.transform = transform
        self.device = device

    def tokenize(self, given):
        given = self.transform(given)
        if isinstance(given, list):
            return [part.to(self.device) for part in given]
        if isinstance(given, np.ndarray):
            return torch.tensor(given).to(self.device)
        return given.to(self.device)

    def embed(self, given):
        for graph in self.tokenize(given):
            if not graph.{asked}:
                graph = graph.to(self.device)
            graph.to("cpu")
"""

MIXED = """\
import torch
from somewhere import like


def mixed(images: torch.Tensor, chance):
    drawn = like(torch.rand(images.shape[0], device=images.device))
    return images * torch.Tensor({given})
"""


@pytest.mark.parametrize(("asked", "codes"), [('get("empty")', []), ("dim()", ["TDL001"])])
def test_what_is_asked_for_what_tensors_lack_may_move_in_place(
    asked: str, codes: list[str]
) -> None:
    assert [finding.code for finding in check_source(GRAPHS.format(asked=asked))] == codes


@pytest.mark.parametrize(("given", "codes"), [("drawn > chance", []), ("[chance]", ["TDL016"])])
def test_a_tensor_of_a_comparison_is_where_that_is(given: str, codes: list[str]) -> None:
    assert [finding.code for finding in check_source(MIXED.format(given=given))] == codes
