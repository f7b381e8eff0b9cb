"""Variables that hold the moved value of another one already."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.methods import MOVES_TO_DEVICE
from torchdev_lint.change import Stated
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.scopes import Syntax
from torchdev_lint.syntax.walking import walk


def moved_copy(facts: Facts, host: ast.expr) -> Stated | None:
    """Return the variable that holds the moved value already, while the old name is used."""
    if not isinstance(host, ast.Name):
        return None
    for copy in facts.derived(_Copies).of(host.id, facts.syntax.scope(host)):
        if _is_copy(facts, copy, host):
            return Stated(copy.target.id, facts.derived(Proof).only_moves(copy.move))
    return None


@dataclass(frozen=True, slots=True)
class _Copy:
    """What one variable holds, moved, in another one: `there = here.cuda()`."""

    target: ast.Name
    source: ast.Name
    move: ast.Call


class _Copies:
    """The moved copies of all variables, by the scope that makes them.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._known: dict[tuple[ast.AST, str], list[_Copy]] = {}
        for node in walk(syntax.tree):
            if (copy := _copy_made(node)) is not None:
                self._known.setdefault((syntax.scope(node), copy.source.id), []).append(copy)

    def of(self, name: str, scope: ast.AST) -> list[_Copy]:
        """Return the copies of a variable that a function or module makes itself."""
        return self._known.get((scope, name), [])


def _copy_made(node: ast.AST) -> _Copy | None:
    """The copy that a node makes, if that is what it does."""
    match node:
        case ast.Assign(
            targets=[ast.Name() as target, *_],
            value=ast.Call(func=ast.Attribute(value=ast.Name() as source, attr=attr)) as move,
        ) if attr in MOVES_TO_DEVICE and target.id != source.id:
            return _Copy(target, source, move)
    return None


def _is_copy(facts: Facts, copy: _Copy, host: ast.Name) -> bool:
    """Whether a variable certainly holds, at a host value, the moved copy of just that."""
    proof = facts.derived(Proof)
    return (
        proof.bindings.reaching(copy.target.id, host) == {copy.target}
        and proof.order.runs_before(copy.source, host)
        and proof.is_unchanged(copy.source, host)
    )
