"""What calls gave: remembered together with all they have read, and told again where it holds.

A summary holds only while everything that the call has read outside itself is unchanged: variables
of enclosing functions and of the module, and objects. Calls that were cut off are remembered only
for where they would be cut off in the same way: in functions that are in progress already; and not
at all where they were nested too deep, or the budget was spent.
"""

from __future__ import annotations

from dataclasses import dataclass

from torchdev_lint.placement.domain.frame import Frame, Reads, Summary
from torchdev_lint.placement.domain.heap import Heap
from torchdev_lint.placement.domain.run import Run
from torchdev_lint.placement.domain.values import Function, Origin, Value

MAX_REMEMBERED = 8
"""How many calls are remembered that differ only in what they have read."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call that is about to be made: what it depends on beside what it will read.

    Args:
        names: what the parameters hold.
        construction: the expression that builds a layer, if this is part of that.
    """

    function: Function
    names: dict[str, Value]
    in_forward: bool
    construction: Origin | None

    def key(self, run: Run) -> object:
        """What has to be the same for another call to give the same."""
        return (
            self.function,
            tuple(self.names.items()),
            run.env.default,
            self.in_forward,
            self.construction,
            run.doubt > 0,
            run.expected > 0,
            run.caught > 0,
            run.without_gradients,
        )


def recall(run: Run, key: object) -> Summary | None:
    """Return what a call gave that would read the same now, and let it change what it changed."""
    for summary in run.memo.get(key, ()):
        if _holds(run, summary.reads):
            _take_over(run, summary)
            return summary
    return None


def _holds(run: Run, reads: Reads) -> bool:
    heap = run.env.heap
    for (frame, name), value in reads.names.items():
        now = frame.env.names.get(name)
        if now is not value and now != value:
            return False
    for ref, obj in reads.objects.items():
        current = heap.get(ref)
        if current is not obj and current != obj:
            return False
    if any((ref in heap) is not there for ref, there in reads.built.items()):
        return False
    if reads.cut:
        active = {frame.node for frame in run.frames}
        return reads.cut <= active
    return True


def _take_over(run: Run, summary: Summary) -> None:
    caller = run.frame
    if summary.writes:
        caller.env.heap = {**caller.env.heap, **summary.writes}
    caller.env.default = summary.default
    caller.env.forget_conditions(summary.attributes)
    pass_on_reads(caller, summary.reads)


def remember(run: Run, key: object, value: Value, frame: Frame) -> None:
    """Remember what a call gave that has just returned to the frame at hand.

    Args:
        frame: the call's.
    """
    caller = run.frame
    before, after = frame.entry_heap, caller.env.heap
    writes = {}
    if after is not before:
        writes = {ref: obj for ref, obj in after.items() if before.get(ref) is not obj}
    attributes = _changed_attributes(before, writes)
    caller.env.forget_conditions(attributes)
    frame.reads.cut.discard(frame.node)
    pass_on_reads(caller, frame.reads)
    if frame.reads.too_deep:
        return
    summaries = run.memo.setdefault(key, [])
    if len(summaries) < MAX_REMEMBERED:
        summaries.append(Summary(value, frame.reads, writes, caller.env.default, attributes))


def _changed_attributes(before: Heap, writes: Heap) -> frozenset[str]:
    """The names of attributes of older objects that a call has changed."""
    changed: set[str] = set()
    for ref, obj in writes.items():
        old = before.get(ref)
        if old is not None:
            changed.update(
                name for name, value in obj.attrs.items() if old.attrs.get(name) is not value
            )
    return frozenset(changed)


def pass_on_reads(caller: Frame, reads: Reads) -> None:
    """What a call has read outside itself its caller has read, unless it was the caller's own."""
    names = caller.reads.names
    for key, value in reads.names.items():
        if key[0] is not caller and key not in names:
            names[key] = value
    objects, entry_heap = caller.reads.objects, caller.entry_heap
    for ref in reads.objects:
        if ref not in objects and ref in entry_heap:
            objects[ref] = entry_heap[ref]
    for ref in reads.built:
        caller.reads.built.setdefault(ref, ref in entry_heap)
    caller.reads.cut |= reads.cut
    caller.reads.too_deep |= reads.too_deep
