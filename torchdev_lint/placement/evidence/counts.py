"""Which variables of a function hold single numbers, and which tensors hold sizes.

The former is told by what is done with them, or by the docstring. `torch.zeros(n)` has no
dimensions where `n` is an empty tuple. What the same function uses as one of several numbers of a
size, counts up to, compares with a number, or divides, is no tuple; nor is what another method of
the class uses like that, by the attribute that keeps it.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Set
from typing import TypeAlias

from torchdev_lint.catalog.factories import SIZED
from torchdev_lint.catalog.modules import LAYERS
from torchdev_lint.placement.evidence.docstrings import documented_numbers
from torchdev_lint.placement.evidence.preparation import is_size
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS

NodesIn: TypeAlias = Callable[[ast.AST], Collection[ast.AST]]

_SIZED = SIZED | {"Tensor", "FloatTensor", "LongTensor"}
"""Functions that take a size as numbers, or as one sequence."""
_OF_FEATURES = LAYERS - {"LayerNorm", "RMSNorm"}
"""Layers whose first two arguments are numbers: those left out take a shape."""
_FEATURES = frozenset(
    {"in_features", "out_features", "in_channels", "out_channels", "num_features", "num_channels"}
    | {"num_embeddings", "embedding_dim", "input_size", "hidden_size", "embed_dim", "num_heads"}
)
"""Numbers that layers are told by name."""
_NOT_OF_TUPLES = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_OF_NUMBERS = frozenset({"range", "int", "float", "sqrt", "log"})
"""Functions whose arguments are numbers, or tensors; no tuples."""
_RANGES = frozenset({"range", "arange"})
_OWN = "self."
_RESHAPING = frozenset({"view", "reshape", "expand", "repeat", "new_zeros", "new_ones"})
"""Methods that take sizes as numbers, or as one sequence."""

_OF_DATA = frozenset({"tensor", "as_tensor", "asarray", "LongTensor", "IntTensor"})
"""Functions that make a tensor of numbers."""


def holds_sizes(node: ast.AST) -> bool:
    """Whether a tensor is made of nothing but sizes: `torch.tensor([y.size(1) for y in x])`."""
    if not (isinstance(node, ast.Call) and node.args):
        return False
    given = node.args[0]
    if isinstance(given, ast.ListComp):
        given = given.elt
    parts = given.elts if isinstance(given, (ast.List, ast.Tuple)) else [given]
    return (
        last_component(node.func) in _OF_DATA
        and bool(parts)
        and all(is_size(part, {}) for part in parts)
    )


class Counts:
    """The variables of a file that hold single numbers, worked out once for a function or class.

    Args:
        only_sizes: whether only those are asked for that are used as sizes.
    """

    def __init__(self, only_sizes: bool = False) -> None:
        self._only_sizes = only_sizes
        self._known: dict[ast.AST, frozenset[str]] = {}
        self._of_methods: dict[tuple[ast.AST, ast.ClassDef], frozenset[str]] = {}

    def of(self, code: ast.AST, owner: ast.ClassDef | None, nodes_in: NodesIn) -> frozenset[str]:
        """Return those of a function, or method of a class, with attributes of the object.

        Args:
            nodes_in: gives all of a piece of code.
        """
        own = self._own(code, owner, nodes_in)
        if owner is None:
            return own
        if (code, owner) not in self._of_methods:
            self._of_methods[code, owner] = own | self._of_object(code, owner, nodes_in)
        return self._of_methods[code, owner]

    def _of_object(self, code: ast.AST, owner: ast.ClassDef, nodes_in: NodesIn) -> frozenset[str]:
        """The attributes of a class's objects that hold numbers, and what a method gives these."""
        if owner not in self._known:
            methods = [method for method in owner.body if isinstance(method, FUNCTIONS)]
            self._known[owner] = counts_of_objects(
                (nodes_in(method), self._own(method, owner, nodes_in)) for method in methods
            )
        kept, nodes = self._known[owner], nodes_in(code)
        named = {name for held, name in kept_as(nodes) if held in kept}
        return kept | (named - unsettled(nodes) if named else named)

    def _own(self, code: ast.AST, owner: ast.ClassDef | None, nodes_in: NodesIn) -> frozenset[str]:
        if code not in self._known and self._only_sizes:
            self._known[code] = sizes(nodes_in(code))
        elif code not in self._known:
            is_init = getattr(code, "name", "") == "__init__"
            told = documented_numbers(code, owner if is_init else None)
            self._known[code] = counts(nodes_in(code), told)
        return self._known[code]


