"""The function or class of a module that a setting names: `getattr(models, args.arch)`.

Which may be meant, shows the call: one that doesn't take its arguments isn't, nor is a class of
which there are no objects.
"""

from __future__ import annotations

import ast

from torchdev_lint.placement.defects.meetings import is_tensor_like
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.imported import AnyMember, ProjectModule
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    ClassValue,
    Function,
    Library,
    Partial,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.plain_models import builds_plain_models
from torchdev_lint.placement.interpreter.imports import frame_of, source_of
from torchdev_lint.placement.python.binding import positional_parameters
from torchdev_lint.placement.python.functions import as_written, decorated
from torchdev_lint.placement.python.namespaces import ANY_OF_PROJECT
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.top_level import TopLevel

_MAX_MEMBERS = 64
"""How many functions and classes a module may have that one of them is looked for among."""
_PACKAGE = "__init__.py"
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_NAMING = (ast.Name, ast.Attribute, ast.Lambda)


def meant(run: Run, member: AnyMember, arguments: Arguments) -> Value:
    """Return the function or class of a module that a call is a call of.

    Args:
        arguments: those of the call.

    Returns:
        What stands for any model if several may be meant, and none of them moves its input; else
        nothing is known of it.
    """
    names = _names(run, member.module, set())
    if names is not None and len(names) <= _MAX_MEMBERS:
        found = list[Value]()
        for name in sorted(names):
            values = alternatives(run.member(run, member.module, name))
            found += [value for value in values if _takes(value, arguments)]
        if len(found) < 2:
            return found[0] if found else UNKNOWN
    if any(map(is_tensor_like, arguments.values())):
        return UNKNOWN  # what is given tensors gives others, and builds no model
    return Library(ANY_OF_PROJECT) if builds_plain_models(member.module.path) else UNKNOWN


def _names(run: Run, module: ProjectModule, seen: set[str]) -> set[str] | None:
    """The names of the functions and classes of a module; None if some can't be told.

    What a file imports from libraries is for its own use, unless it stands for a package.
    """
    frame = frame_of(run, module.path)
    if frame is None or module.path in seen:
        return set()
    seen.add(module.path)
    assert isinstance(frame.node, ast.Module)
    top = context_of(frame.file).top_level(frame.node)
    names = set[str]()
    for star in top.stars:
        source = source_of(module.path, star)
        if isinstance(source, ProjectModule):
            others = _names(run, source, seen)
            if others is None:
                return None
            names |= others
        elif module.path.endswith(_PACKAGE):
            return None
    names |= _own_names(module, top)
    if top.exported is not None:
        return names & top.exported
    return {name for name in names if not name.startswith("_")}


def _own_names(module: ProjectModule, top: TopLevel) -> set[str]:
    """The names of the functions and classes that a file defines, or imports from the project."""
    return {
        name
        for name, statements in top.bindings.items()
        if any(_binds_callable(module, statement) for statement in statements)
    }


def _binds_callable(module: ProjectModule, statement: ast.stmt) -> bool:
    """Whether a statement defines a function or class for others, or gives one another name."""
    if isinstance(statement, ast.ImportFrom):
        is_package = module.path.endswith(_PACKAGE)
        return is_package or isinstance(source_of(module.path, statement), ProjectModule)
    if isinstance(statement, ast.Assign):
        value = statement.value
        is_partial = isinstance(value, ast.Call) and last_component(value.func) == "partial"
        return is_partial or isinstance(value, _NAMING)
    return isinstance(statement, _DEFINITIONS)


def _takes(value: Value, arguments: Arguments) -> bool:
    """Whether a value can be called with what a call gives."""
    if isinstance(value, Function):
        return _fits(value, arguments, bound=0)
    if isinstance(value, ClassValue):
        if _is_abstract(value.info):
            return False
        init = as_written(value.info, "__init__")
        return init is None or _fits(init, arguments, bound=1)
    return isinstance(value, (Library, Partial))


def _fits(function: Function, arguments: Arguments, bound: int) -> bool:
    """Whether a function has parameters for all that it is given, and is given all it needs.

    Args:
        bound: how many parameters get something without an argument.
    """
    own = function.node.args
    by_position = [parameter.arg for parameter in positional_parameters(function.node)][bound:]
    only_named = [parameter.arg for parameter in own.kwonlyargs]
    given = [node for _, node in arguments.positional if not isinstance(node, ast.Starred)]
    if own.vararg is None and len(given) > len(by_position):
        return False
    by_name = set(by_position[len(given) :]) - {each.arg for each in own.posonlyargs}
    if own.kwarg is None and not arguments.keywords.keys() <= by_name.union(only_named):
        return False
    if arguments.open_ended or arguments.bundles:
        return True
    needed = by_position[len(given) : max(len(by_position) - len(own.defaults), len(given))]
    needed += [p for p, d in zip(only_named, own.kw_defaults, strict=True) if d is None]
    return arguments.keywords.keys() >= set(needed)


def _is_abstract(info: ClassInfo) -> bool:
    """Whether a class leaves a method to those that inherit from it."""
    names = {name for each in info.lineage() for name in each.methods()}
    methods = [as_written(info, name) for name in names]
    return any(each is not None and decorated(each.node, "abstractmethod") for each in methods)
