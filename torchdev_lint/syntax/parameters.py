"""The parameters of functions, and which of them gets an argument of a call."""

from __future__ import annotations

import ast

from torchdev_lint.syntax.names import text_of
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax


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


def arguments_of(
    call: ast.Call, function: ast.FunctionDef | ast.AsyncFunctionDef, is_method: bool
) -> dict[str, ast.expr]:
    """Return what a call gives for the parameters of a function, as far as that can be told.

    Args:
        call: runs the function.
        function: the function.
        is_method: whether its first parameter is the object it is called for.
    """
    names = [p.arg for p in (*function.args.posonlyargs, *function.args.args)]
    is_spread = any(isinstance(argument, ast.Starred) for argument in call.args)
    given = {} if is_spread else dict(zip(names[is_method:], call.args, strict=False))
    known = {*names, *(parameter.arg for parameter in function.args.kwonlyargs)}
    return given | {k.arg: k.value for k in call.keywords if k.arg is not None and k.arg in known}


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


def default_of(syntax: Syntax, parameter: ast.arg) -> ast.expr | None:
    """Return what a parameter is if it is not given; None: it must be, or is one of many."""
    arguments = syntax.parent(parameter)
    assert isinstance(arguments, ast.arguments)
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = dict(zip(reversed(positional), reversed(arguments.defaults), strict=False))
    by_name = dict(zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True))
    return defaults.get(parameter) or by_name.get(parameter)


def argument_for(
    syntax: Syntax, call: ast.Call, parameter: ast.arg, is_method: bool = False
) -> ast.expr | None:
    """Return what a call gives for a parameter, its default included; None: that can't be told.

    Args:
        is_method: whether the function's first parameter is the object it is called for.
    """
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return None
    if any(keyword.arg is None for keyword in call.keywords):
        return None
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if parameter.arg in named:
        return named[parameter.arg]
    arguments = syntax.parent(parameter)
    assert isinstance(arguments, ast.arguments)
    positional = [*arguments.posonlyargs, *arguments.args][is_method:]
    at = positional.index(parameter) if parameter in positional else len(call.args)
    return call.args[at] if at < len(call.args) else default_of(syntax, parameter)
