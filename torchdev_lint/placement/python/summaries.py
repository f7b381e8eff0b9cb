"""What calls gave: remembered together with all they have read, and told again where it holds.

A summary holds only while everything that the call has read outside itself is unchanged: variables
of enclosing functions and of the module, and objects. Calls that were cut off are remembered only
for where they would be cut off in the same way: in functions that are in progress already; and not
at all where they were nested too deep, or the budget was spent.
"""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.branches import Outcome
from torchdev_lint.placement.domain.frame import Frame, Reads, SiteKey, Summary
from torchdev_lint.placement.domain.heap import Heap
from torchdev_lint.placement.domain.isomorphism import (
    Renaming,
    renamed,
    renamed_object,
    same_object,
    shape_of,
)
from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.domain.values import Function, Value
from torchdev_lint.placement.python.changing import can_change, take_for
from torchdev_lint.placement.python.questions import answers
from torchdev_lint.placement.python.renaming import ask_outside
from torchdev_lint.placement.run import Run
from torchdev_lint.records import dataclass

MAX_REMEMBERED = 8
"""How many calls are remembered that differ only in what they have read."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call that is about to be made: what it depends on beside what it will read.

    Args:
        names: what the parameters hold.
        construction: the expression that builds a layer, if this is part of that.
        apart: the call by which a module that is being built has come here.
        given: the parameters, by the paths of what they are handed.
        outcomes: how conditions have turned out that the function may ask again.
        at: what tells the objects that it makes from those of an equal call.
    """

    function: Function
    names: dict[str, Value]
    in_forward: bool
    construction: Origin | None
    apart: ast.AST | None
    given: dict[str, str]
    outcomes: dict[str, Outcome]
    at: SiteKey | None

    def shape(self, run: Run) -> tuple[object, tuple[int, ...]]:
        """What another call has to be like to give the same, and the objects it is about."""
        numbers: dict[int, int] = {}
        function = shape_of(self.function, numbers)
        names = tuple((name, shape_of(value, numbers)) for name, value in self.names.items())
        # What an entry point says of its arguments goes for itself, not for what it calls.
        callers = min(len(run.frames), 2) if run.is_given else 0
        settings = run.env.settings, self.in_forward, self.construction, run.moods.lasting, callers
        return (function, names, settings, self.apart), tuple(numbers)


def recall(
    run: Run, call: Call, key: object, objects: tuple[int, ...]
) -> tuple[Value, bool, dict[str, Value]] | None:
    """Return what a call gave that would read the same now, and let it change what it changed.

    With that come whether it raised, and what it has made of the lists and dicts it was handed.

    Args:
        key: what the call is like.
        objects: the objects that it is about.
    """
    for summary in run.memo.get(key, ()):
        renaming = _holds(run, summary, call, objects)
        if renaming is not None:
            _take_for_same(summary, call)
            value, changed = _told_again(run, summary, call, renaming)
            return value, summary.raises, changed
    return None


def _take_for_same(summary: Summary, call: Call) -> None:
    """Take what a call is handed for what the remembered one was, which an object may keep."""
    for name, handed in summary.handed.items():
        now = call.names.get(name)
        if now is not handed and now is not None and can_change(now) and can_change(handed):
            if handed.same:
                take_for(now, handed.same)


def _holds(run: Run, summary: Summary, call: Call, objects: tuple[int, ...]) -> Renaming | None:
    """Which objects stand for those of a summary, None if it doesn't hold here."""
    reads, heap = summary.reads, run.env.heap
    run.budget.visited(len(reads.names) + len(reads.objects) + len(reads.built))
    if answers(run, reads, call.outcomes) != summary.answers:
        return None
    for (frame, name), value in reads.names.items():
        now = frame.env.names.get(name)
        if now is not value and now != value:
            return None
    renaming = Renaming()
    for old, new in zip(summary.objects, objects, strict=True):
        renaming.add(old, new)
    for ref, obj in reads.objects.items():
        new = renaming.to.get(ref, ref)
        current = heap.get(new)
        if current is None or not renaming.add(ref, new):
            return None
        if not (current is obj and new == ref) and not same_object(obj, current, renaming):
            return None
    if any((renaming.to.get(ref, ref) in heap) is not there for ref, there in reads.built.items()):
        return None
    if reads.cut and not reads.cut <= {frame.task for frame in run.frames}:
        return None
    return renaming


