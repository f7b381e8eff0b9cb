"""What functions give back that is on the host on one path, and elsewhere on others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.finding import Finding
from torchdev_lint.fixes.new_tensors import made_in_view
from torchdev_lint.placement.facts.events import MixedReturn
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.meetings import Meeting
from torchdev_lint.rules.base import Rule
from torchdev_lint.rules.callers import Callers
from torchdev_lint.rules.describe import maker
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS, root_name
from torchdev_lint.syntax.walking import walk

_OF_DATA = frozenset("shape size numel nelement any all sum count_nonzero item max min".split())
"""Attributes and methods by which code asks how large tensors are, or for what they hold."""


def mixed_returns(rule: Rule, facts: Facts, on_device: bool) -> Iterator[Finding]:
    """Yield a finding for each tensor on the CPU that is given back where others aren't there.

    One that meets something as well is told for that.

    Args:
        rule: the rule that reports it.
        facts: what is known of the file.
        on_device: whether it is asked for what is called for a model, or for all other functions.
    """
    for mixed in facts.of(MixedReturn):
        if mixed.on_device is not on_device or facts.find(Meeting, mixed.key) is not None:
            continue
        brought = facts.concluded(Callers).may_bring_device(mixed.given)
        if not brought or _is_known_beforehand(facts, mixed) or _stands_in(facts, mixed):
            continue
        yield _finding(rule, facts, mixed)


def _is_known_beforehand(facts: Facts, mixed: MixedReturn) -> bool:
    """Whether callers of a model can tell when it gives a stand-in, and leave it alone then.

    They know its settings and what they call it with, not what the tensors hold, or how many. What
    another method has made is a state, of which they may know as well.
    """
    if not mixed.on_device:
        return False
    made = mixed.origin.node
    around = set(facts.syntax.around(made))
    if mixed.given not in around:
        return True
    nodes = walk(facts.syntax.scope(made))
    choices = (node for node in nodes if isinstance(node, (ast.If, ast.IfExp)))
    return not any(
        _asks_data(node.test) and (node in around or _has_left(node, made)) for node in choices
    )


def _has_left(node: ast.If | ast.IfExp, made: ast.AST) -> bool:
    """Whether a statement that comes before something may have returned."""
    is_before = isinstance(node, ast.If) and node.lineno < getattr(made, "lineno", 0)
    return is_before and any(isinstance(part, ast.Return) for part in walk(node))


def _asks_data(test: ast.expr) -> bool:
    """Whether a condition asks how large a tensor is, or for what is in it."""
    for part in walk(test):
        if isinstance(part, ast.Attribute) and part.attr in _OF_DATA:
            if root_name(part) != "self":
                return True
        elif isinstance(part, ast.Call) and last_component(part.func) == "len":
            return True
    return False


def _stands_in(facts: Facts, mixed: MixedReturn) -> bool:
    """Whether a tensor is made in place of an argument, which might be on the CPU as well."""
    statement = facts.syntax.statement(mixed.origin.node)
    if not isinstance(statement, ast.Assign) or not isinstance(mixed.given, FUNCTIONS):
        return False
    parameters = {parameter.arg for parameter in parameters_of(mixed.given)}
    return any(isinstance(t, ast.Name) and t.id in parameters for t in statement.targets)


def _finding(rule: Rule, facts: Facts, mixed: MixedReturn) -> Finding:
    origin = mixed.origin
    name = getattr(mixed.given, "name", "lambda")
    where = "the model's" if mixed.on_device else "the caller's"
    return Finding(
        rule.code,
        rule.name,
        f"{maker(origin)} makes a tensor on the CPU, which `{name}` returns; other paths "
        f"return one on {where} device",
        facts.span(origin.node),
        (),
        origin.scope,
        fix=made_in_view(facts, origin, not mixed.on_device) if facts.fixable else None,
        assumes=origin.scope.partition(".")[0],
        given=not mixed.on_device,
    )
