"""torchvision: transforms that make tensors of images, and data sets that apply them."""

from __future__ import annotations

from torchdev_lint.catalog import ecosystem
from torchdev_lint.catalog.axes import OF_PICTURES
from torchdev_lint.placement.defects.failing import fails
from torchdev_lint.placement.defects.operations import operate
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.joins import sequence, with_rank
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Bundle,
    Instance,
    Place,
    Scalar,
    ScalarKind,
    Tensor,
    Value,
)
from torchdev_lint.placement.libraries.readers import tensor_read
from torchdev_lint.placement.libraries.registry import Call, handles, handles_members
from torchdev_lint.placement.libraries.sample_functions import MOVING_TRANSFORM, may_move
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import text_of

_TRANSFORMS = "torchvision.transforms."
_MOVES_CLASSES = "batched_nms"
"""It moves the classes to the boxes, unless it has so many of these that it goes by class.

Source: `_batched_nms_coordinate_trick` in torchvision/ops/boxes.py
"""
_MAKES_TENSOR = f"{_TRANSFORMS}ToTensor"


@handles_members("torchvision.ops")
def _operation(call: Call) -> Value | None:
    if not call.last.islower():
        return None
    operands = call.arguments.operands()
    if call.last == _MOVES_CLASSES:
        operands = operands[:2]
    value = operate(call.run, call.last, call.node, operands, Policy.STRICT)
    return with_rank(value, False)


@handles(*(f"torchvision.transforms.functional.{name}" for name in ecosystem.IMAGE_FUNCTIONS))
def _applied(call: Call) -> Value | None:
    subject = call.get(0, "img")
    return None if subject is None else with_rank(subject, False)


@handles("torchvision.utils.make_grid")
def _grid(call: Call) -> Value | None:
    """A picture of pictures is where they are.

    Source: `make_grid` in torchvision/utils.py; of a list of pictures it makes one tensor first.
    """
    pictures = call.get(0, "tensor")
    return None if pictures is None else with_rank(pictures, False)


@handles_members("torchvision.transforms")
def _transform(call: Call) -> Value | None:
    """The construction of a transform."""
    if not call.last[:1].isupper():
        return None
    kind: str | None = call.name
    if call.last in ecosystem.OPAQUE_TRANSFORMS:
        kind = None
    if call.last == "Compose":
        kind = _composed(call.arguments)
    elif call.name in ecosystem.IMAGE_TO_TENSOR:
        kind = _MAKES_TENSOR
    if kind is None:
        if not any(may_move(call.run, value) for value in call.arguments.values()):
            return None
        kind = MOVING_TRANSFORM
    return call.run.allocate(Obj(Place.UNKNOWN), None, kind, site=call.node)


def _composed(arguments: Arguments) -> str | None:
    """What a chain of transforms is like; None if a link is not torchvision's, or may move."""
    chain = arguments.get(0, "transforms")
    if not isinstance(chain, Sequence) or not chain.items:
        return None
    links = [link.library if isinstance(link, Instance) else "" for link in chain.items]
    if MOVING_TRANSFORM in links or not all(link.startswith(_TRANSFORMS) for link in links):
        return None
    return _MAKES_TENSOR if _MAKES_TENSOR in links else f"{_TRANSFORMS}Compose"


@handles(*(f"torchvision.datasets.{name}" for name in ecosystem.IMAGE_DATASETS))
def _dataset(call: Call) -> Value | None:
    """Pairs of an image and a number; the loop or subscript that takes one is its origin."""
    transform = call.get(-1, "transform")
    if not (isinstance(transform, Instance) and transform.library == _MAKES_TENSOR):
        return None
    pair = sequence([Bundle(Place.HOST, part=True), Scalar(ScalarKind.INT)], SequenceKind.TUPLE)
    return Sequence(None, pair, SequenceKind.DATASET)


@handles_members("torchvision.transforms")
def _call_transform(call: Call) -> Value | None:
    """The call of a transform: all but the one that makes a tensor keep the device.

    Source: https://docs.pytorch.org/vision/stable/transforms.html; `ToTensor` takes a PIL image
    or an array, and raises for a tensor.
    """
    if call.receiver is None or call.last != "__call__":
        return None
    image = call.get(0) or UNKNOWN
    if call.receiver.library == _MAKES_TENSOR:
        if isinstance(image, Tensor):
            fails(call.run, call.node)
        picture = tensor_read(call.run, text_of(call.node.func), call.node)
        return replace(picture, axes=OF_PICTURES)
    if call.receiver.library == MOVING_TRANSFORM:
        return UNKNOWN
    if isinstance(image, Tensor):
        return Tensor(image.place, image.scalar, image.origin, entered=image.entered)
    return image if isinstance(image, Bundle) else UNKNOWN
