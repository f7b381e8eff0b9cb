"""What is told of names where flake8 runs: by the project's settings, and by flake8's own."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import fields
from functools import cache

from torchdev_lint.catalog.told import Told
from torchdev_lint.config.configurations import Configurations
from torchdev_lint.config.problem import SettingsProblem
from torchdev_lint.config.told import told_in


def told_in_flake8(path: str, given: Mapping[str, tuple[str, ...]]) -> Told:
    """Return what is told of names for a file.

    Args:
        path: the file, as flake8 names it.
        given: what flake8's own configuration tells, by the attributes of `Told`.
    """
    told = _told_by_project(os.path.dirname(os.path.abspath(path)))
    return Told(
        **{
            each.name: (*getattr(told, each.name), *given.get(each.name, ()))
            for each in fields(told)
        }
    )


@cache
def _configurations() -> Configurations:
    return Configurations(())


@cache
def _told_by_project(folder: str) -> Told:
    """Return what files of settings tell; one that can't be used is a line on stderr."""
    try:
        return told_in(_configurations().levels_at(os.path.join(folder, "any")))
    except SettingsProblem as problem:
        print(problem, file=sys.stderr)
        return Told()
