"""What a method reads of its object only after asking that for something."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set

from torchdev_lint.records import dataclass
from torchdev_lint.syntax.blocks import JUMPS
from torchdev_lint.syntax.walking import walk

_ANYTHING = ""
"""What is asked for by a condition that isn't whether an attribute is None."""
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class AskedBefore:
    """What stands under a condition about the object at hand, or behind one under which code ends.

    Whether an attribute is None is no such condition for that attribute itself.

    Args:
        read: the attributes that are read there.
        called: those that are called.
    """

    read: Set[str]
    called: Set[str]


def asked_before(method: ast.AST) -> AskedBefore:
    """Return what a method reads and calls of its object after asking that for something."""
    read, called, ended = set[str](), set[str](), set[str]()
    pending: list[tuple[ast.AST, frozenset[str]]] = [(method, frozenset())]
    while pending:  # in the order of the text
        node, asked = pending.pop()
        attribute = own_attribute(node)
        if attribute is not None and (asked | ended) - {attribute}:
            read.add(attribute)
        elif isinstance(node, ast.Call):
            name = own_attribute(node.func)
            if name is not None and asked | ended:
                called.add(name)
        elif isinstance(node, JUMPS):
            ended |= asked
        tests = _tests_of(node)
        below = asked.union(*map(_asked_by, tests))
        children = list(ast.iter_child_nodes(node))
        pending.extend((c, asked if c in tests else below) for c in reversed(children))
    return AskedBefore(frozenset(read), frozenset(called))


def own_attribute(node: ast.AST) -> str | None:
    """Return the attribute of `self` that an expression reads, None if it isn't one that does."""
    if not isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Store):
        return None
    return node.attr if isinstance(node.value, ast.Name) and node.value.id == "self" else None


def _tests_of(node: ast.AST) -> list[ast.expr]:
    """The conditions under which what stands below a node is run."""
    if isinstance(node, _COMPREHENSIONS):
        return [test for generator in node.generators for test in generator.ifs]
    if isinstance(node, ast.Match):
        return [node.subject]
    test = getattr(node, "test", None)
    return [test] if isinstance(test, ast.expr) and not isinstance(node, ast.Assert) else []


def _asked_by(test: ast.expr) -> Iterator[str]:
    """Yield what a condition asks the object at hand for, if anything."""
    if isinstance(test, ast.Compare) and (attribute := own_attribute(test.left)) is not None:
        other = test.comparators[0]
        if isinstance(other, ast.Constant) and other.value is None:
            yield attribute
            return
    if any(isinstance(part, ast.Name) and part.id == "self" for part in walk(test)):
        yield _ANYTHING
