"""Where a trail ends, it is said what makes the value, whatever that is."""

from __future__ import annotations

import pytest

from torchdev_lint.known.ends import MADE
from torchdev_lint.placement.domain.origins import OriginKind


@pytest.mark.parametrize("kind", OriginKind, ids=lambda kind: kind.name)
def test_each_kind_of_origin_has_words(kind: OriginKind) -> None:
    assert "CPU" in MADE[kind]
