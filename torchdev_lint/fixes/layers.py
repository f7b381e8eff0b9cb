"""Mending a layer that is built in `forward`."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Set

from torchdev_lint.catalog.modules import TAKEN_NAMES
from torchdev_lint.change import Change, DeleteStatement, Fix, InsertStatement, Replace
from torchdev_lint.placement.domain.origins import Origin
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import dotted, names_in, path_of
from torchdev_lint.syntax.scopes import own_nodes


def built_in_init(facts: Facts, origin: Origin) -> Fix | None:
    """Return the fix that builds a layer once, in `__init__`; None if it can't be built there."""
    call, syntax = origin.node, facts.syntax
    method = syntax.method(call)
    if method is None or not isinstance(call, ast.Call) or syntax.scope(call) is not method[0]:
        return None
    function, owner = method
    loop = syntax.loop(call)
    if not _can_have_another(facts, owner, function):
        return None
    if loop is not None and not _goes_through_once(facts, loop):
        return None
    receiver = function.args.args[0].arg
    init = next((s for s in owner.body if getattr(s, "name", "") == "__init__"), None)
    if not isinstance(init, (ast.FunctionDef, type(None))):
        return None
    place = owner if init is None else _last_setup(facts, owner, init)
    if place is None:
        return None
    assert loop is None or isinstance(loop, ast.For)
    parts = [call.func, *call.args, *(keyword.value for keyword in _kept(call))]
    parts += [] if loop is None else [loop.iter]
    if not all(_is_known_in_init(facts, part, loop, owner, place) for part in parts):
        return None
    moved = _with_moves(facts, call)
    # What else is done to a layer than to call it may not bear repetition.
    if not all(syntax.is_called(node) for node in _references(facts, moved, function)):
        return None
    name = _fresh_name(facts, owner, moved, origin.label, "" if loop is None else "s")
    text = _construction(facts, call) if loop is None else _module_list(facts, call, loop)
    built = text and _built(facts, init, place, f"{name} = {text}", receiver)
    if not built:
        return None
    attribute = f"{receiver}.{name}"
    if loop is None:
        uses = _uses(facts, moved, function, attribute)
    else:
        uses = _uses_in_loop(facts, moved, loop, origin.label, attribute)
    return Fix(f"Build it in `__init__` as `self.{name}`", "unsafe", (built, *uses))


def _kept(call: ast.Call) -> list[ast.keyword]:
    """The keywords of a construction but for its device: in `__init__` the model will tell it."""
    return [keyword for keyword in call.keywords if keyword.arg != "device"]


def _construction(facts: Facts, call: ast.Call) -> str:
    """The text of a construction without its device."""
    kept = _kept(call)
    if len(kept) == len(call.keywords):
        return facts.text(call)
    arguments = [facts.text(argument) for argument in call.args]
    arguments += [f"{k.arg}={facts.text(k.value)}" if k.arg else facts.text(k) for k in kept]
    return f"{facts.text(call.func)}({', '.join(arguments)})"


def _with_moves(facts: Facts, call: ast.Call) -> ast.Call:
    """The construction, with the moves that follow it in the same expression."""
    method = facts.syntax.parent(call)
    move = facts.syntax.parent(method) if isinstance(method, ast.Attribute) else None
    if isinstance(move, ast.Call) and move.func is method and _only_moves(move):
        return _with_moves(facts, move)
    return call


def _only_moves(call: ast.Call) -> bool:
    """Whether a call of a method moves a module and does nothing else, such as change its dtype."""
    method = getattr(call.func, "attr", "")
    if method != "to":
        return method == "cuda"
    places = [*call.args, *by_keyword(call, "device")]
    return (
        len(places) == 1
        and len(call.keywords) <= 1
        and not (dotted(places[0]) or "").startswith("torch.")
    )


def _can_have_another(facts: Facts, owner: ast.ClassDef, method: ast.FunctionDef) -> bool:
    """Whether instances of a class certainly take one more layer, and a method can use it.

    Attributes are what they seem to be, nothing goes through all layers, and each heir calls
    `__init__`.
    """
    modules = facts.derived(Proof).modules
    if method.name == "__init__" or not method.args.args:
        return False
    return modules.is_plain_method(method) and modules.is_plain_module(owner)


