"""What the code of a file hands over on the accelerator: where one call moves, all have to."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set
from dataclasses import field

from torchdev_lint.catalog.devices import HOST_TYPE
from torchdev_lint.catalog.factories import DTYPES, TYPES_OF_HOST
from torchdev_lint.catalog.methods import HOST_VALUES, TO_ACCELERATOR
from torchdev_lint.catalog.modules import FLUENT_METHODS, PARALLEL
from torchdev_lint.catalog.operations import JOINS
from torchdev_lint.placement.evidence.carriers import carrier
from torchdev_lint.placement.evidence.host_settings import is_host
from torchdev_lint.records import dataclass, replace
from torchdev_lint.syntax.calls import applied, destination
from torchdev_lint.syntax.names import dotted, last_component, names_in, path_of
from torchdev_lint.syntax.parameters import parameter_for
from torchdev_lint.syntax.scopes import held_root
from torchdev_lint.syntax.walking import children, walk

MOST_MOVERS = 16
"""Of more places that move what a call is made with nothing is told."""
_PARALLEL = frozenset(name.rpartition(".")[2] for name in PARALLEL)


@dataclass(frozen=True, slots=True)
class Feeding:
    """What functions and modules out of sight are called with in a file.

    Args:
        moved: the arguments, by position or keyword, that some call moves to the accelerator, each
            with what moves it, by what it calls, and with how many arguments by position: functions
            may call different things by one name.
        losses: what gives a value on which `.backward()` is called.
        brought_back: what is moved to the CPU somewhere.
        parallel: what is wrapped so that it moves its inputs itself.
        batches: where some loop moves parts of what it goes through: the families of classes, and
            "" for code outside of classes.
        families: the first of the file's classes that each one inherits from.
        own: whether some `forward` moves what it is given: a model of another name may be its.
    """

    moved: dict[tuple[str, int], dict[int | str, list[ast.AST]]] = field(default_factory=dict)
    losses: set[str] = field(default_factory=set)
    brought_back: set[str] = field(default_factory=set)
    parallel: set[str] = field(default_factory=set)
    batches: frozenset[str] = frozenset()
    families: dict[str, str] = field(default_factory=dict)
    own: bool = False

    def moved_by_others(self, call: ast.Call) -> Mapping[int | str, list[ast.AST]]:
        """Return the arguments that some call of the same form moves, with what moves them."""
        return self.moved.get((path_of(applied(call)) or "", len(call.args)), {})

    def is_moved_from(self, scope: str) -> bool:
        """Return whether some loop moves what loaders give that a piece of code may be given.

        What is moved in a method tells nothing of what a class of another kind is given: each may
        have data sets of its own.

        Args:
            scope: the dotted name of the code.
        """
        family = self.families.get(scope.partition(".")[0])
        return bool(self.batches if family is None else self.batches & {"", family})


def collect_feeding(tree: ast.AST) -> Feeding:
    """Collect what a file's calls hand over, function by function."""
    families = _families(tree)
    moving = (node for node in children(tree) if _some_loop_moves(node))
    feeding = Feeding(
        batches=frozenset(families.get(getattr(node, "name", ""), "") for node in moving),
        families=families,
    )
    own = False
    for scope in walk(tree):
        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
            _collect(scope, feeding)
            own = own or _moves_what_it_is_given(scope)
    if feeding.parallel:
        feeding.parallel.update(_handed_over(tree, feeding.parallel))
    return replace(feeding, own=own)


def _handed_over(tree: ast.AST, variables: Set[str]) -> Iterator[str]:
    """Yield the parameters for which functions of a file are given some variables."""
    functions = {node.name: node for node in children(tree) if isinstance(node, ast.FunctionDef)}
    for call in walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
            function = functions.get(call.func.id)
            if function is None:
                continue
            for argument in (*call.args, *call.keywords):
                value = argument.value if isinstance(argument, ast.keyword) else argument
                parameter = parameter_for(function, call, argument, skipped=0)
                if parameter is not None and path_of(value) in variables:
                    yield parameter.arg


