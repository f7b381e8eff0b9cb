"""What a file offers to those that import it, as far as triage asks."""

from __future__ import annotations

import ast
from collections.abc import Set

from torchdev_lint.triage.offers import Offer, Position, position_of
from torchdev_lint.triage.survey import CALLED_BY_CLASS, Survey, names_for
from torchdev_lint.triage.triggers import Trigger


def offered(
    tree: ast.Module, triggers: Set[Trigger], imported: Offer
) -> tuple[Offer, frozenset[Position]]:
    """Return what of a file may lead to something where another one uses it.

    Args:
        tree: the file's syntax tree.
        triggers: what the rules need to find something.
        imported: what of other files may, by the names it has in this one: it is handed on.

    Returns:
        The names, and the places of the functions and classes.
    """
    survey = Survey(tree, triggers, imported)
    reached = survey.reached(handed_on=True)
    users = [scope for scope in survey.scopes if scope.node in reached]
    methods = {s.name for s in users if s.owner is not None and s.node is not s.owner}
    others = {name for scope in users for name in names_for(scope)} - methods
    constants = survey.constants
    offer = Offer(
        frozenset(others) | constants.names | constants.classes | imported.functions,
        frozenset(methods - CALLED_BY_CLASS) | constants.names | imported.methods,
        frozenset(survey.names.modules),
        frozenset(survey.names.loaders),
    )
    return offer, frozenset(map(position_of, reached))
