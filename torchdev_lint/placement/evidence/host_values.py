"""Expressions whose value is on the host for certain, going by the text alone."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from torchdev_lint.catalog.devices import SETTINGS
from torchdev_lint.catalog.ecosystem import LOADERS, SHAPE_READERS, TRANSPARENT_ITERATORS
from torchdev_lint.catalog.factories import FACTORIES, MAKE_TENSORS, TAKE_TENSORS
from torchdev_lint.catalog.methods import HOST_VALUES, TENSOR_METHODS, TENSOR_MOVES
from torchdev_lint.catalog.modules import LIGHTNING_LOADERS
from torchdev_lint.catalog.operations import IN_PLACE_SELF, JOINS, TENSOR_FIRST
from torchdev_lint.placement.domain.kind import Kind
from torchdev_lint.placement.evidence.feeding import brings_back, is_cast
from torchdev_lint.placement.evidence.made_of import Placed, made_of
from torchdev_lint.placement.evidence.neighbours import default_changes_around
from torchdev_lint.placement.evidence.plain_data import is_plain_data
from torchdev_lint.project.files import ParsedFile
from torchdev_lint.project.seen import in_one_moment
from torchdev_lint.proof.grounds import Grounds
from torchdev_lint.proof.tensors import operation_named
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.parameters import default_of

_MOST_ASKED = 256
"""How many expressions are looked at for one that is asked about."""
_MOST_NESTED = 64
"""How many of them, each asked for the one before; Python's stack holds a few times as many."""
_MOST_STEPS = 4
"""Over how many variables it is followed what is no tensor."""
_NO_TENSORS = (
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.ListComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.JoinedStr,
)
"""Expressions that give something else, whatever that holds."""
_GIVE_LISTS = frozenset({"dict", "list", "range", "sorted", "tuple"})
_OF_NUMPY = ("np.", "numpy.")
_GIVE_BACK = TAKE_TENSORS - MAKE_TENSORS
"""Factories that are called for what may be a tensor, which they leave where it is."""
_GIVE_NUMBERS = frozenset({"len", "int", "float"})
"""Functions of Python."""


class _Known(Kind):
    """What is known of where an expression is."""

    BROUGHT = "on the host, as code has moved it there"
    MADE = "on the host, made there at least on one path by what is told no device"
    NUMBER = "nowhere, as it is no tensor: written out, set by users, or asked of one"
    ITSELF = "where it was before: it is made of itself, as in `total = add(total)`"
    NOTHING = "that is not known"


def is_on_host(of: Placed) -> bool:
    """Return whether an expression is on the host, whatever brings or makes it there on each path.

    Literals and settings are no tensors, and count as well.
    """
    return _HostValues().known_of(of) not in {_Known.NOTHING, _Known.ITSELF}


def is_brought_to_host(of: Placed) -> bool:
    """Return whether an expression is what `.cpu()` gave, or a part of it, or computed of it."""
    return _HostValues().known_of(of) is _Known.BROUGHT


def is_made_on_host(of: Placed) -> bool:
    """Return whether an expression is what a factory makes that is told no device, or a part of it.

    Or a literal or a setting, which is no tensor.
    """
    return _HostValues().known_of(of) in {_Known.MADE, _Known.NUMBER}


def may_be_tensor(of: Placed) -> bool:
    """Return whether it is an argument for which somebody in the project may give a tensor.

    Where nobody is known to call its function, that isn't told.
    """
    if not (isinstance(of.node, ast.Name) and all(map(_is_argument, _bound(of)))):
        return False
    return not all(_is_no_tensor(given, _MOST_STEPS) for given in made_of(of))


