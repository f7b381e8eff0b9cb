"""Which factories make something on the host, of those that await a device of their callers."""

from __future__ import annotations

from collections.abc import Iterable, Set

from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.triage.scope import CALLED_BY_CLASS, Scope
from torchdev_lint.triage.told import Called, Given, given_in, is_left_out, parameters_awaited


def settle_factories(scopes: list[Scope], is_offered: bool) -> None:
    """Find out which scopes have factories that make something on the host indeed.

    Args:
        scopes: those of a file.
        is_offered: whether other files may call what the file doesn't call itself.
    """
    awaited: dict[Scope, set[str]] = {}
    for scope in scopes:
        if scope.made and not scope.makes:
            parameters = parameters_awaited(scope.made, scope.node, scope.may_be_host)
            scope.makes = parameters is None or bool(parameters and scope.name in CALLED_BY_CLASS)
            if parameters and not scope.makes:
                awaited[scope] = parameters
    given = _given_by_all(scopes, {(s.name, s.owner is not None) for s in awaited})
    for scope, parameters in awaited.items():
        node, is_method = scope.node, scope.owner is not None
        assert isinstance(node, FUNCTIONS)
        by_all = given.get((scope.name, is_method))
        if by_all is None:
            # What nobody calls is run with nothing known of its arguments, not with defaults.
            scope.makes = is_offered
        else:
            scope.makes = any(is_left_out(node, is_method, each, by_all) for each in parameters)


def _given_by_all(scopes: Iterable[Scope], functions: Set[Called]) -> dict[Called, Given]:
    """What all that mention a function give it for certain."""
    names = {name for name, _ in functions}
    given: dict[Called, Given] = {}
    for scope in scopes:
        if not scope.mentions.isdisjoint(names):
            for called, arguments in given_in(scope.node, functions, scope.may_be_host):
                given[called] = given[called] & arguments if called in given else arguments
    return given
