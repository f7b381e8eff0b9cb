"""What methods do with the attributes of their own object."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.catalog.operations import ELEMENTWISE, JOINS
from torchdev_lint.syntax.held import held_once
from torchdev_lint.syntax.made_up import family_of
from torchdev_lint.syntax.names import dotted
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk

_OWN = frozenset({"self", "cls"})
_WHERE_IT_IS = ELEMENTWISE | {"clone", "contiguous", "detach", "float", "half", "double", "squeeze"}
"""Methods that give a tensor where theirs is."""
_LOOKING = frozenset(
    {"super", "isinstance", "len", "print", "type", "id", "repr", "str", "hasattr"}
)
"""What is handed objects and sets nothing of theirs."""

_READING = frozenset({"items", "keys", "values", "get"})
"""Methods of a container that leave it as it is."""
_READERS = frozenset({"len", "enumerate", "zip", "iter", "sorted", "list", "tuple", "dict", "tqdm"})
"""Functions that leave a container as it is."""


def read_and_assigned(nodes: Iterable[ast.AST]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the attributes of `self` and `cls` that code reads, and those that it assigns.

    Args:
        nodes: all of the code.
    """
    read, assigned = set[str](), set[str]()
    for part in nodes:
        if type(part) is ast.Attribute and type(part.value) is ast.Name and part.value.id in _OWN:
            if type(part.ctx) is ast.Load:
                read.add(part.attr)
            elif type(part.ctx) is ast.Store:
                assigned.add(part.attr)
        elif type(part) is ast.Call and (family := _family_set(part)) is not None:
            assigned.add(family)
    return frozenset(read), frozenset(assigned)


def is_looked_up(nodes: Iterable[ast.AST], attribute: str) -> bool:
    """Return whether code only looks up what a container holds that an object keeps.

    Args:
        nodes: all of the code.
        attribute: the name of the attribute of `self`.
    """
    read, looked_up = 0, 0
    for node in nodes:
        if isinstance(node, ast.Subscript):
            looked_up += isinstance(node.ctx, ast.Load) and _is_of_self(node.value, attribute)
        elif isinstance(node, ast.Attribute):
            read += _is_of_self(node, attribute)
            looked_up += node.attr in _READING and _is_of_self(node.value, attribute)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            handed = sum(_is_of_self(part, attribute) for part in node.args)
            looked_up += handed if node.func.id in _READERS else 0
        elif isinstance(node, (ast.For, ast.comprehension)):
            looked_up += _is_of_self(node.iter, attribute)
        elif isinstance(node, ast.Compare):
            looked_up += sum(_is_of_self(part, attribute) for part in node.comparators)
    return read == looked_up


def _is_of_self(node: ast.AST, attribute: str) -> bool:
    if not isinstance(node, ast.Attribute) or node.attr != attribute:
        return False
    return isinstance(node.value, ast.Name) and node.value.id == "self"


def _family_set(call: ast.Call) -> str | None:
    """The attributes of which a call gives one to `self` or `cls`, by a name that is made up."""
    return family_of(call.args[1]) if _sets_own(call) else None


def sets_any(nodes: Iterable[ast.AST]) -> bool:
    """Return whether code sets attributes of its object by names that it doesn't write out.

    Args:
        nodes: all of a method.
    """
    return any(
        isinstance(node, ast.Call)
        and _sets_own(node)
        and not isinstance(node.args[1], ast.Constant)
        for node in nodes
    )


def _sets_own(call: ast.Call) -> bool:
    """Whether a call is `setattr(self, name, value)`."""
    is_own = len(call.args) == 3 and isinstance(call.args[0], ast.Name) and call.args[0].id in _OWN
    return is_own and isinstance(call.func, ast.Name) and call.func.id == "setattr"


