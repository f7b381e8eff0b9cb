"""Conditions in other words: those of a function that is called, or of its caller."""

from __future__ import annotations

import ast
from collections.abc import Set
from copy import deepcopy

from torchdev_lint.placement.domain.branches import Question
from torchdev_lint.placement.domain.frame import Reads
from torchdev_lint.placement.python.questions import literal
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import path_of


def in_other_words(
    run: Run, question: Question, words: dict[str, str], kept: Set[str]
) -> list[Question]:
    """A condition as it is asked where there are other words for what it asks, if it can be.

    Args:
        words: the paths there, by those here.
        kept: the variables that are the same ones there.
    """
    if not words or words.keys().isdisjoint(_paths(question.test)):
        return []
    renaming = _Renaming(words, kept)
    test = renaming.visit(deepcopy(question.test))
    if renaming.failed or not isinstance(test, ast.expr) or run.file.asked_by(test) is None:
        return []
    return [literal(run, test)[0]]


def ask_outside(run: Run, reads: Reads, given: dict[str, str]) -> None:
    """Note that the caller asks what a call has asked, in its words.

    Args:
        reads: what the call has read.
        given: the parameters, by the paths of what they are handed.
    """
    asked = run.frame.reads.asked
    run.frame.reads.asks_own |= reads.asks_own
    run.budget.visited(len(reads.asked))
    words = {name: path for path, name in given.items() if path != name}
    for question in reads.asked:
        if question.names.isdisjoint(words):
            asked.add(question)
        else:
            asked.update(in_other_words(run, question, words, question.names))


def _paths(test: ast.expr) -> list[str | None]:
    return [path_of(n) for n in ast.walk(test) if isinstance(n, (ast.Name, ast.Attribute))]


class _Renaming(ast.NodeTransformer):
    """Puts other paths in the place of some."""

    def __init__(self, words: dict[str, str], kept: Set[str]) -> None:
        self._words = words
        self._kept = kept
        self.failed = False

    def visit(self, node: ast.AST) -> ast.AST:
        """Rename a variable or attribute, or look into what is none."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            there = self._words.get(path_of(node) or "")
            if there is not None:
                return ast.parse(there, mode="eval").body
            if isinstance(node, ast.Name):
                self.failed |= node.id not in self._kept
                return node
        return self.generic_visit(node)
