"""What the classes of libraries on top of PyTorch are, by name: one file a library.

The files are made from released sources by `python -m tests.libraries`, and never edited. A file is
read when something of its library is asked for. Its name is what is imported. `#` lines say which
releases were read for it; below a line of kinds in brackets stand the classes that are of these
kinds. A name without dots says what all classes are that are so called in the library, wherever
they are imported from. Where these have nothing in common, full names say which is meant.
"""

from __future__ import annotations

import os
from enum import Enum
from functools import cache

from torchdev_lint.catalog.told import now

_FOLDER = os.path.dirname(__file__)
SUFFIX = ".txt"


class ClassKind(Enum):
    """What a class is, as far as placement goes."""

    LAYER = "layer"
    """It is a module that makes state on the default device, and applies it in `forward`."""
    MODULE = "module"
    """It inherits from `torch.nn.Module`: it moves in place, with all that is registered in it."""
    METRIC = "metric"
    """It inherits from `torchmetrics.Metric`."""
    DEVICE = "device"
    """Its instances have a `device`."""
    LOADER = "loader"
    """It inherits from `torch.utils.data.DataLoader`, and moves nothing itself."""
    DATASET = "dataset"
    """It inherits from `torch.utils.data.Dataset`."""
    SAMPLER = "sampler"
    """It inherits from `torch.utils.data.Sampler`."""
    MOVER = "mover"
    """It is no module, and its `to` gives back the object itself: it moves in place."""


STRUCTURE = frozenset({ClassKind.MOVER})
"""What moves in place and is nothing else: tensors in some structure."""


def kinds_of(name: str) -> frozenset[ClassKind] | None:
    """Return what a class of a library is, or one of which the user tells; None: nobody knows.

    Nothing at all is what a class is that others of its name would make believe it was something.

    Args:
        name: the dotted name under which the class was imported.
    """
    user = now()
    if name in user.module_bases:
        return frozenset({ClassKind.MODULE})
    if name in user.loaders:
        return frozenset({ClassKind.LOADER})
    root, _, rest = name.partition(".")
    table = _table(root) if rest else {}
    return table.get(name) or table.get(rest.rpartition(".")[2])


def is_known(library: str) -> bool:
    """Whether something is known of the classes of a library.

    Args:
        library: what is imported, up to the first dot.
    """
    return bool(_table(library)) or now().has_library(library)


@cache
def _table(library: str) -> dict[str, frozenset[ClassKind]]:
    """Read the file of a library, if there is one."""
    if not library.isidentifier():
        return {}
    try:
        with open(os.path.join(_FOLDER, library + SUFFIX), encoding="ascii") as file:
            return parsed(file.read())
    except OSError:
        return {}


def parsed(text: str) -> dict[str, frozenset[ClassKind]]:
    """Return what the file of a library says, by the names of classes."""
    table: dict[str, frozenset[ClassKind]] = {}
    kinds = frozenset[ClassKind]()
    for line in text.splitlines():
        if line.startswith("["):
            kinds = frozenset(map(ClassKind, line.strip("[]").split()))
        elif not line.startswith("#"):
            table.update(dict.fromkeys(line.split(), kinds))
    return table
