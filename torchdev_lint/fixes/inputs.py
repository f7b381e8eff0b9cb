"""Moving what a model is called with: batches of a loader, and tensors made on the CPU."""

from __future__ import annotations

import ast
from bisect import bisect_left

from torchdev_lint.catalog.methods import MOVES_TO_DEVICE
from torchdev_lint.change import Fix, InsertStatement, Replace, Stated, applicability, in_turn
from torchdev_lint.fixes.copies import moved_copy
from torchdev_lint.fixes.devices import device_in_view
from torchdev_lint.fixes.new_tensors import call_to_move, made_on, moved_to
from torchdev_lint.fixes.readings import Readings
from torchdev_lint.fixes.structures import is_joined, is_taken_apart
from torchdev_lint.fixes.styles import device_of, move_for
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.bindings import position
from torchdev_lint.syntax.names import dotted, path_of, text_of
from torchdev_lint.syntax.scopes import root_name

_MOST_BINDINGS = 32
"""How many bindings of a variable are asked whether it is bound there, those right before first."""


def moved_batch(facts: Facts, meeting: Meeting) -> Fix | None:
    """Return the fix that moves a part of a batch where it enters, None if no idiom is certain."""
    host = meeting.host_node
    if not isinstance(host, ast.expr) or facts.syntax.in_string(host) or meeting.within:
        return None
    moved = moved_copy(facts, host)
    if moved is not None:
        change = Replace(facts.span(host), moved.text)
        return Fix(f"Use `{moved.text}`", moved.applicability, (change,))
    part = _part(facts, meeting, host)
    whole = _is_spread(facts, part) or _is_structure(meeting, host)
    here = None if whole else _moved_argument(facts, meeting, part)
    if isinstance(part, ast.Name) or (
        _has_text_key(part) and facts.concluded(Readings).are_many(part)
    ):
        return in_turn(_moved_name(facts, meeting, part, whole), here)
    return here


def moved_input(facts: Facts, meeting: Meeting) -> Fix | None:
    """Return the fix that makes an input on the device, else moves it before its first use."""
    made, host = meeting.origin.node, meeting.host_node
    model = _model_called(meeting)
    if not isinstance(host, ast.expr) or facts.syntax.in_string(host):
        return None
    later = None if meeting.within else _moved_before_use(facts, meeting, host, model)
    if not isinstance(made, ast.Call) or _stays_on_host(facts, made) or _is_part(meeting):
        return later
    last, fix = call_to_move(facts, made, meeting.origin), None
    if last is None:
        return later
    near = device_in_view(facts, made, meeting.partner_node) if meeting.origin.in_forward else None
    if near is not None and _is_of_encoded(made, meeting.origin, near):
        near = None
    if near is not None:
        fix = moved_to(facts, last, Stated(f".to({near.text})", near.proven))
    elif meeting.origin.kind is OriginKind.FACTORY:
        device = device_of(facts, model, made)
        if device is not None and not facts.syntax.in_string(made):
            fix = made_on(facts, made, meeting.origin, device)
    if fix is None and (move := move_for(facts, model, made)) is not None:
        fix = moved_to(facts, last, move.expression())
    return in_turn(fix, later)


def _is_of_encoded(made: ast.Call, origin: Origin, device: Stated) -> bool:
    """Whether a device is asked of what was encoded: text, or a signal of which arrays are made."""
    owner = device.text.removesuffix(".device")
    return origin.kind is OriginKind.ENCODING and any(path_of(a) == owner for a in made.args)


def _is_part(meeting: Meeting) -> bool:
    """Whether it is a part of what was made, as of what `torch.load` gave: that has no `.to()`."""
    origin = meeting.origin
    is_of_structure = origin.kind is OriginKind.FACTORY and origin.key is not None
    return origin.kind is OriginKind.CHECKPOINT or is_of_structure


def _moved_before_use(
    facts: Facts, meeting: Meeting, host: ast.expr, model: ast.AST | None
) -> Fix | None:
    move = move_for(facts, model, host)
    if move is None or (isinstance(host, ast.Name) and is_taken_apart(facts, host)):
        return None
    statement = facts.syntax.statement(host)
    if (
        isinstance(host, ast.Name)
        and isinstance(statement, (ast.Assign, ast.Expr))
        and facts.syntax.is_own(host.id, statement)
        and facts.concluded(Readings).are_many(host)
    ):
        text, under = move.statement(host.id)
        change = InsertStatement(facts.span(statement), text, under=under)
        is_used = facts.derived(Proof).failures.may_come_before(statement, host)
        message = f"Move `{host.id}` to the device before it is used"
        return in_turn(
            Fix(message, applicability(move.proven and is_used), (change,)),
            moved_to(facts, host, move.expression()),
        )
    return moved_to(facts, host, move.expression())


