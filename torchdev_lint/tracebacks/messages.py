"""What the message of an error says: whether it is about devices, and what is where."""

from __future__ import annotations

import re
from enum import Enum

from torchdev_lint.catalog.devices import ACCELERATOR_TYPES, HOST_TYPE
from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.records import dataclass


class ErrorKind(Enum):
    """What an error is about."""

    DEVICES = "two values that live in different places meet"
    DTYPES = "two values of different types meet, of which one was perhaps cast in vain"
    HOST_WANTED = "something on the accelerator is used as if it were on the CPU"
    PINNED = "something on the accelerator is pinned, as only memory of the CPU can be"
    LOADED = "something is read to the device it was saved from, which isn't there"
    CONTAINER = "what holds tensors is told to move, as only these can"
    NO_LEAF = "an optimizer is given what was computed, by a move perhaps"


@dataclass(frozen=True, slots=True)
class DeviceError:
    """What a message says.

    Args:
        kind: what it is about.
        text: the sentence that says so.
        on_host: what is on the CPU, by the names that PyTorch has for its arguments.
        on_accelerator: what is on an accelerator.
    """

    kind: ErrorKind
    text: str
    on_host: tuple[str, ...] = ()
    on_accelerator: tuple[str, ...] = ()


_DEVICE = rf"(?:{'|'.join(sorted({HOST_TYPE, *ACCELERATOR_TYPES}))}|meta)(?::\d+)?"
_CONTAINER = r"list|tuple|set|dict|(?:collections|torch\.return_types)\.\w+"
_KINDS = {
    ErrorKind.LOADED: r"attempting to deserialize object on|load .* on a CPU-only machine",
    ErrorKind.PINNED: r"only dense CPU tensors can be pinned",
    ErrorKind.HOST_WANTED: r"can't convert \S+ device type tensor to numpy|should be a 1D CPU",
    ErrorKind.DEVICES: rf"""
        same\ device | device\ type\ for | backend\ type\ associated\ with\ device\ type
        | expected\ device | must\ be\ (?:on|CUDA) | (?:on|to\ be\ on)\ {_DEVICE},?\ but
        | expected\ object\ of\ (?:backend|device) | not\ been\ allocated\ on\ \w+\ device
        | input\ type\ \(\S+\)\ and\ (?:weight|bias)\ type\ \(\S+\)\ should\ be\ the\ same
        | parameters\ and\ buffers\ on\ device | located\ on\ different\ \w+
        | to\ have\ \S+\ device(?:type)?,\ but | found\ two\ different\ devices
        | expected\ a\ CUDA\ device | CPU\ scalar\ support | CPU\ scalars\ to\ non-CPU
        | gradient\ with\ device\ type | slow_conv3d_forward'\ with\ arguments\ from\ the
    """,
    ErrorKind.CONTAINER: rf"'(?:{_CONTAINER})' object has no attribute '(?:{'|'.join(MOVES)})'",
    ErrorKind.NO_LEAF: "can't optimize a non-leaf tensor",
    ErrorKind.DTYPES: r"""
        same\ dtype | expected\ scalar\ type | following\ scalar\ types | dtypes?\ to\ match
        | expected\ object\ of\ scalar\ type
    """,
}
_FORMS = {
    kind: re.compile(form, re.I | re.X if "\n" in form else re.I) for kind, form in _KINDS.items()
}
"""How messages of a kind are put; those of each kind in PyTorch's sources, of old versions too."""
_PLACED = re.compile(rf"(?P<name>[A-Za-z_]\w*) (?:tensor )?(?:is )?(?:on|at) (?P<device>{_DEVICE})")
_TYPED = re.compile(r"(?P<name>[A-Za-z]\w*) type \((?P<type>torch\.[\w.]+)\)")
_NO_NAMES = frozenset({"be", "either", "is", "it", "located", "tensor", "tensors"})
"""What stands where a name is looked for, in sentences that name nothing."""
OWN_TENSORS = frozenset({"bias", "mat2", "running_mean", "running_var", "weight"})
"""How PyTorch names, among the arguments of an operation, what a layer or a loss keeps itself."""
_MOST = 400


def device_error(message: str) -> DeviceError | None:
    """Return what a message says about devices, None if it isn't about them."""
    kind = next((kind for kind, form in _FORMS.items() if form.search(message)), None)
    if kind is None:
        return None
    on_host: list[str] = []
    on_accelerator: list[str] = []
    for match in _PLACED.finditer(message):
        side = on_host if match["device"].startswith(HOST_TYPE) else on_accelerator
        if match["name"].lower() not in _NO_NAMES:
            side.append(match["name"])
    for match in _TYPED.finditer(message):
        side = on_host if match["type"].count(".") == 1 else on_accelerator
        side.append(match["name"].lower())
    return DeviceError(kind, _sentence(message), tuple(on_host), tuple(on_accelerator))


def _sentence(message: str) -> str:
    text = " ".join(message.split())
    return text if len(text) <= _MOST else text[: _MOST - 3] + "..."
