"""The generator leaves out nothing of the grammar, and nothing that it writes is too much."""

from __future__ import annotations

import ast
import random
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from torchdev_lint.checking import check_file
from torchdev_lint.report import StandardInput, Task
from torchdev_lint.rules import EVERY_RULE
from torchdev_lint.source.discovery import STDIN, Target

from .checks import check_fixes
from .grammar import EXPRESSIONS, PATTERNS, STATEMENTS, TARGETS, Form, Writer, simplest
from .mutations import parses

FORMS = [*STATEMENTS, *EXPRESSIONS, *TARGETS, *PATTERNS]

NOT_IN_A_FILE = {"Expression", "FunctionType", "Interactive", "TypeIgnore"}
"""Nodes that `ast.parse` makes only where it is asked for something else than a module."""

LATER = {
    "TryStar": (3, 11),
    "ParamSpec": (3, 12),
    "TypeAlias": (3, 12),
    "TypeVar": (3, 12),
    "TypeVarTuple": (3, 12),
    "Interpolation": (3, 14),
    "TemplateStr": (3, 14),
}
"""Nodes that the oldest supported Python doesn't have, and the first one that does."""

seeds = st.integers(0, 2**32).map(random.Random)


def kinds_of_nodes() -> set[str]:
    """Return the nodes that the running Python's grammar has, less groups and what is obsolete."""
    kinds = [kind for kind in vars(ast).values() if isinstance(kind, type)]
    return {
        kind.__name__
        for kind in kinds
        if issubclass(kind, ast.AST)
        and re.match(rf"{kind.__name__}(\(|$)", kind.__doc__ or "")
        and kind.__module__ == "ast"
    }


def test_every_node_of_the_grammar_can_be_made() -> None:
    made = {
        type(node).__name__
        for form in FORMS
        if form.is_known
        for node in ast.walk(ast.parse(simplest(form)))
    }
    assert made == kinds_of_nodes() - NOT_IN_A_FILE


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.text)
def test_a_form_is_left_out_just_where_it_cannot_be_parsed(form: Form) -> None:
    assert parses(simplest(form)) == form.is_known


def test_there_is_text_for_what_later_pythons_have() -> None:
    assert {form.since for form in FORMS} >= {(3, 10), *LATER.values()}
    known = {name for name, since in LATER.items() if Form("", since).is_known}
    assert known == LATER.keys() & kinds_of_nodes()


@pytest.mark.slow
@settings(max_examples=200, suppress_health_check=list(HealthCheck))
@given(seeds)
def test_any_program_is_linted(chance: random.Random) -> None:
    text = Writer(chance).program()
    assert parses(text), text
    report = check_file(Task(Target(STDIN, True), EVERY_RULE), StandardInput(text.encode(), "a.py"))
    assert report.problem is None, text


@pytest.mark.slow
@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(seeds, st.booleans())
def test_any_program_is_fixed(chance: random.Random, unsafe: bool) -> None:
    check_fixes(Writer(chance).program().encode(), unsafe)


@pytest.mark.parametrize("form", [form for form in FORMS if form.is_known], ids=lambda f: f.text)
def test_every_form_is_linted_where_the_analysis_looks(form: Form) -> None:
    lines = simplest(form).rstrip("\n").split("\n")
    text = "import torch\nfrom torch import nn\n\n\nclass Net(nn.Module):\n"
    text += "    def forward(self, clip, x):\n"
    text += "".join(f"        {line}\n" for line in ["clip + torch.zeros(3)", *lines])
    # Whether it is a tensor that a result is thrown away of, only its uses in the function tell.
    text += "\n\ndef use(batch, x):\n    part = batch[0]\n    part[:, None]\n    part.cuda()\n"
    text += "".join(f"    {line}\n" for line in lines)
    report = check_file(Task(Target(STDIN, True), EVERY_RULE), StandardInput(text.encode(), "a.py"))
    assert report.problem is None
    assert [finding.code for finding in report.findings[:2]] == ["TDL002", "TDL001"]
