"""torch.nn.utils.rnn: packed sequences."""

from __future__ import annotations

from torchdev_lint.catalog.arrays import LENGTHS
from torchdev_lint.placement.defects.lengths import note_lengths
from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import choice, sequence, with_rank
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Bundle,
    Place,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.libraries.registry import Call, handles


@handles(*LENGTHS)
def _pack(call: Call) -> Value | None:
    """A packed sequence: a structure that `.to()` does not move in place."""
    where = LENGTHS[call.name]
    lengths, node = call.get(*where), call.arguments.node(*where)
    if lengths is not None and node is not None:
        note_lengths(call.run, call.node, Operand(lengths, node))
    subject = call.get(0, "input")
    if subject is None:
        return None
    return choice(
        [
            Bundle(o.place, o.origin, in_place=False, entered=o.entered)
            if isinstance(o, (Tensor, Bundle))
            else UNKNOWN
            for o in alternatives(subject)
        ]
    )


@handles("torch.nn.utils.rnn.pad_sequence")
def _pad_all(call: Call) -> Value | None:
    """One tensor, made where the first of those lives that are copied into it.

    Source: `pad_sequence` in aten/src/ATen/native/PackedSequence.cpp.
    """
    value = call.get(0, "sequences")
    if not isinstance(value, Sequence):
        return None
    return with_rank(value.items[0] if value.items else value.element, False)


@handles("torch.nn.utils.rnn.pad_packed_sequence")
def _pad(call: Call) -> Value | None:
    """The sequence, and the lengths, which are on the host."""
    subject = call.get(0, "sequence")
    if subject is None:
        return None
    return sequence([with_rank(subject, False), Tensor(Place.HOST, False)], SequenceKind.TUPLE)
