"""Which expression names the device at some place of the program."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import islice

from torchdev_lint.catalog.devices import DEVICE_CONSTANTS, DEVICE_NAMES
from torchdev_lint.catalog.factories import TAKES_DEVICE
from torchdev_lint.catalog.methods import ONLY_TENSOR_METHODS
from torchdev_lint.catalog.operations import JOINS
from torchdev_lint.catalog.told import now
from torchdev_lint.change import Stated
from torchdev_lint.placement.facts.events import View
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof, Rest
from torchdev_lint.syntax.calls import by_keyword
from torchdev_lint.syntax.names import last_component, path_of
from torchdev_lint.syntax.scopes import FUNCTIONS, Syntax, parameter_names, root_name
from torchdev_lint.syntax.walking import children, walk

_MAX_PARTS = 100
"""How much of an expression is gone through for what it is made of, the outermost first."""
_MAX_TENSORS = 32
"""How many tensors in sight are asked for their device, beside those that are met; the first that
the function had come first. Each finding asks, and a long function may have a tensor a line."""
_MAX_STATE = 16
"""How many layers and buffers in sight are asked as well, those of what is met first."""


def device_in_view(
    facts: Facts,
    node: ast.AST,
    partner: ast.AST,
    of_caller: bool = False,
    but: frozenset[str] = frozenset(),
) -> Stated | None:
    """Return the device of what a value meets, as it can be had at a place in `forward`.

    What the user says comes first. Then comes a variable that holds the device, the tensor it
    meets, another tensor in sight, the module's own state, and what the script calls its device;
    but what is proven comes before what is not, and what rests on less before what rests on more.

    Args:
        facts: what is known of the file.
        node: the place: where the value is made, or where it fails.
        partner: what it meets.
        of_caller: whether that is where a function's caller has it: what the script calls its
            device may be another one.
        but: expressions that name another device than is wanted.
    """
    view = facts.find(View, node)
    if view is None or facts.syntax.in_string(node):
        return None
    told = _told(facts, node)
    if told is not None:
        return told
    texts = _with_elements(facts, node, _candidates(facts, node, partner, view))
    found = _first_of(facts, (text for text in texts if text not in but), node)
    if found is not None and found.proven:
        return found
    by_script = (text for text in _named_by_script(facts, node) if text not in but)
    named = _first_of(facts, by_script, node)
    if of_caller and named is not None and "." not in named.text:
        named = Stated(named.text, proven=False)
    return named if found is None or (named is not None and named.proven) else found


def device_met(facts: Facts, node: ast.AST, partner: ast.AST, of_module: bool) -> Stated | None:
    """Return the device of the very value that is met, else what may be that.

    Args:
        facts: what is known of the file.
        node: the place where the device is wanted.
        partner: what is met.
        of_module: whether that is a module, which is called.
    """
    view = facts.find(View, node)
    if view is None:
        return None
    told = _told(facts, node)
    if told is not None:
        return told
    texts: list[str] = []
    if of_module:
        module = path_of(partner)
        own = [text for text in view.state if module and text.startswith(f"{module}.")]
        texts = own or [text for text in view.state if text.startswith("next(")]
    else:
        path = _tensor_named(facts, partner)
        if path is not None and is_same_later(facts, path, node, partner):
            texts = [f"{path}.device"]
    found = _first_of(facts, iter(texts), node)
    if found is not None:
        return found
    other = device_in_view(facts, node, partner)
    return None if other is None else Stated(other.text, proven=False)


def is_same_later(facts: Facts, path: str, node: ast.AST, partner: ast.AST) -> bool:
    """Return whether a path holds at one place what it holds at another of the same function."""
    function = facts.syntax.scope(node)
    if facts.syntax.scope(partner) is not function:
        return False
    bound = facts.syntax.bindings(path.partition(".")[0], function)
    here, there = sorted((_position(node), _position(partner)))
    return bisect_right(bound, here, key=_position) == bisect_left(bound, there, key=_position)


def device_named(facts: Facts, node: ast.AST) -> str | None:
    """Return a variable or attribute that certainly holds the device at a place, if there is one.

    Args:
        facts: what is known of the file.
        node: the place.
    """
    told = _told(facts, node)
    if told is not None:
        return told.text
    own = ["self.device"] if facts.syntax.method(node) is not None else []
    found = _first_of(facts, iter([*sorted(DEVICE_NAMES), *own]), node)
    return found.text if found is not None and found.proven else None


def _told(facts: Facts, node: ast.AST) -> Stated | None:
    """What the user says gives the device, if it can be written at a place."""
    proof = facts.derived(Proof)
    texts = (text for text in now().device_expression if proof.is_bound(text, node))
    return next((Stated(text, proven=True) for text in texts), None)


def _first_of(facts: Facts, texts: Iterator[str], node: ast.AST) -> Stated | None:
    """The best of several expressions for a device at a place: proven, and resting on little."""
    proof = facts.derived(Proof)
    proven: dict[Rest, str] = {}
    possible = None
    for text in texts:
        if not proof.is_bound(text, node):
            continue
        if proof.gives_device(text, node):
            rest = proof.rests_on(text, node)
            if rest is Rest.ON_NOTHING:
                return Stated(_as_made(facts, text, node), proven=True)
            proven.setdefault(rest, text)
        elif possible is None and proof.may_hold_device(text, node):
            possible = Stated(text, proven=False)
    return Stated(proven[min(proven)], proven=True) if proven else possible


def _as_made(facts: Facts, text: str, node: ast.AST) -> str:
    """Return the variable with which the function at hand has made a tensor, for its device."""
    proof, name = facts.derived(Proof), text.removesuffix(".device")
    values = proof.values.values(name, node) if name in facts.derived(_told_where) else []
    is_own = len(values) == 1 and facts.syntax.scope(values[0]) is facts.syntax.scope(node)
    if is_own and isinstance(values[0], ast.Call):
        is_factory = proof.values.library(values[0].func) in TAKES_DEVICE
        for given in by_keyword(values[0], "device") if is_factory else ():
            if isinstance(given, ast.Name) and proof.serves_again(given, node):
                return given.id
    return text


def _told_where(syntax: Syntax) -> set[str]:
    """The variables that hold, somewhere in the file, what a call makes that is told a device."""
    calls = (node for node in walk(syntax.tree) if isinstance(node, ast.Call))
    told = (call for call in calls if by_keyword(call, "device"))
    around = (syntax.parent(call) for call in told)
    targets = (target for part in around if isinstance(part, ast.Assign) for target in part.targets)
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _with_elements(facts: Facts, node: ast.AST, texts: Iterator[str]) -> Iterator[str]:
    """Ask the first of what the function joins, instead of the list of it, for the device."""
    joined = facts.derived(_joined).get(facts.syntax.scope(node), ())
    for text in texts:
        path = text.removesuffix(".device")
        yield f"{path}[0].device" if path in joined and path != text else text


def _candidates(facts: Facts, node: ast.AST, partner: ast.AST, view: View) -> Iterator[str]:
    yield from view.devices
    met = set(tensors_in(facts, partner, node)) if view.tensors or view.state else set()
    yield from (f"{path}.device" for path in view.tensors if path in met)
    yield from (text for text in view.state if text.removesuffix(".device") in met)
    own = _tensor_named(facts, partner)
    if own is not None and own not in view.refuted:
        if (
            _is_own_attribute(facts, own, node)
            or _is_tensor_argument(facts, own, node, partner)
            or _is_met_itself(facts, own, node, partner)
            or _is_field_of_argument(facts, own, node, partner)
        ):
            yield f"{own}.device"
    yield from (f"{path}.device" for path in islice(view.tensors, _MAX_TENSORS))
    if view.state:
        paths = (path for path, _ in facts.derived(_Paths).within(partner))
        layers = tuple(f"{path}." for path in paths if "." in path)
        state = sorted(view.state, key=lambda text: not text.startswith(layers))
        yield from state[:_MAX_STATE]
        yield from (text for text in state[_MAX_STATE:] if text.startswith("next("))


def _tensor_named(facts: Facts, partner: ast.AST) -> str | None:
    """The path of a tensor that an expression is, or is a view of."""
    if isinstance(facts.syntax.parent(partner), ast.Starred) or facts.syntax.is_called(partner):
        return None  # several tensors, or a layer
    while path_of(partner) is None:
        if isinstance(partner, ast.Subscript) and isinstance(partner.slice, ast.Tuple):
            partner = partner.value
        elif (
            isinstance(partner, ast.Call)
            and isinstance(partner.func, ast.Attribute)
            and partner.func.attr in ONLY_TENSOR_METHODS
        ):
            partner = partner.func.value
        else:
            return None
    return path_of(partner)


def _is_own_attribute(facts: Facts, path: str, node: ast.AST) -> bool:
    """Whether a path is that of an attribute of the object whose method a node is in."""
    method = facts.syntax.method(node)
    if method is None or not method[0].args.args or facts.syntax.scope(node) is not method[0]:
        return False
    owner, _, attribute = path.partition(".")
    return owner == method[0].args.args[0].arg and attribute.isidentifier()


def _is_tensor_argument(facts: Facts, name: str, node: ast.AST, partner: ast.AST) -> bool:
    """Whether a name is that of an argument, and not bound anew before it is met."""
    function = facts.syntax.scope(node)
    if not isinstance(function, FUNCTIONS) or facts.syntax.scope(partner) is not function:
        return False
    given = function.args
    required = [*given.posonlyargs, *given.args][: -len(given.defaults) or None]
    annotations = {argument.arg: argument.annotation for argument in required}
    if name not in annotations or not _can_be_tensor(annotations[name]):
        return False
    return _position(node) < _position(partner) and is_same_later(facts, name, node, partner)


def _is_met_itself(facts: Facts, name: str, node: ast.AST, partner: ast.AST) -> bool:
    """Whether what is met is a variable that the function assigns, and the same all the way there.

    What its value is may not be known; what is on the host meets no other than a tensor.
    """
    scope = facts.syntax.scope(node)
    if path_of(partner) != name or not is_same_later(facts, name, node, partner):
        return False
    first = min(_position(node), _position(partner))
    return bisect_right(facts.syntax.bindings(name, scope), first, key=_position) > 0


def _is_field_of_argument(facts: Facts, path: str, node: ast.AST, partner: ast.AST) -> bool:
    """Whether what is met is an attribute of an argument, that one being the same all the way."""
    function = facts.syntax.scope(node)
    root, _, attribute = path.partition(".")
    if not isinstance(function, FUNCTIONS) or root not in parameter_names(function):
        return False
    return attribute.isidentifier() and is_same_later(facts, path, node, partner)


def _can_be_tensor(annotation: ast.expr | None) -> bool:
    return annotation is None or (path_of(annotation) or "").rpartition(".")[2] == "Tensor"


def _position(node: ast.AST) -> tuple[int, int]:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def tensors_in(facts: Facts, partner: ast.AST, node: ast.AST) -> list[str]:
    """Return the paths that an expression is made of, if it is in the same function as a node."""
    if facts.syntax.scope(partner) is not facts.syntax.scope(node):
        return []
    return [path for path, called in facts.derived(_Paths).within(partner) if not called]


def _joined(syntax: Syntax) -> dict[ast.AST, set[str]]:
    """What each function joins, by its path: sequences of tensors, which have no device."""
    found: dict[ast.AST, set[str]] = {}
    for call in walk(syntax.tree):
        if isinstance(call, ast.Call) and call.args and last_component(call.func) in JOINS:
            if (path := path_of(call.args[0])) is not None:
                found.setdefault(syntax.scope(call), set()).add(path)
    return found


class _Paths:
    """The paths that expressions are made of, for each gone through once.

    Args:
        syntax: the file.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._known: dict[ast.AST, list[tuple[str, bool]]] = {}
        # Expressions that lie in one another have most of their parts in common.
        self._parts: dict[ast.AST, tuple[list[ast.AST], list[tuple[str, bool]]]] = {}

    def within(self, node: ast.AST) -> list[tuple[str, bool]]:
        """Return the paths in an expression, the outermost first, and whether each is called."""
        if node not in self._known:
            parts, found = [node], list[tuple[str, bool]]()
            for number, part in enumerate(parts):  # it grows meanwhile
                if number == _MAX_PARTS:
                    break
                if part not in self._parts:
                    self._parts[part] = self._taken_apart(part)
                below, path = self._parts[part]
                parts += below
                found += path
            self._known[node] = found
        return self._known[node]

    def _taken_apart(self, part: ast.AST) -> tuple[list[ast.AST], list[tuple[str, bool]]]:
        """What a node is made of, and the path that it is, if any, with whether it is called."""
        path = path_of(part)
        return children(part), [] if path is None else [(path, self._syntax.is_called(part))]


def _named_by_script(facts: Facts, node: ast.AST) -> Iterator[str]:
    """Settings that other code of the same class or file uses as its device."""
    settings, method = facts.derived(_Settings), facts.syntax.method(node)
    if method is not None and method[1] in settings.classes:
        yield "self.device"
    yield from settings.names


class _Settings:
    """What the file itself calls its device.

    Args:
        syntax: the file.
    """

    def __init__(self, syntax: Syntax) -> None:
        self.classes: set[ast.AST] = set()
        self.names: list[str] = []
        for part in walk(syntax.tree):
            if (
                isinstance(part, ast.Attribute)
                and part.attr == "device"
                and isinstance(part.ctx, ast.Store)
                and root_name(part) == "self"
            ):
                self.classes.update(a for a in syntax.around(part) if isinstance(a, ast.ClassDef))
        for statement in syntax.tree.body:
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                name = path_of(statement.targets[0]) or ""
                if name in DEVICE_CONSTANTS and syntax.is_own(name, statement):
                    self.names.append(name)
