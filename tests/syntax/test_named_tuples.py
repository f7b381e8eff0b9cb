"""Classes of named tuples that a call makes."""

from __future__ import annotations

import ast

import pytest

from torchdev_lint.syntax.named_tuples import class_of_fields

MADE = [
    ('namedtuple("P", "x y")', ["x", "y"]),
    ('namedtuple("P", "x, y")', ["x", "y"]),
    ('namedtuple("P", ["x", "y"])', ["x", "y"]),
    ('NamedTuple("P", [("x", int), ("y", float)])', ["x", "y"]),
    ('namedtuple("P", names)', None),
    ('namedtuple("P", ["x", name])', None),
    ('namedtuple("P", "not-a-name")', None),
    ('namedtuple(name, "x y")', None),
    ('namedtuple("P", ())', None),
    ('namedtuple("P")', None),
]


@pytest.mark.parametrize(("code", "fields"), MADE)
def test_its_fields_are_those_that_are_written(code: str, fields: list[str] | None) -> None:
    call = ast.parse(code, mode="eval").body
    assert isinstance(call, ast.Call)
    made = class_of_fields(call)
    if made is None:
        assert fields is None
        return
    named = [part.target for part in made.body if isinstance(part, ast.AnnAssign)]
    assert made.name == "P"
    assert [target.id for target in named if isinstance(target, ast.Name)] == fields
