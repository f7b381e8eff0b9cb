"""Devices by number: that of a tensor is where it is, and -1 stands for the CPU."""

from __future__ import annotations

import ast

import pytest

from torchdev_lint.placement.evidence.devices import names_accelerator
from torchdev_lint.syntax.scopes import Syntax

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


ITSELF = """
place = torch.device(place if torch.cuda.is_available() else {otherwise})
model.to(place)
"""


@pytest.mark.parametrize(("otherwise", "expected"), [("'cuda'", True), ("'cpu'", False)])
def test_device_made_of_itself(otherwise: str, expected: bool) -> None:
    """It is followed over a few variables only, as here it would be for ever."""
    tree = ast.parse(ITSELF.format(otherwise=otherwise))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    move = next(call for call in calls if ast.unparse(call) == "model.to(place)")
    assert names_accelerator(Syntax(tree), move) is expected


@pytest.mark.parametrize(("device", "expected"), [("cpu", False), ("cuda", True)])
def test_a_class_that_names_its_device(device: str, expected: bool) -> None:
    """One that sets it to the CPU, and nowhere to anything else, is given what is there."""
    program = f"""
    class Agent:
        def __init__(self, model):
            self.device = torch.device("{device}")
            self.model = model.to(self.device)

        def loss(self, value, reward):
            assert value.requires_grad
            return nn.functional.mse_loss(torch.tensor([reward]), value)
    """
    assert bool(findings(program)) is expected
