"""What the analysis knows, as metadata of libcst: for whoever writes codemods.

`PlacementProvider` tells where the value of each expression lives, `FindingProvider` what is found
about each node, and `DevicePlacementVisitor` collects that.
"""

from torchdev_lint.metadata.findings import (
    DevicePlacementVisitor,
    FindingProvider,
    Flagged,
)
from torchdev_lint.metadata.placement import Origin, Placement, PlacementProvider, Where

__all__ = [
    "DevicePlacementVisitor",
    "FindingProvider",
    "Flagged",
    "Origin",
    "Placement",
    "PlacementProvider",
    "Where",
]
