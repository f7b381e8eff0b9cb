"""What the catalog says that calls of PyTorch need is true of the installed one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.catalog.required import dumped
from tests.catalog.samples import ignore_warnings, member
from torchdev_lint.catalog.required import ALONE, FILE, missing, needed

pytestmark = pytest.mark.slow

VALUES = (torch.ones(2, 2), 1, 0.5, "sum", (2, 2), [torch.ones(2, 2)])


def test_made_again() -> None:
    assert dumped() == Path(FILE).read_text("ascii")


@ignore_warnings
@pytest.mark.parametrize("name", sorted(needed()))
def test_less_raises(name: str) -> None:
    """Whatever is given by position, a call that leaves out the last parameter fails, or more."""
    for number in range(len(needed()[name])):
        for arguments in ([value] * number for value in VALUES):
            with pytest.raises(TypeError):
                member(name)(*arguments)
        assert missing(name, number, frozenset())


@pytest.mark.parametrize(
    ("name", "keywords"),
    [
        ("torch.cumsum", {"x": torch.ones(2), "axis": 0}),
        ("torch.cumsum", {"input": torch.ones(2), "dim": 0}),
        ("torch.add", {"x1": torch.ones(2), "x2": torch.ones(2)}),
        ("torch.nn.functional.linear", {"input": torch.ones(2), "weight": torch.ones(2, 2)}),
        ("torch.nn.Linear", {"in_features": 2, "out_features": 2}),
    ],
)
def test_given_by_name(name: str, keywords: dict[str, Any]) -> None:
    member(name)(**keywords)
    assert not missing(name, 0, keywords.keys())
    assert missing(name, 0, keywords.keys() - {next(iter(keywords))})


@pytest.mark.parametrize("name", sorted(ALONE))
def test_more_raises(name: str) -> None:
    """One argument is all that is taken by position."""
    for value in VALUES:
        with pytest.raises(TypeError, match="2"):
            member(name)([1.0], value)
