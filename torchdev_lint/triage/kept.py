"""Whether a function puts what it builds into plain containers that attributes keep."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Set

from torchdev_lint.catalog.builtins import FILLING
from torchdev_lint.syntax.names import last_component, path_of
from torchdev_lint.syntax.scopes import FUNCTIONS, root_name
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.imports import Imported
from torchdev_lint.triage.kin import Kin
from torchdev_lint.triage.recognition import Recognition
from torchdev_lint.triage.scope import Scope
from torchdev_lint.triage.triggers import Trigger

Builds = Callable[[ast.Call], bool]
"""Tells of a call whether it builds a module or parameter."""
Fills = Callable[[str], bool]
"""Tells of a function by its name whether it gives a container of what it builds."""

_DISPLAYS = (
    ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp,
    ast.GeneratorExp, ast.BinOp,
)  # fmt: skip
"""Expressions that may make a container."""
_MAKERS = frozenset({"list", "tuple", "set", "dict", "OrderedDict", "defaultdict"})


def keepers(
    scopes: Sequence[Scope], names: Recognition, kin: Kin, imported: Imported
) -> set[ast.AST]:
    """The classes of modules that put what they build into plain containers, where they do that.

    So do those that hand it to a class that does the same with what it is given, or to its heir.

    Args:
        kin: which class of the file inherits from which.
        imported: what the file imports of its project, whose functions may build and fill them.
    """
    found: set[ast.AST] = set()
    if Trigger.KEPT not in names.triggers:
        return found
    building = _Building(scopes, names, imported)
    for scope in scopes:
        owner = scope.owner
        if owner is None or owner in found or owner.name not in names.modules:
            continue
        keeps = scope.keeps and keeps_what_it_builds(scope.node, building.builds, building.fills)
        if keeps or any(map(building.fills, _handed(scope))):
            found.add(owner)
    given = {s.owner.name for s in scopes if s.owner is not None and _keeps_given(s, names)}
    given |= kin.heirs_of(given)
    for scope in scopes if given else ():
        owner = scope.owner
        if owner is not None and owner.name in names.modules and given & scope.mentions:
            found.add(owner)
    return found


def _keeps_given(scope: Scope, names: Recognition) -> bool:
    """Whether a module keeps what it is built with in a plain container, and goes through that."""
    owner, init = scope.owner, scope.node
    if not (scope.keeps and scope.name == "__init__" and isinstance(init, FUNCTIONS)):
        return False
    if owner is None or owner.name not in names.modules:
        return False
    parameters = {argument.arg for argument in (*init.args.args[1:], *init.args.kwonlyargs)}
    kept = {
        target.attr
        for target, value in _assignments(walk(init))
        if isinstance(target, ast.Attribute) and _holds_given(value, parameters)
    }
    return bool(kept) and any(
        isinstance(part, ast.Attribute) and part.attr in kept
        for node in walk(owner)
        if isinstance(node, (ast.For, ast.comprehension))
        for part in walk(node.iter)
    )


def _holds_given(value: ast.expr, parameters: Set[str]) -> bool:
    """Whether an expression is a parameter, or a plain container of what is given."""
    if isinstance(value, ast.Call) and last_component(value.func) in _MAKERS and value.args:
        value = value.args[0]
    if isinstance(value, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
        value = value.elt
    parts = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
    return any(isinstance(part, ast.Name) and part.id in parameters for part in parts)


class _Building:
    """What the functions of a file, and those that it imports, build; each is looked at once.

    Args:
        scopes: the file's functions, among others.
        names: what the names in it mean.
        imported: what it imports of its project.
    """

    def __init__(self, scopes: Sequence[Scope], names: Recognition, imported: Imported) -> None:
        self._names = names
        self._imported = imported
        self._functions: dict[str, list[ast.AST]] = defaultdict(list)
        for scope in scopes:
            if isinstance(scope.node, FUNCTIONS):
                self._functions[scope.name].append(scope.node)
        self._building: dict[str, bool] = {}
        self._filling: dict[str, bool] = {}

    def builds(self, call: ast.Call) -> bool:
        """Whether a call builds a module or parameter, at once or by a function of the file."""
        function = call.func
        if self._is_builder(last_component(function)):
            return True
        if isinstance(function, ast.Attribute) and root_name(function.value) == "self":
            return False
        return self._names.builds_module(call) or self._imported.gives_module(function)

    def fills(self, name: str) -> bool:
        """Whether a function of that name gives a container of what it builds."""
        if name not in self._filling:
            own = self._functions.get(name, ())
            filling = any(returns_what_it_builds(node, self.builds) for node in own)
            self._filling[name] = filling or self._imported.gives_container(name)
        return self._filling[name]

    def _is_builder(self, name: str) -> bool:
        if name not in self._building:
            parts = (part for node in self._functions.get(name, ()) for part in walk(node))
            calls = (part for part in parts if isinstance(part, ast.Call))
            self._building[name] = any(map(self._names.builds_module, calls))
        return self._building[name]


def _handed(scope: Scope) -> Set[str]:
    """The functions whose results a scope gives to attributes."""
    return handed_in(scope.node) if scope.triggered else scope.handed


def may_be_container(value: ast.expr | None) -> bool:
    """Whether what an attribute is given may be a plain container, going by its kind of syntax."""
    if isinstance(value, ast.Call):
        return last_component(value.func) in _MAKERS
    return isinstance(value, (*_DISPLAYS, ast.Name))


def keeps_what_it_builds(function: ast.AST, builds: Builds, fills: Fills) -> bool:
    """Whether a function puts what it builds into a plain container that an attribute keeps."""
    nodes = list(walk(function))
    pairs = list(_assignments(nodes))
    filled = _filled(nodes, pairs, builds)
    given = [(target, value) for target, value in pairs if isinstance(value, ast.Call)]
    filled |= {path_of(t) for t, call in given if fills(last_component(call.func))} - {None}
    return any(
        isinstance(target, ast.Attribute)
        and not filled.isdisjoint({path_of(target), path_of(value)})
        for target, value in pairs
        if may_be_container(value)
    )


def returns_what_it_builds(function: ast.AST, builds: Builds) -> bool:
    """Whether a function returns a plain container that it puts what it builds into."""
    if not isinstance(function, FUNCTIONS):
        return False
    nodes = list(walk(function))
    returned = [node.value for node in nodes if isinstance(node, ast.Return) and node.value]
    parts = [part for value in returned if isinstance(value, ast.Tuple) for part in value.elts]
    values = [value for value in [*returned, *parts] if may_be_container(value)]
    if not values:
        return False
    if any(not isinstance(value, ast.Name) and _holds_built(value, (), builds) for value in values):
        return True
    filled = _filled(nodes, list(_assignments(nodes)), builds)
    return not filled.isdisjoint(map(path_of, values))


def handed_in(function: ast.AST) -> set[str]:
    """Return the functions whose results a function gives to attributes."""
    return {
        name
        for target, value in _assignments(walk(function))
        if isinstance(value, ast.Call)
        for name in handed_to_attributes([target], value)
    }


def handed_to_attributes(targets: Iterable[ast.expr], value: ast.Call) -> Iterator[str]:
    """Yield the name of the function that is called, if an attribute gets what it gives."""
    for target in targets:
        for part in target.elts if isinstance(target, ast.Tuple) else (target,):
            if isinstance(part, ast.Attribute):
                yield last_component(value.func)


def _filled(
    nodes: list[ast.AST], pairs: list[tuple[ast.expr, ast.expr]], builds: Builds
) -> set[str | None]:
    """The variables and attributes that hold plain containers of what is built in a function.

    Args:
        nodes: all of the function.
        pairs: its assignments.
    """
    named: list[tuple[str, ast.AST]] = [(t.id, v) for t, v in pairs if isinstance(t, ast.Name)]
    named += [(node.name, node) for node in nodes if isinstance(node, FUNCTIONS)]
    building = _holding((value for _, value in named), (), builds)
    built = {name for name, value in named if value in building}
    put = [*_displayed(pairs), *_added(nodes)]
    holding = _holding((value for _, value in put), built, builds)
    return {path_of(container) for container, value in put if value in holding} - {None}


def _assignments(nodes: Iterable[ast.AST]) -> Iterator[tuple[ast.expr, ast.expr]]:
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for part in target.elts if isinstance(target, ast.Tuple) else (target,):
                    yield part, node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield node.target, node.value


def _displayed(pairs: list[tuple[ast.expr, ast.expr]]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield the containers that are written out, with what they hold."""
    for target, value in pairs:
        if isinstance(target, ast.Subscript):
            yield target.value, value
        elif may_be_container(value) and not isinstance(value, ast.Name):
            yield target, value


def _added(nodes: list[ast.AST]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield containers, with what methods and `+=` add to them."""
    for node in nodes:
        if isinstance(node, ast.AugAssign):
            yield node.target, node.value
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in FILLING and node.args:
                yield node.func.value, node.args[-1]


def _holding(values: Iterable[ast.AST], built: Collection[str], builds: Builds) -> set[ast.AST]:
    """Those of some expressions that hold what is built; what several targets are given is one.

    A function that builds something may give it back.
    """
    return {value for value in set(values) if _holds_built(value, built, builds)}


def _holds_built(value: ast.AST, built: Collection[str], builds: Builds) -> bool:
    """Whether something is built in an expression, or a variable in it holds what was."""
    for part in walk(value):
        if isinstance(part, ast.Call) and builds(part):
            return True
        if isinstance(part, ast.Name) and part.id in built:
            return True
    return False
