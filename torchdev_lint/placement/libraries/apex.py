"""apex: mixed precision and distributed training of before PyTorch had its own."""

from __future__ import annotations

from torchdev_lint.placement.domain.containers import SequenceKind
from torchdev_lint.placement.domain.joins import sequence
from torchdev_lint.placement.domain.values import NONE, UNKNOWN, Value
from torchdev_lint.placement.libraries.registry import Call, handles


@handles("apex.amp.initialize")
def _initialized(call: Call) -> Value | None:
    """Models and optimizers as they are given, which it changes in place.

    Inputs are cast on their way into a model, and not moved.
    Source: `initialize` in apex/amp/frontend.py, `_initialize` and `to_type` in
    apex/amp/_initialize.py.
    """
    models, optimizers = call.get(0, "models"), call.get(1, "optimizers")
    if optimizers in (None, NONE):
        return models
    return sequence([models or UNKNOWN, optimizers or UNKNOWN], SequenceKind.TUPLE)