@in_one_moment
def _is_no_tensor(of: Placed, steps: int) -> bool:
    """Whether an expression gives a number, a list, an array or the like, or a variable of it.

    Args:
        steps: over how many variables to look.
    """
    if isinstance(of.node, ast.Name):
        given = made_of(of) if steps else []
        return bool(given) and all(_is_no_tensor(part, steps - 1) for part in given)
    gives_list = isinstance(of.node, ast.Call) and dotted(of.node.func) in _GIVE_LISTS
    is_list = gives_list or isinstance(of.node, _NO_TENSORS)
    return is_list or is_number_or_text(of) or _is_array(of, steps) or is_plain_data(of)


@in_one_moment
def _is_array(of: Placed, steps: int) -> bool:
    """Whether an expression gives an array of NumPy's, or a part of one, or is computed of it.

    Args:
        steps: over how many variables to look.
    """
    file, node = of
    if isinstance(node, ast.Name):
        given = made_of(of) if steps else []
        return bool(given) and all(_is_array(part, steps - 1) for part in given)
    if isinstance(node, ast.BinOp):
        return any(_is_array(Placed(file, part), steps) for part in _terms(node))
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return _is_array(Placed(file, node.value), steps)
    if not isinstance(node, ast.Call):
        return False
    if (dotted(node.func) or "").startswith(_OF_NUMPY):
        return True
    return isinstance(node.func, ast.Attribute) and _is_array(Placed(file, node.func.value), steps)


def is_number_or_text(of: Placed) -> bool:
    """Return whether it is written out, set by users, or asked of something: numbers and texts."""
    return _HostValues().known_of(of) is _Known.NUMBER


class _HostValues:
    """Asks of an expression whether it is on the host, and therefore of what it is made of."""

    def __init__(self) -> None:
        self._known: dict[tuple[ast.expr, object], _Known] = {}
        self._circles: dict[ast.AST, int] = {}  # in which functions something is made of itself
        self._nesting = 0

    def known_of(self, of: Placed, key: object = None) -> _Known:
        """Return what is known of where an expression is.

        Args:
            key: under which key of it, where it is a dict of which one entry is wanted.
        """
        asked = of.node, key
        if self._known.get(asked) is _Known.ITSELF:
            scope = of.file.syntax.scope(of.node)
            self._circles[scope] = self._circles.get(scope, 0) + 1
        if asked not in self._known:
            self._known[asked] = _Known.ITSELF
            is_too_much = len(self._known) > _MOST_ASKED or self._nesting > _MOST_NESTED
            self._nesting += 1
            self._known[asked] = _Known.NOTHING if is_too_much else self._find(of, key)
            self._nesting -= 1
        return self._known[asked]

    def _find(self, of: Placed, key: object) -> _Known:
        node = of.node
        if isinstance(node, ast.Constant) or _is_number(node) or is_set_by_users(of):
            return _Known.NUMBER
        if isinstance(node, ast.Subscript):
            key = getattr(node.slice, "value", None)
            return self.known_of(Placed(of.file, node.value), key)
        if isinstance(node, (ast.Tuple, ast.List)):
            return _one_of(self.known_of(Placed(of.file, part)) for part in node.elts)
        if (inner := _inner(of.file, node, key)) is not None:
            return self.known_of(Placed(of.file, inner))
        if operands := _operands(of):
            return _computed([self.known_of(part) for part in operands])
        if isinstance(node, ast.Call) and _is_loader(of.file, node):
            return _Known.MADE
        if isinstance(node, ast.Call) and _is_factory(of.file, node):
            return _Known.MADE if _is_for_host(of.file, node) else _Known.NOTHING
        if given := _collected(of) or made_of(of):
            given = [part for part in given if not _may_be_left_out(part)] or given
            if _is_parameter(of):
                return _one_of(self._without_circle(part, key, of) for part in given)
            return _one_of(self.known_of(part, key) for part in given)
        return self._given(of.file, node) if isinstance(node, ast.Call) else _Known.NOTHING

    def _without_circle(self, given: Placed, key: object, parameter: Placed) -> _Known:
        """What is known of what a parameter is given; nothing new, if that comes of itself.

        A function that calls itself has to be called by another one as well.
        """
        function = parameter.file.syntax.scope(parameter.node)
        before = self._circles.get(function, 0)
        known = self.known_of(given, key)
        is_circle = self._circles.get(function, 0) > before and known is not _Known.NOTHING
        return _Known.ITSELF if is_circle else known

    def _given(self, file: ParsedFile, call: ast.Call) -> _Known:
        """What is known of what a method gives: one that moves it, or leaves it where it is."""
        if not isinstance(call.func, ast.Attribute):
            return _Known.NOTHING
        if brings_back(call):
            return _Known.BROUGHT
        if call.func.attr in TENSOR_MOVES and not is_cast(call):
            return _Known.NOTHING
        base = self.known_of(Placed(file, call.func.value))
        is_kept = base is _Known.BROUGHT or call.func.attr in TENSOR_METHODS | IN_PLACE_SELF
        return base if is_kept else _Known.NOTHING