def _families(tree: ast.AST) -> dict[str, str]:
    """The first of a file's classes that each of them inherits from, by name."""
    families: dict[str, str] = {}
    for node in children(tree):
        if isinstance(node, ast.ClassDef):
            bases = (families.get(last_component(base) or "") for base in node.bases)
            families[node.name] = next(filter(None, bases), node.name)
    return families


def _moves_what_it_is_given(scope: ast.AST) -> bool:
    """Whether it is a `forward` that moves one of its arguments: `x = x.to(self.device)`."""
    if not isinstance(scope, ast.FunctionDef) or scope.name != "forward":
        return False
    given = {argument.arg for argument in scope.args.args}
    assigned = (node for node in _own(scope) if isinstance(node, ast.Assign))
    return any(not given.isdisjoint(_moved_names(node)) for node in assigned)


def _collect(scope: ast.AST, feeding: Feeding) -> None:
    moved: dict[str, list[ast.AST]] = {}
    backward: set[str] = set()
    results: list[tuple[str, str]] = []
    calls: list[ast.Call] = []
    for node in _own(scope):
        if isinstance(node, ast.Assign):
            for name in _moved_names(node):
                moved.setdefault(name, []).append(node)
            if isinstance(node.value, ast.Call):
                result, callee = path_of(node.targets[0]), path_of(applied(node.value))
                results += [(result, callee)] if result and callee else []
            wrapped = (path_of(name) for name, given in _pairs(node) if _is_wrapped(given))
            feeding.parallel.update(path for path in wrapped if path)
        elif isinstance(node, ast.Call):
            calls.append(node)
            if brings_back(node):
                assert isinstance(node.func, ast.Attribute)
                feeding.brought_back.add(path_of(node.func.value) or "")
            if isinstance(node.func, ast.Attribute) and node.func.attr == "backward":
                backward.add(path_of(node.func.value) or "")
    feeding.losses.update(callee for result, callee in results if result in backward)
    for call in calls:
        _note_moved(feeding, call, moved)


def _note_moved(feeding: Feeding, call: ast.Call, moved: Mapping[str, list[ast.AST]]) -> None:
    """Note what a call is made with that is moved, each with what moves it.

    Args:
        moved: what moves the variables of the function.
    """
    if callee := path_of(applied(call)):
        arguments = feeding.moved.setdefault((callee, len(call.args)), {})
        for position, movers in _moved_arguments(call, moved):
            known = arguments.setdefault(position, [])
            known += movers[: MOST_MOVERS + 1 - len(known)]


def _is_wrapped(node: ast.expr) -> bool:
    """Whether a wrapper gives what methods hand on: `DataParallel(model)`, moved or not."""
    while isinstance(node, ast.Call):
        if last_component(node.func) in _PARALLEL:
            return True
        node = node.func.value if isinstance(node.func, ast.Attribute) else node.func
    return False


def _some_loop_moves(tree: ast.AST) -> bool:
    """Whether a loop moves parts of what it goes through, and uses what that gives.

    Modules are moved by statements.
    """
    pending: list[tuple[ast.AST, set[str] | None]] = [(tree, None)]
    while pending:
        node, taken = pending.pop()
        if isinstance(node, (ast.For, ast.AsyncFor)):
            taken = (taken or set()) | names_in(node.target)
        elif taken is not None:
            if isinstance(node, ast.Call) and is_move(node) and _starts_from(node.func, taken):
                return True
            _take(node, taken)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                node = node.value.func
        parts = reversed(children(node))
        pending += [(part, taken) for part in parts]
    return False


def _take(node: ast.AST, taken: set[str]) -> None:
    """Note the names that code gives parts of what a loop took."""
    if isinstance(node, ast.Assign) and _starts_from(node.value, taken):
        taken |= names_in(node.targets[0])
    for part in getattr(node, "generators", ()):
        if _starts_from(part.iter, taken):
            taken |= names_in(part.target)


