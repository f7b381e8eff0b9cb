"""Modules of a project that only build models: which of them a program takes, a setting tells.

`models.__dict__[args.arch]()` gives any of them. None moves what it is given if no model does that
is defined there, or in what is imported there.
"""

from __future__ import annotations

from torchdev_lint.placement.evidence.leaving_inputs import leave_inputs
from torchdev_lint.placement.evidence.neighbours import MOST_IMPORTED, reached_by
from torchdev_lint.project.seen import remembered


@remembered
def builds_plain_models(path: str) -> bool:
    """Whether a file, with all that it imports, builds models that move nothing.

    Args:
        path: the file, absolute.
    """
    if not path.endswith(".py"):
        return False  # a folder, which has no members
    reached = reached_by(path)
    files = [file for file in reached if file.endswith(".py")]  # of folders others are named
    return len(reached) < MOST_IMPORTED and leave_inputs(files)
