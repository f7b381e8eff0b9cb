"""TDL008: a tensor that is to be trained is moved, and what that gives can't be."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set

from torchdev_lint.catalog.factories import FACTORIES
from torchdev_lint.catalog.gradients import ASKS_FOR_GRADIENTS, LEAF_MAKERS
from torchdev_lint.finding import Finding, Related
from torchdev_lint.fixes.leaves import moved_before
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.leaves import MovedLeaf
from torchdev_lint.proof.proof import Proof
from torchdev_lint.proof.reads import Reads
from torchdev_lint.rules.base import Rule
from torchdev_lint.syntax.asking import asks_for_gradients
from torchdev_lint.syntax.names import last_component, path_of, short
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.triggers import Trigger

_DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.ListComp)
"""What holds a tensor where it is given to an optimizer."""
_KEEPING = frozenset({"retain_grad", "register_hook", "detach_"})
"""Members by which a tensor keeps its gradient, or becomes a leaf."""
_COMPUTING = ("backward", "manual_backward")
"""Methods that compute gradients and leave them with the leaves."""
_OF_LAYERS = frozenset({"weight", "bias"})
"""Attributes that layers have as well."""


class MovedLeaves(Rule):
    """`self.scale = nn.Parameter(torch.ones(4)).to(device)`."""

    code = "TDL008"
    name = "moved-leaf"
    summary = "What a parameter's `.to()` gives on an accelerator is no parameter, and not trained."
    reason = """\
Gradients are kept for leaves: tensors that were made with `requires_grad`, not computed of others.
`.to(device)` computes a new tensor, unless the old one is there already. So on an accelerator
`nn.Parameter(data).to(device)` gives a plain tensor, which a module doesn't register: it isn't
among its parameters, isn't trained and isn't saved, and nothing is raised. An optimizer that is
given such a tensor raises `ValueError: can't optimize a non-leaf Tensor`, and its `grad` is always
`None`. On the CPU all of that works, since there the move gives the very same tensor.

The tensor has to be moved before it becomes a leaf: `nn.Parameter(data.to(device))`,
`torch.randn(4, device=device, requires_grad=True)`. A parameter of a module needs no move of its
own.

Reported is what an attribute of a module keeps, what is given to an optimizer of PyTorch's, and
what is asked for its `grad`, whether the leaf is moved where it is made or by its variable, also
in a branch of an `if` before that; not what calls `retain_grad()`, what is only computed with, nor
a `grad` that is asked for where no gradients are computed.

In the first reading, of 1,405 working trees of repositories, all 19 findings were right; 17 are
parameters that nobody trains on a GPU. So were both in 59 further ones. 30 released packages have
none.
Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.is_leaf.html
"""
    bad = """\
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4)).to(device)

    def forward(self, x):
        return x * self.scale


print(list(Scaled("cuda").parameters()))
"""
    good = """\
import torch
from torch import nn


class Scaled(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(4).to(device))

    def forward(self, x):
        return x * self.scale


print(list(Scaled("cuda").parameters()))
"""
    fix_safety = """\
