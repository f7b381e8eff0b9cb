"""What `torch.tensor` and `torch.as_tensor` are given may be a tensor already, anywhere."""

from __future__ import annotations

import pytest

from tests.placement.linting import findings

CONVERTED = """
def weigh(x: torch.Tensor, settings):
    weights = settings.{name}
    total = {total}
    return x @ torch.tensor(weights) / total
"""


@pytest.mark.parametrize("name", ["weights", "data", "mean"])
@pytest.mark.parametrize(
    ("total", "expected"), [("weights.detach().norm()", False), ("len(weights)", True)]
)
def test_an_attribute_that_is_used_as_a_tensor(name: str, total: str, expected: bool) -> None:
    """Also where it is called as methods of tensors are."""
    program = CONVERTED.format(name=name, total=total)
    found = ["TDL016 return x @ torch.tensor(weights) / total"]
    assert findings(program) == (found if expected else [])
