"""The functions, methods and classes of a file, as triage sees them."""

from __future__ import annotations

import ast
from dataclasses import field

from torchdev_lint.catalog.modules import PREPARATION
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import names_in
from torchdev_lint.syntax.scopes import FUNCTIONS, root_name
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.recognition import host_by_default

CALLED_OF_OBJECTS = frozenset({"forward", "__call__", "__iter__", "__getitem__"})
"""Methods of objects that nobody calls by their names."""
CALLED_BY_CLASS = CALLED_OF_OBJECTS | {"__init__"}
"""Methods that nobody calls by their names."""


@dataclass(eq=False, slots=True)
class Scope:
    """A function, method or the module: what it mentions, and whether it has a trigger.

    Args:
        made: the factories in it that may make something on the host.
        makes: whether it has a trigger that is none where a module is built.
        builds: whether a module that it builds is such a trigger.
        loops: whether it has a loop over something that may be a loader.
        taken: the variables that get the parts of one thing.
        wholes: the variables of loops, of which parts may be taken.
        picked: the variables that hold an item of something, and what that is.
        generators: what its comprehensions go through.
        moved: the variables that it moves.
        moved_parts: the variables of which it moves something.
        leaves: the variables that it gives tensors that ask for gradients.
        coins: the variables that it gives tensors without dimensions.
        converts: whether it makes an array of what may be a tensor.
        parts: whether it puts something on the host, or another accelerator, and not all.
        places: whether it says where something is to be made.
        keeps: whether it gives an attribute what may be a plain container.
        handed: the functions whose results it gives to attributes, as long as it has no trigger.
        host_by_default: its parameters that may name the host, once that was asked.
    """

    node: ast.AST
    name: str
    owner: ast.ClassDef | None = None
    mentions: set[str] = field(default_factory=set)
    triggered: bool = False
    made: list[ast.Call] = field(default_factory=list)
    makes: bool = False
    builds: bool = False
    loops: bool = False
    taken: set[str] = field(default_factory=set)
    wholes: set[str] = field(default_factory=set)
    picked: dict[str, str] = field(default_factory=dict)
    generators: list[ast.comprehension] = field(default_factory=list)
    moved: set[str] = field(default_factory=set)
    moved_parts: set[str | None] = field(default_factory=set)
    leaves: set[str] = field(default_factory=set)
    coins: set[str] = field(default_factory=set)
    converts: bool = False
    parts: bool = False
    places: bool = False
    keeps: bool = False
    handed: set[str] = field(default_factory=set)
    host_by_default: dict[str, ast.expr] | None = None

    @property
    def prepares(self) -> bool:
        """Whether it is called while a module is built, by its name: it gives nothing back."""
        return PREPARATION.search(self.name) is not None and not any(
            isinstance(part, ast.Return) and part.value is not None for part in walk(self.node)
        )

    def may_be_host(self, parameter: str) -> bool:
        """Whether a parameter has a default that is `None` or names the host."""
        if not isinstance(self.node, FUNCTIONS):
            return False
        if self.host_by_default is None:
            self.host_by_default = host_by_default(self.node.args)
        return parameter in self.host_by_default

    @property
    def moves_leaves(self) -> bool:
        """Whether it moves what it has given a variable to be trained."""
        return not self.leaves.isdisjoint(self.moved)

    @property
    def moves_parts(self) -> bool:
        """Whether it moves a part of what a loop may take out of something.

        The loop stands in it, or may be inherited.
        """
        inherits = self.owner is not None and self.owner.bases
        if not (self.loops or inherits):
            return False
        taken = self._taken_with_elements()
        wholes = taken | self.wholes
        taken |= {name for name, whole in self.picked.items() if whole in wholes}
        return not (wholes.isdisjoint(self.moved_parts) and taken.isdisjoint(self.moved))

    def _taken_with_elements(self) -> set[str]:
        """The variables that get parts of one thing, or what comprehensions take out of these."""
        taken, pending = set(self.taken), self.generators
        while found := [node for node in pending if root_name(node.iter) in taken]:
            taken.update(*(names_in(node.target) for node in found))
            pending = [node for node in pending if node not in found]
        return taken


def names_for(scope: Scope) -> set[str]:
    """The names by which other code uses a function."""
    names = {scope.name} - CALLED_BY_CLASS
    if scope.owner is not None and scope.name in CALLED_BY_CLASS:
        names.add(scope.owner.name)
    return names - {""}


Position = tuple[int, int]
"""Line and column of a definition: its file may be parsed anew, into other nodes."""


def position_of(node: ast.AST) -> Position:
    """Where a function, class or module begins."""
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
