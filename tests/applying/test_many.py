"""Files with many findings: one fix that fails doesn't make each be tried alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.applying.fixing import fixed
from torchdev_lint.applying import apply
from torchdev_lint.applying.edit import Edit, apply_edits
from torchdev_lint.fixes.change import CannotEdit
from torchdev_lint.source.source import Source

HEAD = "import torch\nfrom torch import nn\n"
BLOCK = """

class Net{0}(nn.Module):
    def forward(self, x):
        return x.relu() + torch.zeros({0})
"""
COUNT = 150


@pytest.mark.parametrize("odd", [(1,), (70,), (COUNT,), (3, 4, 120)])
def test_bad_ones_among_many_are_found_by_halving(
    odd: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = 0

    def counted(source: Source, edits: Sequence[Edit]) -> Source:
        nonlocal tries
        tries += 1
        for edit in edits:
            at = source.text.rindex("class ", 0, edit.start)
            if any(source.text.startswith(f"class Net{number}(", at) for number in odd):
                raise CannotEdit("it is an odd one")
        return apply_edits(source, edits)

    monkeypatch.setattr(apply, "apply_edits", counted)
    result = fixed(HEAD + "".join(BLOCK.format(number) for number in range(1, COUNT + 1)))
    assert len(result.fixed) == COUNT - len(odd)
    assert result.mends.count(None) == len(result.withdrawn) == len(odd)
    assert tries < 20 + 15 * len(odd)
