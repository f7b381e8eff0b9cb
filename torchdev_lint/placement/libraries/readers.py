"""Functions of several libraries that read files, images or text into host tensors."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.ecosystem import AUDIO_READERS, HOST_READERS
from torchdev_lint.placement.domain.run import Run
from torchdev_lint.placement.domain.values import Origin, Place, Scalar, Tensor, Value, sequence
from torchdev_lint.placement.libraries.registry import Call, handles


@handles(*HOST_READERS)
def _read(call: Call) -> Value:
    return tensor_read(call.run, call.name, call.node)


@handles(*AUDIO_READERS)
def _read_audio(call: Call) -> Value:
    return sequence([tensor_read(call.run, call.name, call.node), Scalar("int")], "tuple")


def tensor_read(run: Run, label: str, node: ast.AST) -> Tensor:
    """Return a tensor that was made on the host of something that is none, such as a file.

    Args:
        label: how a message calls what made it.
    """
    origin = Origin(node, "loaded", label, run.frame.in_forward, run.frame.scope)
    return Tensor(Place.HOST, False, origin)
