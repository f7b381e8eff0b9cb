"""Functions that give back what they are handed, told from the text alone.

Most decorators of a project do: they register what they decorate, or write to its docstring. Or
they give a function that does nothing in the end but call it, with its own arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import own_nodes, parameter_names, root_name
from torchdev_lint.syntax.top_level import top_level
from torchdev_lint.syntax.walking import walk

_OPEN = (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await)
"""What a function has that does more than give something back."""
ACTS = (ast.With, ast.AsyncWith, ast.Try)
"""What may change for a function what holds around it."""
_CHANGING = ("setattr", "delattr")
_DESCRIBING = frozenset(
    """
    __annotations__ __doc__ __module__ __name__ __qualname__ __signature__ __wrapped__
    """.split()
)
"""Attributes of functions and classes that nothing is done with where these are called."""

_Scopes = tuple[ast.FunctionDef, ...]
"""The functions that a name stands in, the outermost first."""


@dataclass(frozen=True, slots=True)
class _Given:
    """What a function is asked about: its argument.

    Args:
        name: the parameter; empty if there are only settings.
        is_class: whether it is a class, or a function.
    """

    name: str
    is_class: bool


@dataclass(eq=False, slots=True)
class HandingBack:
    """Tells which functions of a file hand back what they are given.

    Args:
        tree: the file's syntax tree.
    """

    tree: ast.Module
    _bindings: dict[str, list[ast.stmt]] | None = None
    _known: dict[tuple[ast.AST, int, bool], bool] = field(default_factory=dict)
    _replaced: dict[ast.AST, frozenset[str] | None] = field(default_factory=dict)

    def hands_back(self, function: ast.AST, is_class: bool, index: int = 0) -> bool:
        """Whether a function gives back one of its arguments, or what calls it just like that.

        Args:
            function: a function of the file that is in no other one.
            is_class: whether the argument is a class, else it is a function.
            index: which of the parameters that is for.
        """
        return self._asked(function, index, is_class, ())

    def makes_decorator(self, function: ast.AST, is_class: bool) -> bool:
        """Whether a function that is given settings gives one that hands back what it is given."""
        return self._asked(function, -1, is_class, ())

    def replaced_by(self, function: ast.AST) -> frozenset[str] | None:
        """The attributes that a function sets of what it is given; None: whichever they are.

        What it makes sets them as well, if that is what is called with a class.
        """
        if function not in self._replaced:
            self._replaced[function] = _set_of_arguments(function)
        return self._replaced[function]

    def _asked(self, function: ast.AST, index: int, is_class: bool, around: _Scopes) -> bool:
        key = function, index, is_class
        if key not in self._known:
            self._known[key] = False  # in a circle
            if isinstance(function, ast.FunctionDef) and not _is_wrapped(function):
                self._known[key] = self._gives(function, index, is_class, around)
        return self._known[key]

    def _gives(
        self, function: ast.FunctionDef, index: int, is_class: bool, around: _Scopes
    ) -> bool:
        parameters = [part.arg for part in (*function.args.posonlyargs, *function.args.args)]
        if index >= len(parameters):
            return False
        given = _Given(parameters[max(index, 0)] if parameters else "", is_class)
        if any(isinstance(node, _OPEN) for node in own_nodes(function)):
            return False
        if _changes(function, given.name):
            return False
        returned, ends = _leaving(function.body, given, index < 0)
        scopes = (*around, function)
        is_fine = self._is_decorator if index < 0 else self._is_given
        return bool(returned) and not ends and all(is_fine(v, given, scopes) for v in returned)

    def _is_given(self, value: ast.expr | None, given: _Given, scopes: _Scopes) -> bool:
        """Whether what is returned is the argument, or what another function hands back of it."""
        if isinstance(value, ast.Name):
            wrapper, _ = self._find(value.id, scopes) if not given.is_class else (None, ())
            return value.id == given.name or _calls_through(wrapper, given.name)
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
            return False
        at = [i for i, a in enumerate(value.args) if _is_name(a, given.name)]
        if not at or any(isinstance(a, ast.Starred) for a in value.args):
            return False
        called, around = self._find(value.func.id, scopes)
        return called is not None and self._asked(called, at[0], given.is_class, around)

    def _is_decorator(self, value: ast.expr | None, given: _Given, scopes: _Scopes) -> bool:
        if not isinstance(value, ast.Name):
            return False
        found, around = self._find(value.id, scopes)
        return found is not None and self._asked(found, 0, given.is_class, around)

    def _find(self, name: str, scopes: _Scopes) -> tuple[ast.AST | None, _Scopes]:
        """Find the one thing that binds a name, and the functions that it stands in."""
        for depth in range(len(scopes), 0, -1):
            scope = scopes[depth - 1]
            bound = [node for node in own_nodes(scope) if _binds(node, name)]
            if bound or name in parameter_names(scope):
                return (bound[0] if len(bound) == 1 else None), scopes[:depth]
        if self._bindings is None:
            self._bindings = top_level(self.tree.body).bindings
        statements = self._bindings.get(name, [])
        return (statements[0] if len(statements) == 1 else None), ()


def _is_wrapped(function: ast.FunctionDef) -> bool:
    """Whether something else may take a function's place."""
    return any(last_component(at) != "staticmethod" for at in function.decorator_list)


