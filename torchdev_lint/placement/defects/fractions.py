"""What `/` gives, where PyTorch wants a whole number: to ask for that raises on every machine.

Programs for Python 2 do so, where `/` gives one.
"""

from __future__ import annotations

from torchdev_lint.catalog.factories import SIZED
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Sequence
from torchdev_lint.placement.domain.values import QUOTIENT, Value

_WINDOWED = frozenset(
    f"{kind}{n}d"
    for kind in ("conv", "conv_transpose", "avg_pool", "max_pool", "adaptive_avg_pool")
    for n in (1, 2, 3)
) | {"fold", "unfold"}
"""Functions that go over their input by steps, and in windows, of whole numbers."""
_STEPS = frozenset({"padding", "stride", "dilation", "groups", "kernel_size", "output_size"})
"""How they are told those."""
_LAYERS = frozenset(
    f"{kind}{n}d" for kind in ("Conv", "ConvTranspose", "BatchNorm") for n in (1, 2, 3)
) | {"Linear", "Embedding", "RNN", "LSTM", "GRU"}
"""Layers that make parameters of the sizes that come first in their call."""
_SIZES = frozenset(
    {
        *("in_features", "out_features", "num_embeddings", "embedding_dim", "input_size"),
        *("hidden_size", "num_features", "in_channels", "out_channels"),
    }
)
"""What these are called."""


def is_given_fraction(name: str, arguments: Arguments) -> bool:
    """Whether something of PyTorch is told a size, or a step, that is no whole number.

    Args:
        name: the qualified name.
    """
    where, _, last = name.rpartition(".")
    if where in ("torch", "torch.nn.functional") and last in _WINDOWED:
        return _has_fraction(arguments, _STEPS)
    if where == "torch" and last in SIZED:
        return any(_is_fraction(value) for value, _ in arguments.positional)
    if where == "torch.nn" and last in _LAYERS:
        first = (value for value, _ in arguments.positional[:2])
        return any(map(_is_fraction, first)) or _has_fraction(arguments, _SIZES)
    return False


def _has_fraction(arguments: Arguments, names: frozenset[str]) -> bool:
    given = (value for name, (value, _) in arguments.keywords.items() if name in names)
    return any(map(_is_fraction, given))


def _is_fraction(value: Value) -> bool:
    """Whether a value is what `/` gives, or holds it beside other numbers."""
    return value == QUOTIENT or (isinstance(value, Sequence) and QUOTIENT in (value.items or ()))
