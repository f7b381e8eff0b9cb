"""What the value of an expression follows from: one step back."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Set
from typing import Any

from torchdev_lint.catalog.methods import MODULE_MOVES, TENSOR_MOVES
from torchdev_lint.known.ends import end_of
from torchdev_lint.known.knowledge import Knowledge
from torchdev_lint.known.known import Known, Nature
from torchdev_lint.known.links import Links
from torchdev_lint.placement.domain.origins import OriginKind, Site
from torchdev_lint.placement.domain.values import Library, Place
from torchdev_lint.placement.libraries.registry import handlers_of
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import short


@dataclass(frozen=True, slots=True)
class Source:
    """What an expression follows from.

    Args:
        node: that; None: nothing in the file.
        how: how it follows; if there is nothing, why not.
        site: where the value is made, if that is in another file.
    """

    node: ast.AST | None
    how: str
    site: Site | None = None


class Sources:
    """Goes back from expressions of a file to what they follow from.

    Args:
        knowledge: of the file.
    """

    def __init__(self, knowledge: Knowledge) -> None:
        self._knowledge = knowledge
        self._links = Links(knowledge)

    def of(self, node: ast.AST, passed: Set[ast.AST], place: Place | None = None) -> Source:
        """Return what an expression, a target or a parameter follows from.

        Of several things that is one that lives where it does, or is as little known.

        Args:
            passed: what it is not gone back to again, as code in a loop would have it.
            place: what is to be preferred to other things, if it lives there.
        """
        known, origin = self._knowledge.of(node), self._knowledge.origin_made_by(node)
        if origin is None or origin.kind is OriginKind.BATCH:
            steps = _CANDIDATES.get(type(node), Sources._of_parts)(self, node)
            left = [step for step in steps if step[0] not in passed]
            if place in known.places:  # sorting keeps the order of what is alike
                left.sort(key=lambda step: place not in self._knowledge.of(step[0]).places)
            for candidate, how in left:
                if self._explains(candidate, node, known):
                    return Source(candidate, how)
        site = None if origin is None else origin.elsewhere
        return Source(None, end_of(self._knowledge, node), site)

    def _explains(self, candidate: ast.AST, node: ast.AST, known: Known) -> bool:
        """Whether where something lives may follow from where something else does."""
        source = self._knowledge.of(candidate)
        if known.may_hide:
            return bool(source.cases) and source.may_hide
        if isinstance(node, ast.Attribute) and self._knowledge.moves_along(node):
            return candidate is not node.value
        lives = source.nature.lives_somewhere or source.nature is Nature.UNKNOWN
        return lives and bool(source.places & known.places - {Place.UNKNOWN})

    def _of_name(self, node: ast.Name) -> Iterator[tuple[ast.AST, str]]:
        if not isinstance(node.ctx, ast.Load):
            yield from self._links.assigned(node)
            return
        yield from self._links.moves_of_name(node)
        yield from self._links.put_into(node)
        for binding in self._links.bindings(node):
            if isinstance(binding, ast.arg):
                yield binding, f"`{node.id}` is a parameter"
            else:
                yield from self._links.assigned(binding)

    def _of_parameter(self, node: ast.arg) -> Iterator[tuple[ast.AST, str]]:
        for argument, line in self._links.arguments_for(node):
            yield argument, f"passed as `{node.arg}` on line {line}"

    def _of_attribute(self, node: ast.Attribute) -> Iterator[tuple[ast.AST, str]]:
        moves = ", which moves with the module" if self._knowledge.moves_along(node) else ""
        for value, how in self._links.attribute_values(node):
            yield value, how + moves
        yield node.value, f"`{node.attr}` of it"

    def _of_call(self, node: ast.Call) -> Iterator[tuple[ast.AST, str]]:
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in TENSOR_MOVES | MODULE_MOVES:
            yield from self._of_move(node, function)
            return
        for returned, name in self._links.returned_by(node):
            yield returned, f"returned by `{name}`"
        if self._knowledge.of(function).nature is Nature.MODULE:
            yield function, "what a module gives is where its parameters are"
        if self._is_out_of_sight(function):
            return
        if isinstance(function, ast.Attribute):
            yield function.value, f"`.{function.attr}()` of it"
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        for argument in given:
            for part in _written_out(argument):
                yield part, f"given to `{short(function)}`"
        yield function, "called"

    def _is_out_of_sight(self, function: ast.expr) -> bool:
        """Whether a function was imported that nobody knows: what it is given tells nothing."""
        values = self._knowledge.values(function)
        return bool(values) and all(
            isinstance(value, Library) and not handlers_of(value.name) for value in values
        )

    def _of_move(self, node: ast.Call, function: ast.Attribute) -> Iterator[tuple[ast.AST, str]]:
        """Where it is moved to decides; a move in place leaves the rest of its receiver alone."""
        for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
            if self._knowledge.of(argument).nature is not Nature.PLAIN:
                yield argument, f"`.{function.attr}()` moves it there"
        yield function.value, f"`.{function.attr}()` of it"

    def _of_parts(self, node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.comprehension):
                yield part.iter, "gone through"
            elif isinstance(part, ast.expr):
                yield part, _PART.get(type(node), "a part of it")


def _written_out(node: ast.expr) -> Iterator[ast.expr]:
    """Yield an expression, and before it the elements of a tuple or list that is written out."""
    if isinstance(node, (ast.Tuple, ast.List)):
        for part in node.elts:
            yield from _written_out(part)
    yield node


_PART = {
    ast.BinOp: "computed from it",
    ast.UnaryOp: "computed from it",
    ast.Compare: "computed from it",
    ast.Subscript: "an element of it",
    ast.IfExp: "chosen from what is possible",
    ast.BoolOp: "chosen from what is possible",
    ast.NamedExpr: "assigned",
    ast.Await: "awaited",
}
_CANDIDATES: dict[type[ast.AST], Callable[[Sources, Any], Iterator[tuple[ast.AST, str]]]] = {
    ast.Name: Sources._of_name,
    ast.arg: Sources._of_parameter,
    ast.Attribute: Sources._of_attribute,
    ast.Call: Sources._of_call,
}