def _told_again(
    run: Run, summary: Summary, call: Call, renaming: Renaming
) -> tuple[Value, dict[str, Value]]:
    """Let the objects of a call change as those of the remembered one did."""
    caller, value, writes = run.frame, summary.value, summary.writes
    changed, to = summary.changed, dict[int, int]()
    if not renaming.is_identity or (summary.made and summary.at != call.at):
        to = {**renaming.to, **_fresh(run, summary, renaming, call.at)}
        value = renamed(value, to)
        changed = {name: renamed(now, to) for name, now in changed.items()}
        writes = {to.get(ref, ref): renamed_object(obj, to) for ref, obj in writes.items()}
        run.budget.joined(sum(1 + len(obj.attrs) for obj in writes.values()))
    if writes:
        run.put(writes)
    caller.env.settings = summary.settings
    caller.env.forget_conditions(summary.attributes)
    run.budget.visited(len(summary.reads.names) + len(summary.reads.objects))
    pass_on_reads(caller, summary.reads, to)
    ask_outside(run, summary.reads, call.given)
    return value, changed


def _fresh(run: Run, summary: Summary, renaming: Renaming, at: SiteKey | None) -> dict[int, int]:
    """Objects for those that the remembered call has made: the same ones each time there."""
    key = (id(summary), at, *renaming.to.items())
    if key not in run.retold:
        made = [ref for ref in summary.made if ref not in renaming.to]
        run.retold[key] = {ref: number for number, ref in enumerate(made, start=run.built.last + 1)}
        run.built.last += len(made)
    return run.retold[key]


def remember(
    run: Run,
    call: Call,
    key: object,
    objects: tuple[int, ...],
    value: Value,
    frame: Frame,
    changed: dict[str, Value],
) -> None:
    """Remember what a call gave that has just returned to the frame at hand.

    Args:
        key: what the call is like.
        objects: the objects that it is about.
        frame: the call's.
        changed: what it has made of the lists and dicts that it was handed, by its parameters.
    """
    caller = run.frame
    before, after = frame.entry_heap, caller.env.heap
    writes = {}
    if after is not before:
        run.budget.visited(len(after))
        writes = {ref: obj for ref, obj in after.items() if before.get(ref) is not obj}
    attributes = _changed_attributes(before, writes)
    caller.env.forget_conditions(attributes)
    frame.reads.cut.discard(frame.task)
    run.budget.visited(len(frame.reads.names) + len(frame.reads.objects))
    pass_on_reads(caller, frame.reads)
    ask_outside(run, frame.reads, call.given)
    if frame.reads.cut_off:
        return
    summaries = run.memo.setdefault(key, [])
    if len(summaries) < MAX_REMEMBERED:
        anew = frame.reads.made_anew
        made = tuple(ref for ref in writes if ref in anew or ref not in before)
        summaries.append(
            Summary(
                value,
                objects,
                frame.reads,
                answers(run, frame.reads, call.outcomes),
                writes,
                made,
                caller.env.settings,
                attributes,
                frame.raises,
                changed,
                {name: value for name, value in call.names.items() if can_change(value)},
                call.at,
            )
        )


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


def pass_on_reads(caller: Frame, reads: Reads, to: dict[int, int] | None = None) -> None:
    """What a call has read outside itself its caller has read, unless it was the caller's own.

    Args:
        to: the objects that stand for those that were read, where they are not themselves.
    """
    to = to or {}
    names = caller.reads.names
    for key, value in reads.names.items():
        if key[0] is not caller and key not in names:
            names[key] = value
    objects, entry_heap = caller.reads.objects, caller.entry_heap
    for old in reads.objects:
        ref = to.get(old, old)
        if ref in entry_heap and ref not in objects and ref not in caller.reads.made_anew:
            objects[ref] = entry_heap[ref]
    for old in reads.built:
        ref = to.get(old, old)
        caller.reads.built.setdefault(ref, ref in entry_heap)
    caller.reads.made_anew.update(to.get(ref, ref) for ref in reads.made_anew)
    caller.reads.cut |= reads.cut
    caller.reads.cut_off |= reads.cut_off