The tensor is moved before it is made a parameter, or before it is told to ask for gradients. That
is safe where the call does nothing but move, since it gives the same numbers; else it is unsafe.
What a variable is bound to is made a leaf anew, which is unsafe.
"""
    triggers = frozenset({Trigger.LEAF})

    def check(self, facts: Facts) -> Iterator[Finding]:
        """Yield a finding for each leaf that is lost with its move, and is needed as one."""
        for moved in facts.of(MovedLeaf):
            leaves = _leaves(facts, moved)
            harm = _harm(facts, moved, leaves) if leaves else None
            if harm is not None:
                yield self._finding(facts, moved, *harm)

    def _finding(self, facts: Facts, moved: MovedLeaf, event: str, place: ast.AST) -> Finding:
        apart = facts.syntax.statement(place) is not facts.syntax.statement(moved.node)
        return Finding(
            self.code,
            self.name,
            f"`{short(moved.node)}` is no leaf on an accelerator: {event}",
            facts.span(moved.node),
            (Related("it is needed as a leaf here", facts.span(place)),) if apart else (),
            moved.scope,
            moved_before(facts, moved) if facts.fixable else None,
        )


def _leaves(facts: Facts, moved: MovedLeaf) -> list[ast.Call]:
    """What makes the leaf that is moved; nothing where that may be something else."""
    receiver = moved.node.func.value if isinstance(moved.node.func, ast.Attribute) else None
    made = [receiver]
    if isinstance(receiver, ast.Name):
        if receiver.id not in facts.derived(_leaf_names):
            return []
        made = [*facts.derived(Proof).values.values(receiver.id, receiver)]
    calls = [node for node in made if isinstance(node, ast.Call)]
    are_leaves = len(calls) == len(made) and all(_makes_leaf(facts, call) for call in calls)
    return calls if are_leaves else []


def _leaf_names(syntax: Syntax) -> set[str]:
    """The variables to which a file gives what asks for gradients, going by names."""
    return {
        node.targets[0].id
        for node in walk(syntax.tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and asks_for_gradients(node.value)
    }


def _makes_leaf(facts: Facts, made: ast.Call) -> bool:
    """Whether a call certainly makes a leaf that asks for gradients."""
    asked = [k.value for k in made.keywords if k.arg == ASKS_FOR_GRADIENTS]
    if not _is_true(asked):
        return False
    name = facts.derived(Proof).values.library(made.func)
    if last_component(made.func) in LEAF_MAKERS:
        return name == "torch.nn.Parameter" and _is_true(made.args[1:])
    return bool(asked) and (name in FACTORIES or name == "torch.autograd.Variable")


def _is_true(given: Sequence[ast.expr]) -> bool:
    """Whether arguments are left out, or are the constant `True`."""
    return all(isinstance(value, ast.Constant) and value.value is True for value in given)


def _harm(facts: Facts, moved: MovedLeaf, leaves: Sequence[ast.Call]) -> tuple[str, ast.AST] | None:
    """What goes wrong as it is no leaf, as a message says it, and where."""
    top = _whole(facts, moved.node)
    taker = _taker(facts, top)
    if taker is not None:
        return taker
    statement = facts.syntax.parent(top)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    path = path_of(target)
    reads = list(_reads(facts, target))
    if any(_is_taken_care_of(facts, read) for read in reads):
        return None
    if isinstance(target, ast.Attribute) and top is moved.node and moved.in_module:
        is_parameter = all(last_component(leaf.func) in LEAF_MAKERS for leaf in leaves)
        if path == f"self.{target.attr}" and is_parameter and _is_read_once(facts, moved):
            return f"`{path}` is no parameter of the module", target
    for read in reads:
        harm = _taker(facts, _whole(facts, read))
        if harm is not None:
            return harm
    return None


def _whole(facts: Facts, node: ast.AST) -> ast.AST:
    """The display of a list, or the like, that an expression is a part of, or itself."""
    parent = facts.syntax.parent(node)
    while isinstance(parent, _DISPLAYS):
        node, parent = parent, facts.syntax.parent(parent)
    return node


def _taker(facts: Facts, node: ast.AST) -> tuple[str, ast.AST] | None:
    """What needs a leaf of what it takes: an optimizer, or whoever asks for a gradient."""
    parent = facts.syntax.parent(node)
    if isinstance(parent, ast.Attribute) and parent.attr == "grad":
        is_read = isinstance(parent.ctx, ast.Load) and _is_computed(facts, parent)
        return ("its `grad` stays `None`", parent) if is_read else None
    if isinstance(parent, ast.Call) and parent.args[:1] == [node]:
        name = facts.derived(Proof).values.library(parent.func)
        if name.startswith("torch.optim.") and name.rpartition(".")[2][:1].isupper():
            return f"`{short(parent.func)}` doesn't take it", parent
    return None


def _is_computed(facts: Facts, read: ast.expr) -> bool:
    """Whether gradients are computed where one is read: else it is `None` on every machine."""
    scope = facts.syntax.scope(read)
    mentions = facts.derived(Proof).mentions
    computed = (lookup for name in _COMPUTING for lookup in mentions.lookups(name))
    return any(scope in facts.syntax.around(lookup) for lookup in computed)


def _is_read_once(facts: Facts, moved: MovedLeaf) -> bool:
    """Whether nothing but the move reads the leaf, which may be a parameter under another name."""
    receiver = moved.node.func.value if isinstance(moved.node.func, ast.Attribute) else None
    if not isinstance(receiver, ast.Name):
        return True
    return len(facts.derived(Proof).mentions.reads(receiver.id)) == 1


def _is_taken_care_of(facts: Facts, read: ast.AST) -> bool:
    """Whether something has the gradient kept, or makes a leaf of the tensor again."""
    parent = facts.syntax.parent(read)
    if isinstance(parent, ast.Attribute):
        return parent.attr in _KEEPING
    return isinstance(parent, ast.Call) and last_component(parent.func) in LEAF_MAKERS


def _reads(facts: Facts, target: ast.expr) -> Iterator[ast.expr]:
    """Yield where a variable, or an attribute of `self`, is read that was assigned."""
    proof = facts.derived(Proof)
    if isinstance(target, ast.Name):
        for read in facts.concluded(_reads_of).of(target.id, target):
            reaching = proof.bindings.reaching(target.id, read)
            if reaching == {target} or _leads_on(facts, target, reaching - {target}, read):
                yield read
    elif isinstance(target, ast.Attribute) and path_of(target) == f"self.{target.attr}":
        yield from facts.derived(_OwnReads).of(target)


def _reads_of(facts: Facts) -> Reads:
    return Reads(facts.syntax, facts.derived(Proof).bindings)


def _leads_on(facts: Facts, target: ast.Name, others: Set[ast.AST | None], read: ast.expr) -> bool:
    """Whether a read, behind an `if` with an assignment in a branch, gets that where it is taken.

    Args:
        target: what is assigned to there.
        others: what else reaches the read.
        read: where the variable is read.
    """
    assigned, reading = facts.syntax.statement(target), facts.syntax.statement(read)
    branch = None if assigned is None else facts.syntax.parent(assigned)
    if not isinstance(branch, ast.If) or reading is None or branch.lineno > read.lineno:
        return False
    if facts.syntax.parent(reading) is not facts.syntax.parent(branch):
        return False
    return all(o is not None and facts.span(o).line < branch.lineno for o in others)


class _OwnReads:
    """Where methods read attributes of `self`, sorted once for each attribute.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._mentions = syntax.derived(Proof).mentions
        self._sorted: dict[str, dict[ast.AST | None, list[ast.Attribute]]] = {}

    def of(self, target: ast.Attribute) -> list[ast.Attribute]:
        """Return the reads of what is assigned, in the class in which that is done.

        And those of any object, if no other class has an attribute of that name, as layers have
        weights.
        """
        if target.attr not in self._sorted:
            lookups = self._sorted[target.attr] = defaultdict(list)
            for lookup in self._mentions.lookups(target.attr):
                is_own = path_of(lookup) == f"self.{target.attr}"
                lookups[self._class_around(lookup) if is_own else None].append(lookup)
        found, owner = self._sorted[target.attr], self._class_around(target)
        setting = map(self._class_around, self._mentions.stores(target.attr))
        others = {*found, *setting} - {owner, None}
        is_shared = bool(others) or target.attr in _OF_LAYERS
        return [*found.get(owner, ()), *(() if is_shared else found.get(None, ()))]

    def _class_around(self, node: ast.AST) -> ast.AST | None:
        method = self._syntax.scope(node)
        owner = self._syntax.scope(method) if isinstance(method, FUNCTIONS) else None
        return owner if isinstance(owner, ast.ClassDef) else None