def counts(nodes: Collection[ast.AST], told: Set[str] = frozenset()) -> frozenset[str]:
    """Return the variables that are used as single numbers, and are not assigned to.

    Attributes are among them, as `self.width` and `config.width`, assigned to or not. Where the
    code asks for the type of one, it may be something else as well.

    Args:
        nodes: all of a function.
        told: the parameters that are numbers by what its docstring says.
    """
    found = set(told)
    for node in nodes:
        if isinstance(node, (ast.Call, ast.BinOp, ast.Compare, ast.Slice)):
            found.update(filter(None, map(_named, _numbers(node))))
    return frozenset(found) - unsettled(nodes)


def sizes(nodes: Collection[ast.AST]) -> frozenset[str]:
    """Return the variables, and attributes, that a range, a layer or a factory takes as a size.

    These are numbers, and not assigned to. Of a tensor it would be one without dimensions.
    """
    found = set[str]()
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        name = last_component(node.func)
        if name in _RANGES or name not in _OF_NUMBERS:
            given = node.args if name in _RANGES else _single(node)
            found.update(filter(None, map(_named, given)))
    return frozenset(found) - unsettled(nodes)


def unsettled(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the variables that code assigns to, or asks for their type."""
    found = set[str]()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Call) and last_component(node.func) == "isinstance":
            found.update(filter(None, map(_named, node.args[:1])))
    return frozenset(found)


def counts_of_objects(methods: Iterable[tuple[Iterable[ast.AST], Set[str]]]) -> frozenset[str]:
    """Return the attributes of a class's objects that hold single numbers, as `self.width`.

    They are given a value once, and used as such, or that value is.

    Args:
        methods: all of each method, with those of its variables and attributes that are numbers.
    """
    found, stores = set[str](), Counter[str]()
    for nodes, numbers in methods:
        found |= {name for name in numbers if name.startswith(_OWN)}
        for node in nodes:
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                stores.update(filter(None, [_named(node)]))
        found |= {kept for kept, name in kept_as(nodes) if name in numbers}
    return frozenset(name for name in found if stores[name] == 1)


def kept_as(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield the attributes of the object at hand to which code gives what a variable holds."""
    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and (name := _named(target)):
                    yield name, node.value.id


def _named(node: ast.expr) -> str | None:
    """The name of a variable, or of an attribute of one: `self.width`, `config.width`."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else None


def _numbers(node: ast.Call | ast.BinOp | ast.Compare | ast.Slice) -> Iterator[ast.expr]:
    """Yield the operands of an expression that are single numbers, with what they are made of."""
    pending = list(_single(node))
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, ast.BinOp):  # of a tuple it would make another one
            pending += (part.left, part.right)


def _single(node: ast.Call | ast.BinOp | ast.Compare | ast.Slice) -> Iterator[ast.expr]:
    if isinstance(node, ast.Slice):
        yield from filter(None, (node.lower, node.upper))
        return
    if isinstance(node, ast.BinOp):
        beside = isinstance(node.op, ast.Add) and any(map(_is_number, (node.left, node.right)))
        if beside or isinstance(node.op, _NOT_OF_TUPLES):
            yield from (node.left, node.right)
        return
    if isinstance(node, ast.Compare):
        parts = [node.left, *node.comparators]
        if any(map(_is_number, parts)) and all(isinstance(op, _ORDERS) for op in node.ops):
            yield from parts
        return
    name = last_component(node.func)
    if name in _OF_NUMBERS:
        yield from node.args
    elif name in _OF_FEATURES:
        yield from node.args[:2]
        yield from (word.value for word in node.keywords if word.arg in _FEATURES)
    elif name in _SIZED | _RESHAPING and len(node.args) > 1:
        yield from node.args
    elif name in _SIZED | {"full"} and node.args and isinstance(node.args[0], ast.Tuple):
        yield from node.args[0].elts


def is_computed_number(node: ast.AST) -> bool:
    """Whether an expression gives a single number, if it can be a size: `width // 2`."""
    return isinstance(node, ast.BinOp) and any(True for _ in _single(node))


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, (int, float))