def _is_known_in_init(
    facts: Facts,
    expression: ast.expr,
    loop: ast.For | None,
    owner: ast.ClassDef,
    place: ast.stmt,
) -> bool:
    """Whether all that a construction refers to is there when `__init__` has run.

    Args:
        loop: what it is repeated in; its variable will be there.
        place: the statement of `__init__` behind which it will be built.
    """
    repeated = getattr(loop and loop.target, "id", "")
    proof = facts.derived(Proof)
    for node in ast.walk(expression):
        if isinstance(node, (ast.Lambda, ast.NamedExpr, ast.Await, ast.Starred)):
            return False
        if not isinstance(node, ast.Name) or node.id == repeated:
            continue
        parent = facts.syntax.parent(node)
        if isinstance(parent, ast.Attribute) and proof.modules.is_self(node):
            if not proof.modules.has_part(owner, parent.attr, place):
                return False
        elif not proof.stands_for_the_same(node, place):
            return False
    return True


def _goes_through_once(facts: Facts, loop: ast.AST) -> bool:
    """Whether a loop goes through a sequence, and is not itself repeated."""
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name) or loop.orelse:
        return False
    is_range = isinstance(loop.iter, ast.Call) and path_of(loop.iter.func) == "range"
    return facts.syntax.loop(loop) is None and (is_range or path_of(loop.iter) is not None)


def _module_list(facts: Facts, call: ast.Call, loop: ast.For) -> str | None:
    """The layers that a loop needs, as one module."""
    package = (dotted(call.func) or "").rpartition(".")[0]
    if package.rpartition(".")[2] != "nn":
        return None
    items = f"{_construction(facts, call)} for {facts.text(loop.target)} in {facts.text(loop.iter)}"
    return f"{package}.ModuleList([{items}])"


def _references(facts: Facts, call: ast.Call, function: ast.FunctionDef) -> list[ast.expr]:
    """Where a method uses what a construction gives."""
    variable = _variable(facts, call)
    if variable is None:
        return [call]
    named = facts.syntax.named(variable.id, function)
    return [node for node in named if isinstance(node.ctx, ast.Load)]


def _fresh_name(facts: Facts, owner: ast.ClassDef, call: ast.Call, label: str, ending: str) -> str:
    """A name for a layer that no attribute of the file has yet, no string, and no other layer."""
    given = facts.concluded(_Given).of(facts.derived(Proof).modules.families.of(owner.name))
    if call not in given.names:
        variable = _variable(facts, call)
        stem = variable.id if variable is not None else _snake_case(label)
        given.give(call, stem + ending)
    return given.names[call]


class _Given:
    """The names that fixes give to layers, each to one: all may be made at once.

    Args:
        facts: the file.
    """

    def __init__(self, facts: Facts) -> None:
        self._taken = facts.derived(Proof).mentions.attributes | TAKEN_NAMES
        self._families: dict[str, _Names] = {}

    def of(self, family: str) -> _Names:
        """Return the names that are given in classes which inherit from each other."""
        return self._families.setdefault(family, _Names(self._taken))


class _Names:
    """The names that are given to the layers of one family.

    Args:
        taken: names that are not to be given.
    """

    def __init__(self, taken: Set[str]) -> None:
        self.names: dict[ast.Call, str] = {}
        self._taken = taken
        self._given: set[str] = set()
        self._numbers: dict[str, int] = {}

    def give(self, call: ast.Call, name: str) -> None:
        """Give a layer a name, with a number if it is taken: a larger one than was given before."""
        number = self._numbers.get(name, 0) + 1
        fresh, self._numbers[name] = _untaken(name, (self._taken, self._given), number)
        self._given.add(fresh)
        self.names[call] = fresh


def _untaken(name: str, taken: Collection[Set[str]], number: int = 1) -> tuple[str, int]:
    """The name itself, or else with a number, and that number.

    Args:
        taken: groups of names of which it is to be none.
        number: where to begin; the first one is not written.
    """
    fresh = name if number == 1 else f"{name}{number}"
    while any(fresh in group for group in taken):
        number += 1
        fresh = f"{name}{number}"
    return fresh, number


def _snake_case(label: str) -> str:
    """`BatchNorm2d` becomes `batch_norm`."""
    label = re.sub(r"\d+d$", "", label.rpartition(".")[2]) or "layer"
    if label.endswith("LU"):
        return label.lower()
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", label).lower()


def _variable(facts: Facts, call: ast.Call) -> ast.Name | None:
    """The variable that a construction is assigned to."""
    parent = facts.syntax.parent(call)
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        target = parent.targets[0]
        return target if isinstance(target, ast.Name) else None
    return None


