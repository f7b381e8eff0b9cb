"""Whether the models of a project leave what they are given where it is, whichever one is meant.

Of a model that settings choose, or that comes in from somewhere, the class is not known: it may
move its own input. In a project of which no module does so, and that neither wraps models nor
brings libraries whose models do, it can't.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterable, Iterator, Set

from torchdev_lint.catalog.factories import FACTORY_NAMES
from torchdev_lint.catalog.methods import TENSOR_MOVES
from torchdev_lint.catalog.models import LEAVE_INPUTS, MAY_MOVE_INPUTS, WITHOUT_MODELS
from torchdev_lint.catalog.modules import LAYERS
from torchdev_lint.placement.evidence.feeding import is_cast
from torchdev_lint.project.files import parsed_file
from torchdev_lint.project.resolution import find_module
from torchdev_lint.project.seen import remembered
from torchdev_lint.project.users import files_that_name, is_test, project_of
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.calls import destination
from torchdev_lint.syntax.names import last_component, names_in
from torchdev_lint.syntax.scopes import FUNCTIONS, root_name
from torchdev_lint.syntax.walking import walk

_MOST_FILES = 150
"""Of a project with more files that name PyTorch nothing is told."""
_PLACING = re.compile(r"device|cuda|gpu", re.IGNORECASE)
"""What functions are called that bring something to a device."""
_LIBRARIES = frozenset({"torch", "nn", "F", "np"})
"""What PyTorch and NumPy are imported as."""
_SELF = frozenset({"self", "cls"})
_APPLIED = frozenset({"forward", "__call__"})
"""What is run when a model is called."""
_STATE = LAYERS | {"Parameter", "ParameterList"}
"""What gives a module state."""
_MOVES = TENSOR_MOVES | {"numpy", "tolist"}
"""Methods of tensors that bring them elsewhere, or take what they hold to the CPU."""
_DTYPE = re.compile(r"torch\.[a-z]\w*$")
"""What is written for a type that says nothing of places."""


@dataclass(frozen=True, slots=True)
class _Class:
    """What a class says of the models of its project.

    Args:
        bases: what it inherits from, by name.
        is_module: whether it is called as a module is, or inherits from a library's.
        moves: whether it brings on what its methods are given.
        called: the functions that it calls.
    """

    name: str
    bases: frozenset[str]
    is_module: bool
    moves: bool
    called: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Said:
    """What a file says of the models of its project.

    Args:
        movers: the functions that bring on what they are given, by name.
        may_move: whether its models may be wrapped, or come from anywhere.
    """

    classes: tuple[_Class, ...]
    movers: frozenset[str]
    may_move: bool


@remembered
def models_leave_inputs(path: str) -> bool:
    """Whether no model that code of a file can come by moves what it is given.

    Args:
        path: the file, absolute.
    """
    users = files_that_name(path, ("torch",))
    files = [path, *(file for file in users.files if not is_test(file))]
    return users.complete and len(files) <= _MOST_FILES and leave_inputs(files)


def leave_inputs(files: Iterable[str]) -> bool:
    """Return whether no model that some files define moves what it is given.

    Args:
        files: their paths, absolute.
    """
    movers, classes = set[str](), list[_Class]()
    for file in files:
        said = _said(file)
        if said is None or said.may_move:
            return False
        movers |= said.movers
        classes += said.classes
    return not any(each.moves or each.called & movers for each in _modules_of(classes))


def _modules_of(classes: list[_Class]) -> list[_Class]:
    """The classes that are modules, or inherit from one of the project's, by its name."""
    modules = [each for each in classes if each.is_module]
    left = [each for each in classes if not each.is_module]
    names = {each.name for each in modules}
    while heirs := [each for each in left if not names.isdisjoint(each.bases)]:
        modules += heirs
        left = [each for each in left if each not in heirs]
        names = {each.name for each in heirs}
    return modules


