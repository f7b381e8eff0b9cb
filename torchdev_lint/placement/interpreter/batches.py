"""What a loop over something out of sight takes out of it, judged by what its body moves.

What code moves to the accelerator was not there before, and the parts of one batch come from
one place: beside a part that is moved, all others are on the host until they are moved as well.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Set
from dataclasses import dataclass

from torchdev_lint.catalog.methods import MOVES, TO_ACCELERATOR
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import choice, leaves, sequence
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import (
    PART_ANYWHERE,
    UNKNOWN,
    WIDENED,
    Bundle,
    Instance,
    Place,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence import flags
from torchdev_lint.placement.evidence.devices import place_named
from torchdev_lint.placement.evidence.elements import moves_of_elements
from torchdev_lint.placement.evidence.flows import takes_next
from torchdev_lint.placement.evidence.uses import Uses
from torchdev_lint.placement.run import Run
from torchdev_lint.proof.grounds import Grounds
from torchdev_lint.records import replace
from torchdev_lint.syntax.calls import destination
from torchdev_lint.syntax.names import names_in, path_of
from torchdev_lint.syntax.scopes import root_name
from torchdev_lint.syntax.walking import walk

_ENTRIES = frozenset({"items", "keys", "values"})
"""Methods by which dicts give what they hold."""


def batch_by_its_moves(run: Run, loop: ast.For | ast.AsyncFor, element: Value) -> Value:
    """Return what a loop's target receives, knowing what the loop moves of it.

    Args:
        element: what is known of it otherwise.
    """
    if Mood.DOUBT in run.moods or not _is_one_thing(loop.iter):
        return element
    if _is_brought(element):
        run.brought_to.add(loop)
    if loop in run.brought_to:
        return element  # what a call of the same file hands over is there before the loop moves it
    return _Taking(run, loop, run.file.uses_in(loop)).of(loop.target, element)


def _is_brought(element: Value) -> bool:
    """Whether something in view brings what a loop gets to where models are, or may do so."""
    if element == WIDENED:
        return True
    parts = [part for part in leaves(element) if isinstance(part, (Tensor, Bundle))]
    return bool(parts) and all(part.place is Place.ACCELERATOR for part in parts)


def unpacked_by_its_moves(run: Run, node: ast.Assign, value: Value) -> Value:
    """Return what `x, y = next(batches)` unpacks, knowing what the function moves of it.

    A variable that holds something else as well is left alone: its moves may be the other's. So is
    what a class in sight gives, which may have moved it.

    Args:
        value: what is known of it otherwise.
    """
    target, scope = node.targets[0], run.frame.node
    if not isinstance(target, (ast.Tuple, ast.List)) or not takes_next(node.value):
        return value
    if Mood.DOUBT in run.moods or value != UNKNOWN or _is_of_class_in_sight(run, node.value):
        return value
    if not names_in(target).isdisjoint(run.file.of_nodes(_held_otherwise, scope)):
        return value
    return _Taking(run, scope, run.file.uses_in(scope)).of(target, value)


def _is_of_class_in_sight(run: Run, taken: ast.expr) -> bool:
    """Whether an expression takes the next one from an object whose class is in sight."""
    assert isinstance(taken, ast.Call)
    sources = [taken.func.value] if isinstance(taken.func, ast.Attribute) else taken.args
    named = [source for source in sources if path_of(source) is not None]
    options = (option for source in named for option in alternatives(run.evaluate(source)))
    return any(isinstance(option, Instance) and option.cls is not None for option in options)


def _held_otherwise(nodes: list[ast.AST]) -> Set[str]:
    """The variables of a scope that hold something else than what comes out of iterators.

    Or than what is made of that.
    """
    names: set[str] = set()
    accounted: set[ast.AST] = set()
    for node in nodes:
        if isinstance(node, ast.arg):
            names.add(node.arg)
        if isinstance(node, ast.Assign):
            for first, value in _assigned_apart(node.targets[0], node.value):
                if takes_next(value) or root_name(value) == getattr(first, "id", ""):
                    accounted.update(walk(first))
    bound = (node for node in nodes if isinstance(node, ast.Name))
    others = (n for n in bound if not isinstance(n.ctx, ast.Load) and n not in accounted)
    return names.union(node.id for node in others)


def _assigned_apart(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """What an assignment gives to what: to each its own in `x, y = x.to(device), y.to(device)`."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        if len(target.elts) == len(value.elts):
            return list(zip(target.elts, value.elts, strict=True))
    return [(target, value)]


