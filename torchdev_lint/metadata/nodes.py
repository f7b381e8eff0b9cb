"""Which node of libcst's tree stands at which place, and where a file of it lies."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import libcst as cst
from libcst import MetadataDependent
from libcst.metadata import CodeRange, PositionProvider

from torchdev_lint.source.span import Span

NOWHERE = "module"
"""What a module is called that lies in no file: its imports lead nowhere."""
_IN_PARENTHESES = (cst.Tuple, cst.GeneratorExp)
"""What takes up its parentheses in Python's own tree, and in libcst's doesn't."""


class Nodes:
    """The nodes of a module by their places.

    Args:
        positions: the place of each, without the white space and parentheses around it.
    """

    def __init__(self, positions: Mapping[cst.CSTNode, CodeRange]) -> None:
        self._expressions: dict[Span, cst.BaseExpression] = {}
        self._others: dict[Span, cst.CSTNode] = {}
        self._parameters: dict[Span, cst.Param] = {}
        for node, place in positions.items():
            if isinstance(node, cst.BaseExpression):
                self._expressions.setdefault(_span_of(node, place, positions), node)
            elif isinstance(node, cst.Param):
                begin = positions[node.name].start
                self._parameters[at(begin.line, begin.column)] = node
            else:
                self._others.setdefault(_span_of(node, place, positions), node)

    def parameters(self) -> Iterator[tuple[cst.Param, Span]]:
        """Yield the parameters, each with where its name begins."""
        for span, node in self._parameters.items():
            yield node, span

    def expression_at(self, span: Span) -> cst.BaseExpression | None:
        """Return the expression that takes up a stretch of the text, None if none does."""
        return self._expressions.get(span)

    def parameter_at(self, span: Span) -> cst.Param | None:
        """Return the parameter whose name begins at a place, None if none does."""
        return self._parameters.get(span)

    def around(self, span: Span) -> cst.CSTNode | None:
        """Return the smallest node that has all of a stretch of the text: if possible just that."""
        exact = self._expressions.get(span) or self._others.get(span)
        if exact is not None:
            return exact
        every: list[tuple[Span, cst.CSTNode]] = [*self._expressions.items(), *self._others.items()]
        found = [(_order(place), node) for place, node in every if _has(place, span)]
        return max(found, key=lambda each: each[0])[1] if found else None


def nodes_of(provider: MetadataDependent) -> Nodes:
    """Return the nodes of the module that a provider is asked about.

    Args:
        provider: one that depends on `PositionProvider`.
    """
    return Nodes(cast("Mapping[cst.CSTNode, CodeRange]", provider.metadata[PositionProvider]))


def at(line: int, column: int) -> Span:
    """Return a place of which the end doesn't matter."""
    return Span(line, column, line, column)


def paths_of(root_path: Path, paths: Iterable[str], **_: Any) -> Mapping[str, str]:
    """Return where files lie, as a provider is told by a `FullRepoManager`."""
    return {path: os.path.abspath(root_path / path) for path in paths}


def _span_of(
    node: cst.CSTNode, place: CodeRange, positions: Mapping[cst.CSTNode, CodeRange]
) -> Span:
    begin, end = place.start, place.end
    if isinstance(node, _IN_PARENTHESES) and node.lpar:
        begin, end = positions[node.lpar[-1]].start, positions[node.rpar[0]].end
    return Span(begin.line, begin.column, end.line, end.column)


def _has(place: Span, span: Span) -> bool:
    begins = (place.line, place.column) <= (span.line, span.column)
    return begins and (span.end_line, span.end_column) <= (place.end_line, place.end_column)


def _order(place: Span) -> tuple[int, int, int, int]:
    """The order in which of two nodes, one in the other, the inner one is the greater."""
    return place.line, place.column, -place.end_line, -place.end_column
