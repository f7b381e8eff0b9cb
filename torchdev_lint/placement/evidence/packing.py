"""Whether models that a file imports pack sequences, so that they want lengths on the CPU."""

from __future__ import annotations

import os

from torchdev_lint.catalog.arrays import LENGTHS
from torchdev_lint.placement.evidence.neighbours import reached_by
from torchdev_lint.project.seen import remembered
from torchdev_lint.project.users import files_that_name, is_test

_PACKING = tuple(name.rpartition(".")[2] for name in LENGTHS)


@remembered
def packs_sequences(path: str) -> bool:
    """Return whether a file imports one that packs sequences, itself or through others.

    Args:
        path: the file, absolute; empty if that is not known.
    """
    users = files_that_name(path, _PACKING).files if os.path.isabs(path) else ()
    return any(not is_test(file) for file in reached_by(path).intersection(users))
