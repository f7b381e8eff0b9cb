"""Keeping the result of a move that is thrown away."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.methods import KEPT_BY_ASSIGNMENT
from torchdev_lint.change import Applicability, Change, Fix, Insert, Replace, applicability
from torchdev_lint.fixes.attributes import is_closed, is_open
from torchdev_lint.fixes.displays import display_of
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.values import Tensor, alternatives
from torchdev_lint.placement.facts.events import Discard
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.names import last_component, names_in, path_of
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax, is_path
from torchdev_lint.syntax.walking import walk

_LEAVES_TORCH = frozenset({"numpy", "tolist", "item"})
"""Methods of tensors that give no tensor."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp)


def kept(facts: Facts, discard: Discard) -> Fix | None:
    """Return the fix that assigns the result to what was to be moved, None if nothing fits."""
    statement = facts.syntax.statement(discard.node)
    if not isinstance(statement, ast.Expr):
        return None
    value = statement.value
    if value is discard.node:
        return _kept_statement(facts, discard, statement)
    if isinstance(value, _COMPREHENSIONS) and value.elt is discard.node:
        return _rebuilt(facts, discard, statement, value.generators)
    if isinstance(value, ast.IfExp) and value.body is discard.node:
        return _kept_conditionally(facts, discard, statement, value)
    if isinstance(value, ast.BoolOp) and value.values[-1] is discard.node:
        return _kept_after_and(facts, discard, statement, value)
    return None


def _kept_statement(facts: Facts, discard: Discard, statement: ast.Expr) -> Fix | None:
    loop = _loop_over(facts, statement, discard.target)
    if loop is not None:
        if loop.body == [statement] and not loop.orelse:
            return _rebuilt_from_loop(facts, discard, loop)
        if not _is_used_later(facts, discard.target, statement, loop):
            return None
    return _assigned(facts, discard, statement)


def _assigned(facts: Facts, discard: Discard, statement: ast.Expr) -> Fix | None:
    target = _moved_value(discard.target)
    if target is None:
        return None
    sureness = _applicability(facts, discard, target, statement)
    if sureness is None:
        return None
    name = facts.text(target)
    span = facts.span(statement)
    change = Insert(span.line, span.column, f"{name} = ")
    if _is_trained(discard):
        # An optimizer takes leaves only, and the copy that a move makes is none.
        leaf = Insert(span.end_line, span.end_column, ".detach().requires_grad_()")
        return Fix(f"Assign the result to `{name}`, as a leaf", "unsafe", (change, leaf))
    return Fix(f"Assign the result to `{name}`", sureness, (change,))


def _moved_value(target: ast.expr) -> ast.expr | None:
    """What a chain of moves and casts begins with, None if that can't be assigned to.

    What another method gives is another value, which has no name.
    """
    while isinstance(target, ast.Call) and isinstance(target.func, ast.Attribute):
        if target.func.attr not in KEPT_BY_ASSIGNMENT:
            return None
        target = target.func.value
    return target if is_path(target) else None


def _is_trained(discard: Discard) -> bool:
    """Whether the tensor was made with `requires_grad=True`."""
    nodes = [option.origin.node for option in alternatives(discard.receiver)
             if isinstance(option, Tensor) and option.origin is not None]  # fmt: skip
    return any(
        keyword.arg == "requires_grad"
        for node in nodes
        if isinstance(node, ast.Call)
        for keyword in node.keywords
    )


def _can_rebind(facts: Facts, target: ast.expr, statement: ast.stmt) -> bool:
    """Whether what a statement assigns to a target is what is read there."""
    if isinstance(target, ast.Name):
        return facts.syntax.is_own(target.id, statement)
    return is_path(target)


def _applicability(
    facts: Facts, discard: Discard, target: ast.expr, statement: ast.stmt
) -> Applicability | None:
    """How sure it is that a statement can assign to the target; None: it can't.

    Only a mere move gives back the very tensor where it stays on the CPU.
    """
    if "\n" in facts.text(target) or not _can_rebind(facts, target, statement):
        return None
    options = alternatives(discard.receiver)
    if any(isinstance(option, Tensor) and option.registered for option in options):
        return None  # a parameter or buffer moves with its module
    holders = alternatives(discard.holder)
    sure = not discard.copied and _is_mere_move(facts, discard) and target is discard.target
    sure &= facts.syntax.scope(statement) not in facts.derived(_bringing_to_host)
    if isinstance(target, ast.Attribute):
        if any(is_closed(holder, target.attr) for holder in holders):
            return None
        sure &= all(is_open(facts, holder, target.attr) for holder in holders)
    if isinstance(target, ast.Subscript):
        if any(isinstance(holder, Tensor) for holder in holders):
            return None  # it would be copied back to where it was
        sequences = [holder for holder in holders if isinstance(holder, Sequence)]
        if any(sequence.kind is not SequenceKind.LIST for sequence in sequences):
            return None
        sure &= all(isinstance(holder, (Sequence, Mapping)) for holder in holders)
    return applicability(sure and facts.derived(Proof).reads_plainly(target))


def _bringing_to_host(syntax: Syntax) -> set[ast.AST]:
    """The functions that bring tensors to the CPU, which may meet there what was left there.

    What goes on to be an array, a list or a number meets no tensor. What a function in another does
    counts for that one as well.
    """
    found: set[ast.AST] = set()
    for node in walk(syntax.tree):
        if isinstance(node, ast.Call) and last_component(node.func) == "cpu":
            taker = syntax.parent(node)
            if isinstance(taker, ast.Attribute) and taker.attr in _LEAVES_TORCH:
                continue
            for part in syntax.around(node):
                if part in found:
                    break
                if isinstance(part, (ast.Module, ast.ClassDef, ast.Lambda, *FUNCTIONS)):
                    found.add(part)
    return found


