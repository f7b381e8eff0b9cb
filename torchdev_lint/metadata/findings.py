"""What is found in a module, as metadata of libcst: the findings about each node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import libcst as cst
from libcst.metadata import BaseMetadataProvider, PositionProvider

from torchdev_lint.api import report_on
from torchdev_lint.applying.edit import Text
from torchdev_lint.change import Replace
from torchdev_lint.finding import Finding
from torchdev_lint.metadata.nodes import NOWHERE, nodes_of, paths_of
from torchdev_lint.metadata.placement import PlacementProvider
from torchdev_lint.report import Work
from torchdev_lint.source.source import Source
from torchdev_lint.source.span import Span


@dataclass(frozen=True)
class Flagged:
    """A node with a finding.

    Args:
        node: what the finding is about, or the smallest node around that.
        finding: what the command reports.
        replacement: what its fix makes of the node; None if it has none, or changes other places.
    """

    node: cst.CSTNode
    finding: Finding
    replacement: cst.BaseExpression | None = None


class FindingProvider(BaseMetadataProvider[tuple[Flagged, ...]]):
    """Gives each node that something is found about what that is: what the command reports.

    With a `FullRepoManager` other files of the project are followed, and the settings of the file
    hold; without one nothing but the module is known.

    Raises:
        torchdev_lint.CannotCheck: the analysis gave up.
    """

    METADATA_DEPENDENCIES = (PositionProvider,)
    gen_cache = staticmethod(paths_of)

    def __init__(self, cache: str | None = None) -> None:
        super().__init__(cache or "")
        self._path = cache or NOWHERE

    def _gen_impl(self, module: cst.Module) -> None:
        nodes = nodes_of(self)
        code = module.code  # libcst writes it anew each time
        isolated = self._path == NOWHERE
        report = report_on(code, self._path, isolated, Work(edits=True))
        text = Text(Source.from_text(code, self._path))
        found: dict[cst.CSTNode, list[Flagged]] = {}
        for finding, edits in zip(report.findings, report.edits, strict=True):
            node = nodes.around(finding.span) or module
            replacement = _replacement(text, node, finding.span, edits or ())
            found.setdefault(node, []).append(Flagged(node, finding, replacement))
        for node, flagged in found.items():
            self.set_metadata(node, tuple(flagged))


class DevicePlacementVisitor(cst.CSTVisitor):
    """Collects the nodes of a module that something is found about, in the order of the text.

    What it comes by may also be asked where it lives: `self.get_metadata(PlacementProvider, node)`.

    Attributes:
        flagged: the nodes, each with its finding.
    """

    METADATA_DEPENDENCIES = (FindingProvider, PlacementProvider)

    def __init__(self) -> None:
        super().__init__()
        self.flagged: list[Flagged] = []

    def visit_Module(self, node: cst.Module) -> None:
        """Take note of all that is found."""
        self.flagged += flagged_for(self)


def flagged_for(dependent: cst.MetadataDependent) -> list[Flagged]:
    """Return all that is found in a module, by position.

    Args:
        dependent: what visits it, and depends on `FindingProvider`.
    """
    every = cast("Mapping[cst.CSTNode, tuple[Flagged, ...]]", dependent.metadata[FindingProvider])
    return [flagged for found in every.values() for flagged in found]


def _replacement(
    text: Text, node: cst.CSTNode, span: Span, edits: Sequence[Replace]
) -> cst.BaseExpression | None:
    """Return an expression with all edits made, None where some are elsewhere."""
    first, last = text.stretch_of(span)
    stretches = [text.stretch_of(edit.span) for edit in edits]
    inside = all(first <= begin and end <= last for begin, end in stretches)
    if not (edits and inside and isinstance(node, cst.BaseExpression)):
        return None
    code = text.text[first:last]
    pairs = sorted(zip(stretches, edits, strict=True), key=lambda pair: pair[0], reverse=True)
    for (begin, end), edit in pairs:
        code = code[: begin - first] + edit.text + code[end - first :]
    try:
        # In parentheses it may take several lines, as it does between its own.
        made = cst.parse_expression(f"({code})")
    except cst.ParserSyntaxError:
        return None
    return made.with_changes(lpar=node.lpar, rpar=node.rpar)
