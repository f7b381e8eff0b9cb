"""Where a meeting is told: at the operation, or at the call of the file at hand that led there."""

from __future__ import annotations

import ast

from torchdev_lint.placement.defects.modules import OF_WHOLE
from torchdev_lint.placement.domain.frame import innermost_of
from torchdev_lint.placement.domain.origins import Entry, Origin, OriginKind, Site
from torchdev_lint.placement.domain.values import Instance
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import short


def at_entry(run: Run, meeting: Meeting) -> Meeting:
    """Have a value meet a model where it is called with it, not in the depths of its code.

    What another file has handed back to code of the file at hand meets where it went there.
    """
    assert meeting.host is not None
    entered = meeting.host.entered
    if entered is None or meeting.origin.in_forward:
        return meeting
    if entered.across:
        return meeting if run.is_elsewhere else _brought_to(meeting, entered)
    if not entered.module and meeting.module_call:
        return meeting
    call = entered.call
    partner = call.func if entered.module else meeting.partner_node
    return replace(
        meeting,
        operation=short(call.func),
        node=call,
        host_node=entered.argument,
        partner_text=short(partner),
        partner_node=partner,
        module_call=entered.module,
        scope=entered.scope,
        in_forward=False,
    )


def note_meeting(run: Run, meeting: Meeting, node: ast.AST) -> bool:
    """Note a meeting; one in another file is said to happen at the call that leads there.

    What has come there in some other way, kept by an object for example, is told where it is made.

    Args:
        node: the operation's expression, in the code at hand.

    Returns:
        Whether it was noted, or was known.
    """
    is_of_whole = meeting.origin.kind in OF_WHOLE and run.applied is not None
    if not run.is_elsewhere or is_of_whole:
        return run.note(meeting)
    elsewhere = run.site(run.frame.file, node)
    entered = None if meeting.host is None else meeting.host.entered
    if entered is None and _is_within_call(run, meeting.origin):
        return run.note(_within_call(run, meeting, elsewhere))
    if entered is None:
        made = meeting.origin.node
        there = replace(meeting, node=made, host_node=made, partner_node=made)
        return run.note(replace(there, scope=meeting.origin.scope, elsewhere=elsewhere))
    there = replace(_brought_to(meeting, entered), elsewhere=elsewhere)
    if meeting.module_call and _is_call_of_model(run, entered.call):
        return run.note(replace(there, at_model=True, partner_text=short(entered.call.func)))
    return run.note(there)


def _is_within_call(run: Run, origin: Origin) -> bool:
    """Whether a call in progress that leads to another file has moved something to the CPU there.

    What it gives is said to be moved by the call itself.
    """
    is_brought = origin.kind is OriginKind.BROUGHT and not origin.by_default
    return is_brought and run.crossing is not None and origin.file is not run.main


def _within_call(run: Run, meeting: Meeting, elsewhere: Site) -> Meeting:
    """A meeting within a call that leads to another file, of what that has moved to the CPU."""
    assert run.crossing is not None
    call, caller = run.crossing, innermost_of(run.frames, run.main)
    origin = meeting.origin
    moved = run.site(origin.file, origin.node)
    origin = replace(origin, node=call, file=run.main, scope=caller.scope, elsewhere=moved)
    there = replace(meeting, node=call, origin=origin, partner_node=call.func, scope=caller.scope)
    return replace(there, in_forward=caller.in_forward, elsewhere=elsewhere)


def _is_call_of_model(run: Run, call: ast.Call) -> bool:
    """Whether a call in progress is that of a module, and not of a function or method."""
    frame = next((frame for frame in run.frames if frame.site is call), None)
    bound = None if frame is None else frame.bound
    if frame is None or not isinstance(bound, Instance) or not run.obj(bound).module:
        return False
    return getattr(frame.node, "name", "") in ("forward", "__call__")


def _brought_to(meeting: Meeting, entered: Entry) -> Meeting:
    """A meeting as one at the call that takes a value to another file."""
    call, argument = entered.call, entered.argument
    there = replace(meeting, node=call, host_node=argument, partner_node=call.func)
    return replace(there, scope=entered.scope, in_forward=False)
