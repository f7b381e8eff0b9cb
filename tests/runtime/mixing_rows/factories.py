"""Rows on where factories put tensors under `torch.device` as a context or a default.

Nothing here takes a tensor from another place. Which functions listen was also asked of torch 2.13
with `meta`, which every build has, in the accelerator's place.
"""

from __future__ import annotations

import re

from .row import Row, mixes

_LISTED = "torch/utils/_device.py: _device_constructors names the functions that listen"
_UNLISTED = "torch/utils/_device.py: _device_constructors doesn't name it"
_COLLATE = "torch/utils/data/_utils/collate.py: made with torch.tensor or torch.as_tensor; "


def _inside(call: str) -> str:
    """Write a snippet that makes a tensor inside the context; `h` and `numpy` lie on the host."""
    names = re.findall(r"\b(?:h|numpy)\b", call)
    before = [f"{name} = host(3){'.numpy()' if name == 'numpy' else ''}" for name in names[:1]]
    return "\n".join([*before, f"with torch.device(device): made = {call}", "made"])


ROWS: list[Row] = [
    mixes(
        "torch.zeros torch.ones torch.empty torch.rand torch.randn torch.arange torch.eye "
        "torch.randperm torch.hann_window torch.fft.fftfreq torch.signal.windows.hann",
        "nothing, in a context",
        1,
        _inside("OP(3)"),
        _LISTED,
    ),
    mixes("torch.full", "nothing, in a context", 1, _inside("OP((3,), 1.0)"), _LISTED),
    mixes("torch.randint", "nothing, in a context", 1, _inside("OP(3, (3,))"), _LISTED),
    mixes("torch.linspace", "nothing, in a context", 1, _inside("OP(0, 1, 3)"), _LISTED),
    mixes(
        "torch.tensor torch.as_tensor torch.asarray",
        "data, in a context",
        1,
        _inside("OP([1.0, 2.0])"),
        _LISTED,
    ),
    mixes(
        "torch.tensor torch.as_tensor torch.asarray",
        "data, an array, in a context",
        1,
        _inside("OP(numpy)"),
        _LISTED,
    ),
    mixes(
        "torch.tensor torch.as_tensor torch.asarray",
        "data, a tensor, in a context",
        1,
        _inside("OP(h)"),
        _LISTED + "; a tensor is moved like all other data",
    ),
    mixes(
        "nn.Linear nn.LSTM",
        "the module, in a context",
        1,
        _inside("next(OP(2, 2).parameters())"),
        _LISTED + "; layers make their parameters with torch.empty",
        "module",
    ),
    mixes(
        "torch.utils.data.default_collate",
        "numbers, in a context",
        1,
        _inside("OP([1.0, 2.0])"),
        _COLLATE + _LISTED,
    ),
    mixes(
        "torch.utils.data.default_collate",
        "arrays, in a context",
        1,
        _inside("OP([numpy, numpy])"),
        _COLLATE + _LISTED,
    ),
    mixes(
        "torch.utils.data.default_collate",
        "tensors, in a context",
        1,
        _inside("OP([h, h])"),
        "torch/utils/data/_utils/collate.py: tensors are stacked where they are",
        result="host",
    ),
    *[
        mixes(names, "the new tensor, in a context", 1, _inside(call), source, result="host")
        for names, call, source in (
            ("torch.normal", "OP(0.0, 1.0, (3,))", _UNLISTED),
            ("torch.range", "OP(0, 3)", _LISTED + ", but range never asks them"),
            ("torch.from_numpy", "OP(numpy)", _UNLISTED),
            ("torch.frombuffer", "OP(bytearray(8), dtype=torch.float32)", _UNLISTED),
            ("torch.Tensor torch.FloatTensor torch.LongTensor", "OP(3)", _UNLISTED),
            ("torch.FloatTensor torch.LongTensor", "OP([1, 2])", _UNLISTED),
            ("torch.zeros_like torch.rand_like torch.clone", "OP(h)", _UNLISTED),
            ("torch.Tensor.new_zeros torch.Tensor.new_ones", "OP(h, 3)", _UNLISTED),
        )
    ],
]
