"""The frames of calls that are about to be made."""

from __future__ import annotations

from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.values import Function
from torchdev_lint.placement.run import Run


def frame_for(run: Run, function: Function, in_forward: bool) -> Frame:
    """Make the frame of a call that begins in the current state."""
    env = run.env
    return Frame(
        function.node,
        scope_of(function),
        in_forward,
        Env({}, env.heap, settings=env.settings),
        function.file,
        function.closure,
        function.bound,
        function.owner,
        entry_heap=env.heap,
    )


def scope_of(function: Function) -> str:
    """Dotted name of a function as messages call it."""
    name = getattr(function.node, "name", "<lambda>")
    return f"{function.owner.name}.{name}" if function.owner else name