def _is_one_thing(source: ast.expr) -> bool:
    """Whether what is looped over is a thing with a name, perhaps wrapped by functions.

    Or what a method of one gives, other than the entries of a dict: each was put there by itself.
    """
    if isinstance(source, ast.Call):
        of = source.func
        if isinstance(of, ast.Attribute) and of.attr not in _ENTRIES and _is_one_thing(of.value):
            return True
        return any(map(_is_one_thing, source.args))
    return isinstance(source, (ast.Name, ast.Attribute, ast.Subscript))


@dataclass(frozen=True)
class _Taking:
    """What is taken out of something out of sight.

    Args:
        scope: the code that takes it, and uses it.
        uses: how that uses names.
    """

    run: Run
    scope: ast.AST
    uses: dict[str, Uses]

    def of(self, target: ast.expr, value: Value) -> Value:
        """Return what a target receives that is given something perhaps unknown."""
        if isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(value, Sequence) and value.items and len(value.items) == len(target.elts):
                beside = self._moves_some(target)
                parts = zip(target.elts, value.items, strict=True)
                items = tuple(self._item(t, v, beside) for t, v in parts)
                return replace(value, items=items)
            if value == UNKNOWN and self._moves_some(target):
                return self._parts(target)
        elif isinstance(target, ast.Name) and value == UNKNOWN:
            return self._unpacked_later(target)
        elif isinstance(target, ast.Name) and isinstance(value, Sequence):
            if value.items is not None and PART_ANYWHERE in value.items:
                for unpacking in self._unpackings(target.id):
                    return self.of(unpacking, value)
                if self._moves_an_item(target.id):
                    known = enumerate(value.items)
                    return replace(value, items=tuple(self._at(target, i, v) for i, v in known))
        return value

    def _at(self, target: ast.Name, index: int, value: Value) -> Value:
        """What an item of a batch is beside another one that is moved: `batch[1]`."""
        if value != PART_ANYWHERE:
            return value
        label = f"{target.id}[{index}]"
        origin = replace(self._origin(target), key=(None, index), label=label)
        return replace(PART_ANYWHERE, place=Place.HOST, origin=origin)

    def _item(self, target: ast.expr, value: Value, beside: bool) -> Value:
        """What a target receives that takes a known part of a batch.

        Args:
            beside: whether another part is moved: a tensor that may be anywhere is not there, then.
        """
        if beside and value == PART_ANYWHERE and isinstance(target, ast.Name):
            return replace(PART_ANYWHERE, place=Place.HOST, origin=self._origin(target))
        return self.of(target, value)

    def _unpacked_later(self, target: ast.Name) -> Value:
        """`for batch in loader: images, labels = batch`, or `batch[0]` and `batch["labels"]`."""
        found = [self._parts(u) for u in self._unpackings(target.id) if self._moves_some(u)]
        if found:
            return choice(found)
        if self._moves_an_item(target.id):
            return Bundle(Place.HOST, self._origin(target), supposed=True)
        return UNKNOWN

    def _moves_an_item(self, name: str) -> bool:
        """Whether an item of a batch is moved: `batch[0].to(device)`, or by a variable's name."""
        of = f"{name}["
        return any(
            self._moves(uses) if path.startswith(of) else self._holds_moved_item(uses, name)
            for path, uses in self.uses.items()
        )

    def _holds_moved_item(self, uses: Uses, name: str) -> bool:
        """Whether a variable is moved each time while it holds an item: `image = batch["image"]`.

        Args:
            uses: the variable's.
            name: that of the batch.
        """
        if self.run.is_elsewhere or not self._moves(uses):
            return False
        values = self.run.facts.syntax.derived(Grounds).values
        for move in uses.moves:
            held = move.func.value if isinstance(move.func, ast.Attribute) else move.func
            if move in self._sure and isinstance(held, ast.Name) and held.id != name:
                given = values.values(held.id, held)
                if given and all(_is_item(value, name) for value in given):
                    return True
        return False

    def _unpackings(self, name: str) -> Iterator[ast.Tuple | ast.List]:
        """Where a batch is taken apart each time: what is under a condition may be one tensor."""
        for node in self.run.file.nodes_in(self.scope):
            if node in self._sure:
                yield from _apart(node, name)

    def _moves_some(self, target: ast.Tuple | ast.List) -> bool:
        names = names_in(target)
        known = names & self.uses.keys()
        return any(self._moves(self.uses[n]) for n in known) or any(map(self._is_moved_in, names))

    def _is_moved_in(self, name: str) -> bool:
        """Whether parts or elements of a variable are moved each time."""
        moves = self.run.file.of_nodes(_moves_within, self.scope).get(name, ())
        return any(self._place(move) is Place.ACCELERATOR for move in moves)

    def _moves(self, uses: Uses) -> bool:
        """Whether something is moved to the accelerator each time.

        What is moved under a condition may be there already otherwise.
        """
        if not uses.moves:
            return False
        return any(
            move in self._sure and self._place(move) is Place.ACCELERATOR for move in uses.moves
        )

    @property
    def _sure(self) -> Set[ast.AST]:
        return self.run.file.of_nodes(_sure, self.scope)

    def _place(self, move: ast.Call) -> Place | None:
        """Where a move goes; None if it is a cast."""
        if isinstance(move.func, ast.Attribute) and move.func.attr in TO_ACCELERATOR:
            return Place.ACCELERATOR
        node = destination(move)
        return None if node is None else place_named(self.run.evaluate(node), node)

    def _parts(self, target: ast.Tuple | ast.List) -> Value:
        parts = [
            self._parts(part) if isinstance(part, (ast.Tuple, ast.List)) else self._part(part)
            for part in target.elts
        ]
        return sequence(parts, SequenceKind.TUPLE)

    def _part(self, target: ast.expr) -> Value:
        """One part of a batch; unknown if it is used as no tensor is."""
        if not isinstance(target, ast.Name):
            return UNKNOWN
        uses = self.uses.get(target.id) or Uses()
        certain = uses.is_computed_with() or self._moves(uses)
        if not certain and (uses.plain or uses.is_structure()):
            return UNKNOWN
        return Bundle(Place.HOST, self._origin(target), part=True, supposed=not certain)

    def _origin(self, target: ast.Name) -> Origin:
        return replace(self.run.made(target, OriginKind.BATCH, target.id), inferred=True)


