"""Who gives a module's `forward` an argument from the CPU, in whatever file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.placement.linting import HEAD
from torchdev_lint.linter import lint
from torchdev_lint.rules import EVERY_RULE
from torchdev_lint.source.source import read_source

PART = """
class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x, counts):
        return x * self.scale * self.mask_of(counts).to(x.device)

    def mask_of(self, counts):
        return (torch.arange(4).unsqueeze(0) < counts.unsqueeze(1)).float()
"""
USER = """
from part import Masked


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.masked = {built}

    def forward(self, x, lengths):
        {made}
        return self.masked({given})
"""


def is_found(folder: Path, user: str) -> bool:
    """Whether the mask of the part is found."""
    (folder / ".git").mkdir()
    (folder / "part.py").write_text(HEAD + PART)
    (folder / "user.py").write_text(HEAD + user)
    source = read_source(str(folder / "part.py"))
    return any(found.code == "TDL002" for found in lint(source, source.parse(), EVERY_RULE))


@pytest.mark.parametrize(
    ("made", "given"),
    [
        ("counts = torch.tensor([3, 4])", "x, counts"),
        ("counts = torch.tensor([3, 4])", "x, counts=counts"),
        ("counts = lengths.cpu()", "x, counts"),
        ("pass", "x, torch.tensor([3, 4])"),
    ],
)
def test_what_is_given_from_the_cpu(tmp_path: Path, made: str, given: str) -> None:
    user = USER.format(built="Masked()", made=made, given=given)
    assert not is_found(tmp_path, user)


@pytest.mark.parametrize(
    ("built", "made", "given"),
    [
        ("Masked()", "pass", "x, lengths"),
        ("Masked()", "counts = torch.tensor([3, 4], device=x.device)", "x, counts"),
        ("Masked()", "counts = torch.tensor([3, 4]).to(x.device)", "x, counts"),
        ("Masked()", "self.masked(x, lengths)", "x, lengths.cpu()"),
        ("nn.Sequential(Masked())", "pass", "x, torch.tensor([3, 4])"),
        ("Masked()", "pass", "*x"),
    ],
)
def test_what_may_be_anywhere(tmp_path: Path, built: str, made: str, given: str) -> None:
    assert is_found(tmp_path, USER.format(built=built, made=made, given=given))


def test_an_heir_may_be_given_anything(tmp_path: Path) -> None:
    user = USER.format(built="Masked()", made="pass", given="x, lengths.cpu()")
    assert is_found(tmp_path, user + "\n\nclass Heir(Masked):\n    pass\n")


def test_nobody_gives_anything(tmp_path: Path) -> None:
    assert is_found(tmp_path, "")
