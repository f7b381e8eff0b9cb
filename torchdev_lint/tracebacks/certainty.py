"""Whether a finding is the cause of an error for certain: nothing else could be."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import pairwise

from torchdev_lint.records import replace
from torchdev_lint.syntax.parameters import parameter_for
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.tracebacks.leads import is_cleared
from torchdev_lint.tracebacks.scene import Operand, Scene
from torchdev_lint.tracebacks.suspects import Bearing, Suspect, is_inside


def is_certain(found: Sequence[Suspect], scenes: Sequence[Scene]) -> bool:
    """Return whether the first of some findings, and those like it, are the cause for certain.

    The code has to be as it was. Findings that name just what failed make it fail each by itself;
    of those that are about a value taking part, no other value there may be to blame. What is about
    a call further out has to be about what was passed on from there to where it failed; and no
    other one may be.

    Args:
        found: the findings that lead there, the likely ones first.
        scenes: the calls, the innermost first.
    """
    if not found or any(scene.is_stale for scene in scenes[: found[0].level + 1]):
        return False
    first = found[0]
    alike = [suspect for suspect in found if suspect.order == first.order]
    if first.bearing in {Bearing.VALUE, Bearing.ORIGIN}:
        if len({(s.file.path, s.finding.span.line) for s in alike}) > 1:
            return False
        if not first.level and not _are_others_cleared(first, scenes[0]):
            return False
    elif first.bearing >= Bearing.BESIDE or (first.bearing is Bearing.WITHIN and not first.level):
        return False
    if any(_may_be_it(each, scenes) for each in found if each.order > first.order):
        return False
    passed = scenes[0].operands
    return not first.level or all(_was_passed_on(each, passed, scenes) for each in alike)


def was_passed(suspects: Sequence[Suspect], operand: Operand, scenes: Sequence[Scene]) -> bool:
    """Whether one of some findings is about what was passed on as a value where it failed."""
    return any(
        _was_passed_on(replace(suspect, level=level), [operand], scenes)
        for suspect in suspects
        for level, scene in enumerate(scenes)
        if level and scene.file is suspect.file
    )


def _are_others_cleared(suspect: Suspect, scene: Scene) -> bool:
    return all(o in suspect.explained or is_cleared(o.known) for o in scene.operands)


def _may_be_it(suspect: Suspect, scenes: Sequence[Scene]) -> bool:
    """Whether another finding may be the cause: one about what was passed on to where it failed.

    Where the traceback doesn't say what that is, it is whatever stands there.
    """
    if suspect.bearing is Bearing.BESIDE:
        return True
    return suspect.level > 0 and _was_passed_on(suspect, scenes[0].operands, scenes)


def _was_passed_on(suspect: Suspect, passed: Sequence[Operand], scenes: Sequence[Scene]) -> bool:
    """Whether what a finding is about was passed from call to call to where it failed.

    Args:
        suspect: the finding.
        passed: the values there that it may have become.
        scenes: the calls, the innermost first.
    """
    for inner, outer in pairwise(scenes[: suspect.level + 1]):
        if _function(inner) is not _function(outer):  # else a comprehension of its own
            parameters = {step.node for o in passed for step in o.trail.steps}
            nodes = _arguments(inner, outer, parameters)
            passed = [operand for operand in outer.operands if operand.node in nodes]
    return any(operand in suspect.explained or _goes_by(operand, suspect) for operand in passed)


def _goes_by(operand: Operand, suspect: Suspect) -> bool:
    """Whether the way back from a value goes by what a finding is about."""
    span = suspect.finding.span
    spans = [step.known.span for step in operand.trail.steps]
    return any(is_inside(span, other) or is_inside(other, span) for other in spans)


def _arguments(inner: Scene, outer: Scene, parameters: set[ast.AST]) -> set[ast.AST]:
    """What an outer call passes as some parameters of the function in which an inner one is."""
    function, call = _function(inner), outer.marked
    if not isinstance(function, FUNCTIONS) or not isinstance(call, ast.Call):
        return set()
    is_method = isinstance(inner.file.knowledge.syntax.parent(function), ast.ClassDef)
    return {
        given.value if isinstance(given, ast.keyword) else given
        for given in (*call.args, *call.keywords)
        if parameter_for(function, call, given, int(is_method)) in parameters
    }


def _function(scene: Scene) -> ast.AST | None:
    statement = scene.statement
    return None if statement is None else scene.file.knowledge.function_around(statement)
