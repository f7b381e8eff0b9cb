"""Devices by number: that of a tensor is where it is, and -1 stands for the CPU."""

from __future__ import annotations

import pytest

from .linting import findings

MIXED = """
def mixed():
    x = torch.randn(3)
    z = torch.ones(3, device={given})
    return z + torch.zeros(3)
"""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("0", ["TDL016 return z + torch.zeros(3)"]),
        ("-1", []),
        ("x.get_device()", []),
        ("x.cuda().get_device()", ["TDL016 return z + torch.zeros(3)"]),
    ],
)
def test_numbers_of_devices(given: str, expected: list[str]) -> None:
    assert findings(MIXED.format(given=given)) == expected
