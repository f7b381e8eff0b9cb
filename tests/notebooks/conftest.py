"""A folder, and the command run in it."""

from tests.config.conftest import lint

__all__ = ["lint"]
