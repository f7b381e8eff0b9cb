"""Notes where a tensor that is to be trained is moved where it is made."""

from __future__ import annotations

import ast

from torchdev_lint.placement.defects.rebuilt import may_lack_gradients
from torchdev_lint.placement.domain.values import Bundle, Instance, Place, Tensor
from torchdev_lint.placement.facts.leaves import MovedLeaf
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.asking import asks_for_gradients


def note_leaf(run: Run, tensor: Tensor | Bundle, place: Place, node: ast.Call) -> None:
    """Note that a move takes a leaf away from the CPU, if its receiver makes or may hold one.

    Args:
        tensor: what is moved.
        place: where to.
        node: the move.
    """
    if tensor.place is not Place.HOST or place is not Place.ACCELERATOR or not run.supposing:
        return
    receiver = node.func.value if isinstance(node.func, ast.Attribute) else None
    if not (
        isinstance(receiver, ast.Name) or (receiver is not None and asks_for_gradients(receiver))
    ):
        return
    if may_lack_gradients(run):
        return
    bound = run.frame.bound
    in_module = isinstance(bound, Instance) and run.obj(bound).module
    run.note(MovedLeaf(node, in_module, run.frame.scope))
