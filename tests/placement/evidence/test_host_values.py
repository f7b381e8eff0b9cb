"""What is on the CPU for certain, by what the text makes of it."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

HANDS_ON = """
def align(model, audio, device, has_wildcard):
    emission = torch.log_softmax(model(audio.to(device)).logits, dim=-1)[0].cpu()
    if has_wildcard:
        column = emission[:, 1:].max(dim=1).values
        emission = {wider}
    return trellis_of(emission)

def trellis_of(emission, blank=0):
    trellis = torch.empty((emission.size(0) + 1, 3))
    trellis[1:, 0] = torch.cumsum(emission[:, blank], 0)
    for t in range(emission.size(0)):
        trellis[t + 1, 1:] = torch.maximum(trellis[t, 1:] + emission[t, blank], trellis[t, :-1])
    return trellis
"""
FOUND = "TDL016 trellis = torch.empty((emission.size(0) + 1, 3))"


@pytest.mark.parametrize(
    ("wider", "expected"),
    [
        ("emission * 2", []),
        ("torch.cat([emission, column.unsqueeze(1)], dim=1)", []),
        ("torch.log_softmax(emission, dim=0)", []),
        ("torch.log_softmax(model(audio), dim=0)", [FOUND]),
        ("torch.cat([model(audio), model(audio)])", [FOUND]),
    ],
)
def test_what_a_function_of_torch_makes(wider: str, expected: list[str]) -> None:
    """It is where its operands are, as they could not be computed with otherwise."""
    assert findings(HANDS_ON.format(wider=wider)) == expected
