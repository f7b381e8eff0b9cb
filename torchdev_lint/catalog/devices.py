"""Words for devices: their types, what flags and settings are called, who has a `device`.

`tests/catalog/test_catalog_methods.py` holds what PyTorch knows of them against the installed one.
"""

from __future__ import annotations

import re

HOST_TYPE = "cpu"
"""The type of the host's device."""

CUDA_TYPE = "cuda"
"""The type of the accelerators that most code names, if it names any."""

ACCELERATOR_TYPES = frozenset(
    {"cuda", "mps", "xpu", "npu", "hpu", "privateuseone", "gpu", "xla", "mtia"}
)
"""Types of accelerators, as `torch.device` takes them; `gpu` is Lightning's and JAX's word."""

DEVICE_TYPES = ACCELERATOR_TYPES | {HOST_TYPE}
"""Types of devices that code names as a place to work on."""

MPS_TYPE = "mps"
"""The type of the accelerators of Apple, which have no numbers of double precision."""

SETS_DEFAULT = frozenset({"set_default_device", "set_default_tensor_type"})
"""Functions that say where factories put their tensors when nothing else does."""

SET_DEFAULT_WHEN_IMPORTED = frozenset({"deepxde"})
"""Libraries that make the accelerator the default device where they are imported, if PyTorch is
what they compute with. Source: `deepxde/backend/pytorch/tensor.py` of DeepXDE 1.15.0."""

AVAILABLE = frozenset({"torch.cuda.is_available", "torch.accelerator.is_available"})
"""Functions that are true: the assumption is that an accelerator is present."""

VISIBLE = "CUDA_VISIBLE_DEVICES"
"""The variable of the environment that says which accelerators a program is to see."""

VISIBLE_NONE = frozenset({"", "-1"})
"""What it says where there are none: numbers count up to the first that names no device. Source:
"CUDA environment variables" in NVIDIA's CUDA C++ Programming Guide."""

COUNTS = frozenset({"torch.cuda.device_count", "torch.accelerator.device_count"})
"""Functions that count accelerators: there is at least one."""

IDLE_WITHOUT = frozenset(
    f"torch.cuda.{name}"
    for name in """
    empty_cache manual_seed manual_seed_all seed seed_all get_rng_state_all
    memory_allocated max_memory_allocated memory_reserved max_memory_reserved memory_stats
    is_bf16_supported is_initialized get_arch_list amp
    """.split()
)
"""What of `torch.cuda` raises nothing where there is no CUDA, and does nothing there: it waits for
CUDA to be used, or asks whether it is. Source: torch/cuda/__init__.py, memory.py and random.py."""

_WORD = "(cuda|gpu|accel)s?"

ACCELERATOR_FLAG = re.compile(
    rf"^(use_|has_|have_|on_|with_|enable_|want_)?_?{_WORD}(_available|_enabled|_flag)?$", re.I
)
"""Settings that are true where an accelerator is present and used."""

ACCELERATOR_COUNT = re.compile(rf"^(n|num|number_of|count_of)_?{_WORD}$", re.I)
"""Settings that are not 0 there."""

ACCELERATOR_NUMBER = re.compile(rf"^(local_?)?{_WORD}(_?(id|idx|index|device|rank))?s?$", re.I)
"""Settings that say which one it is: below 0, or None, there is none."""

HOST_FLAG = re.compile(
    rf"^(no|disable|without|not)_?{_WORD}$|^(use_|on_|is_|force_)?cpu(_only)?$|^cpuonly$", re.I
)
"""Settings that are false there."""

CHOOSES_HOST = re.compile(r"^(set|use|force)_cpu(_device|_only|_mode)?$")
"""Functions of libraries by which a program chooses the CPU: `set_cpu_device()`."""

ABOUT_DEVICES = re.compile(
    r"device|\bdev_id|cuda|gpu|(?<![a-z])cpu|(?<![a-z])accel(?![a-z])|\bmps\b|\bxpu\b|\bnpu\b"
    r"|map_location|\bxla\b|\btpu\b",
    re.I,
)
"""Words that say of code that it is about devices."""

GIVEN_SETTINGS = frozenset(
    """
    args arg cfg config conf opt opts options hparams hps FLAGS flags settings arguments parsed
    hyperparameters hp parser_args
    """.split()
)
"""Objects that hold what the user has set, and nothing else, sorted or not."""

SETTINGS = GIVEN_SETTINGS | frozenset("params accelerator fabric trainer".split())
"""Objects that are handed through a program, and whose `device` is the one the user runs on."""

DEVICE_CONSTANTS = frozenset({"device", "DEVICE"})
"""What a variable is called, in a module, that holds the device the user runs on."""

DEVICE_NAMES = DEVICE_CONSTANTS | {"_device", "dev"}
"""What such variables, arguments and attributes are called."""

BEGINNING = "startswith"
"""The method that asks how a text begins, such as the name of a device."""

IS_THERE = frozenset("is_cpu is_cuda is_mps is_xpu".split())
"""Attributes of a tensor that say whether it is on some device.
Source: https://docs.pytorch.org/docs/stable/tensors.html"""

TELLS_PLACE = IS_THERE | {"device", "get_device", "type"}
"""What tells of a tensor where it is."""