def _is_parameter(of: Placed) -> bool:
    """Whether a variable is nothing but what its function was given."""
    bound = _bound(of)
    return bool(bound) and all(map(_is_argument, bound))


def _may_be_left_out(of: Placed) -> bool:
    """Whether a parameter is `None` by default: what is made instead tells what it is."""
    bound = _bound(of)
    defaults = [default_of(of.file.syntax, b) if isinstance(b, ast.arg) else None for b in bound]
    return bool(defaults) and all(isinstance(d, ast.Constant) and d.value is None for d in defaults)


def _bound(of: Placed) -> Sequence[ast.AST]:
    """What binds a variable where it is read; nothing for what is no variable."""
    node = of.node
    return _grounds(of.file).values.bound(node.id, node) if isinstance(node, ast.Name) else ()


def _is_argument(binding: ast.AST) -> bool:
    return isinstance(binding, ast.arg)


def _computed(operands: list[_Known]) -> _Known:
    """What is known of what is computed: where one operand is, the others have to be.

    Of what is made on the host just that may be forgotten.
    """
    if _Known.BROUGHT in operands:
        return _Known.BROUGHT
    return _one_of(operands)


def _one_of(options: Iterable[_Known]) -> _Known:
    """What is known of what is one or the other, by the path; asked no further than to nothing.

    What it is made of itself is where the others are.
    """
    found = set[_Known]()
    for option in options:
        if option is _Known.NOTHING:
            return option
        found.add(option)
    if len(found) > 1:
        found.discard(_Known.ITSELF)
    if len(found) == 1:
        return found.pop()
    return _Known.MADE if found else _Known.NOTHING


def _is_number(node: ast.expr) -> bool:
    """Whether an expression asks how large something is, or makes numbers of it."""
    if not isinstance(node, ast.Call):
        return isinstance(node, ast.Attribute) and node.attr in SHAPE_READERS
    if isinstance(node.func, ast.Attribute):
        return node.func.attr in SHAPE_READERS | HOST_VALUES
    return isinstance(node.func, ast.Name) and node.func.id in _GIVE_NUMBERS


def _is_factory(file: ParsedFile, call: ast.Call) -> bool:
    """Whether a call makes a tensor, and does not give one back as it is."""
    name = _grounds(file).values.library(call.func)
    return name in FACTORIES and last_component(call.func) not in _GIVE_BACK


def _inner(file: ParsedFile, node: ast.expr, key: object) -> ast.expr | None:
    """What an expression only passes on, or is a part of."""
    if isinstance(node, ast.Attribute):
        return node.value
    if isinstance(node, ast.UnaryOp):
        return node.operand
    if isinstance(node, ast.Dict):
        return _entry(node, key)
    is_passed = isinstance(node, ast.Call) and _goes_through(file, node)
    return node.args[0] if isinstance(node, ast.Call) and is_passed else None


