"""The parameters of functions, and which of them gets an argument of a call."""

from __future__ import annotations

import ast

from torchdev_lint.syntax.names import text_of
from torchdev_lint.syntax.scopes import FUNCTIONS


def parameters_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    """Return the parameters of a function that have names of their own, in order."""
    arguments = function.args
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def parameter_for(
    function: ast.FunctionDef | ast.AsyncFunctionDef, call: ast.Call, given: ast.AST, skipped: int
) -> ast.arg | None:
    """Return the parameter that gets an argument, None where that can't be told.

    Args:
        function: what the call runs.
        given: one of the call's arguments, or of its keywords.
        skipped: how many parameters come before the first argument: one, if it is a method's.
    """
    positional = [*function.args.posonlyargs, *function.args.args]
    if isinstance(given, ast.keyword):
        named = [*positional, *function.args.kwonlyargs]
        return next((parameter for parameter in named if parameter.arg == given.arg), None)
    if given not in call.args or any(isinstance(part, ast.Starred) for part in call.args):
        return None
    at = call.args.index(given) + skipped
    return positional[at] if at < len(positional) else None


def optional_parameters(function: ast.AST) -> frozenset[str]:
    """Return the parameters of a function that may be `None`, by their defaults and annotations."""
    if not isinstance(function, (*FUNCTIONS, ast.Lambda)):
        return frozenset()
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = [
        *zip(reversed(positional), reversed(arguments.defaults), strict=False),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    optional = {a.arg for a, default in defaults if isinstance(default, ast.Constant)}
    for argument in (*positional, *arguments.kwonlyargs):
        annotation = "" if argument.annotation is None else text_of(argument.annotation)
        if "Optional" in annotation or "None" in annotation:
            optional.add(argument.arg)
    return frozenset(optional)
