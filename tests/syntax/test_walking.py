"""`walk` sees what `ast.walk` sees, whatever the node."""

from __future__ import annotations

import ast

import pytest

from tests.fuzz.grammar import EXPRESSIONS, PATTERNS, STATEMENTS, TARGETS, Form, simplest
from torchdev_lint.syntax.walking import walk

FORMS = [form for form in [*STATEMENTS, *EXPRESSIONS, *TARGETS, *PATTERNS] if form.is_known]
LEFT_OUT = (ast.boolop, ast.cmpop, ast.expr_context, ast.operator, ast.unaryop)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.text)
def test_nothing_is_missed_and_nothing_else_is_seen(form: Form) -> None:
    tree = ast.parse(simplest(form))
    expected = [node for node in ast.walk(tree) if not isinstance(node, LEFT_OUT)]
    assert sorted(map(id, walk(tree))) == sorted(map(id, expected))
