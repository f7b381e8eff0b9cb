"""Whether what modules give that nobody knows the class of may have been brought to the CPU."""

from __future__ import annotations

from torchdev_lint.placement.domain.values import ClassValue
from torchdev_lint.placement.evidence.bringing_back import brings_back
from torchdev_lint.placement.evidence.classes import is_module
from torchdev_lint.placement.run import Run


def may_be_brought_back(run: Run) -> bool:
    """Return whether a module of whatever class may bring to the CPU what it gives.

    It may be of one of the classes that the file has, or imports, of which one does so.
    """
    return any(
        isinstance(value, ClassValue) and is_module(value.info) and brings_back(value.info)
        for value in run.module.env.names.values()
    )