@remembered
def _said(path: str) -> _Said | None:
    """What a file says, None if it can't be read."""
    parsed = parsed_file(path)
    if parsed is None:
        return None
    imported, movers, found = set[str](), set[str](), list[ast.ClassDef]()
    may_move = not MAY_MOVE_INPUTS.isdisjoint(_words_of(parsed.tree))
    for node in walk(parsed.tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            may_move = may_move or not all(_leaves_inputs(path, n) for n in _libraries(node))
            imported.update((alias.asname or alias.name).partition(".")[0] for alias in node.names)
        elif isinstance(node, FUNCTIONS) and _moves_given(node):
            movers.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found.append(node)
    classes = tuple(_class_of(node, imported - _LIBRARIES) for node in found)
    return _Said(classes, frozenset(movers), may_move)


def _class_of(node: ast.ClassDef, imported: Set[str]) -> _Class:
    """What a class says.

    Args:
        imported: what its file imports that is none of PyTorch's.
    """
    called = frozenset(_called_in(node, imported))
    applied = (method for method in _methods(node) if method.name != "__init__")
    moves = any(map(_PLACING.search, called)) or any(map(_moves_given, applied))
    bases = frozenset(map(last_component, node.bases))
    return _Class(node.name, bases, _is_module(node), moves, called)


def _libraries(node: ast.Import | ast.ImportFrom) -> list[str]:
    """What is imported by its full name."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [] if node.level else [node.module or ""]


def _leaves_inputs(path: str, name: str) -> bool:
    """Whether a module that a file imports brings no model that moves its input.

    What is the project's is judged by itself.
    """
    library = name.partition(".")[0]
    known = library in LEAVE_INPUTS | WITHOUT_MODELS | sys.stdlib_module_names
    return known or find_module(path, 0, name) is not None or _is_own(path, library)


def _is_own(path: str, name: str) -> bool:
    """Whether a project has a file or folder of a name, which a path may lead to that it adds."""
    project = project_of(path)
    return any(
        name in os.path.relpath(file, project).removesuffix(".py").split(os.sep)
        for file in files_that_name(path, ("import",)).files
    )


def _words_of(tree: ast.Module) -> Iterator[str]:
    """The names that stand in a file, whatever they are of."""
    for node in walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield from node.name.split(".")
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg


def _is_module(node: ast.ClassDef) -> bool:
    """Whether a class is called as a module is, or inherits from a library's."""
    if _is_loss(node):
        return False
    if any(last_component(base).endswith("Module") for base in node.bases):
        return True
    return any(method.name in _APPLIED for method in _methods(node))


def _is_loss(node: ast.ClassDef) -> bool:
    """Whether a class has no state, and takes two things at least: it is no model."""
    forward = [method for method in _methods(node) if method.name in _APPLIED]
    if not forward or any(_takes_one(method.args) for method in forward):
        return False
    calls = (part.func for part in walk(node) if isinstance(part, ast.Call))
    return _STATE.isdisjoint(map(last_component, calls))


def _takes_one(arguments: ast.arguments) -> bool:
    """Whether a method can be called with one thing alone."""
    required = len(arguments.posonlyargs) + len(arguments.args) - len(arguments.defaults)
    return required <= 2 or arguments.vararg is not None


def _methods(node: ast.ClassDef) -> list[ast.FunctionDef]:
    return [part for part in node.body if isinstance(part, ast.FunctionDef)]


def _called_in(node: ast.ClassDef, imported: Set[str]) -> Iterator[str]:
    """The functions that a class calls, by name: its file's, and those of other files."""
    for part in walk(node):
        if isinstance(part, ast.Call):
            if isinstance(part.func, ast.Name) or root_name(part.func) in imported:
                yield last_component(part.func)


def _moves_given(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function moves anything but what it has made itself, or to where its input is.

    That is what comes first in what a model is called with, and of helpers the only thing.
    """
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
    own = [name for name in names if name not in _SELF]
    given = set(own[:1]) if function.name in _APPLIED or len(own) == 1 else set[str]()
    fresh = set[str]()
    for node in walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if not given.isdisjoint(names_in(node.value)):
                given.add(name)
            elif _is_fresh(node.value, fresh):
                fresh.add(name)
    calls = (node for node in walk(function) if isinstance(node, ast.Call))
    return any(_moves(call, given, fresh - given) for call in calls)


def _moves(call: ast.Call, given: Set[str], fresh: Set[str]) -> bool:
    """Whether a call brings what a function was given to where it was not before.

    Args:
        given: the variables that hold something of that.
        fresh: the variables that hold what the function has made.
    """
    if not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr not in _MOVES or is_cast(call):
        return False
    if call.func.attr == "type" and (not call.args or _DTYPE.match(ast.unparse(call.args[0]))):
        return False
    if _is_fresh(call.func.value, fresh):
        return False
    to = call.args[0] if call.func.attr == "type_as" and call.args else destination(call)
    return to is None or not _is_where_given(to, given)


def _is_where_given(to: ast.expr, given: Set[str]) -> bool:
    """Whether a destination is where a tensor is that a function was given, or that tensor."""
    if isinstance(to, ast.Attribute):
        return to.attr == "device" and isinstance(to.value, ast.Name) and to.value.id in given
    return False


def _is_fresh(node: ast.expr, fresh: Set[str]) -> bool:
    """Whether an expression makes a tensor, or reads what the object itself keeps."""
    while True:
        if isinstance(node, ast.Name):
            return node.id in fresh
        if isinstance(node, ast.Call):
            if last_component(node.func) in FACTORY_NAMES:
                return root_name(node.func) in {"torch", "np"}
            if not isinstance(node.func, ast.Attribute) or isinstance(node.func.value, ast.Name):
                return False
            node = node.func.value
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            return _is_kept(node)


def _is_kept(node: ast.expr) -> bool:
    """Whether an expression is an attribute of the object at hand, or of a part of it."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id == "self"
