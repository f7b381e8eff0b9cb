"""A simulated `cuda` device for machines that have none.

Call `install()` before the program under test imports names from torch. From then on
`torch.cuda.is_available()` is true and tensors claim to live on `cpu` or `cuda:0`; operations raise
what CUDA raises when the two meet. All values are computed on the CPU.

How it works: `claims` keeps the claimed device on the storage; `mode` checks every ATen operation
below autograd, by the rules of `checks`; `moves` copies between devices and sends gradients back;
the other modules patch what is visible of devices from Python.

Where it differs from CUDA:
- the wording of an error can differ where the CPU takes another path through torch than CUDA does;
- values and random numbers are the CPU's, and the device's random state is the host's;
- one device, no streams, no asynchronous errors, no memory limit, no pinned memory (only its flag);
  a copy to the host with `non_blocking` arrives when somebody waits for the device;
- autocast, `torch.compile`, DataParallel, DDP and collectives are stand-ins that change no dtype,
  compile nothing and talk to nobody;
- sparse, nested and quantised tensors, `torch.jit`, `torch.export` and CUDA graphs are not covered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

# Any optimizer imports it, and it inspects Tensor's attributes, which must still be torch's own.
import torch._dynamo

from . import accelerator_api, factories, legacy, library, parallel, tensors, watching
from .claims import Place
from .mode import DispatchWatch, FunctionWatch
from .watching import Meeting, Watcher

NAME = accelerator_api.NAME

__all__ = ["NAME", "Meeting", "Place", "Watcher", "install"]


def install(files: Mapping[str, str] | None = None, allow_mixing: bool = False) -> Watcher:
    """Turn this process into one that has an accelerator; there is no way back.

    Args:
        files: the files whose lines are reported for meetings, by their paths, and what they are
            called.
        allow_mixing: record what CUDA would refuse, and go on.
    """
    watcher = Watcher(files, allow_mixing)
    watching.start(watcher)
    accelerator_api.patch()
    tensors.patch()
    factories.patch()
    legacy.patch()
    library.patch()
    parallel.patch()
    modes: tuple[Any, ...] = (FunctionWatch(watcher), DispatchWatch(watcher))
    for mode in modes:
        mode.__enter__()
    torch.set_num_threads(1)
    return watcher