def _is_mere_move(facts: Facts, discard: Discard) -> bool:
    assert isinstance(discard.node, ast.Call)
    return facts.derived(Proof).only_moves(discard.node)


def _loop_over(facts: Facts, statement: ast.stmt, target: ast.expr) -> ast.For | None:
    """The innermost loop around a statement that binds the target anew in each round."""
    if not isinstance(target, ast.Name):
        return None
    for around in facts.syntax.around(statement):
        if isinstance(around, (ast.ClassDef, *FUNCTIONS)):
            break
        if isinstance(around, ast.For) and target.id in names_in(around.target):
            return around
    return None


def _is_used_later(facts: Facts, target: ast.expr, statement: ast.stmt, loop: ast.For) -> bool:
    """Whether what comes behind a statement in a round of a loop, or again in it, names the target.

    What stands in other branches of a condition does not come behind it.
    """
    assert isinstance(target, ast.Name)

    def count(node: ast.AST) -> int:
        return len(facts.syntax.named(target.id, node))

    inner: ast.AST = statement
    for outer in facts.syntax.around(statement):
        blocks = (getattr(outer, "body", []), getattr(outer, "orelse", []))
        block = next((block for block in blocks if inner in block), [])
        if any(map(count, block[block.index(inner) + 1 :] if block else ())):
            return True
        if outer is loop:
            break
        if not isinstance(outer, ast.If) and count(outer) > count(statement):
            return True
        inner = outer
    return False


def _rebuilt_from_loop(facts: Facts, discard: Discard, loop: ast.For) -> Fix | None:
    """`for t in batch: t.to(device)` becomes the container built anew."""
    match loop:
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(id=key), _]),
            iter=ast.Call(func=ast.Attribute(value=holder, attr="items")),
        ) if is_path(holder):
            span, item = facts.span(loop.body[0]), f"{facts.text(holder)}[{key}]"
            change = Insert(span.line, span.column, f"{item} = ")
            return Fix(f"Assign the result to `{item}`", "unsafe", (change,))
    generator = ast.comprehension(loop.target, loop.iter, [], 0)
    text = _comprehension(facts, discard, generator, loop)
    if text is None or _is_read_outside(facts, loop) or "#" in facts.text(loop):
        return None
    return Fix("Build the container anew", "unsafe", (Replace(facts.span(loop), text),))


def _is_read_outside(facts: Facts, loop: ast.For) -> bool:
    """Whether a loop's variable is read behind it, where that of a comprehension is gone."""
    assert isinstance(loop.target, ast.Name)
    reads = facts.derived(Proof).mentions.reads(loop.target.id)
    return any(loop not in facts.syntax.around(read) for read in reads)


def _rebuilt(
    facts: Facts, discard: Discard, statement: ast.Expr, generators: list[ast.comprehension]
) -> Fix | None:
    if len(generators) != 1 or generators[0].ifs or isinstance(statement.value, ast.SetComp):
        return None
    text = _comprehension(facts, discard, generators[0], statement)
    if text is None:
        return None
    return Fix("Build the container anew", "unsafe", (Replace(facts.span(statement), text),))


def _comprehension(
    facts: Facts, discard: Discard, generator: ast.comprehension, statement: ast.stmt
) -> str | None:
    """The assignment that builds a container of the same type anew."""
    if not isinstance(generator.target, ast.Name) or path_of(discard.target) != generator.target.id:
        return None
    name, move = generator.target.id, facts.text(discard.node)
    source: ast.expr = generator.iter
    over_values = False
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute):
        if source.func.attr == "values" and not source.args:
            source, over_values = source.func.value, True
    if not _can_rebind(facts, source, statement):
        return None
    kind = facts.derived(Proof).tensors.container(source, statement)
    display = display_of(facts, kind, statement)
    if (kind == "dict") != over_values or display is None:
        return None
    text, key = facts.text(source), "k" if name != "k" else "key"
    return f"{text} = " + display.format(move=move, name=name, text=text, key=key)


def _kept_conditionally(
    facts: Facts, discard: Discard, statement: ast.Expr, value: ast.IfExp
) -> Fix | None:
    """`x.cuda() if use_cuda else None` becomes `x = x.cuda() if use_cuda else x`."""
    name = facts.text(discard.target)
    other = value.orelse
    same = path_of(other) is not None and path_of(other) == path_of(discard.target)
    if not same and not (isinstance(other, ast.Constant) and other.value is None):
        return None
    sureness = _applicability(facts, discard, discard.target, statement)
    if sureness is None:
        return None
    span = facts.span(statement)
    changes: tuple[Change, ...] = (Insert(span.line, span.column, f"{name} = "),)
    if not same:
        changes += (Replace(facts.span(other), name),)
    return Fix(f"Assign the result to `{name}`", sureness, changes)


def _kept_after_and(
    facts: Facts, discard: Discard, statement: ast.Expr, value: ast.BoolOp
) -> Fix | None:
    """`use_cuda and x.cuda()` becomes `x = x.cuda() if use_cuda else x`."""
    name = facts.text(discard.target)
    sureness = _applicability(facts, discard, discard.target, statement)
    if sureness is None or len(value.values) != 2:
        return None
    text = f"{name} = {facts.text(discard.node)} if {facts.text(value.values[0])} else {name}"
    if not isinstance(value.op, ast.And) or "\n" in text:
        return None
    change = Replace(facts.span(statement), text)
    return Fix(f"Assign the result to `{name}`", sureness, (change,))
