"""How conditions turned out comes along into the functions that are called there.

A method that asks `self.train_mode` again gets the answer that its caller got, and so does a
function that is handed what its caller asked for, under whatever name.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.branches import Outcome
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.values import Function, Instance
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.python.binding import positional_parameters
from torchdev_lint.placement.python.renaming import in_other_words
from torchdev_lint.placement.run import Run, is_its_own
from torchdev_lint.syntax.names import path_of
from torchdev_lint.syntax.scopes import FUNCTIONS


def handed_over(
    run: Run, function: Function, arguments: Arguments, site: ast.AST | None
) -> dict[str, str]:
    """Return the parameters of a function that is called, by the paths of what they are handed.

    What a library or a partial hands over is not what is written in the call.

    Args:
        site: the expression that leads to the call.
    """
    given: dict[str, str] = {}
    if not isinstance(site, ast.Call):
        return given
    parameters = positional_parameters(function.node)
    if function.bound is not None and parameters:
        receiver = _receiver(run, function, site)
        if receiver is not None:
            given[receiver] = parameters[0].arg
    for name, expression in written_arguments(function, arguments, site).items():
        path = path_of(expression)
        if path is not None:
            given.setdefault(path, name)
    return given


def written_arguments(
    function: Function, arguments: Arguments, call: ast.Call
) -> dict[str, ast.expr]:
    """Return what a call hands over as it is written there, by the parameters that receive it."""
    parameters = positional_parameters(function.node)
    named = {parameter.arg for parameter in (*parameters, *function.node.args.kwonlyargs)}
    if function.bound is not None:
        parameters = parameters[1:]
    written = {}
    for at, (_, node), parameter in zip(call.args, arguments.positional, parameters, strict=False):
        if node is not at or isinstance(at, ast.Starred):
            break
        written[parameter.arg] = at
    keywords = {keyword.value for keyword in call.keywords}
    for name, (_, node) in arguments.keywords.items():
        if name in named and isinstance(node, ast.expr) and node in keywords:
            written.setdefault(name, node)
    return written


def _receiver(run: Run, function: Function, call: ast.Call) -> str | None:
    """The variable whose method is called, or which is called itself."""
    func = call.func
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


def carried(run: Run, function: Function, given: dict[str, str]) -> dict[str, Outcome]:
    """Return how conditions have turned out that a function which is called may ask again.

    Args:
        given: its parameters that are handed something that has a path, by that.
    """
    outcomes = run.env.outcomes
    run.budget.visited(len(outcomes))
    renamed = {path: name for path, name in given.items() if path != name}
    inside: dict[str, Outcome] = {}
    for outcome in outcomes.values():
        asked = outcome.question
        kept = {
            name for name in asked.names if given.get(name) == name or _is_same(run, function, name)
        }
        questions = [asked] if len(kept) == len(asked.names) else []
        for question in (*questions, *in_other_words(run, asked, renamed, kept)):
            inside[question.text] = Outcome(outcome.holds, question)
    return inside


def _is_same(run: Run, function: Function, name: str) -> bool:
    """Whether a variable is the same one in the code at hand and in a function that is called."""
    if name in context_of(function.file).names_of(function.node):
        return False
    return _home(function.closure, name) is _home((run.frame, *run.frame.closure), name)


def _home(frames: Sequence[Frame], name: str) -> Frame | None:
    """Whose variable a name is that is read where some frames are seen, innermost first."""
    module = frames[-1] if frames else None
    return next((frame for frame in frames if is_its_own(frame, name)), module)
