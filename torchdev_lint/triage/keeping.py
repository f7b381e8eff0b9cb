"""What classes keep of the tensors that their methods make, told from names."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Set

from torchdev_lint.catalog.builtins import CONSTRUCTING
from torchdev_lint.catalog.factories import LIKE, NEW
from torchdev_lint.catalog.modules import STATE_ATTRIBUTES
from torchdev_lint.catalog.operations import HOST_READS
from torchdev_lint.syntax.made_up import family_of
from torchdev_lint.syntax.names import last_component, names_in
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.imports import Imported, is_own_object
from torchdev_lint.triage.moves import MOVING, moves_device
from torchdev_lint.triage.recognition import device_of
from torchdev_lint.triage.scope import Scope
from torchdev_lint.triage.survey import Survey
from torchdev_lint.triage.triggers import Trigger

_TAKEN_ALONG = frozenset({"Parameter", "Buffer", "ParameterList"})
"""What moves with a module that has it as an attribute."""
_DEVICE = "device"
"""What is asked of a parameter, to make other things where it is at that time."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
ALIKE = LIKE | NEW | {"clone"}
"""What makes a tensor where another one is, by its name."""


def kept_by_classes(survey: Survey, imported: Imported) -> dict[ast.ClassDef, set[str]]:
    """Return the attributes in which classes keep what their methods make.

    Args:
        survey: what was found in the file.
        imported: what the file imports of its project.
    """
    making = makers_in(survey) | _makers_alike(survey)
    telling = making | ALIKE | {_DEVICE}

    def keeps(scope: Scope) -> bool:
        """Whether a scope makes a tensor, or calls what gives one that it has made."""
        if scope.made or scope.places or not telling.isdisjoint(scope.mentions):
            return True
        return imported.may_give_tensor(scope.mentions)

    kept: dict[ast.ClassDef, set[str]] = {}
    for scope in survey.scopes:
        if scope.owner is None or scope.owner is scope.node or not keeps(scope):
            continue
        may_be_host = scope.may_be_host

        def makes(node: ast.Call, may_be_host: Callable[[str], bool] = may_be_host) -> bool:
            if last_component(node.func) in making or imported.is_given_by(node.func):
                return True
            if survey.names.trigger_of(node, may_be_host) is Trigger.FACTORY:
                return node not in survey.harmless
            return makes_alike(node)

        if names := kept_in(scope.node, makes):
            kept.setdefault(scope.owner, set()).update(names)
    return kept


def makers_in(survey: Survey) -> set[str]:
    """Return the functions that make something on the host, by their names."""
    return {s.name for s in survey.scopes if s.makes and isinstance(s.node, FUNCTIONS)}


def _makers_alike(survey: Survey) -> set[str]:
    """Return the functions that make something where another tensor is, by their names."""
    return {
        scope.name
        for scope in survey.scopes
        if isinstance(scope.node, FUNCTIONS)
        and scope.name not in CONSTRUCTING
        and not ALIKE.isdisjoint(scope.mentions)
    }


def kept_in(method: ast.AST, makes: Callable[[ast.Call], bool]) -> set[str]:
    """Return the attributes to which code assigns what it makes, at once or by way of variables.

    Args:
        method: the code.
        makes: whether a call makes a tensor on the host.
    """
    given = [pair for node in walk(method) for pair in _given(node)]
    given.sort(key=lambda pair: pair[0].lineno)
    holding, kept, state = set[str](), set[str](), set(STATE_ATTRIBUTES)
    for target, value in given:
        if isinstance(value, ast.Call) and last_component(value.func) in _TAKEN_ALONG:
            state.add(last_component(target))
        is_held = _holds_tensor(value, holding, makes) or _is_computed_of(value, state)
        if not (is_held or _asks_own_device(value)):
            continue
        if isinstance(target, ast.Call):
            kept.add("getattr")  # it was set by a name that is made up, and is read by it
            continue
        filled = _filled(target)
        if isinstance(filled, ast.Attribute) and _is_own(filled):
            kept.add(filled.attr)
            holding.add(filled.attr)
        for part in walk(target):
            if isinstance(part, ast.Name):
                holding.add(part.id)
            elif isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
                kept.add(part.attr)
                holding.add(part.attr)
            elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                holding.add(part.value)
    return kept


