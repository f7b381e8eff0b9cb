"""What meets what layers compute is where they are."""

from __future__ import annotations

import ast

import pytest

from torchdev_lint.placement.evidence.beside_computed import Computed
from torchdev_lint.syntax.scopes import parameter_names
from torchdev_lint.syntax.walking import walk

FORWARD = """
def forward(self, words, given, other=None):
    embedded = self.embed(words)
    {before}
    packed = pack_padded_sequence(embedded, {lengths}, batch_first=True)
    states, ends = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
    {behind}
"""
LIBRARIES = {"torch", "F", "pack_padded_sequence", "pad_packed_sequence"}


def is_there(lengths: str, before: str, behind: str) -> bool:
    forward = ast.parse(FORWARD.format(lengths=lengths, before=before, behind=behind)).body[0]
    nodes = list(walk(forward))
    layers = {"embed", "lstm"}
    computed = Computed(
        nodes, layers | {"own"}, layers, {"drop"}, LIBRARIES, parameter_names(forward)
    )
    taker = next(
        node
        for node in nodes
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pack_padded_sequence"
    )
    return computed.meets(taker.args[1], taker)


@pytest.mark.parametrize(
    ("lengths", "before", "behind"),
    [
        ("given", "pass", "return states.sum(1) / given.unsqueeze(-1)"),
        ("given", "pass", "states /= given[:, None, None]"),
        ("given.sum(1)", "pass", "return states.masked_fill(given[..., None] == 0, 0)"),
        (
            "lens",
            "lens = (given != 0).sum(1)",
            "return self.drop(states) * given.float()[..., None]",
        ),
        ("lens", "lens, order = given.sort()", "return torch.where(given, states, 0)"),
        ("given", "pass", "if other is not None:\n        return states * given"),
        ("words.ne(0).sum(1)", "pass", "return states"),
        ("lens", "lens = given.to(self.device)", "return states"),
        ("lens", "lens = given.to(words.device)", "return states"),
        ("given['n']", "pass", "return states.sum(1) / given['n'].float()"),
        ("other", "other = self.lstm(embedded)[0].argmax(-1)", "return states"),
    ],
)
def test_what_meets_it_is_there(lengths: str, before: str, behind: str) -> None:
    assert is_there(lengths, before, behind)


@pytest.mark.parametrize(
    ("lengths", "before", "behind"),
    [
        ("given", "pass", "return states"),
        ("given", "pass", "return states.sum(1) / given.max()"),
        ("given", "pass", "return states[0, 0] * given[0]"),
        ("given", "pass", "return states.sum(1) / given.to(states.device)"),
        ("given", "pass", "given = given.to(states.device)\n    return states.sum(1) / given"),
        (
            "given",
            "pass",
            "if self.mean:\n        states = states.sum(1) / given\n    return states",
        ),
        ("given", "pass", "return states * ends[:, None] + given * ends"),
        ("lens", "embedded, lens = self.own(embedded, given)", "return states"),
        ("lens", "lens = self.own(embedded, given)[1]", "return states"),
        ("given", "pass", "return self.drop(given.float())"),
        ("given['n']", "pass", "return states * given['mask']"),
        ("lens", "lens = given\n    if self.move:\n        lens = lens.to(self.device)", "pass"),
        ("lens", "lens = given", "lens = other\n    return states * lens"),
    ],
)
def test_what_may_be_elsewhere_is_not(lengths: str, before: str, behind: str) -> None:
    assert not is_there(lengths, before, behind)
