"""functools."""

from __future__ import annotations

from torchdev_lint.placement.domain.values import Library, Partial, Value
from torchdev_lint.placement.libraries.registry import Call, handles


@handles("functools.partial")
def _partial(call: Call) -> Value | None:
    given = call.arguments
    if not given.positional or given.open_ended:
        return None
    (function, _), *positional = given.positional
    keywords = tuple((name, value, node) for name, (value, node) in given.keywords.items())
    return Partial(function, tuple(positional), keywords)


@handles("functools.wraps")
def _wraps(call: Call) -> Value | None:
    return Partial(Library("functools.update_wrapper"), (), ())


@handles("functools.update_wrapper")
def _update_wrapper(call: Call) -> Value | None:
    """The wrapper itself, which has the name of what it wraps."""
    return call.get(0)
