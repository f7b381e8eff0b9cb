"""Modules that a file of tests defines for itself: whether any of its tests moves them."""

from __future__ import annotations

import ast
from functools import cached_property

from torchdev_lint.catalog.devices import ACCELERATOR_TYPES, HOST_TYPE
from torchdev_lint.placement.evidence.devices import type_named
from torchdev_lint.placement.evidence.feeding import is_move
from torchdev_lint.placement.evidence.host_code import is_fixture
from torchdev_lint.syntax.names import constant_beginning
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk


class MovedByTests:
    """What the tests of a file move.

    Args:
        tree: the file's tree.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._statements = list(map(_Statement, tree.body))

    def leave_on_host(self, node: ast.ClassDef) -> bool:
        """Return whether a class of the file is there for tests that run on the CPU.

        Nobody imports what a file of tests defines. So its tests are all that build it, themselves,
        by functions of the file, or by fixtures that they ask for; and none of these says anything
        of an accelerator.
        """
        users = self._users_of(node)
        return len(users) > 1 and not any(user.is_about_accelerators for user in users)

    def _users_of(self, node: ast.ClassDef) -> list[_Statement]:
        """The statements of a file that name a class, or what names it, and so on."""
        names, fixtures = {node.name}, set[str]()
        found: list[_Statement] = []
        pending = self._statements
        while True:
            using = {s for s in pending if s.node is node or s.uses(names, fixtures)}
            if not using:
                return found
            found += using
            pending = [statement for statement in pending if statement not in using]
            for statement in using:
                fixtures |= statement.fixtures
                names |= statement.binds


class _Statement:
    """A statement of a file of tests, and the names in it, gone through once for all classes."""

    def __init__(self, node: ast.stmt) -> None:
        self.node = node
        self.fixtures = set[str]()
        self.binds = set[str]()
        self._reads = set[str]()
        self._asks_for = set[object]()
        for part in walk(node):
            if isinstance(part, ast.Name):
                if isinstance(part.ctx, ast.Load):
                    self._reads.add(part.id)
                elif isinstance(part.ctx, ast.Store):
                    self.binds.add(part.id)
            elif isinstance(part, ast.arg):
                self._asks_for.add(part.arg)
            elif isinstance(part, ast.Constant):
                self._asks_for.add(part.value)
            elif is_fixture(part):
                self.fixtures.add(part.name)
        if isinstance(node, (ast.ClassDef, *FUNCTIONS)):  # tests get fixtures as arguments only
            self.binds = set() if is_fixture(node) else {node.name}

    def uses(self, names: set[str], fixtures: set[str]) -> bool:
        """Whether it reads one of some names, or asks for one of some fixtures."""
        return not (self._reads.isdisjoint(names) and self._asks_for.isdisjoint(fixtures))

    @cached_property
    def is_about_accelerators(self) -> bool:
        """Whether it moves something to an accelerator, or may tell a function to use one."""
        for part in walk(self.node):
            if isinstance(part, ast.expr):
                if is_move(part) or type_named(part) in ACCELERATOR_TYPES:
                    return True
            elif isinstance(part, ast.keyword) and part.arg == "device":
                if constant_beginning(part.value) != HOST_TYPE:
                    return True
        return False
