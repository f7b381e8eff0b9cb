"""torchmetrics: which metrics have state of their own, and what leaves it where it is."""

from __future__ import annotations

METRICS = "torchmetrics"
"""The library of metrics."""

COUNTING_METRICS = frozenset(
    f"{METRICS}.{kind}{name}"
    for kind in ("", "Binary", "Multiclass", "Multilabel")
    for name in (
        "Accuracy", "CohenKappa", "ConfusionMatrix", "F1Score", "FBetaScore", "HammingDistance",
        "JaccardIndex", "MatthewsCorrCoef", "Precision", "Recall", "Specificity", "StatScores",
    )
    if (kind, name) != ("Multilabel", "CohenKappa")
) | {f"{METRICS}.{name}" for name in ("F1", "FBeta", "IoU", "MatthewsCorrcoef")}  # fmt: skip
"""Metrics that add what they count to tensors of their own, which are made on the host.

Others keep what they are given in a list, wherever that is. Found out by calling each of
torchmetrics 1.9.0 with tensors on the accelerator; the last four are what some of them were called
until 0.7 (`add_state` in the sources of 0.2.0, 0.5.1 and 0.7.3).
"""


def counts_in_tensors(name: str) -> bool:
    """Return whether a class of torchmetrics is such a metric.

    Args:
        name: the qualified name, of wherever in the library it is imported from.
    """
    is_there = name.startswith(f"{METRICS}.")
    return is_there and f"{METRICS}.{name.rpartition('.')[2]}" in COUNTING_METRICS


METRIC_METHODS = frozenset({"compute", "reset", "update"})
"""Methods of a metric that leave its tensors where they are.

Source: `torchmetrics/metric.py`; `reset` puts the defaults where the metric is.
"""

PER_SAMPLE = frozenset({"multidim_average", "mdmc_average", "mdmc_reduce"})
"""Arguments with which such a metric may keep a list as well; the last two until 0.11."""

METRIC_COLLECTION = f"{METRICS}.MetricCollection"
"""A module that hands each of its metrics what it is given."""
