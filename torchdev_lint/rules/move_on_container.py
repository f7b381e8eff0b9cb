"""TDL010: a list, tuple, set or dict is told to move, which has no method for that."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

from torchdev_lint.catalog.methods import MOVES, STRUCTURE_MEMBERS, TENSOR_MEMBERS
from torchdev_lint.finding import Finding
from torchdev_lint.fixes.elements import moved_elements
from torchdev_lint.placement.evidence.failures import NO_SUCH_METHOD, is_tried
from torchdev_lint.placement.facts.containers import ContainerMove
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.rules.base import Rule
from torchdev_lint.syntax.names import last_component, path_of, short
from torchdev_lint.syntax.scopes import Syntax
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.triggers import Trigger

_ASKING = frozenset({"hasattr", "getattr", "type", "callable", "isinstance", "is_tensor"})
"""Functions by which code asks what something is: who wrote it knows that it may be another."""
_OF_TENSORS = TENSOR_MEMBERS - MOVES - {*dir(list), *dir(dict), *dir(set)}
"""Attributes of tensors that no container has, nor what an operation gives several of."""


class MoveOnContainer(Rule):
    """`batch.to(device)` where `batch` is a list."""

    code = "TDL010"
    name = "move-on-container"
    summary = "A list, tuple, set or dict of tensors is moved, which has no `.to()` or `.cuda()`."
    reason = """\
Only tensors and modules can be moved, and structures of libraries that have a `.to()` of their own:
encodings, packed sequences, graphs, `TensorDict`, `ModuleList`. Python's own containers have none,
so `batch.to(device)` raises `AttributeError: 'list' object has no attribute 'to'`, on any device.

That goes also for what a `DataLoader` makes of samples that are tuples, which is a list; for the
tuples that an LSTM keeps its state in; and for those that `torch.sort`, `torch.topk`,
`tensor.max(dim)` or `tensor.split` give.

The elements have to be moved, one by one. Nothing is reported of what a function is given, as it
may be something else there; nor where the code asks what it has, by `hasattr`, `isinstance` or a
handler of `AttributeError`, or has used it as a tensor before.

Such code fails in its first run, so it is seldom published. The first reading, of 30 released
packages and 1,405 working trees of repositories, gave two findings: one right, and one wrong, of
`torch.max` with a second argument of which nothing was known, which is mended. In 59 further
repositories there was none.
Source: https://docs.pytorch.org/docs/stable/data.html#working-with-collate-fn
"""
    bad = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
data = TensorDataset(torch.randn(8, 4), torch.randn(8, 2))
for batch in DataLoader(data, batch_size=4):
    images, targets = batch.to(device)
    print(nn.functional.mse_loss(model(images), targets))
"""
    good = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
data = TensorDataset(torch.randn(8, 4), torch.randn(8, 2))
for batch in DataLoader(data, batch_size=4):
    images, targets = [t.to(device) for t in batch]
    print(nn.functional.mse_loss(model(images), targets))
"""
    fix_safety = """\
The call is replaced by a container of the moved elements, of the same type. That is safe where all
of them are certainly tensors, and the result is assigned, since the call always fails; else it is
unsafe. There is none where the container holds anything that can't be moved.
"""
    triggers = frozenset({Trigger.CONTAINER, Trigger.LOADER})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each container that is told to move."""
        for move in facts.of(ContainerMove):
            around = facts.syntax.around(move.node)
            if is_tried(around, move.node, NO_SUCH_METHOD) or _is_asked(facts, move):
                continue
            if _is_tensor_before(facts, move) or _is_given(facts, move.receiver, frozenset()):
                continue
            yield self._finding(facts, move)

    def _finding(self, facts: Facts, move: ContainerMove) -> Finding:
        kind = move.kind or "container"
        method = last_component(move.node.func)
        return Finding(
            self.code,
            self.name,
            f"`{short(move.receiver)}` is a {kind}, which has no `.{method}()`: move its elements",
            facts.span(move.node),
            scope=move.scope,
            fix=moved_elements(facts, move) if facts.fixable else None,
        )


def _is_asked(facts: Facts, move: ContainerMove) -> bool:
    """Whether the function asks what the container is, so that it may be none there."""
    path = path_of(move.receiver)
    return path is not None and path in facts.derived(_asked)[facts.syntax.scope(move.node)]


def _is_tensor_before(facts: Facts, move: ContainerMove) -> bool:
    """Whether the code before has used it as a tensor: it raises there, or it is one after all."""
    path = path_of(move.receiver)
    used = facts.derived(_used_as_tensors).get(facts.syntax.scope(move.node), {})
    return path is not None and used.get(path, move.node.lineno) < move.node.lineno


def _used_as_tensors(syntax: Syntax) -> dict[ast.AST, dict[str, int]]:
    """Find the first lines on which code uses paths as only tensors can be, by its functions."""
    used: dict[ast.AST, dict[str, int]] = defaultdict(dict)
    for node in walk(syntax.tree):
        if isinstance(node, ast.Attribute) and node.attr in _OF_TENSORS:
            if path := path_of(node.value):
                lines = used[syntax.scope(node)]
                lines[path] = min(node.lineno, lines.get(path, node.lineno))
    return used


def _asked(syntax: Syntax) -> dict[ast.AST, set[str]]:
    """Find the paths of which code asks what they are, by each function or module around it."""
    asked: dict[ast.AST, set[str]] = defaultdict(set)
    for node in walk(syntax.tree):
        if isinstance(node, ast.Call) and node.args and last_component(node.func) in _ASKING:
            if path := path_of(node.args[0]):
                for part in syntax.around(node):
                    asked[part].add(path)
    return asked


def _is_given(facts: Facts, node: ast.expr, seen: frozenset[ast.AST]) -> bool:
    """Whether something is, or is a part of, what a function is given.

    Its callers may give something else than an annotation says, or than those in sight give.

    Args:
        seen: the bindings that were gone through already.
    """
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    if isinstance(node, ast.Call):
        function = node.func
        if not isinstance(function, ast.Attribute) or function.attr not in STRUCTURE_MEMBERS:
            return False
        return _is_given(facts, function.value, seen)
    if not isinstance(node, ast.Name):
        return False
    return any(
        _is_bound_to_given(facts, binding, seen | {binding})
        for binding in facts.derived(Proof).bindings.reaching(node.id, node)
        if binding is not None and binding not in seen
    )


def _is_bound_to_given(facts: Facts, binding: ast.AST, seen: frozenset[ast.AST]) -> bool:
    if isinstance(binding, ast.arg):
        arguments = facts.syntax.parent(binding)
        assert isinstance(arguments, ast.arguments)
        return binding.arg != "self" and binding not in (arguments.vararg, arguments.kwarg)
    statement = facts.syntax.statement(binding)
    if isinstance(statement, (ast.For, ast.AsyncFor)):
        return _is_given(facts, statement.iter, seen)
    if isinstance(statement, ast.Assign):
        return _is_given(facts, statement.value, seen)
    return False
