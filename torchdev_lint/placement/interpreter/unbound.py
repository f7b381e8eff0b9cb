"""Variables that hold nothing where a function reads them: that raises on every machine."""

from __future__ import annotations

from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.scopes import FUNCTIONS


def holds_nothing(run: Run, name: str) -> bool:
    """Return whether a function reads a variable that only others have.

    What nothing in the file binds is not looked at: a program that is shown may leave out parts.

    Args:
        name: a variable of which nothing is known.
    """
    frame = run.frame
    if name in frame.env.names or name in DEVICE_NAMES or not isinstance(frame.node, FUNCTIONS):
        return False
    context, tree = context_of(frame.file), run.module.node
    if name in context.global_names or not context.may_bind(tree, name):
        return False
    if any(name in context.names_of(scope.node) for scope in (frame, *frame.closure)):
        return False
    return not context.binds_out_of_sight(tree)