def replaced(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the attributes of `self` and `cls` that code gives something new.

    A running mean isn't one: `self.mean = 0.9 * self.mean + 0.1 * x.mean()` computes with what has
    been there before, which the first call finds as `__init__` has left it. Nor is one that a
    variable has held before.

    Args:
        nodes: all of the code.
    """
    nodes = list(nodes)
    held = held_once(nodes)
    stores, updates = set[ast.Attribute](), set[ast.AST]()
    for part in nodes:
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Store):
            if isinstance(part.value, ast.Name) and part.value.id in _OWN:
                stores.add(part)
        elif isinstance(part, ast.AugAssign):
            updates.add(part.target)
        elif isinstance(part, ast.Assign):
            updates.update(t for t in part.targets if _computes_with(part.value, t, held))
    calls = (part for part in nodes if isinstance(part, ast.Call))
    families = {family for call in calls if (family := _family_set(call)) is not None}
    return frozenset({store.attr for store in stores if store not in updates} | families)


def _computes_with(value: ast.expr, attribute: ast.expr, held: dict[str, ast.expr]) -> bool:
    """Whether arithmetic, a function of `torch` or a method is handed an attribute as it is.

    Args:
        held: what variables hold.
    """
    name, followed = dotted(attribute), set[str]()
    pending = [value]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Attribute):
            if name is not None and dotted(node) == name:
                return True
        elif isinstance(node, ast.Name):
            if node.id in held and node.id not in followed:
                followed.add(node.id)
                pending.append(held[node.id])
        else:
            pending += _operands(node)
    return False


def _operands(node: ast.expr) -> list[ast.expr]:
    """What an expression computes with, as far as what it gives is where that is, and like it.

    What is joined to one tensor was several ones before.
    """
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, (ast.List, ast.Tuple)):
        return node.elts
    if isinstance(node, ast.Subscript):
        return [node.value]
    if not isinstance(node, ast.Call):
        return []
    library, _, function = (dotted(node.func) or "").rpartition(".")
    if library.partition(".")[0] == "torch":
        joins = function in JOINS
        return [part for part in node.args if not (joins and isinstance(part, ast.Attribute))]
    if isinstance(node.func, ast.Attribute) and node.func.attr in _WHERE_IT_IS:
        return [node.func.value]
    return []


def handed_on(nodes: list[ast.AST]) -> set[str]:
    """Return the attributes that code only hands on: `partial(self.shortcut, …)` calls it later.

    What `self.apply` is given is called at once.

    Args:
        nodes: all of the code.
    """
    attributes = {part for part in nodes if isinstance(part, ast.Attribute)}
    given = {
        argument
        for call in nodes
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") != "apply"
        for argument in (*call.args, *(keyword.value for keyword in call.keywords))
        if isinstance(argument, ast.Attribute)
    }
    return {part.attr for part in given} - {part.attr for part in attributes - given}


def set_by_hooks(nodes: list[ast.AST]) -> frozenset[str]:
    """Return the attributes of `self` that inner functions assign which others will call.

    `layer.register_forward_hook(keep)` has `keep` called whenever the layer is.

    Args:
        nodes: all of a class.
    """
    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    handed = {
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in called
    }
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, FUNCTIONS) and node.name in handed:
            if _OWN.isdisjoint(parameter.arg for parameter in parameters_of(node)):
                found |= read_and_assigned(walk(node))[1]
    return frozenset(found)


def hands_itself_over(nodes: Iterable[ast.AST]) -> bool:
    """Return whether a method gives its object to other code, which may set what it likes.

    So may the constructor of a base that is called by its class: `Base.__init__(self, options)`.

    Args:
        nodes: all of the method.
    """
    return any(
        isinstance(part, ast.Name) and part.id == "self"
        for call in nodes
        if isinstance(call, ast.Call) and dotted(call.func) not in _LOOKING
        for part in (*call.args, *(keyword.value for keyword in call.keywords))
    )


def asked_of_super(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the methods that code asks its bases for: `super().__init__(width)`.

    Args:
        nodes: all of the code.
    """
    return frozenset(
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Call)
        if dotted(node.value.func) == "super"
    )


def asked_of_self(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the attributes of `self` of which code asks whether they are there.

    Where code raises that has found none, nothing is done without it.

    Args:
        nodes: all of the code.
    """
    asked = set[str]()
    for node in nodes:
        if isinstance(node, (ast.If, ast.IfExp, ast.While)):
            if not (isinstance(node, ast.If) and isinstance(node.body[-1], ast.Raise)):
                asked.update(_asked(node.test))
        elif isinstance(node, ast.BoolOp):
            asked.update(*map(_asked, node.values))
    return frozenset(asked)


def _asked(test: ast.expr) -> Iterator[str]:
    if isinstance(test, ast.UnaryOp):
        yield from _asked(test.operand)
    elif isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from _asked(value)
    elif isinstance(test, ast.Compare):
        yield from _asked(test.left)
    elif isinstance(test, ast.Attribute) and isinstance(test.value, ast.Name):
        if test.value.id in _OWN:
            yield test.attr


def moved(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the attributes of `self` that code tells to move, as in `self.layer.cpu()`.

    Args:
        nodes: all of a method.
    """
    return frozenset(
        value.attr
        for value in _told_to_move(nodes)
        if isinstance(value, ast.Attribute)
        and isinstance(value.value, ast.Name)
        and value.value.id in _OWN
    )


def moves_all(nodes: Iterable[ast.AST]) -> bool:
    """Return whether code tells its object to move, as in `self.to(device)`.

    Args:
        nodes: all of a method.
    """
    told = _told_to_move(nodes)
    return any(isinstance(value, ast.Name) and value.id in _OWN for value in told)


def _told_to_move(nodes: Iterable[ast.AST]) -> Iterator[ast.expr]:
    calls = (node.func for node in nodes if isinstance(node, ast.Call))
    return (f.value for f in calls if isinstance(f, ast.Attribute) and f.attr in MOVES)
