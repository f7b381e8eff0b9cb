"""What tests of made programs have in common."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .accelerator import Accelerator


@pytest.fixture(scope="module")
def accelerator() -> Iterator[Accelerator]:
    """A process with a simulated accelerator."""
    there = Accelerator()
    yield there
    there.close()
