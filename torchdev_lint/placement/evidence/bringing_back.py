"""Whether what a module computes is brought to the CPU by its own code."""

from __future__ import annotations

from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.values import Function
from torchdev_lint.placement.evidence.file_context import context_of


def brings_back(info: ClassInfo) -> bool:
    """Whether the `forward` of a class, or a method that it reads, takes something to the CPU.

    What other methods do so with, as those that count or prune weights, has nothing to do with what
    the module gives.
    """
    if info.brings_back is None:
        info.brings_back = _brings_back(info)
    return info.brings_back


def _brings_back(info: ClassInfo) -> bool:
    pending, asked = ["forward"], {"forward"}
    while pending:
        name = pending.pop()
        for parent in info.lineage():  # one may call that of its base as well
            method = parent.namespace.get(name)
            if not isinstance(method, Function):
                continue
            context = context_of(method.file)
            if context.leaves_device(method.node):
                return True
            named = context.own_attributes(method.node)[0] - asked
            pending += named
            asked |= named
    return False
