"""What functions and classes of PyTorch can't be called without.

`required.txt` is made from the installed PyTorch by `python -m tests.catalog.required`, and never
edited. Below a line of parameters in brackets, which come first and have no default, stand the
functions and classes that have these. It is read when a call is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Set
from functools import cache

FILE = os.path.join(os.path.dirname(__file__), "required.txt")
OTHER_NAMES = {
    "dim": ("axis",),
    "keepdim": ("keepdims",),
    "input": ("x", "a", "x1"),
    "other": ("x2",),
}
"""What NumPy calls parameters, as functions of PyTorch take it as well.

Source: `numpy_compatibility_arg_names` in torch/csrc/utils/python_arg_parser.cpp.
"""

ALONE = frozenset(f"torch.{name}" for name in "tensor as_tensor from_numpy asarray".split())
"""Functions that take one argument by position: several lists are no tensor."""


def missing(name: str, positional: int, keywords: Set[str]) -> bool:
    """Return whether a call leaves out what there has to be, so that it raises a `TypeError`.

    Args:
        name: the dotted name of what is called.
        positional: how many arguments are given by position.
        keywords: those that are given by name.
    """
    return any(
        keywords.isdisjoint((parameter, *OTHER_NAMES.get(parameter, ())))
        for parameter in needed().get(name, ())[positional:]
    )


@cache
def needed() -> dict[str, tuple[str, ...]]:
    """Return what has to be given, by dotted names."""
    with open(FILE, encoding="ascii") as file:
        return parsed(file.read())


def parsed(text: str) -> dict[str, tuple[str, ...]]:
    """Return what the file says, by dotted names."""
    table: dict[str, tuple[str, ...]] = {}
    parameters: tuple[str, ...] = ()
    for line in text.splitlines():
        if line.startswith("["):
            parameters = tuple(line.strip("[]").split())
        elif not line.startswith("#"):
            table.update((f"torch.{name}", parameters) for name in line.split())
    return table
