"""Loops over the entries of a structure that ask for their keys: `if key in ("image", "mask")`.

Which entries there are is not known, but some are read by their names in the same function. What
the loop does with these is known, where a condition on the key decides about it.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import NamedTuple, TypeGuard

from torchdev_lint.placement.domain.containers import SequenceKind
from torchdev_lint.placement.domain.joins import sequence
from torchdev_lint.placement.domain.values import UNKNOWN, Bundle, Const, Value
from torchdev_lint.placement.python.entries import entry
from torchdev_lint.placement.python.iteration import part_of
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import names_in, path_of
from torchdev_lint.syntax.scopes import root_name
from torchdev_lint.syntax.walking import walk

_MOST_NAMED = 8
"""Structures of which more entries are read by their names are gone through as a whole."""
_PAIRS, _KEYS = "items", "keys"
_COPIERS = frozenset({"list", "tuple", "sorted"})
"""Functions around what is gone through, so that it may be changed meanwhile."""
_LEAVING = (ast.Break, ast.Return, ast.Raise, ast.For, ast.While, ast.With, ast.Try)
"""Statements by which a round may be the last one, or its work be done more than once."""


class NamedEntry(NamedTuple):
    """An entry that is read by its name.

    Args:
        name: the key.
        path: how code reads it.
        target: what the target of the loop receives for it.
        value: what it is before the loop.
    """

    name: str
    path: str
    target: Value
    value: Value


def entries_changed(run: Run, loop: ast.For | ast.AsyncFor) -> tuple[NamedEntry, ...]:
    """Return the named entries that a loop goes through, if it changes those that it asks for.

    It goes through all of them, and changes none but the one that it is at.
    """
    source = _Source.of(loop.iter, loop.target)
    if source is None or loop.orelse or not source.is_asked_for(loop.body):
        return ()
    parts = [part for statement in loop.body for part in walk(statement)]
    if any(isinstance(part, _LEAVING) for part in parts) or not source.only_at_key(parts):
        return ()
    read = run.file.of_nodes(_names_read, run.frame.node)
    return source.entries(run, read.get(path_of(source.holder) or "", {}))


def entries_chosen(run: Run, node: ast.DictComp) -> tuple[NamedEntry, ...]:
    """Return the named entries of which a comprehension makes a dict, asking for their keys."""
    generator = node.generators[0]
    source = _Source.of(generator.iter, generator.target)
    if source is None or len(node.generators) > 1:
        return ()
    if not isinstance(node.key, ast.Name) or node.key.id != source.key:
        return ()
    is_asked = any(source.reads_key(test) for test in generator.ifs)
    if not is_asked and not source.is_asked_for([node.value]):
        return ()
    read = run.file.of_nodes(_names_read, run.frame.node)  # of what is made as well
    return source.entries(run, {name: None for names in read.values() for name in names})


class _Source(NamedTuple):
    """What a loop goes through.

    Args:
        holder: what has the entries.
        pairs: whether each is taken with its key.
        key: the variable that holds that.
    """

    holder: ast.expr
    pairs: bool
    key: str

    @classmethod
    def of(cls, source: ast.expr, target: ast.expr) -> _Source | None:
        """Return what a loop goes through; None if these are no keys, or not known to be."""
        if isinstance(source, ast.Call) and isinstance(source.func, ast.Name):
            is_copy = source.func.id in _COPIERS and len(source.args) == 1
            return cls.of(source.args[0], target) if is_copy and not source.keywords else None
        method = source.func if isinstance(source, ast.Call) else None
        if not isinstance(method, ast.Attribute) or method.attr not in {_PAIRS, _KEYS}:
            return None
        pairs = method.attr == _PAIRS
        if pairs and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            target = target.elts[0]
        elif pairs:
            return None  # each pair has a name
        if not isinstance(target, ast.Name) or path_of(method.value) is None:
            return None
        return cls(method.value, pairs, target.id)

    def is_asked_for(self, code: list[ast.stmt] | list[ast.expr]) -> bool:
        """Whether a condition in some code reads the key."""
        parts = (part for each in code for part in walk(each))
        return any(isinstance(p, (ast.If, ast.IfExp)) and self.reads_key(p.test) for p in parts)

    def reads_key(self, node: ast.expr) -> bool:
        return self.key in names_in(node)

    def only_at_key(self, parts: list[ast.AST]) -> bool:
        """Whether code has to do with the entry alone whose key it has."""
        at_key = [
            part.value
            for part in parts
            if isinstance(part, ast.Subscript) and _is_name(part.slice, self.key)
        ]
        root = root_name(self.holder)
        stores = [p for p in parts if _is_name(p, self.key) and isinstance(p.ctx, ast.Store)]
        held = {part for each in at_key for part in walk(each)}
        return not stores and all(part in held for part in parts if _is_name(part, root))

    def entries(self, run: Run, names: Collection[str]) -> tuple[NamedEntry, ...]:
        """Return what is known before the loop of the entries with some names."""
        structure = run.evaluate(self.holder) if 0 < len(names) <= _MOST_NAMED else UNKNOWN
        if not isinstance(structure, Bundle):
            return ()
        return tuple(self._entry(run, structure, name) for name in names)

    def _entry(self, run: Run, structure: Bundle, name: str) -> NamedEntry:
        node = ast.copy_location(entry(self.holder, name), self.holder)
        path = path_of(node) or ""
        value = run.env.paths.get(path) or part_of(structure, name, node)
        pair = sequence([Const(name), value], SequenceKind.TUPLE)
        return NamedEntry(name, path, pair if self.pairs else Const(name), value)


def _is_name(node: ast.AST, name: str | None) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and node.id == name


def _names_read(nodes: list[ast.AST]) -> dict[str, dict[str, None]]:
    """The names by which a function reads entries, by what has them.

    Left out are those that may be missing, where it asks whether they are there.
    """
    read: dict[str, dict[str, None]] = {}
    asked: set[object] = set()
    for node in nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                read.setdefault(path_of(node.value) or "", {})[node.slice.value] = None
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.In, ast.NotIn)):
            asked.add(node.left.value if isinstance(node.left, ast.Constant) else None)
    return {of: dict.fromkeys(n for n in names if n not in asked) for of, names in read.items()}