def _built(
    facts: Facts, init: ast.FunctionDef | None, place: ast.stmt, text: str, receiver: str
) -> Change | None:
    """The change that adds the construction to `__init__`.

    Args:
        place: the statement of `__init__` to put it behind, or the class if that has none.
    """
    if init is None:
        assert isinstance(place, ast.ClassDef)
        return _built_in_new(facts, place, text)
    own = init.args.args[0].arg
    text = re.sub(rf"\b{receiver}\.", f"{own}.", text) if own != receiver else text
    return InsertStatement(facts.span(place), f"{own}.{text}", after=True)


def _built_in_new(facts: Facts, owner: ast.ClassDef, text: str) -> Change | None:
    """The change that adds an `__init__` with a construction to a class that has none."""
    library = facts.derived(Proof).values.library
    if len(owner.bases) != 1 or library(owner.bases[0]) != "torch.nn.Module":
        return None
    first = next((s for s in owner.body if isinstance(s, ast.FunctionDef)), None)
    if first is None or first.decorator_list or "\n" in text:
        return None
    indentation = " " * first.col_offset
    lines = [
        "def __init__(self):",
        f"{indentation * 2}super().__init__()",
        f"{indentation * 2}self.{text}",
        "",
    ]
    return InsertStatement(facts.span(first), "\n".join(lines))


def _last_setup(facts: Facts, owner: ast.ClassDef, init: ast.FunctionDef) -> ast.stmt | None:
    """The last statement of `__init__` that sets an attribute, or calls that of the base class.

    None if `__init__` may end before, or uses the object before that, and so what is built there.
    """
    found: ast.stmt | None = None
    base_is_set_up = False
    if not init.args.args or init.decorator_list:
        return None
    for statement in init.body:
        if isinstance(statement, ast.Expr) and _sets_up_base(statement.value):
            found, base_is_set_up = statement, True
        elif isinstance(statement, ast.Assign) and base_is_set_up:
            if any(isinstance(target, ast.Attribute) for target in statement.targets):
                found = statement
    if found is None or facts.derived(Proof).modules.is_used_within(init, owner, found):
        return None
    is_first = found is init.body[0]
    runs = is_first or facts.derived(Proof).order.follows(init.body[0], found)
    return found if runs else None


def _sets_up_base(value: ast.expr) -> bool:
    """Whether an expression calls the `__init__` of a base class."""
    return isinstance(value, ast.Call) and getattr(value.func, "attr", "") == "__init__"


def _uses(
    facts: Facts, call: ast.Call, function: ast.FunctionDef, attribute: str
) -> tuple[Change, ...]:
    """The changes that have the method use the attribute."""
    variable = _variable(facts, call)
    statement = facts.syntax.statement(call)
    if variable is not None and statement is not None and _can_go(facts, variable, statement):
        loads = _references(facts, call, function)
        if not any(facts.syntax.in_string(node) for node in loads):
            renamed = [Replace(facts.span(node), attribute) for node in loads]
            return (DeleteStatement(facts.span(statement)), *renamed)
    return (Replace(facts.span(call), attribute),)


def _uses_in_loop(
    facts: Facts, call: ast.Call, loop: ast.For, label: str, attribute: str
) -> tuple[Change, ...]:
    """The changes that have a loop go through the layers as well."""
    variable = _variable(facts, call)
    statement = facts.syntax.statement(call)
    change: Change
    if variable is not None and statement is not None and _can_go(facts, variable, statement):
        name, change = variable.id, DeleteStatement(facts.span(statement))
    else:
        scope = facts.syntax.scope(call)
        taken = (names_in(scope), facts.syntax.names_of(scope))
        name, _ = _untaken(_snake_case(label), taken)
        change = Replace(facts.span(call), name)
    both = f"zip({facts.text(loop.iter)}, {attribute})"
    if isinstance(loop.iter, ast.Call) and len(loop.iter.args) == 1:
        both = f"enumerate({attribute})"
    target = Replace(facts.span(loop.target), f"{facts.text(loop.target)}, {name}")
    return (target, Replace(facts.span(loop.iter), both), change)


def _can_go(facts: Facts, variable: ast.Name, statement: ast.stmt) -> bool:
    """Whether a variable is only there for the layer, and its statement is not alone."""
    scope = facts.syntax.scope(variable)
    if len(facts.syntax.bindings(variable.id, scope)) != 1:
        return False
    if any(isinstance(n, (ast.Global, ast.Nonlocal)) for n in own_nodes(scope)):
        return False
    parent = facts.syntax.parent(statement)
    body = getattr(parent, "body", None)
    return (
        path_of(variable) is not None
        and isinstance(body, list)
        and (statement in body and len(body) > 1)
    )
