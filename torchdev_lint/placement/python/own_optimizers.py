"""What the methods of a project's own optimizers find: parameters, where the model is.

Source: `torch/optim/optimizer.py`.
"""

from __future__ import annotations

from torchdev_lint.catalog.optimizers import BASES, GROUPS, PARAMETERS, STATE
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.values import UNKNOWN, Instance, Place, Tensor, Value

_PARAMETER = Tensor(Place.ACCELERATOR, scalar=False, registered=True)
_GROUP = Mapping(((PARAMETERS, Sequence(None, _PARAMETER, SequenceKind.LIST)),), UNKNOWN)
_ATTRIBUTES: dict[str, Value] = {
    GROUPS: Sequence(None, _GROUP, SequenceKind.LIST),
    STATE: Mapping((), Mapping((), UNKNOWN)),
}


def of_optimizer(base: Instance, name: str) -> Value | None:
    """Return what an object has from PyTorch's class of optimizers; None if it is of no heir.

    Args:
        base: the object.
        name: the attribute.
    """
    if name not in _ATTRIBUTES or base.cls is None or BASES.isdisjoint(base.cls.library_bases()):
        return None
    return _ATTRIBUTES[name]
