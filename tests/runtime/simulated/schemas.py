"""What torch itself records about device checks, read from the file in its wheel.

`native_functions.yaml` says of every ATen operation whether the generated CUDA wrapper demands one
device for all tensors (the default) or leaves the check to the kernel (`device_check: NoCheck`,
mostly the TensorIterator family, which lets a 0-dim CPU tensor join).
"""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_ENTRY = re.compile(r"^- func: ([\w.]+)\(", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Operations:
    """Names of ATen operations (`add.Tensor`, `relu`) by what the file says of them.

    Args:
        names: all of them.
        unchecked: the generated wrapper checks no devices.
        structured: the operation has a structured kernel; its wrapper is named differently.
    """

    names: frozenset[str]
    unchecked: frozenset[str]
    structured: frozenset[str]


def native_functions_path() -> Path:
    """Return where the installed torch keeps `native_functions.yaml`.

    Raises:
        FileNotFoundError: torchgen is not installed next to torch.
    """
    spec = importlib.util.find_spec("torchgen")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("torchgen is not installed with torch")
    return Path(spec.origin).parent / "packaged" / "ATen" / "native" / "native_functions.yaml"


@cache
def operations() -> Operations:
    """Read the file once.

    It has over 16,000 lines and a YAML parser takes ten seconds for it, so it is cut at its
    `- func:` lines instead.
    """
    text = native_functions_path().read_text(encoding="utf-8")
    starts = list(_ENTRY.finditer(text))
    ends = [match.start() for match in starts[1:]] + [len(text)]
    names = set()
    unchecked = set()
    structured = set()
    for match, end in zip(starts, ends, strict=True):
        entry = text[match.end() : end]
        names.add(match.group(1))
        if "device_check: NoCheck" in entry:
            unchecked.add(match.group(1))
        if "structured: True" in entry or "structured_delegate:" in entry:
            structured.add(match.group(1))
    return Operations(frozenset(names), frozenset(unchecked), frozenset(structured))


def wrapper_name(operation: str) -> str:
    """Return the name of the generated CUDA function, as CUDA's error messages give it."""
    name, _, overload = operation.partition(".")
    if operation in operations().structured:
        return f"wrapper_CUDA_{name}_{overload}" if overload else f"wrapper_CUDA_{name}"
    return f"wrapper_CUDA_{overload}_{name}"
