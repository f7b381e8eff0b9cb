"""The same condition asked again: it turns out as it did before.

What `if flag: x = a` `else: x = b` leaves in `x` is one of two; inside a later `if flag:` it
is the first of them. Behind `if flag: return`, a later `if flag:` is never taken.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from torchdev_lint.placement.domain.branches import Choices, Chosen, Literal, Outcome
from torchdev_lint.placement.python.questions import known_answer, literal
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.decided import parts_told


def note_choices(
    run: Run, test: ast.expr, chosen: dict[str, Chosen], branches: ast.stmt | None = None
) -> None:
    """Remember what a condition has put into variables.

    Args:
        branches: the statement, whose branches may change what the condition asks.
    """
    depends_on = run.file.asked_by(test)
    if not chosen or depends_on is None:
        return
    literals, holds = _conjunction(run, test)
    question, when_true = literal(run, test)
    whole = (question, when_true is holds)
    if not holds:
        chosen = {n: Chosen(c.joined, c.when_false, c.when_true) for n, c in chosen.items()}
    if branches is not None and run.file.changes(run.frame.node, branches, depends_on):
        return
    run.budget.copied(len(run.env.choices))
    subjects = frozenset({question.subject, *(part.subject for part, _ in literals)})
    run.env.choices = {**run.env.choices, literals: Choices(depends_on, chosen, whole, subjects)}


def learn(run: Run, test: ast.expr, taken: bool) -> None:
    """Note how a condition turned out, and what it has put into variables where it did so before.

    Args:
        taken: whether the condition is true.
    """
    if run.budget.is_spent:
        return
    env = run.env
    learned: dict[str, Outcome] = {}
    for part, holds in parts_told(test, taken):
        if run.file.asked_by(part) is not None:
            question, when_true = literal(run, part)
            learned[question.text] = Outcome(holds is when_true, question)
    if all(env.outcomes.get(text) == outcome for text, outcome in learned.items()):
        return
    run.budget.visited(len(env.outcomes) + len(env.choices))
    env.outcomes = {**env.outcomes, **learned}
    subjects = {outcome.question.subject for outcome in learned.values()}
    for literals, choices in env.choices.items():
        if choices.subjects.isdisjoint(subjects):
            continue
        verdict = _verdict_on_choices(run, literals, choices.whole)
        if verdict is None:
            continue
        for name, chosen in choices.names.items():
            if env.names.get(name) == chosen.joined:
                env.names[name] = chosen.when_true if verdict else chosen.when_false


def answered_before(run: Run, test: ast.expr, before: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """The outcomes that are known now, without what a loop has learned by its own condition.

    A `while` ends since that has changed, be it by a call that nobody sees through.

    Args:
        before: the outcomes that were known when the loop began.
    """
    parts = [part for part, _ in parts_told(test, True) if run.file.asked_by(part) is not None]
    asked = {literal(run, part)[0].text for part in parts}
    now = run.env.outcomes
    return {text: now[text] for text in now if text not in asked or before.get(text) == now[text]}


def known_outcome(run: Run, test: ast.expr) -> bool | None:
    """How a condition turns out that was asked before on the way here; None if it was not."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = known_outcome(run, test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        verdicts = [known_outcome(run, part) for part in test.values]
        decisive = isinstance(test.op, ast.Or)
        if decisive in verdicts:
            return decisive
        return None if None in verdicts else not decisive
    if run.file.asked_by(test) is None:
        return None
    question, when_true = literal(run, test)
    known = known_answer(run, question)
    return None if known is None else known is when_true


def changes_with(run: Run, test: ast.expr, names: frozenset[str]) -> bool:
    """Whether a condition may turn out otherwise in the next round of a loop.

    Args:
        names: the variables and attributes that the loop changes.
    """
    asked = run.file.asked_by(test)
    return asked is None or not asked.isdisjoint(names)


def _verdict_on_choices(run: Run, literals: frozenset[Literal], whole: Literal) -> bool | None:
    """Whether a conjunction holds, of which the whole or the parts are known."""
    verdict = _verdict(run, [whole])
    return _verdict(run, literals) if verdict is None else verdict


def _verdict(run: Run, literals: Iterable[Literal]) -> bool | None:
    """Whether a conjunction holds, as far as its parts are known."""
    known = []
    for question, holds in literals:
        answer = known_answer(run, question)
        known.append(None if answer is None else answer is holds)
    if False in known:
        return False
    return None if None in known else True


def _conjunction(run: Run, test: ast.expr) -> tuple[frozenset[Literal], bool]:
    """A condition as conditions that all hold, and whether it is true or false when they do."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        literals, holds = _conjunction(run, test.operand)
        return literals, not holds
    holds = not (isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or))
    pairs = []
    for part, taken in parts_told(test, holds):
        question, when_true = literal(run, part)
        pairs.append((question, taken is when_true))
    return frozenset(pairs), holds
