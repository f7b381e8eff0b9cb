"""Registering a tensor that a module keeps as a plain attribute."""

from __future__ import annotations

import ast

from torchdev_lint.change import Change, Fix, InsertStatement, Replace, applicability
from torchdev_lint.placement.domain.origins import Holder
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.buffers import Buffers
from torchdev_lint.proof.building import set_up_at
from torchdev_lint.proof.proof import Proof
from torchdev_lint.proof.setters import Setters
from torchdev_lint.source.annotated import annotation_of
from torchdev_lint.syntax.made_up import is_family
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.private import is_private
from torchdev_lint.syntax.walking import walk


def registered(facts: Facts, holder: Holder, saved: bool) -> Fix | None:
    """Return the fix that makes a buffer of an attribute, None if that is not assigned as such.

    Args:
        saved: whether the buffer is saved; if not, state dicts that exist fit as before.
    """
    if is_family(holder.attribute):
        return _all_registered(facts, holder, saved)
    statement = assignment_of(facts, holder)
    if not isinstance(statement, ast.Assign) or holder.inside or len(statement.targets) != 1:
        return None
    if is_private(holder.attribute):
        return None  # as a text it is the name of another attribute
    stores = facts.derived(Proof).mentions.stores_in(holder.attribute, holder.cls)
    in_class = [store for store in stores if not _takes_buffer(facts, store)]
    if len(in_class) != 1 or statement.targets[0] not in in_class:
        return None  # a plain attribute of the name is in the way of a buffer
    target, note = statement.targets[0], annotation_of(statement)
    assert isinstance(target, ast.Attribute)
    text, owner, span = facts.text(statement), facts.text(target.value), facts.span(statement)
    declared = text[: len(facts.text(target))]
    if note is not None:
        declared = text[: text.index(facts.text(note), len(declared)) + len(facts.text(note))]
    rest = text[len(declared) :].lstrip()
    if not rest.startswith("="):
        return None  # the annotation is in parentheses, or goes on
    value = rest.removeprefix("=").strip()
    how = "" if saved else ", persistent=False"
    call = Replace(span, f'{owner}.register_buffer("{target.attr}", {value}{how})')
    sure = not saved and _is_certain(facts, holder, statement) and facts.concluded(_may_be_buffers)
    message = f"Register `{owner}.{target.attr}` as a buffer"
    edits: tuple[Change, ...] = (call,)
    if note is not None:
        edits = (InsertStatement(span, declared), call)
    return Fix(message, applicability(sure), edits)


def _all_registered(facts: Facts, holder: Holder, saved: bool) -> Fix | None:
    """Return the fix that makes buffers of attributes that are set by a name that is made up."""
    for owner in facts.derived(Setters).of(holder.attribute, holder.cls):
        call, method = facts.syntax.parent(owner), facts.syntax.method(owner)
        if method is None or method[1] is not holder.cls or not isinstance(call, ast.Call):
            continue
        span, texts = facts.span(call), [facts.text(argument) for argument in call.args]
        if len(texts) == 3 and call.args[0] is owner and span.line == span.end_line:
            how = "" if saved else ", persistent=False"
            written = f"{texts[0]}.register_buffer({texts[1]}, {texts[2]}{how})"
            return Fix("Register each as a buffer", "unsafe", (Replace(span, written),))
    return None


def assignment_of(facts: Facts, holder: Holder) -> ast.stmt | None:
    """Return the one statement of the class that assigns more than `None` to an attribute.

    What makes a parameter of it, on another path, doesn't count, nor what computes it anew.
    """
    stores = facts.derived(Proof).mentions.stores_in(holder.attribute, holder.cls)
    plain = (store for store in stores if not _takes_buffer(facts, store))
    found = [statement for statement in map(facts.syntax.statement, plain) if statement]
    only = [statement for statement in found if not _assigns_none(statement)]
    return only[0] if len(only) == 1 else None


def _takes_buffer(facts: Facts, store: ast.Attribute) -> bool:
    """Whether an attribute that is a buffer may be set there.

    It is given a parameter, on another path, or what is computed of it: `self.x = self.x.half()`.
    """
    value = getattr(facts.syntax.statement(store), "value", None)
    return value is not None and any(
        (isinstance(part, ast.Call) and last_component(part.func) == "Parameter")
        or (isinstance(part, ast.Attribute) and part.attr == store.attr)
        for part in walk(value)
    )


def _assigns_none(statement: ast.stmt) -> bool:
    value = getattr(statement, "value", None)
    return isinstance(value, ast.Constant) and value.value is None


def _may_be_buffers(facts: Facts) -> bool:
    """Whether nothing in the file tells buffers from plain attributes."""
    return Buffers(facts.syntax, facts.derived(Proof)).are_as_good_as_attributes()


def _is_certain(facts: Facts, holder: Holder, statement: ast.Assign) -> bool:
    """Whether the attribute is a tensor for certain, and the module is one that takes a buffer."""
    proof, owner = facts.derived(Proof), holder.cls
    method = facts.syntax.method(statement)
    assert owner is not None
    assert method is not None
    target = statement.targets[0]
    assert isinstance(target, ast.Attribute)
    is_once = proof.modules.part_of(owner, target.attr) is statement.value
    body = method[0].body
    is_set_up = statement in body and set_up_at(method[0]) < body.index(statement)
    is_plain = proof.modules.is_plain_module(owner)
    return is_once and is_set_up and is_plain and proof.tensors.is_tensor(statement.value)