def _is_item(value: ast.expr, name: str) -> bool:
    """Whether an expression is an item of what a variable holds, or a view or cast of one."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr in MOVES:
            return False
        value = value.func.value
    return isinstance(value, ast.Subscript) and root_name(value) == name


def _apart(node: ast.AST, name: str) -> Iterator[ast.Tuple | ast.List]:
    """Where a statement takes apart what a variable holds, if it does so in any case.

    A condition does if both of its branches do, or the other one raises.
    """
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
        target = node.targets[0]
        if node.value.id == name and isinstance(target, (ast.Tuple, ast.List)):
            yield target
    elif isinstance(node, ast.If) and flags.by_assumption(node.test) is None:
        branches = [branch for branch in (node.body, node.orelse) if not _raises(branch)]
        found = [[t for part in branch for t in _apart(part, name)] for branch in branches]
        if all(found):
            yield from itertools.chain(*found)


def _raises(branch: list[ast.stmt]) -> bool:
    return bool(branch) and isinstance(branch[-1], ast.Raise)


def _sure(nodes: list[ast.AST]) -> Set[ast.AST]:
    """What happens in any case in a scope, all nodes of which are given, itself first."""
    return set(_each_time(nodes[0]))


def _moves_within(nodes: list[ast.AST]) -> dict[str, list[ast.Call]]:
    """The moves of parts or elements that happen in any case in a scope, by its variables."""
    found: dict[str, list[ast.Call]] = {}
    for move, name in moves_of_elements(_each_time(nodes[0])):
        found.setdefault(name, []).append(move)
    return found


def _each_time(node: ast.AST) -> Iterator[ast.AST]:
    """What happens in any case, or where an accelerator is present."""
    pending = [node]
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, (ast.If, ast.IfExp)):
            verdict = flags.by_assumption(node.test)
            branch = node.body if verdict else node.orelse
            if verdict is not None:
                pending += branch if isinstance(branch, list) else [branch]
        else:
            pending += ast.iter_child_nodes(node)
