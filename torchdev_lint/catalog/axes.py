"""How many axes layers and functions of PyTorch take; with another number they raise everywhere.

Source: "Shape" on the pages of https://docs.pytorch.org/docs/stable/nn.html; held against the
installed PyTorch by `tests/catalog/test_catalog_axes.py`.
"""

from __future__ import annotations

_BY_DIMENSIONS = """
    Conv ConvTranspose InstanceNorm MaxPool AvgPool AdaptiveMaxPool ReflectionPad ReplicationPad
""".split()
_BATCHED = {1: (2, 3), 2: (3, 4), 3: (4, 5)}
"""How many axes what goes along so many dimensions takes: with a batch or without."""

OF_LAYERS = {
    **{f"{name}{n}d": axes for name in _BY_DIMENSIONS for n, axes in _BATCHED.items()},
    "BatchNorm1d": (2, 3),
    "BatchNorm2d": (4,),
    "BatchNorm3d": (5,),
    "Unfold": (3, 4),
}
"""How many axes the input of a layer may have."""

OF_FUNCTIONS = {
    f"{name}{n}d": axes
    for name in ("conv", "conv_transpose", "max_pool", "avg_pool")
    for n, axes in _BATCHED.items()
}
"""How many axes the input of a function of `torch.nn.functional` may have."""

LAYERS_THAT_CHANGE_THEM = frozenset(
    "AdaptiveLogSoftmaxWithLoss Bilinear Embedding EmbeddingBag Flatten Fold Unflatten Unfold"
    .split()
)  # fmt: skip
"""Layers that give what has more or fewer axes than their input."""
EMBEDS = "Embedding"
"""The layer that gives one axis more than its input has."""
OF_PICTURES = 3
"""How many axes `ToTensor` gives: channels, height and width."""

OF_PRODUCTS = {"mm": 2, "addmm": 2, "outer": 2, "ger": 2, "bmm": 3, "baddbmm": 3, "mv": 1}
"""How many axes products have; they refuse operands that don't go with that.

Source: the page of each, as https://docs.pytorch.org/docs/stable/generated/torch.mm.html.
"""
