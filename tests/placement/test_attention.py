"""Masks of attention meet its inputs, unless a hint stands in for them."""

from __future__ import annotations

import pytest

from .linting import findings

PROGRAM = """
class Causal(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2)

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[0])
        return self.attention({given})[0]
"""
MASKED = ["TDL002 mask = nn.Transformer.generate_square_subsequent_mask(x.shape[0])"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("x, x, x, attn_mask=mask", MASKED),
        ("x, x, x, attn_mask=mask, is_causal=True", MASKED),
        ("x, x, x, attn_mask=mask, need_weights=False", MASKED),
        ("x, x, x, x.sum(2).T > 0, attn_mask=mask, need_weights=False, is_causal=True", MASKED),
        ("x, x, x, attn_mask=mask, need_weights=False, is_causal=True", []),
        ("x, x, x, None, False, mask, True, True", []),
    ],
)
def test_a_hint_stands_in_for_a_mask(given: str, expected: list[str]) -> None:
    """Only where no weights are asked for, and nothing pads, is the mask itself not used."""
    assert findings(PROGRAM.format(given=given)) == expected
