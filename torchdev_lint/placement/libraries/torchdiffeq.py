"""torchdiffeq: what solves differential equations."""

from __future__ import annotations

from torchdev_lint.catalog.ecosystem import SOLVERS
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.values import Bundle, Tensor, Value
from torchdev_lint.placement.libraries.registry import Call, handles


@handles(*SOLVERS)
def _solve(call: Call) -> Value | None:
    """Call the right side of the equation with the first state: the solution is where that is."""
    function, state = call.get(0, "func"), call.get(1, "y0")
    if function is None or state is None or not isinstance(state, (Bundle, Tensor)):
        return None
    node = call.arguments.node(1, "y0") or call.node
    time = Tensor(state.place, scalar=True)
    given = Arguments(positional=[(time, call.node), (state, node)])
    call.apply(function, given)
    return state.computed(False) if isinstance(state, Tensor) else state
