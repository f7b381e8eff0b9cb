"""Conditions that are known again: in their positive form, and by what they ask."""

from __future__ import annotations

import ast
from typing import Final

from torchdev_lint.placement.domain.branches import Literal, Outcome, Question
from torchdev_lint.placement.domain.comparisons import Comparison, told_by
from torchdev_lint.placement.domain.frame import Reads
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import is_too_large, path_of, text_of
from torchdev_lint.syntax.walking import walk

_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.IsNot: ast.Is,
    ast.NotEq: ast.Eq,
    ast.NotIn: ast.In,
    ast.GtE: ast.Lt,
    ast.LtE: ast.Gt,
}
_COMPARED = (ast.Eq, ast.Is, ast.Lt, ast.Gt)
OWN: Final = "self."
"""What stands in the text of a condition about the object at hand."""


def literal(run: Run, test: ast.expr) -> Literal:
    """A condition in its positive form, and whether that is how it stands there.

    Args:
        test: the condition, which gives the same when it is asked again.
    """
    known = run.literals.get(test)
    if known is None:
        positive, when_true = _positive(test)
        question = _question(run, positive)
        known = run.literals[test] = (run.questions.setdefault(question.text, question), when_true)
    return known


def known_answer(run: Run, question: Question) -> bool | None:
    """How a condition turns out by how others did on the way here, None where that is open."""
    run.frame.reads.asked.add(question)
    return _answer(run, question, run.env.outcomes)


def _answer(run: Run, question: Question, outcomes: dict[str, Outcome]) -> bool | None:
    """How a condition turns out by how others did, which are given by their texts."""
    if not outcomes:
        return None
    known = outcomes.get(question.text)
    if known is not None:
        return known.holds
    if question.comparison is None:
        return None
    run.budget.visited(len(outcomes))
    related = [
        (outcome.question.comparison, outcome.holds)
        for outcome in outcomes.values()
        if outcome.question.subject == question.subject and outcome.question.comparison is not None
    ]
    return told_by(related, question.comparison)


def answers(run: Run, reads: Reads, outcomes: dict[str, Outcome]) -> dict[str, bool]:
    """Return what is known of the conditions that a call has asked for.

    Args:
        reads: what it has read.
        outcomes: how conditions had turned out when it began.
    """
    if not outcomes:
        return {}
    run.budget.visited(len(reads.asked))
    known = {question.text: _answer(run, question, outcomes) for question in reads.asked}
    told = {text: answer for text, answer in known.items() if answer is not None}
    if reads.asks_own:
        told |= {text: outcome.holds for text, outcome in outcomes.items() if OWN in text}
    return told


def _positive(test: ast.expr) -> tuple[ast.expr, bool]:
    when_true = True
    while isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test, when_true = test.operand, not when_true
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        opposite = _OPPOSITES.get(type(test.ops[0]))
        if opposite is not None:
            test = ast.Compare(test.left, [opposite()], test.comparators)
            when_true = not when_true
    return test, when_true


def _question(run: Run, test: ast.expr) -> Question:
    """What a condition in its positive form asks.

    Most are so simple that the text need not be put together from the tree again.
    """
    names = frozenset(part.id for part in walk(test) if isinstance(part, ast.Name))
    depends_on = run.file.asked_by(test)
    assert depends_on is not None
    left = path_of(test.left) if isinstance(test, ast.Compare) and len(test.ops) == 1 else None
    comparison = _comparison(test) if left is not None else None
    if left is None or comparison is None:
        text = path_of(test) or text_of(test)
        return Question(text, text, None, test, names, depends_on)
    constants = ", ".join(map(repr, comparison.constants))
    text = f"{left} {comparison.operator.__name__} {constants}"
    return Question(text, left, comparison, test, names, depends_on)


def _comparison(test: ast.expr) -> Comparison | None:
    """With which constants something is compared, and how."""
    assert isinstance(test, ast.Compare)
    operator, right = type(test.ops[0]), test.comparators[0]
    if operator is ast.In and isinstance(right, (ast.Tuple, ast.List, ast.Set)):
        nodes = right.elts
    elif operator in _COMPARED:
        nodes = [right]
    else:
        return None
    constants = [n.value for n in nodes if isinstance(n, ast.Constant) and not is_too_large(n)]
    return Comparison(operator, tuple(constants)) if len(constants) == len(nodes) else None