def _goes_through(file: ParsedFile, call: ast.Call) -> bool:
    """Whether a call yields what it is given, as `tqdm(loader)` does, or `enumerate(loader)`."""
    name = _grounds(file).values.library(call.func)
    is_counted = isinstance(call.func, ast.Name) and call.func.id == "enumerate"
    return bool(call.args) and (is_counted or name in TRANSPARENT_ITERATORS)


def _is_loader(file: ParsedFile, call: ast.Call) -> bool:
    """Whether a call gives a data loader, whose batches are on the host.

    A method of Lightning's is one for its trainer, which moves them; who calls it has that loader.
    """
    if isinstance(call.func, ast.Attribute) and call.func.attr in LIGHTNING_LOADERS:
        return True
    return _grounds(file).values.library(call.func) in LOADERS


def _is_for_host(file: ParsedFile, call: ast.Call) -> bool:
    """Whether a factory is told no device, and none is set for all that are told none."""
    told = any(keyword.arg in {None, "device"} for keyword in call.keywords)
    return not told and not default_changes_around(file.path)


def _entry(node: ast.Dict, key: object) -> ast.expr | None:
    """What a dict has under a key, which are written out."""
    for name, value in zip(node.keys, node.values, strict=True):
        if isinstance(name, ast.Constant) and isinstance(key, str) and name.value == key:
            return value
    return None


def is_set_by_users(of: Placed) -> bool:
    """Return whether it is what users set: `args.temperature`, or of what a parser gives."""
    if not isinstance(of.node, ast.Attribute):
        return False
    source = of.node.value
    if dotted(source) in SETTINGS:
        return True
    if not isinstance(source, ast.Name):
        return False
    values = _grounds(of.file).values.values(source.id, source)
    return bool(values) and all(map(_is_parsed, values))


def _grounds(file: ParsedFile) -> Grounds:
    return file.syntax.derived(Grounds)


def _is_parsed(node: ast.expr) -> bool:
    """Whether it is what `argparse` makes of a command line: `parser.parse_args()`."""
    function = node.func if isinstance(node, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr == "parse_args"


def _operands(of: Placed) -> list[Placed]:
    """The tensors of which an operator or a function of torch makes one, if it does."""
    return [Placed(of.file, part) for part in _parts(*of)]


def _parts(file: ParsedFile, node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return _terms(node)
    if not isinstance(node, ast.Call) or not node.args:
        return []
    name, first = operation_named(_grounds(file).values.library(node.func)), node.args[0]
    if name in JOINS and isinstance(first, (ast.ListComp, ast.GeneratorExp)):
        return [first.elt]
    if name in JOINS:
        return first.elts if isinstance(first, (ast.List, ast.Tuple)) else []
    return [first] if name in TENSOR_FIRST else []


def _collected(of: Placed) -> list[Placed]:
    """What is appended to a list that a function of torch joins: `torch.cat(outputs)`."""
    file, node = of
    if not isinstance(node, ast.Call) or not node.args or not isinstance(node.args[0], ast.Name):
        return []
    syntax, joined, grounds = file.syntax, node.args[0], _grounds(file)
    begun = grounds.values.values(joined.id, joined)
    if operation_named(grounds.values.library(node.func)) not in JOINS or not begun:
        return []
    if any(not isinstance(value, ast.List) or value.elts for value in begun):
        return []
    found: list[ast.expr] = []
    for name in syntax.named(joined.id, syntax.scope(joined)):
        method = syntax.parent(name)
        if isinstance(method, ast.Attribute) and method.attr == "append":
            call = syntax.parent(method)
            if isinstance(call, ast.Call) and call.func is method:
                found += call.args
    return [Placed(file, part) for part in found]


def _terms(node: ast.BinOp) -> list[ast.expr]:
    """What is computed with, the first one first: a long sum is nested as deep as it is."""
    found: list[ast.expr] = []
    pending: list[ast.expr] = [node]
    while pending:
        part = pending.pop()
        if isinstance(part, ast.BinOp):
            pending += [part.right, part.left]
        else:
            found.append(part)
    return found
