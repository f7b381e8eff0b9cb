"""Variables of other files that the file at hand sets: `settings.device = torch.device("cpu")`."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.imported import ProjectModule
from torchdev_lint.placement.domain.values import WIDENED, Value, alternatives
from torchdev_lint.placement.run import Run


def set_member(run: Run, target: ast.Attribute, module: Value, value: Value) -> None:
    """Have a variable of another file hold what it is given, for all that read it from now on.

    What is set in a function, or under a condition, may be set or not: it may be anything.

    Args:
        target: the attribute that is set.
        module: what it is set of; nothing is done if that is no module of the project.
        value: what it is given.
    """
    for option in alternatives(module):
        if isinstance(option, ProjectModule):
            held = value if _is_certainly_set(run, target) else WIDENED
            run.set_members[option.path, target.attr] = held
            frame = run.modules.get(option.path)
            if frame is not None:
                frame.env.names[target.attr] = held


def _is_certainly_set(run: Run, target: ast.Attribute) -> bool:
    """Whether a statement at the top of the file sets an attribute."""
    syntax = run.facts.syntax
    statement = None if len(run.frames) > 1 else syntax.parent(target)
    return statement is not None and isinstance(syntax.parent(statement), ast.Module)
