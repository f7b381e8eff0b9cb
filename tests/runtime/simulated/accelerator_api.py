"""Patches on `torch.cuda` and `torch.accelerator`: one device that is always there."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import torch

from . import background
from .claims import ACCELERATOR, with_index
from .moves import require

NAME = "simulated accelerator"


class Stream:
    """A stream or event on which everything has happened, but for copies in the background."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.device = ACCELERATOR
        self.cuda_stream = 0

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def query(self) -> bool:
        """Everything is done, as it is sooner or later."""
        background.arrive()
        return True

    def synchronize(self) -> None:
        """Wait for copies in the background."""
        background.arrive()

    def is_capturing(self) -> bool:
        """Nothing is ever captured into a graph."""
        return False

    def elapsed_time(self, other: object) -> float:
        """No time passes here."""
        return 0.0

    def record_event(self, event: Any = None) -> Any:
        """Return the event."""
        return event if event is not None else Stream()

    def _nothing(self, *args: Any, **kwargs: Any) -> None:
        return None

    record = wait = wait_event = wait_stream = _nothing


class Generator(torch._C.Generator):
    """A generator that may be asked for on the accelerator; its numbers are the CPU's."""

    def __new__(cls, device: Any = "cpu") -> Any:
        """Make a CPU generator that remembers for which device it was asked for."""
        claimed = with_index(device)
        require(claimed)
        made: Any = torch._C.Generator.__new__(cls)
        made.claimed = claimed
        return made


@contextlib.contextmanager
def _device_block(device: Any) -> Iterator[None]:
    if device is not None:
        require(with_index(device))
    yield


def _properties(device: Any = None) -> Any:
    return SimpleNamespace(
        name=NAME, total_memory=8 << 30, major=9, minor=0, multi_processor_count=1
    )


def _set_device(device: Any) -> None:
    require(with_index(device))


def _constant(value: Any) -> Callable[..., Any]:
    def answer(*args: Any, **kwargs: Any) -> Any:
        return value

    return answer


def _synchronize(device: Any = None) -> None:
    background.arrive()


def _claimed(generator: Any) -> torch.device:
    device: torch.device = generator.claimed
    return device


def patch() -> None:
    """Replace what a program may ask about the machine's accelerator."""
    answers: dict[str, Any] = {
        "is_available": True,
        "is_initialized": True,
        "is_bf16_supported": True,
        "is_current_stream_capturing": False,
        "device_count": 1,
        "current_device": 0,
        "get_device_name": NAME,
        "get_device_capability": (9, 0),
        "memory_allocated": 0,
        "max_memory_allocated": 0,
        "memory_reserved": 0,
        "max_memory_reserved": 0,
        "memory_summary": "",
        "mem_get_info": (8 << 30, 8 << 30),
        "empty_cache": None,
        "ipc_collect": None,
        "init": None,
        "_lazy_init": None,
        "reset_peak_memory_stats": None,
        "reset_max_memory_allocated": None,
        "set_per_process_memory_fraction": None,
        "utilization": 0,
        "_sleep": None,
    }
    for name, value in answers.items():
        setattr(torch.cuda, name, _constant(value))
    cuda: Any = torch.cuda
    cuda.synchronize = _synchronize
    cuda.set_device = _set_device
    cuda.get_device_properties = _properties
    cuda.manual_seed = cuda.manual_seed_all = cuda.seed = cuda.seed_all = _constant(None)
    cuda.device = _device_block
    cuda.Stream = cuda.Event = Stream
    cuda.stream = _constant(contextlib.nullcontext())
    cuda.current_stream = cuda.default_stream = _constant(Stream())
    cuda.get_rng_state = lambda device="cuda": torch.get_rng_state()
    cuda.set_rng_state = lambda state, device="cuda": torch.set_rng_state(state)
    for name in ("range_push", "range_pop", "mark"):
        setattr(cuda.nvtx, name, _constant(None))
    accelerator: Any = torch.accelerator
    accelerator.is_available = _constant(True)
    accelerator.device_count = _constant(1)
    accelerator.current_accelerator = _constant(torch.device(ACCELERATOR.type))
    accelerator.current_device_index = accelerator.current_device_idx = _constant(0)
    accelerator.set_device_index = accelerator.set_device_idx = _constant(None)
    accelerator.synchronize = _synchronize
    accelerator.current_stream = _constant(Stream())
    accelerator.device_index = _device_block
    setattr(torch._C, "_get_accelerator", _constant(torch.device(ACCELERATOR.type)))
    backends: Any = torch.backends
    backends.cuda.is_built = _constant(True)
    backends.cudnn.is_acceptable = _constant(False)
    backends.cudnn.is_available = _constant(True)
    setattr(torch, "Stream", Stream)
    setattr(torch, "Event", Stream)
    setattr(Generator, "device", property(_claimed))  # read-only, which a subclass can't make it
    torch.Generator = Generator  # type: ignore[misc]  # a class for a class