def _calls_through(wrapper: ast.AST | None, given: str) -> bool:
    """Whether a function gives what another one does, called with just what it is given itself."""
    if not isinstance(wrapper, ast.FunctionDef):
        return False
    if any(last_component(getattr(d, "func", d)) != "wraps" for d in wrapper.decorator_list):
        return False
    if any(isinstance(node, (*_OPEN, *ACTS)) for node in own_nodes(wrapper)):
        return False
    if wrapper.args.defaults or any(wrapper.args.kw_defaults):
        return False
    if any(_binds(node, name) for node in own_nodes(wrapper) for name in parameter_names(wrapper)):
        return False
    returned, ends = _leaving(wrapper.body, _Given("", False), False)
    handed = _handed_on(wrapper.args)
    return (
        not ends
        and bool(returned)
        and all(
            isinstance(value, ast.Call)
            and _is_name(value.func, given)
            and ast.dump(ast.Tuple([*value.args, *(k.value for k in value.keywords)])) == handed
            and all(k.arg is None or _is_name(k.value, k.arg) for k in value.keywords)
            for value in returned
        )
    )


def _handed_on(signature: ast.arguments) -> str:
    """How the arguments of a call read that hands on all that a function is given."""
    parts: list[ast.expr] = [_read(part) for part in (*signature.posonlyargs, *signature.args)]
    if signature.vararg is not None:
        parts.append(ast.Starred(_read(signature.vararg), ast.Load()))
    parts += [_read(part) for part in signature.kwonlyargs]
    if signature.kwarg is not None:
        parts.append(_read(signature.kwarg))
    return ast.dump(ast.Tuple(parts))


def _read(part: ast.arg) -> ast.Name:
    return ast.Name(part.arg, ast.Load())


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _binds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id == name and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.alias):
        return (node.asname or node.name.partition(".")[0]) == name
    return getattr(node, "name", None) == name


def _changes(function: ast.FunctionDef, given: str) -> bool:
    """Whether a function binds the argument anew, or changes it, or what else it is given.

    What is set of the argument may be what nobody looks at where it is called, as `__doc__` is.
    """
    if any(_binds(node, given) for node in own_nodes(function)):
        return True
    parameters = parameter_names(function)
    for node in walk(function):
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            is_set = not isinstance(node.ctx, ast.Load)
            if is_set and root_name(node) in parameters and not _only_describes(node, given):
                return True
        elif isinstance(node, ast.Call):
            owner = root_name(node.func) if isinstance(node.func, ast.Attribute) else None
            if owner in parameters - {given} and any(_handed(node)):
                return True
            if last_component(node.func) in _CHANGING and given in _handed(node):
                return True
    return False


def _set_of_arguments(function: ast.AST) -> frozenset[str] | None:
    """What a function, or one in it, sets of arguments; None if some names are computed."""
    nodes = list(walk(function))
    # A wrapper in place of a method sets what it keeps of its object, which is no class.
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg)} - {"self"}
    found = set[str]()
    for node in nodes:
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            if isinstance(node.value, ast.Name) and node.value.id in arguments:
                found.add(node.attr)
        elif isinstance(node, ast.Call) and last_component(node.func) in _CHANGING:
            if arguments.isdisjoint(_handed(node)):
                continue
            match node.args:
                case [_, ast.Constant(str(name)), *_]:
                    found.add(name)
                case _:
                    return None
    return frozenset(found)


def _handed(call: ast.Call) -> Iterator[str]:
    """Yield the variables that a call hands over themselves."""
    arguments = (*call.args, *(keyword.value for keyword in call.keywords))
    return (argument.id for argument in arguments if isinstance(argument, ast.Name))


def _only_describes(node: ast.Attribute | ast.Subscript, given: str) -> bool:
    if not isinstance(node, ast.Attribute) or not _is_name(node.value, given):
        return False
    is_private = node.attr.startswith("__") and not node.attr.endswith("__")
    return is_private or node.attr in _DESCRIBING


def _leaving(
    body: list[ast.stmt], given: _Given, makes: bool
) -> tuple[list[ast.expr | None], bool]:
    """Return what a block may return, and whether control may come to its end.

    Args:
        given: the argument.
        makes: whether it is not given.
    """
    returned: list[ast.expr | None] = []
    for statement in body:
        if isinstance(statement, ast.Return):
            return [*returned, statement.value], False
        if isinstance(statement, ast.Raise):
            return returned, False
        branches = [_leaving(block, given, makes) for block in _blocks(statement, given, makes)]
        returned += [value for values, _ in branches for value in values]
        if isinstance(statement, (ast.If, ast.With)) and not any(ends for _, ends in branches):
            return returned, False
    return returned, True


def _blocks(statement: ast.stmt, given: _Given, makes: bool) -> list[list[ast.stmt]]:
    """The blocks of a statement that may be run for what it is in."""
    if isinstance(statement, ast.If):
        holds = _holds(statement.test, given, makes)
        if holds is None:
            return [statement.body, statement.orelse]
        return [statement.body if holds else statement.orelse]
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return []
    if isinstance(statement, ast.With):
        return [statement.body]
    parts = (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ()))
    own = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    return [*own, *(part.body for part in parts)]


def _holds(test: ast.expr, given: _Given, makes: bool) -> bool | None:
    """Whether a condition holds that only asks what the argument is: None if it may ask more."""
    match test:
        case ast.Name(id=name):
            holds = not makes
        case ast.Compare(ast.Name(id=name), [ast.Is() | ast.IsNot() as how], [ast.Constant(None)]):
            holds = isinstance(how, ast.IsNot) != makes
        case ast.UnaryOp(ast.Not(), ast.Name(id=name)):
            holds = makes
        case ast.Call(ast.Name(id="callable"), [ast.Name(id=name)]):
            holds = not makes
        case ast.Call(ast.Name(id="isinstance"), [ast.Name(id=name), ast.Name(id="type")]):
            holds = not makes and given.is_class
        case ast.Call(ast.Attribute(attr="isclass"), [ast.Name(id=name)]):
            holds = not makes and given.is_class
        case _:
            return None
    return holds if name and name == given.name else None