def _starts_from(node: ast.expr, names: set[str]) -> bool:
    """Whether an expression is a part of what variables hold, or several of them joined."""
    if isinstance(node, ast.Call) and last_component(node.func) in JOINS and node.args:
        joined = node.args[0]
        parts = joined.elts if isinstance(joined, (ast.List, ast.Tuple)) else [joined]
        return any(held_root(part) in names for part in parts)
    return held_root(node) in names


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """The parts of a function, without those of functions in it."""
    pending = children(scope)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            pending.extend(children(node))


def _moved_names(node: ast.Assign) -> Iterator[str]:
    """The variables that an assignment gives something that was moved."""
    for name, given in _pairs(node):
        if isinstance(name, ast.Name) and is_move(given):
            yield name.id


def _pairs(node: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """What an assignment binds, each with what it gets: `a, b = x, y` binds two."""
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=False))
    return [(target, value)]


def _moved_arguments(
    call: ast.Call, moved: Mapping[str, list[ast.AST]]
) -> Iterator[tuple[int | str, list[ast.AST]]]:
    """Yield the arguments of a call that are moved, or views of that, each with what moves them.

    What stands behind the call moves something else, if only for the next round of a loop.

    Args:
        moved: what moves the variables of the function.
    """
    given: list[tuple[int | str, ast.expr]] = list(enumerate(call.args))
    given += [(keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg]
    for position, value in given:
        if is_move(value):
            yield position, [value]
            continue
        of = carrier(value, through_operators=False)
        movers = moved.get(of.id, []) if isinstance(of, ast.Name) else []
        if before := [mover for mover in movers if _line(mover) <= call.lineno]:
            yield position, before


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0))


def is_move(node: ast.expr) -> bool:
    """Whether an expression moves something to the accelerator, going by its syntax."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    if node.func.attr in TO_ACCELERATOR:
        return True
    given = destination(node)
    return node.func.attr == "to" and given is not None and not _is_cast_or_cpu(given)


def is_cast(node: ast.Call) -> bool:
    """Whether a call of `to` changes a tensor's type, and not its place."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "to":
        return False
    named = {keyword.arg for keyword in node.keywords}
    if not node.args:
        return named == {"dtype"}
    return len(node.args) == 1 and not named and _names_dtype(node.args[0])


def brings_back(node: ast.Call) -> bool:
    """Whether a call moves something to the CPU: `x.cpu()`, `x.to("cpu")`, `x.to(device="cpu")`.

    `x.type("torch.FloatTensor")` does so as well, by the type's full name.
    """
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    given = destination(node)
    to_host = given is not None and is_host(given)
    to_type = name == "type" and bool(node.args) and _is_type_of_host(node.args[0])
    return (name == "cpu" and not node.args) or (name == "to" and to_host) or to_type


def _is_type_of_host(node: ast.expr) -> bool:
    """Whether an expression is a type of tensors on the CPU, by its full name."""
    named = node.value if isinstance(node, ast.Constant) else dotted(node)
    return named in TYPES_OF_HOST


def leaves_device(node: ast.Call) -> bool:
    """Whether a call moves something to the CPU, or makes an array or a list of numbers of it."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    return name in HOST_VALUES or brings_back(node)


def _is_cast_or_cpu(node: ast.expr) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and node.value.startswith(HOST_TYPE)
    return is_host(node) or _names_dtype(node)


def _names_dtype(node: ast.expr) -> bool:
    last = (dotted(node) or "").rpartition(".")[2]
    return "dtype" in last or last in DTYPES


def given_back(node: ast.expr) -> ast.expr:
    """The module that methods give back which change how it works: `model` for `model.eval()`."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in FLUENT_METHODS:
            break
        node = node.func.value
    return node