def _given(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what a statement or call gives a value to, or puts it into, with that.

    Of a buffer that is its name: it moves with the module, but not what else keeps the tensor. Of
    an attribute that is set by a name that is made up, it is the call.
    """
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield target, node.value
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign)) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, ast.Call) and last_component(node.func) == "setattr":
        if len(node.args) == 3 and family_of(node.args[1]) is not None:
            yield node, node.args[2]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in {"append", "extend"}:
            filled = _filled(node.func.value)
            if isinstance(filled, ast.Name) or _is_own(filled):
                yield from ((filled, argument) for argument in node.args)
        if node.func.attr == "register_buffer" and len(node.args) > 1:
            yield node.args[0], node.args[1]


def _filled(target: ast.expr) -> ast.expr:
    """What is given a value, or a part: the list or dict of which a target is an entry."""
    while isinstance(target, ast.Subscript):
        target = target.value
    return target


def _is_own(node: ast.expr) -> bool:
    """Whether an expression is an attribute of the object at hand."""
    return isinstance(node, ast.Attribute) and is_own_object(node.value)


def makes_alike(node: ast.Call) -> bool:
    """Whether a call makes a tensor where another one is, which may be a module's parameter."""
    if last_component(node.func) in ALIKE:
        return True
    device = device_of(node)
    return (
        isinstance(device, ast.Attribute)
        and device.attr == "device"
        and isinstance(device.value, ast.Attribute)
    )


def methods_using(
    names: set[str], methods: list[Scope], owners: list[ast.ClassDef]
) -> set[ast.AST]:
    """Return the methods that mention some attributes, or methods that do, and their classes."""
    found, pending = set[ast.AST](), set(names)
    while pending:
        users = [s for s in methods if s.node not in found and not pending.isdisjoint(s.mentions)]
        found.update(scope.node for scope in users)
        pending = {scope.name for scope in users}
    return {*found, *owners} if found else found


def reads_of_part(method: ast.AST, names: Set[str]) -> Set[str]:
    """Return which attributes of parts of its object a method reads: `self.rope.cos`.

    Args:
        method: the method.
        names: the attributes that count.
    """
    return {
        node.attr
        for node in walk(method)
        if isinstance(node, ast.Attribute)
        and node.attr in names
        and isinstance(node.ctx, ast.Load)
        and isinstance(node.value, ast.Attribute)
        and is_own_object(node.value.value)
    }


def hands_out(method: ast.AST, names: set[str]) -> bool:
    """Return whether a method gives back what some attributes keep, or a part or view of it.

    What others do with that is for them to say.

    Args:
        method: the method.
        names: the attributes.
    """
    nodes = list(walk(method))
    holding = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and _is_kept(node.value, names)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in nodes:
        if isinstance(node, ast.Return) and node.value is not None:
            parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            if any(_is_kept(part, names, holding) for part in parts):
                return True
    return False


def _is_kept(node: ast.expr, names: set[str], holding: Set[str] = frozenset()) -> bool:
    """Whether an expression is what an attribute keeps, or what is taken out of it, not moved."""
    while True:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in MOVING and moves_device(node, node.func):
                return False
            node = node.func.value
        elif isinstance(node, ast.Attribute):
            if node.attr in names:
                return is_own_object(node.value)
            node = node.value
        elif isinstance(node, ast.Subscript):
            node = node.value
        else:
            return isinstance(node, ast.Name) and node.id in holding


def _holds_tensor(value: ast.expr, holding: Set[str], makes: Callable[[ast.Call], bool]) -> bool:
    """Whether something may be computed from a tensor that was made, and is not moved along."""
    pending: list[ast.AST] = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call):
            name = last_component(node.func)
            if name in _TAKEN_ALONG or name in HOST_READS:
                continue
            if makes(node):
                return True
        elif isinstance(node, (ast.Name, ast.Attribute)) and last_component(node) in holding:
            return True
        elif isinstance(node, _COMPREHENSIONS):
            # Each round gives something made of the parts of what is gone through.
            for part in node.generators:
                if _holds_tensor(part.iter, holding, makes):
                    holding = holding | names_in(part.target)
            if isinstance(node, ast.DictComp):
                pending += (node.key, node.value)
            else:
                pending.append(node.elt)
            continue
        pending += ast.iter_child_nodes(node)
    return False


def _is_computed_of(value: ast.expr, state: Set[str]) -> bool:
    """Whether something is computed of what the object at hand has registered.

    Args:
        state: the names of parameters and buffers.
    """
    if isinstance(value, ast.Call) and last_component(value.func) in HOST_READS | _TAKEN_ALONG:
        return False
    if not isinstance(value, (ast.Call, ast.BinOp)):
        return False
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in state
        and any(isinstance(n, ast.expr) and is_own_object(n) for n in walk(node.value))
        for node in walk(value)
    )


def _asks_own_device(value: ast.expr) -> bool:
    """Whether something may be where a parameter of the object at hand is."""
    return (
        isinstance(value, ast.Attribute)
        and value.attr == _DEVICE
        and not isinstance(value.value, ast.Name)
        and any(isinstance(n, ast.expr) and is_own_object(n) for n in walk(value.value))
    )


def built_by(code: ast.AST, classes: Set[str]) -> set[str]:
    """The attributes that some code gives what it builds of classes, by their names."""
    return {
        target.attr
        for node in walk(code)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        for target in node.targets
        if isinstance(target, ast.Attribute) and last_component(node.value.func) in classes
    }
