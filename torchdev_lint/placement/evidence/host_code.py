"""Code that is there for the host: what it is given is not on an accelerator."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeGuard

from torchdev_lint.catalog.devices import HOST_TYPE
from torchdev_lint.catalog.ecosystem import TRAINERS
from torchdev_lint.catalog.factories import FACTORY_NAMES
from torchdev_lint.catalog.gradients import COMPUTES_GRADIENTS
from torchdev_lint.catalog.told import now
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.evidence.bringing_files import is_script_of_host
from torchdev_lint.placement.evidence.devices import is_setting
from torchdev_lint.placement.evidence.feeding import brings_back, is_move
from torchdev_lint.placement.evidence.host_settings import is_host, sets_device
from torchdev_lint.project.resolution import is_named
from torchdev_lint.project.users import is_test, makes_samples
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.held import held_once, root_held, walk_held
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS, root_name
from torchdev_lint.syntax.walking import walk

_TESTS = re.compile(r"tests?(_|$|[A-Z])")
"""How a name begins that test runners look for."""
_ON_HOST = re.compile(r"(?<![a-z])(cpu|numpy|np|collate)(?![a-z])", re.I)
"""Words of a function's name that say where it works, in so many letters, or that samples do."""
_FIXTURE = "fixture"
"""What a decorator is called by which a function supplies tests."""
_BY_PYTEST = frozenset({_FIXTURE, "parametrize"})
"""What decorators of functions are called that pytest calls."""
_PLAIN_LIBRARIES = frozenset(
    {"", "abc", "builtins", "collections", "dataclasses", "enum", "typing", "typing_extensions"}
)
"""Where bases come from that call nothing."""
_NO_TENSORS = frozenset({"self", "cls", "torch"})
"""What has a `device` that tells nothing of what code is given."""
_PREPARES_SAMPLES = frozenset({"__call__", "__getitem__"})
"""Methods by which plain classes transform a sample, or make one."""


def serves_host(
    node: ast.FunctionDef | ast.AsyncFunctionDef,
    hooks: frozenset[str],
    path: str,
    is_method: bool = False,
) -> bool:
    """Whether a function is one that is called with what is on the host.

    Tests get what their runner gives them, and their helpers what tests have; functions of a script
    that puts nothing on an accelerator get what that has. Data sets, samplers, collate functions
    and transforms work where samples are made, and so does what lies in the folder of the data
    sets, unless they ask a tensor for its device, or tell a factory one.

    Args:
        hooks: the names that the file hands to loaders and data sets, to be called by them.
        path: where the file lies; empty if that is not known.
        is_method: whether it is one of a class that is no module.
    """
    name = node.name
    if path and (is_test(path) or is_script_of_host(path)):
        return True
    if is_called_by_pytest(node) or _ON_HOST.search(name) or name in hooks:
        return True
    prepares = (is_method and name in _PREPARES_SAMPLES) or (path and makes_samples(path))
    return bool(prepares) and not (asks_for_device(node) or _computes_gradients(node))


def _computes_gradients(node: ast.AST) -> bool:
    """Whether code computes gradients itself, which no sample is made with."""
    names = (part.attr for part in walk(node) if isinstance(part, ast.Attribute))
    return not COMPUTES_GRADIENTS.isdisjoint(names)


def works_on_host(owner: ClassInfo) -> bool:
    """Whether all methods of a class that is no module are called with what is on the host."""
    if _is_of_a_library(owner) or _brings_what_it_is_given(owner.node):
        return True
    return has_the_host_as_its_device(owner)


def has_the_host_as_its_device(owner: ClassInfo) -> bool:
    """Whether all that a class, or one that it extends, sets its device to is the CPU."""
    return any(_sets_it_to_the_host(each.node) for each in owner.lineage())


def _sets_it_to_the_host(owner: ast.ClassDef) -> bool:
    told = [part.value for part in walk(owner) if sets_device(part)]
    return bool(told) and all(map(is_host, told))


def _brings_what_it_is_given(owner: ast.ClassDef) -> bool:
    """Whether a class brings arguments to the CPU, and moves nothing to an accelerator.

    What its objects keep is there then, and so is what its methods hand to each other.
    """
    if any(isinstance(part, ast.expr) and is_move(part) for part in walk(owner)):
        return False
    for part in owner.body:
        if isinstance(part, FUNCTIONS):
            nodes = list(walk(part))
            held = held_once(nodes)
            if any(_is_brought(part, node, held) for node in nodes):
                return True
    return False


