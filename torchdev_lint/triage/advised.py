"""Which calls rules give advice about from the text alone, going by names."""

from __future__ import annotations

import ast
from collections.abc import Set

from torchdev_lint.catalog.training import CUDA_AMP
from torchdev_lint.syntax.cuda import puts_on_cuda
from torchdev_lint.syntax.names import last_component
from torchdev_lint.triage.moves import MOVING, is_filled
from torchdev_lint.triage.triggers import Trigger

_AMP = frozenset(name.rpartition(".")[2] for name in CUDA_AMP)


def may_be_advised(node: ast.Call, triggers: Set[Trigger]) -> bool:
    """Whether some rule may tell from the text what could be better about a call.

    Args:
        triggers: what the rules need to find something.
    """
    function = node.func
    if Trigger.AMP in triggers and last_component(function) in _AMP:
        return True
    if Trigger.NAMED in triggers and puts_on_cuda(node):
        return True
    if not isinstance(function, ast.Attribute) or function.attr not in MOVING:
        return False
    return Trigger.MADE_TWICE in triggers and is_filled(function.value)
