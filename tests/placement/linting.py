"""Linting a piece of text in the same process."""

from __future__ import annotations

from textwrap import dedent

from torchdev_lint.linter import lint
from torchdev_lint.rules import EVERY_RULE
from torchdev_lint.source.source import Source

HEAD = """\
import sys
import torch
from torch import nn

"""

_NOWHERE = "/nowhere/program.py"
"""A file of a project without others: those of this one say nothing of it."""


def findings(program: str) -> list[str]:
    """Lint a program, behind the usual imports.

    Returns:
        The code and the source line of each finding, such as `TDL005 x = torch.zeros(3)`.
    """
    text = HEAD + dedent(program).lstrip("\n")
    source = Source.from_text(text, _NOWHERE)
    tree = source.parse()
    lines = text.splitlines()
    return [
        f"{found.code} {lines[found.span.line - 1].strip()}"
        for found in lint(source, tree, EVERY_RULE)
    ]
