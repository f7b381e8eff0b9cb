"""How conditions turned out comes along into the functions that are called there.

A method that asks `self.train_mode` again gets the answer that its caller got, and so does a
function that is handed what its caller asked for, under whatever name.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence, Set
from typing import Final

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.branches import Outcome
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.values import Function, Instance
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.python.binding import positional_parameters
from torchdev_lint.placement.python.renaming import in_other_words
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import path_of
from torchdev_lint.syntax.scopes import FUNCTIONS


def handed_over(
    run: Run, function: Function, arguments: Arguments, site: ast.AST | None
) -> dict[str, str]:
    """Return the parameters of a function that is called, by the paths of what they are handed.

    Args:
        site: the call, or the attribute that is a property.
    """
    parameters = positional_parameters(function.node)
    given: dict[str, str] = {}
    if function.bound is not None and parameters:
        receiver = _receiver(run, function, site)
        if receiver is not None:
            given[receiver] = parameters[0].arg
        parameters = parameters[1:]
    named = [(node, keyword) for keyword, (_, node) in arguments.keywords.items()]
    for (_, node), parameter in zip(arguments.positional, parameters, strict=False):
        if isinstance(node, ast.Starred):
            break
        named.append((node, parameter.arg))
    for node, name in named:
        path = path_of(node)
        if path is not None:
            given.setdefault(path, name)
    return given


def _receiver(run: Run, function: Function, site: ast.AST | None) -> str | None:
    """The variable whose method is called, or which is called itself."""
    func = site.func if isinstance(site, ast.Call) else site
    name = getattr(function.node, "name", None)
    if isinstance(func, ast.Attribute) and func.attr == name:
        func = func.value
        if isinstance(func, ast.Call) and path_of(func.func) == "super":
            own = run.frame.node
            first = positional_parameters(own)[:1] if isinstance(own, FUNCTIONS) else []
            return first[0].arg if first and run.frame.bound == function.bound else None
    elif name not in _BY_CALLING:
        return None
    if not isinstance(func, ast.Name) or not isinstance(function.bound, Instance):
        return None
    return func.id if run.look_up(func.id) == function.bound else None


_BY_CALLING: Final = ("forward", "__call__")


def carried(
    run: Run, function: Function, parameters: Set[str], given: dict[str, str]
) -> dict[str, Outcome]:
    """Return how conditions have turned out that a function which is called may ask again.

    Args:
        parameters: the names of its parameters.
        given: those that are handed something that has a path, by that.
    """
    outcomes = run.env.outcomes
    run.budget.visited(len(outcomes))
    renamed = {path: name for path, name in given.items() if path != name}
    inside: dict[str, Outcome] = {}
    for outcome in outcomes.values():
        asked = outcome.question
        kept = {
            name
            for name in asked.names
            if given.get(name) == name or _is_same(run, function, parameters, name)
        }
        questions = [asked] if len(kept) == len(asked.names) else []
        for question in (*questions, *in_other_words(run, asked, renamed, kept)):
            if question.depends_on is not None:
                inside[question.text] = Outcome(outcome.holds, question.depends_on, question)
    return inside


def _is_same(run: Run, function: Function, parameters: Set[str], name: str) -> bool:
    """Whether a variable is the same one in the code at hand and in a function that is called."""
    if name in parameters or name in context_of(function.file).names_of(function.node):
        return False
    return _home(function.closure, name) is _home((run.frame, *run.frame.closure), name)


def _home(frames: Sequence[Frame], name: str) -> Frame | None:
    """Whose variable a name is that is read where some frames are seen, innermost first."""
    for frame in frames:
        if isinstance(frame.node, FUNCTIONS) and name in context_of(frame.file).names_of(
            frame.node
        ):
            return frame
    return frames[-1] if frames else None
