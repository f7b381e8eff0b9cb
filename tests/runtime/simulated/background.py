"""Copies to the host that nobody waits for: what is copied arrives when somebody does.

CUDA gives such a copy pinned memory, puts it in the queue of the stream, and goes on; until the
queue has got there, the memory holds what it held before. Here that is zeros.
Source: `_to_copy` in ATen's `native/TensorConversions.cpp`, and `native/cuda/Copy.cu`.
"""

from __future__ import annotations

import torch

_under_way: list[tuple[torch.Tensor, torch.Tensor]] = []
"""Copies, each with what it will hold."""


def begin(copy: torch.Tensor) -> None:
    """Have a copy hold something else until it arrives."""
    with torch.no_grad():
        there = copy.detach()
        _under_way.append((there, torch.clone(there)))
        there.zero_()


def arrive() -> None:
    """Wait for the device: all copies are where they go."""
    with torch.no_grad():
        while _under_way:
            copy, content = _under_way.pop()
            copy.copy_(content)
