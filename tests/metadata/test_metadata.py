"""What libcst is told: where expressions live, and what is found, with its nodes."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import FullRepoManager, MetadataWrapper, PositionProvider

from torchdev_lint.metadata import (
    DevicePlacementVisitor,
    FindingProvider,
    Placement,
    PlacementProvider,
    Where,
)

from ..command import FIXTURES
from ..fixtures import expected_lines

EXAMPLE = """\
import torch
from torch import nn


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(100, 8)

    def forward(self, tokens, scale=2):
        positions = (torch.arange(tokens.shape[1]))
        both = (positions, "é🔥", tokens * scale)
        return self.words(tokens) + self.words(positions)


def shift(x: torch.Tensor):
    return torch.roll(x, 1)


print(torch.ones(2).to("cuda"))
"""
MANY = sorted(path for path in FIXTURES.glob("TDL[01]*/*_*.py"))
SOME = [
    path
    for _, group in groupby(MANY, key=lambda path: (path.parent, path.name[:5]))
    for path in list(group)[::6]
]
"""Of each rule's programs some that are flagged, and some that are clean."""


class Placements(cst.CSTVisitor):
    """Collects what is said of each piece of code."""

    METADATA_DEPENDENCIES = (PlacementProvider,)

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, Placement] = {}

    def on_visit(self, node: cst.CSTNode) -> bool:
        placement = self.get_metadata(PlacementProvider, node, None)
        if placement is not None:
            name = node.name if isinstance(node, cst.Param) else node
            self.found.setdefault(cst.Module([]).code_for_node(name), placement)
        return True


def placements(wrapper: MetadataWrapper) -> dict[str, Placement]:
    visitor = Placements()
    wrapper.visit(visitor)
    return visitor.found


def flagged(wrapper: MetadataWrapper) -> DevicePlacementVisitor:
    visitor = DevicePlacementVisitor()
    wrapper.visit(visitor)
    return visitor


def in_project(folder: Path, name: str) -> MetadataWrapper:
    manager = FullRepoManager(folder, [name], [PlacementProvider, FindingProvider])
    return manager.get_metadata_wrapper_for_path(name)


def test_each_expression_has_its_place_and_origin() -> None:
    wrapper = MetadataWrapper(cst.parse_module(EXAMPLE))
    found = placements(wrapper)
    where = {code: placement.where for code, placement in found.items()}
    assert where["positions"] is where["(torch.arange(tokens.shape[1]))"] is Where.CPU
    assert where["tokens"] is where["tokens * scale"] is where["self.words(tokens)"]
    assert where["tokens"] is Where.ACCELERATOR
    assert where["x"] is where["torch.roll(x, 1)"] is Where.CALLER
    assert where['torch.ones(2).to("cuda")'] is Where.ACCELERATOR
    assert where["scale"] is where["torch"] is Where.UNKNOWN
    assert '(positions, "é🔥", tokens * scale)' in where
    origin = found["positions"].origin
    assert found["positions"].words == "a tensor on the CPU"
    assert isinstance(origin.node, cst.Call)
    assert (origin.text, origin.line, origin.path) == ("torch.arange(tokens.shape[1])", 11, None)
    assert origin.reason == "`torch.arange` makes it on the CPU: it is told no other device"
    assert isinstance(found["torch.roll(x, 1)"].origin.node, cst.Param)
    # What is no expression has none: the name of an attribute, or of an argument.
    assert "shape" not in where and "arange" not in where


def test_other_files_are_followed_where_they_are_known(tmp_path: Path) -> None:
    making = "import torch\n\n\ndef noise():\n    return torch.ones(3)\n"
    (tmp_path / "making.py").write_text(making)
    using = "from making import noise\n\nx = noise()\n"
    (tmp_path / "using.py").write_text(using)
    alone = placements(MetadataWrapper(cst.parse_module(using)))["x"]
    assert alone.where is Where.UNKNOWN
    assert "out of sight" in alone.origin.reason or "not known" in alone.words
    known = placements(in_project(tmp_path, "using.py"))["x"]
    assert known.where is Where.CPU
    assert (known.origin.path, known.origin.line) == (str(tmp_path / "making.py"), 5)


@pytest.mark.parametrize("path", SOME, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_findings_are_those_of_the_command(path: Path) -> None:
    wrapper = in_project(path.parent, path.name)
    found = flagged(wrapper).flagged
    lines: dict[int, tuple[str, ...]] = {}
    for each in found:
        line = each.finding.span.line
        lines[line] = (*lines.get(line, ()), each.finding.code)
    assert lines == expected_lines(path.read_text(encoding="utf-8"))
    positions = wrapper.resolve(PositionProvider)
    for each in found:
        begin, span = positions[each.node].start, each.finding.span
        assert (begin.line, begin.column) == (span.line, span.column)


def test_a_fix_within_an_expression_replaces_it() -> None:
    wrapper = MetadataWrapper(cst.parse_module(EXAMPLE))
    (found,) = flagged(wrapper).flagged
    assert found.finding.code == "TDL002"
    code = cst.Module([]).code_for_node
    assert code(found.node) == "(torch.arange(tokens.shape[1]))"
    assert found.replacement is not None
    assert code(found.replacement) == "(torch.arange(tokens.shape[1], device=tokens.device))"
    after = wrapper.module.deep_replace(found.node, found.replacement)
    assert isinstance(after, cst.Module)
    assert flagged(MetadataWrapper(after)).flagged == []
