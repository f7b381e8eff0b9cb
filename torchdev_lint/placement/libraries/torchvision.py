"""torchvision: transforms that make tensors of images, and data sets that apply them."""

from __future__ import annotations

import ast

from torchdev_lint.catalog import ecosystem
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.run import Run
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Bundle,
    Instance,
    Origin,
    Place,
    Sequence,
    Tensor,
    Value,
    sequence,
)
from torchdev_lint.placement.python.arguments import Arguments

TRANSFORMS = "torchvision.transforms."
_MAKES_TENSOR = f"{TRANSFORMS}ToTensor"


def build_vision(run: Run, name: str, arguments: Arguments, node: ast.AST) -> Value | None:
    """Evaluate the construction of a transform or data set; None if it is neither.

    Args:
        name: the qualified name.
    """
    last = name.rpartition(".")[2]
    if name.startswith("torchvision.datasets.") and last in ecosystem.IMAGE_DATASETS:
        return _dataset(arguments)
    if (
        not name.startswith(TRANSFORMS)
        or not last[:1].isupper()
        or last in ecosystem.OPAQUE_TRANSFORMS
    ):
        return None
    if last == "Compose":
        kind = _composed(arguments)
        if kind is None:
            return None
    else:
        kind = _MAKES_TENSOR if name in ecosystem.IMAGE_TO_TENSOR else name
    return run.allocate(Obj(Place.UNKNOWN), None, kind, site=node)


def _composed(arguments: Arguments) -> str | None:
    """What a chain of transforms is like; None if a link is not torchvision's."""
    chain = arguments.get(0, "transforms")
    if not isinstance(chain, Sequence) or not chain.items:
        return None
    links = [link.library if isinstance(link, Instance) else "" for link in chain.items]
    if not all(link.startswith(TRANSFORMS) for link in links):
        return None
    return _MAKES_TENSOR if _MAKES_TENSOR in links else f"{TRANSFORMS}Compose"


def _dataset(arguments: Arguments) -> Value | None:
    """Pairs of an image and a number; the loop or subscript that takes one is its origin."""
    transform = arguments.get(-1, "transform")
    if not (isinstance(transform, Instance) and transform.library == _MAKES_TENSOR):
        return None
    pair = sequence([Bundle(Place.HOST, part=True), Bundle(Place.HOST, part=True)], "tuple")
    return Sequence(None, pair, "dataset")


def apply_transform(run: Run, transform: Instance, arguments: Arguments, node: ast.Call) -> Value:
    """Evaluate the call of a transform: all but the one that makes a tensor keep the device.

    Source: https://docs.pytorch.org/vision/stable/transforms.html; `ToTensor` takes a PIL image
    or an array, and raises for a tensor.
    """
    image = arguments.get(0) or UNKNOWN
    if transform.library == _MAKES_TENSOR:
        return image_tensor(run, ast.unparse(node.func), node)
    if isinstance(image, Tensor):
        return Tensor(image.place, image.scalar, image.origin, entered=image.entered)
    return image if isinstance(image, Bundle) else UNKNOWN


def image_tensor(run: Run, label: str, node: ast.AST) -> Tensor:
    """Return a tensor that was made on the host of something that is none, such as a file.

    Args:
        label: how a message calls what made it.
    """
    origin = Origin(node, "loaded", label, run.frame.in_forward, run.frame.scope)
    return Tensor(Place.HOST, False, origin)