def _is_brought(
    function: ast.FunctionDef | ast.AsyncFunctionDef, node: ast.AST, held: Mapping[str, ast.expr]
) -> bool:
    """Whether a statement puts what a parameter is on the CPU in its stead: `x = x.cpu()`.

    Or has that done by a helper: `x = moved(x, "cpu")`.

    Args:
        held: what variables of the function hold.
    """
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    name, value = node.targets[0].id, node.value
    if name not in {parameter.arg for parameter in parameters_of(function)}:
        return False
    if isinstance(value, ast.Call) and value.args and root_name(value.args[0]) == name:
        given = [*value.args[1:], *(keyword.value for keyword in value.keywords)]
        return any(isinstance(part, ast.Constant) and part.value == HOST_TYPE for part in given)
    steps = {other: step for other, step in held.items() if other != name}
    if root_held(value, steps) != name:
        return False
    return any(isinstance(part, ast.Call) and brings_back(part) for part in walk_held(value, steps))


def puts_itself_on_host(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a module's method moves the module to the CPU first: it works there then.

    It may put it back when it is done.
    """
    moves = [
        part
        for part in walk(method)
        if isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and isinstance(part.func.value, ast.Name)
        and part.func.value.id == "self"
        and (brings_back(part) or is_move(part))
    ]
    first = min(moves, key=lambda call: (call.lineno, call.col_offset), default=None)
    return first is not None and brings_back(first)


def is_called_by_pytest(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function is a test, or a fixture of tests, by its name and its decorators."""
    names = set(map(_named, node.decorator_list))
    return _TESTS.match(node.name) is not None or not names.isdisjoint(_BY_PYTEST)


def is_fixture(node: ast.AST) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Whether pytest hands what a function gives to the tests that ask for it by its name."""
    return isinstance(node, FUNCTIONS) and _FIXTURE in map(_named, node.decorator_list)


def asks_for_device(node: ast.AST) -> bool:
    """Whether code asks where a tensor lives, or says where one is made: it works there."""
    return any(is_of_tensor(part) or _makes_on_device(part) for part in walk(node))


def is_of_tensor(node: ast.AST) -> bool:
    """Return whether an expression asks where a tensor is, and not what the user has chosen."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "device"
        and not is_setting(node)
        and root_name(node) not in _NO_TENSORS
    )


def _makes_on_device(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or last_component(node.func) not in FACTORY_NAMES:
        return False
    told = by_keyword(node, "device")
    return any(not isinstance(device, ast.Constant) for device in told)


def unless_on_host(
    wanted: Callable[[ast.AST], bool], tree: ast.Module, path: str
) -> Callable[[ast.AST], bool]:
    """Leave out entry points of which the user tells that they never see an accelerator.

    Args:
        wanted: whether an entry point counts.
        tree: the file's syntax tree.
        path: where it lies.
    """
    out = set(_told_on_host(tree.body, path, ""))
    return lambda node: node not in out and wanted(node)


def _told_on_host(body: list[ast.stmt], path: str, scope: str) -> Iterator[ast.AST]:
    for node in body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            name = f"{scope}.{node.name}"
            modules = [n.removesuffix(name) for n in now().host_only if n.endswith(name)]
            if any(is_named(path, module) for module in modules):
                yield node
            elif isinstance(node, ast.ClassDef):
                yield from _told_on_host(node.body, path, name)


def _is_of_a_library(info: ClassInfo) -> bool:
    """Whether a library may call the methods of a class with what is on the host.

    Data sets, feature extractors, metrics: of what is out of sight, nobody knows who calls it.
    """
    if any(parent.opaque for parent in info.lineage()):
        return True
    return not all(map(_is_on_device, info.library_bases()))


def _is_on_device(base: str) -> bool:
    """Whether a class of a library calls its methods with what its user puts on a device."""
    owner, _, last = base.rpartition(".")
    root = owner.partition(".")[0]
    if root == "torch":
        return not owner.startswith("torch.utils.data")
    return root in _PLAIN_LIBRARIES or last in TRAINERS


def _named(decorator: ast.expr) -> str:
    """The last part of a decorator's name."""
    return last_component(decorator.func if isinstance(decorator, ast.Call) else decorator)
