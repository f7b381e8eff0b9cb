"""Operations on several tensors: where two places meet."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.placement.defects.constants import is_replaced_elsewhere
from torchdev_lint.placement.defects.failing import outgrows
from torchdev_lint.placement.defects.hard_coded import find_named
from torchdev_lint.placement.defects.left_open import leave_to_users
from torchdev_lint.placement.defects.modules import (
    OF_WHOLE,
    is_of_module_at_hand,
    is_still_there,
    module_meeting,
)
from torchdev_lint.placement.defects.numbers import find_numbered
from torchdev_lint.placement.defects.stand_ins import is_joined
from torchdev_lint.placement.defects.telling import at_entry, note_meeting
from torchdev_lint.placement.defects.views import note_view
from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.containers import Sequence
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.policy import Policy
from torchdev_lint.placement.domain.values import (
    ARGUMENT,
    ITEM,
    Bundle,
    Place,
    Tensor,
    Unknown,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.host_files import knows_only_host
from torchdev_lint.placement.facts.events import FoundElsewhere, KeptOnHost, LeftToCallers
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.excluding import exclude_each_other
from torchdev_lint.syntax.names import short

_DEVICES = frozenset({Place.ACCELERATOR, Place.GIVEN})
_OWN_KINDS = frozenset({OriginKind.FACTORY, OriginKind.CONSTANT, OriginKind.MODULE})
"""What a function makes itself, or reads where it is kept."""


def expand(operands: list[Operand]) -> Iterator[Operand]:
    """Yield the operands, with lists of tensors replaced by what they hold."""
    for operand in operands:
        value = operand.value
        if not isinstance(value, Sequence):
            yield operand
        elif value.items is None and value.together:
            yield from (Operand(item, operand.node) for item in value.together)
        elif value.items is None:
            yield Operand(value.element, operand.node)
        else:
            nodes = element_nodes(operand.node, len(value.items))
            yield from expand([Operand(v, n) for v, n in zip(value.items, nodes, strict=True)])


def element_nodes(node: ast.AST, count: int) -> list[ast.AST]:
    """Return the expressions of a sequence's elements; the sequence's own where none is written."""
    if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) == count:
        return list(node.elts)
    return [node] * count


def place_of(value: Value) -> Place | None:
    """Where a value is, None for what is no tensor."""
    return value.place if isinstance(value, (Tensor, Bundle)) else None


def find_meeting(
    run: Run,
    name: str,
    node: ast.AST,
    operands: list[Operand],
    policy: Policy,
    in_place: bool = False,
    module: ast.expr | None = None,
) -> None:
    """Record it if a host operand certainly meets an accelerator operand, or what is given.

    One side must be unanimous: where both have alternatives, the same condition may have
    chosen both. The receiver of a method that is called for one of its alternatives after the
    other is not.

    Args:
        module: the expression of the module that is called, if the operation is the call of one
            that is on the accelerator, wherever other arguments are.
    """
    if run.moods.lasting:  # nothing would be noted
        return
    if run.supposing:
        _find_host(run, name, node, operands, policy, in_place, module)
        if module is None:
            _note_kept(run, operands)
            find_numbered(run, name, node, operands)
    else:
        find_named(run, name, node, operands, policy, module)


def _find_host(
    run: Run,
    name: str,
    node: ast.AST,
    operands: list[Operand],
    policy: Policy,
    in_place: bool,
    module: ast.expr | None,
) -> None:
    """Record it if an operand is on the host, and another one certainly is not."""
    for position, operand in enumerate(operands):
        options = alternatives(operand.value)
        for option in options:
            origin = _host_origin(option)
            if origin is None or not _counts(run, name, origin, operand):
                continue
            is_brought = origin.kind is OriginKind.BROUGHT
            if is_brought and not _was_brought_for_certain(run, operand):
                continue
            if module is not None and isinstance(option, Bundle) and option.supposed:
                continue
            target = in_place and position == 0
            outgrown = in_place and not target and outgrows(option, operands[0].value)
            if outgrown or (policy is not Policy.STRICT and may_be_number(option)):
                continue
            if not target and _may_mix(policy, option, operand, operands):
                _note_left_to_users(run, origin, operands)
                continue
            unanimous = len(options) > 1 or operand.among or is_brought
            others = [o for o in operands if not o.among] if unanimous else operands
            assert isinstance(option, (Tensor, Bundle))
            if module is not None:
                _record(run, name, node, option, origin, operand, module, module_call=True)
                continue
            partner = _partner(run, operand, others, unanimous, origin)
            if partner is not None:
                given = Place.ACCELERATOR not in places_of(partner)
                _record(run, name, node, option, origin, operand, partner.node, given=given)
                continue
            _note_left_open(run, node, others)
            _note_left_to_users(run, origin, others)


def _note_left_open(run: Run, node: ast.AST, operands: list[Operand]) -> None:
    """Note it if only those who call the function at hand may know what one of the operands is."""
    options = [option for operand in operands for option in alternatives(operand.value)]
    if any(isinstance(option, Unknown) and option in (ARGUMENT, ITEM) for option in options):
        run.note(LeftToCallers(node))


def _note_left_to_users(run: Run, origin: Origin, operands: list[Operand]) -> None:
    """Note it if what a file has made may meet what other files call its function with."""
    if origin.kind in _OWN_KINDS and origin.file is run.main:
        leave_to_users(run, [operand.value for operand in operands])


def leave_index_to_users(run: Run, base: Value, index: Value) -> None:
    """Note it if what a file has made may be indexed with what its function is called with."""
    origin = _host_origin(base)
    if origin is not None and run.supposing and not run.moods.lasting:
        _note_left_to_users(run, origin, [Operand(index, origin.node)])


def _note_kept(run: Run, operands: list[Operand]) -> None:
    """Note it if a function computes what it has brought to the CPU with what it was given.

    That is there as well, then, unless one of the two has no dimensions. What others bring there
    for it says nothing of what it knows of.
    """
    if run.frame.node is not run.entry or run.entry is None:
        return
    if not any(places_of(o) == {Place.GIVEN} for o in operands):
        return
    for operand in operands:
        options = alternatives(operand.value)
        by_itself = all(_is_brought_in(option, run.frame.scope) for option in options)
        if by_itself and _was_brought_for_certain(run, operand):
            run.note(KeptOnHost(run.entry))


def _is_brought_in(value: Value, scope: str) -> bool:
    """Whether a value that may have dimensions comes from a function."""
    origin = _host_origin(value)
    is_number = isinstance(value, Tensor) and value.scalar is True
    return not is_number and origin is not None and origin.scope == scope


def _host_origin(value: Value) -> Origin | None:
    if isinstance(value, (Tensor, Bundle)) and value.place is Place.HOST:
        return value.origin
    return None


def _counts(run: Run, name: str, origin: Origin, operand: Operand) -> bool:
    """Whether it matters where a host value is.

    What a module is made of moves with it, whoever has read it: it counts in the module's own code,
    and as long as that has not been moved.
    A tensor without elements counts where it is joined with others.
    """
    if origin.kind in OF_WHOLE:
        return is_of_module_at_hand(run, origin) or is_still_there(run, origin)
    return origin.count != 0 or is_joined(run, name, origin, operand)


def may_be_number(value: Value) -> bool:
    """Whether it is an entry of a checkpoint, which holds settings beside tensors."""
    if not isinstance(value, Bundle) or value.origin is None:
        return False
    return value.origin.whole is not None and value.origin.kind is OriginKind.CHECKPOINT


def _was_brought_for_certain(run: Run, operand: Operand) -> bool:
    """Whether the code at hand has moved a value to the CPU on every path that leads here.

    What an object keeps, or a variable of the module, may be another value by now, unless it is
    the module's own code that is run, with what it calls.
    """
    if operand.among:
        return False
    origins = [_host_origin(option) for option in alternatives(operand.value)]
    return all(
        origin is not None
        and origin.kind is OriginKind.BROUGHT
        and (run.entry is None or (origin.holder is None and bool(origin.scope)))
        for origin in origins
    )


def _may_mix(policy: Policy, option: Value, operand: Operand, others: list[Operand]) -> bool:
    """Whether a host value may be an operand beside accelerator values, being 0-dim."""
    if policy in (Policy.STRICT, Policy.CHECKED) or not _may_be_single(option):
        return False
    if policy is Policy.ELEMENTWISE:
        return True
    return all(
        not isinstance(other.value, Bundle)
        and not (isinstance(other.value, Tensor) and other.value.scalar is not True)
        for other in others
        if other is not operand
    )


def _may_be_single(value: Value) -> bool:
    """Whether a value may be a 0-dim tensor, or no tensor but a number."""
    return isinstance(value, (Tensor, Bundle)) and value.scalar is not False


def _partner(
    run: Run, operand: Operand, operands: list[Operand], unanimous: bool, origin: Origin
) -> Operand | None:
    """An operand that is on the accelerator, whatever another one is.

    Next best is one that is where the arguments are, in all cases: for what the function makes, or
    reads where it is kept.
    """
    given = None
    for other in operands:
        if other is operand:
            continue
        places = places_of(other)
        if _may_come_back(run, other, origin):
            continue
        if Place.ACCELERATOR in places and (not unanimous or places <= _DEVICES):
            return other
        if given is None and Place.GIVEN in places and origin.kind in _OWN_KINDS:
            certain = places if unanimous else _places_as_given(other)
            given = other if certain <= _DEVICES else None
    return given


def _places_as_given(operand: Operand) -> set[Place | None]:
    """Where an operand may be if it is what the function was given.

    Not where it is no tensor, or one that the function makes where it was given none.
    """
    given = (o for o in alternatives(operand.value) if not _is_stand_in(o))
    return {place_of(option) for option in given} - {None}


def _is_stand_in(value: Value) -> bool:
    """Whether a value is a tensor that the function itself makes on the host."""
    origin = _host_origin(value)
    return origin is not None and origin.kind is OriginKind.FACTORY


def _may_come_back(run: Run, operand: Operand, origin: Origin) -> bool:
    """Whether an operand is what a model out of sight gives, beside what other code makes for it.

    Most models give what is where they are; one that detects may well build it on the host, but
    not what a function computes gradients of, and not for the `forward` that it is a part of.
    """
    if origin.kind is not OriginKind.BROUGHT:
        holder = origin.holder
        is_kept = holder is not None and holder.leaves_behind and run.frame.in_forward
        if origin.in_forward or is_kept or origin.kind is not OriginKind.FACTORY:
            return False
    options = alternatives(operand.value)
    if not any(isinstance(option, Bundle) and not option.stays for option in options):
        return False
    return origin.kind is OriginKind.BROUGHT or not run.file.computes_gradients(run.frame.node)


def places_of(operand: Operand) -> set[Place | None]:
    """Return where an operand may be, None for what is no tensor."""
    return {place_of(option) for option in alternatives(operand.value)}


def _record(
    run: Run,
    name: str,
    node: ast.AST,
    host: Tensor | Bundle,
    origin: Origin,
    operand: Operand,
    partner: ast.AST,
    *,
    module_call: bool = False,
    given: bool = False,
) -> None:
    if given and (run.serves_host or knows_only_host(run.file.path)):
        return
    if origin.kind is OriginKind.CONSTANT and is_replaced_elsewhere(run, origin):
        return
    if origin.kind in OF_WHOLE:
        meeting = module_meeting(run, origin, node, partner, given)
        if not is_of_module_at_hand(run, origin):
            meeting = replace(meeting, host_node=operand.node, read_out=True)
        note_meeting(run, meeting, node)
        return
    is_kept = origin.holder is not None or origin.keeper is not None
    if not is_kept and exclude_each_other(run.facts.syntax, origin.node, node):
        return
    if given and run.applied is not None:
        return  # what a module is given that stays on the CPU has to be there as well
    meeting = Meeting(
        operation=name,
        node=node,
        host=host,
        origin=origin,
        host_node=operand.node,
        partner_text=short(partner),
        partner_node=partner,
        module_call=module_call,
        scope=run.frame.scope,
        in_forward=run.frame.in_forward,
        given=run.entry if given else None,
        within=operand.within,
    )
    if not given:
        _note_met_elsewhere(run, meeting)
    wants_view = origin.in_forward or origin.kind in _OWN_KINDS
    if note_meeting(run, at_entry(run, meeting), node) and wants_view and not run.is_elsewhere:
        note_view(run, node)


def _note_met_elsewhere(run: Run, meeting: Meeting) -> None:
    """Note what another file mixes that it has made itself: where it is linted, that is asked."""
    origin, file = meeting.origin, run.frame.file
    if file is run.main or origin.file is not file or origin.kind not in _OWN_KINDS:
        return
    if run.crossing is not None:
        run.note(FoundElsewhere(meeting, run.file.path, run.crossing))


def is_tensor_like(value: Value) -> bool:
    """Whether some alternative is a tensor or a structure of tensors."""
    return any(isinstance(option, (Tensor, Bundle)) for option in alternatives(value))
