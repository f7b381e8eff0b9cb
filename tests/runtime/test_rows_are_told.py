"""Each row of the mixing table that raises is told where it stands in a program; no other is."""

from __future__ import annotations

import ast

import pytest

from torchdev_lint.api import check_source

from .mixing_rows.row import Row
from .mixing_table import ROWS

_BEGINNING = """\
import torch
from torch import nn
import torch.nn.functional as F

device = torch.device("cuda")
"""
_MADE = {
    "float": "torch.rand({shape}{place})",
    "int": "torch.zeros({shape}, dtype=torch.int64{place})",
    "bool": "torch.ones({shape}, dtype=torch.bool{place})",
}
_METHODS = "torch.Tensor."
_OTHERS = {"TDL102"}
"""What may be found beside: CUDA by its name."""
_SILENT = {
    "torch.exp: out": "what is written to may be a number to the analysis",
    "torch.lerp: end": "a number on the host is taken by most of its kind",
    "torch.addcmul: input, rank 0": "the same",
    "torch.addcmul: tensor1": "the same",
    "torch.nn.functional.mse_loss: target, with a 0-dim input": "the same",
    "torch.nn.functional.smooth_l1_loss: target, with a 0-dim input": "the same",
    "torch.Tensor.put_": "hardly ever called",
    "torch.topk: out": "hardly ever called with one",
    "torch.sigmoid: out": "what is written to may be a number to the analysis",
    "torch.neg: out": "the same",
    "torch.nn.functional.ctc_loss: targets, 1-dim": "only targets of this kind fail",
    "torch.nn.TransformerEncoder: mask, not causal": "that it is not is not known",
    "torch.Tensor.grad: ": "set by `setattr`",
    "torch.linalg.multi_dot: ": "its operands are chosen by its name",
    "torch.chain_matmul: ": "the same",
}
"""Rows that raise and are not told, by how their operation and operand begin, and why."""

PROGRAMS = [
    pytest.param(row, name, id=f"{name}: {row.host}, rank {row.rank}, {row.kind}: {row.code}")
    for row in ROWS
    if "call(" not in row.code
    and "NAME" not in row.code
    and row.names != ("torch.tensor_split",)  # moves what it makes, which is told by itself
    for name in row.called
    if "OP" not in row.code or not name.startswith("torch.Tensor.__")  # operators stand for them
]


class _Written(ast.NodeTransformer):
    """Writes out what the snippet of a row abbreviates."""

    def __init__(self, name: str) -> None:
        self._name = name

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        if called in {"dev", "host"}:
            kind = next((ast.unparse(keyword.value) for keyword in node.keywords), "float")
            shape = ast.unparse(ast.Tuple(node.args, ast.Load()))
            place = ', device="cuda"' if called == "dev" else ""
            return _expression(_MADE[kind].format(shape=shape, place=place))
        if called == "OP" and self._name.startswith(_METHODS):
            method = self._name.removeprefix(_METHODS)
            function = ast.Attribute(node.args[0], method, ast.Load())
            return ast.Call(function, node.args[1:], node.keywords)
        if called == "OP":
            return ast.Call(_expression(self._name), node.args, node.keywords)
        return node


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _program(row: Row, name: str) -> str:
    """A row as a program that somebody could have written."""
    *before, last = _Written(name).visit(ast.parse(row.code)).body
    lines = [*map(ast.unparse, before), f"result = {ast.unparse(last)}", "print(result)"]
    return _BEGINNING + "\n".join(lines) + "\n"


@pytest.mark.parametrize(("row", "name"), PROGRAMS)
def test_what_raises_is_told(row: Row, name: str) -> None:
    program = _program(row, name)
    codes = {finding.code for finding in check_source(program, isolated=True)} - _OTHERS
    title = f"{name}: {row.host}, rank {row.rank}"
    raises = row.expected == "raises"
    if raises and any(title.startswith(beginning) for beginning in _SILENT):
        assert not codes, "it is told by now: take it off the list"
    else:
        assert bool(codes) is raises, program