def _part(facts: Facts, meeting: Meeting, host: ast.expr) -> ast.expr:
    """The name or item that brings the unmoved value into the function that uses it."""
    origin = meeting.origin
    paths = [node for node in ast.walk(host) if isinstance(node, ast.expr) and path_of(node)]
    for node in paths:
        if text_of(node) == origin.label:
            return _item(facts, node) if origin.whole is None and origin.key else node
    if isinstance(host, ast.Name):
        return _named_by_loop(facts, host, origin.label) or host
    return host if path_of(host) else next((n for n in paths if isinstance(n, ast.Name)), host)


def _item(facts: Facts, node: ast.expr) -> ast.expr:
    """`batch[0]`, where the batch is known to be a sequence."""
    parent = facts.syntax.parent(node)
    return parent if isinstance(parent, ast.Subscript) and path_of(parent) else node


def _named_by_loop(facts: Facts, host: ast.Name, label: str) -> ast.Name | None:
    """The loop variable that a batch came from under another name."""
    for loop in facts.syntax.around(host):
        if isinstance(loop, (ast.For, ast.AsyncFor)):
            for node in ast.walk(loop.target):
                if isinstance(node, ast.Name) and node.id == label != host.id:
                    return None if is_taken_apart(facts, node) else node
    return None


def _is_structure(meeting: Meeting, host: ast.expr) -> bool:
    """Whether the model is called with the whole batch, and takes it apart itself."""
    origin = meeting.origin
    if origin.whole is None or not path_of(host) or text_of(host) == origin.label:
        return False
    return origin.whole.label in {text_of(host), "the batch"}


def _is_spread(facts: Facts, node: ast.expr) -> bool:
    """Whether it is `batch` in `model(**batch)` or `model(*batch)`."""
    parent = facts.syntax.parent(node)
    return isinstance(parent, ast.Starred) or (
        isinstance(parent, ast.keyword) and parent.arg is None
    )


def _moved_name(facts: Facts, meeting: Meeting, part: ast.expr, whole: bool) -> Fix | None:
    """Insert `images = images.to(device)` right behind where `images` is bound."""
    root = root_name(part)
    if root is None or facts.concluded(Readings).are_on_host(root, part):
        return None
    place = _after_binding(facts, root, part)
    if place is None:
        return None
    anchor, after = place
    model = _model_called(meeting)
    move = move_for(facts, model, anchor)
    if move is None:
        return None
    name = facts.text(part)
    (text, under), sure = move.statement(name), move.proven
    sure = sure and _is_moved_in_any_case(facts, anchor, part, meeting)
    if whole:
        rebuilt = _rebuilt(facts, meeting, part, move.text)
        if rebuilt is None:
            return None
        text, sure = rebuilt, False
    elif isinstance(part, ast.Name) and is_joined(facts, part):
        text, sure = f"{name} = [t{move.text} for t in {name}]", False
    elif isinstance(part, ast.Name) and is_taken_apart(facts, part, meeting.partner_node):
        return None
    if under and (last := _last_under(facts, under, anchor, after, part)) is not None:
        anchor, after, under = last, True, ""
    change = InsertStatement(facts.span(anchor), text, after, under)
    return Fix(f"Move `{name}` to the device", "safe" if sure else "unsafe", (change,))


def _is_moved_in_any_case(facts: Facts, anchor: ast.stmt, part: ast.expr, meeting: Meeting) -> bool:
    """Whether a part of a batch that is moved beside a statement is then used as a tensor."""
    proof, use, root = facts.derived(Proof), meeting.host_node, root_name(part)
    assert isinstance(use, ast.expr) and root is not None
    return (
        proof.failures.may_come_before(anchor, use)
        and not proof.bindings.may_change(root, part, use)
        and proof.tensors.is_view(use, part)
        and proof.is_tensor_where_used(use)
        and (
            not isinstance(part, ast.Subscript)
            or proof.tensors.container(part.value, anchor) in {"dict", "list"}
        )
    )


def _rebuilt(facts: Facts, meeting: Meeting, part: ast.expr, move: str) -> str | None:
    """The whole batch, moved part by part."""
    name = facts.text(part)
    parent = facts.syntax.parent(part)
    key = meeting.origin.key
    key = key[1] if isinstance(key, tuple) else None
    if isinstance(parent, ast.keyword) or isinstance(key, str):
        return f"{name} = {{k: v{move} for k, v in {name}.items()}}"
    if isinstance(parent, ast.Starred) or isinstance(key, int):
        return f"{name} = [t{move} for t in {name}]"
    return None


