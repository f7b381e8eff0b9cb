"""`reveal_device`: where something lives, at run time; when linting, a note says what is known."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

T = TypeVar("T")

_MOST = 20
"""How many tensors of a structure are told of."""


def reveal_device(value: T) -> T:
    """Say on stderr where something lives, with its dtype and shape, and return it.

    Of a structure each tensor is told of, of a module on which devices its parameters and buffers
    are. PyTorch isn't imported for it: what has a device, a dtype and a shape is a tensor.

    Args:
        value: a tensor, a module, or a list, tuple or dict of such; anything else is told of by
            its type.
    """
    frame = sys._getframe(1)
    place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    found = list(_told(value, ""))
    for path, what in found[:_MOST]:
        print(f"{place}: reveal_device:{path} {what}", file=sys.stderr)
    if len(found) > _MOST:
        print(f"{place}: reveal_device: and {len(found) - _MOST} more", file=sys.stderr)
    return value


def _told(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield what is said of each part of a value, with the way to it."""
    if all(hasattr(value, name) for name in ("device", "dtype", "shape")):
        shape = ", ".join(map(str, value.shape))
        yield path, f"{value.device}, {value.dtype}, shape ({shape})"
    elif callable(getattr(value, "parameters", None)) and callable(getattr(value, "buffers", None)):
        yield path, f"{type(value).__name__}, {_devices(value)}"
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _told(part, f"{path or ' '}[{key!r}]")
    elif isinstance(value, (list, tuple)):
        for number, part in enumerate(value):
            yield from _told(part, f"{path or ' '}[{number}]")
    else:
        yield path, f"{type(value).__name__}, no tensor"


def _devices(module: Any) -> str:
    """How many tensors a module has on which devices."""
    counts: dict[str, int] = {}
    for tensor in (*module.parameters(), *module.buffers()):
        counts[str(tensor.device)] = counts.get(str(tensor.device), 0) + 1
    told = [f"{count} tensor{'s' * (count != 1)} on {name}" for name, count in counts.items()]
    return ", ".join(told) or "no parameters or buffers"
