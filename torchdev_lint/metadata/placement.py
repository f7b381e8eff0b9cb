"""Where the value of each expression lives, and where that comes from, as metadata of libcst."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import Enum
from functools import cached_property, partial

import libcst as cst
from libcst._metadata_dependent import LazyValue  # as libcst's own lazy providers have it
from libcst.metadata import BaseMetadataProvider, PositionProvider

from torchdev_lint.catalog.told import NOTHING, Told, told
from torchdev_lint.config.configurations import Configurations
from torchdev_lint.known.knowledge import Knowledge
from torchdev_lint.known.trail import trail_to
from torchdev_lint.linter import parsed
from torchdev_lint.metadata.nodes import Nodes, at, nodes_of, paths_of
from torchdev_lint.placement.domain.values import Place
from torchdev_lint.rules import ALL_RULES
from torchdev_lint.source.source import Source
from torchdev_lint.source.span import Span
from torchdev_lint.syntax.walking import walk


class Where(Enum):
    """Where a value lives."""

    CPU = "on the CPU"
    ACCELERATOR = "on the accelerator"
    CALLER = "where the tensors are that the function is given"
    UNKNOWN = "nowhere, or on a device that isn't known"


_WHERE = {
    Place.HOST: Where.CPU,
    Place.ACCELERATOR: Where.ACCELERATOR,
    Place.GIVEN: Where.CALLER,
}


@dataclass(frozen=True)
class Origin:
    """What a value comes from: the end of the trail that `torchdev-lint why` tells.

    Args:
        node: the expression or parameter; None if it has no node of its own.
        text: how it is written.
        reason: why it isn't gone further back: what makes the value, or why nothing is known of it.
        path: the file in which it is made, absolute, if that is another one.
        line: the line there, or here.
    """

    node: cst.CSTNode | None
    text: str
    reason: str
    path: str | None
    line: int


@dataclass(frozen=True)
class Placement:
    """What is known of the value of an expression.

    Args:
        where: where it lives in all cases; of what holds tensors, where these do; of a device,
            which one it is.
        words: what it is and where it lives in each case, such as `a tensor on the CPU`.
        origin: what it comes from.
    """

    where: Where
    words: str
    origin: Origin


class PlacementProvider(BaseMetadataProvider[Placement]):
    """Gives each expression its `Placement`, and each parameter that of what it is passed.

    With a `FullRepoManager` other files of the project are followed, and the settings of the file
    hold; without one nothing but the module is known. The file is analysed when the first
    placement is asked for.
    """

    METADATA_DEPENDENCIES = (PositionProvider,)
    gen_cache = staticmethod(paths_of)

    def __init__(self, cache: str | None = None) -> None:
        super().__init__(cache or "")
        self._path = cache or ""

    def _gen_impl(self, module: cst.Module) -> None:
        nodes = nodes_of(self)
        analysis = _Analysis(Source.from_text(module.code, self._path), nodes)
        for span in analysis.places:
            node = nodes.expression_at(span)
            if node is not None:
                self.set_metadata(node, LazyValue(partial(analysis.placement, span)))
        for parameter, name in nodes.parameters():
            lazy = LazyValue(partial(analysis.placement, name))
            self.set_metadata(parameter, lazy)
            self.set_metadata(parameter.name, lazy)


class _Analysis:
    """What is known of a module, found out when it is first asked for.

    Args:
        source: its text.
        nodes: its nodes by their places.
    """

    def __init__(self, source: Source, nodes: Nodes) -> None:
        self.source = source
        self._nodes = nodes

    @cached_property
    def _told(self) -> Told:
        path = self.source.path
        return Configurations(()).settings_of(path, ALL_RULES).told if path else NOTHING

    @cached_property
    def _tree(self) -> ast.Module:
        return parsed(self.source)

    @cached_property
    def _knowledge(self) -> Knowledge:
        return Knowledge(self.source, self._tree)

    @cached_property
    def places(self) -> dict[Span, ast.AST]:
        """What stands at which place."""
        return _places_of(self.source, self._tree)

    def placement(self, span: Span) -> Placement:
        """Return what is known of what stands at a place."""
        with told(self._told):
            node = self.places[span]
            known = self._knowledge.of(node)
            return Placement(
                _WHERE.get(known.place, Where.UNKNOWN), known.words, self._origin(node)
            )

    def _origin(self, node: ast.AST) -> Origin:
        trail = trail_to(self._knowledge, node)
        last, path, line = trail.steps[-1], None, trail.last.span.line
        if trail.site is not None:
            path, line = trail.site.path, trail.site.span.line
        span = _place_of(self.source, last.node)
        found = self._nodes.expression_at(span) or self._nodes.parameter_at(span)
        return Origin(found, last.known.text, trail.end, path, line)


def _places_of(source: Source, tree: ast.Module) -> dict[Span, ast.AST]:
    """The expressions and parameters of a file by their places; of two in one place the outer."""
    found: dict[Span, ast.AST] = {}
    for node in walk(tree):
        if isinstance(node, (ast.expr, ast.arg)):
            found.setdefault(_place_of(source, node), node)
    return found


def _place_of(source: Source, node: ast.AST) -> Span:
    """Where a node is; of a parameter, where its name begins."""
    span = source.span(node)
    return at(span.line, span.column) if isinstance(node, ast.arg) else span