def _after_binding(facts: Facts, name: str, node: ast.AST) -> tuple[ast.stmt, bool] | None:
    """The statement next to which a variable of a batch has just been bound, and on which side."""
    syntax = facts.syntax
    scope = syntax.scope(node)
    bindings = syntax.bindings(name, scope)
    statement = syntax.statement(node)
    for part in (statement, *syntax.around(statement)) if statement is not None else ():
        if part is scope:
            break
        if isinstance(part, (ast.For, ast.AsyncFor)) and _holds(part.target, bindings):
            return _top_of(part)
        found = _binding_before(facts, part, bindings)
        if found is not None:
            return found, True
    return None


def _last_under(
    facts: Facts, under: str, anchor: ast.stmt, after: bool, part: ast.expr
) -> ast.stmt | None:
    """The last statement under the same condition, if that is tested right at the place."""
    following: ast.AST | None = anchor
    if after:
        body = facts.syntax.block(anchor)
        following = next(iter(body[body.index(anchor) + 1 :]), None)
    if (
        isinstance(following, ast.If)
        and not following.orelse
        and f"if {facts.text(following.test)}:" == under
        and following not in facts.syntax.around(part)
    ):
        return following.body[-1]
    return None


def _binding_before(
    facts: Facts, part: ast.AST | None, bindings: list[ast.Name]
) -> ast.stmt | None:
    """The last statement in the same block before a part that binds one of the names.

    Args:
        part: the part.
        bindings: where the names are bound, in the order of the text.
    """
    body = facts.syntax.block(part)
    if part is None or not body:
        return None
    end = bisect_left(bindings, position(part), key=position)
    for binding in reversed(bindings[max(end - _MOST_BINDINGS, 0) : end]):
        statement = facts.syntax.statement(binding)
        if isinstance(statement, ast.Assign) and facts.syntax.block(statement) is body:
            return statement
    return None


def _holds(node: ast.AST, bindings: list[ast.Name]) -> bool:
    """Whether any of some names is a part of a node."""
    return not set(ast.walk(node)).isdisjoint(bindings)


def _top_of(loop: ast.For | ast.AsyncFor) -> tuple[ast.stmt, bool]:
    """Where a loop's body begins, behind what it moves already."""
    last = None
    for statement in loop.body:
        value = getattr(statement, "value", None)
        if not (
            isinstance(statement, ast.Assign)
            and isinstance(value, ast.Call)
            and isinstance(value.func, ast.Attribute)
            and value.func.attr in MOVES_TO_DEVICE
        ):
            break
        last = statement
    return (last, True) if last is not None else (loop.body[0], False)


def _model_called(meeting: Meeting) -> ast.AST | None:
    """The expression of the model, if one is called.

    Where another file leads to that, it is what goes by the same name in the call of its function.
    """
    if not meeting.module_call or not _is_led_elsewhere(meeting):
        return meeting.partner_node if meeting.module_call else None
    assert isinstance(meeting.node, ast.Call)
    given = (*meeting.node.args, *(keyword.value for keyword in meeting.node.keywords))
    return next((part for part in given if dotted(part) == meeting.partner_text), None)


def _is_led_elsewhere(meeting: Meeting) -> bool:
    """Whether the operation is the call of a function of another file, where a value meets one."""
    entered = None if meeting.host is None else meeting.host.entered
    return entered is not None and entered.across and entered.call is meeting.node


def _moved_argument(facts: Facts, meeting: Meeting, node: ast.expr) -> Fix | None:
    """Move a value right where it is used."""
    model = _model_called(meeting)
    found = move_for(facts, model, node)
    move = found.expression() if found is not None else None
    meets_tensor = not meeting.module_call and not _is_led_elsewhere(meeting)
    if (move is None or not move.proven) and meets_tensor and path_of(meeting.partner_node):
        partner = f"{facts.text(meeting.partner_node)}.device"
        proven = facts.derived(Proof).gives_device(partner, node)
        if proven or move is None:
            move = Stated(f".to({partner})", proven)
    if move is None or _is_spread(facts, node) or not isinstance(node.ctx, ast.Load):  # type: ignore[attr-defined]  # a path
        return None
    if isinstance(node, ast.Name) and is_taken_apart(facts, node, meeting.partner_node):
        return None
    proven = move.proven and facts.derived(Proof).is_tensor_where_used(node)
    return moved_to(facts, node, Stated(move.text, proven))


def _has_text_key(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, str)
    )


def _stays_on_host(facts: Facts, made: ast.Call) -> bool:
    """Whether what a factory makes is needed on the host as well."""
    statement = facts.syntax.statement(made)
    if not isinstance(statement, ast.Assign):
        return False
    readings = facts.concluded(Readings)
    names = (node for target in statement.targets for node in ast.walk(target))
    return any(
        readings.are_on_host(name.id, made)
        for name in names
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    )
