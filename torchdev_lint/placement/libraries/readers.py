"""Functions of several libraries that read files, images or text into host tensors."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.ecosystem import AUDIO_READERS, HOST_READERS
from torchdev_lint.placement.domain.containers import SequenceKind
from torchdev_lint.placement.domain.joins import sequence
from torchdev_lint.placement.domain.origins import OriginKind
from torchdev_lint.placement.domain.values import NONE, Place, Scalar, ScalarKind, Tensor, Value
from torchdev_lint.placement.evidence.devices import place_named
from torchdev_lint.placement.libraries.registry import Call, handles
from torchdev_lint.placement.run import Run


@handles(*HOST_READERS)
def _read(call: Call) -> Value | None:
    if not _reads_to_host(call):
        return None
    return tensor_read(call.run, call.name, call.node)


def _reads_to_host(call: Call) -> bool:
    """Whether nothing in a call may say that what is read is put somewhere else."""
    device = call.get(-1, "device")
    if device is None or device == NONE:
        return not call.arguments.any_keyword
    return place_named(device, call.arguments.node(-1, "device")) is Place.HOST


@handles(*AUDIO_READERS)
def _read_audio(call: Call) -> Value:
    return sequence(
        [tensor_read(call.run, call.name, call.node), Scalar(ScalarKind.INT)], SequenceKind.TUPLE
    )


def tensor_read(run: Run, label: str, node: ast.AST) -> Tensor:
    """Return a tensor that was made on the host of something that is none, such as a file.

    Args:
        label: how a message calls what made it.
    """
    origin = run.made(node, OriginKind.LOADED, label)
    return Tensor(Place.HOST, False, origin)
