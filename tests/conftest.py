"""What all tests have in common."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

# How long an example takes says how busy the machine is: what must be fast is measured elsewhere.
settings.register_profile("torchdev-lint", deadline=None)
settings.load_profile("torchdev-lint")


@pytest.fixture(scope="session", autouse=True)
def cache_of_the_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Have results kept outside the repository, and none of earlier sessions be used."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCHDEV_LINT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield
