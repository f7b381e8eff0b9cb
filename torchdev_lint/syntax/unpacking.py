"""Which target of an assignment gets which part of what is written on its right side."""

from __future__ import annotations

import ast
from collections.abc import Sequence


def star_of(value: ast.expr) -> int | None:
    """Return where in a written list or tuple the one star is; None: there is none, or several."""
    parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
    stars = [at for at, part in enumerate(parts) if isinstance(part, ast.Starred)]
    return stars[0] if len(stars) == 1 else None


def parts_for(targets: Sequence[ast.expr], value: ast.expr) -> list[ast.expr | None] | None:
    """Return the expression that each of several targets gets, None for those that a star gives.

    Args:
        targets: `b, n, device`.
        value: what they get, such as `*x.shape, x.device`.

    Returns:
        As many as there are targets; None where that can't be told.
    """
    if not isinstance(value, (ast.Tuple, ast.List)):
        return None
    if any(isinstance(target, ast.Starred) for target in targets):
        return None
    star, written = star_of(value), list[ast.expr | None](value.elts)
    if star is None:
        plain = not any(isinstance(part, ast.Starred) for part in value.elts)
        return written if plain and len(written) == len(targets) else None
    between = len(targets) - len(written) + 1
    return None if between < 0 else [*written[:star], *[None] * between, *written[star + 1 :]]


def place_within(holder: ast.AST, part: ast.AST) -> int | None:
    """Where a part stands in a tuple or list, if nothing before it is a star."""
    if not isinstance(holder, (ast.Tuple, ast.List)):
        return None
    for at, each in enumerate(holder.elts):
        if isinstance(each, ast.Starred):
            return None
        if each is part:
            return at
    return None


def target_at(target: ast.expr, at: int | None) -> ast.expr:
    """The part of a target that a place of a tuple is put into; all of it, if that isn't known."""
    if at is None or not isinstance(target, (ast.Tuple, ast.List)) or at >= len(target.elts):
        return target
    stars = any(isinstance(each, ast.Starred) for each in target.elts[: at + 1])
    return target if stars else target.elts[at]
