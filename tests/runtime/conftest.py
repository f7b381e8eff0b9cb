"""The order of the tests that run programs."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Ask all there is to ask of one program in a row.

    A process fixes and runs each program once, and which of several processes runs a test goes by
    the order of tests.
    """
    places = [place for place, item in enumerate(items) if _program(item)]
    asked = sorted((items[place] for place in places), key=_program)
    for place, item in zip(places, asked, strict=True):
        items[place] = item


def _program(item: pytest.Item) -> str:
    """The name of the program that a test of `test_runtime.py` is about; empty for all others."""
    is_meant = item.path.name == "test_runtime.py" and isinstance(item, pytest.Function)
    callspec = getattr(item, "callspec", None) if is_meant else None
    return callspec.params["program"].name if callspec else ""
