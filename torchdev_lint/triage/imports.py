"""What triage asks of the files that a file imports; what it asks them about."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set

from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import CHILD_FIELDS

OWN_OBJECT = frozenset({"self", "cls"})
_NO_USE = frozenset({"annotation", "returns", "bases"})
"""Parts of definitions and statements that say what something is, and use nothing."""


@dataclass(frozen=True, slots=True)
class Uses:
    """What code uses that others may have defined.

    Args:
        names: the variables that it reads.
        attributes: the attributes, of whatever.
        own: the attributes of the object that it belongs to.
        types: what its parameters are said to be.
    """

    names: Set[str]
    attributes: Set[str]
    own: Set[str] = frozenset()
    types: Set[str] = frozenset()


def uses_in(code: ast.AST) -> Uses:
    """Return what a function, or a class or module without its functions and classes, uses."""
    names, attributes, own, types = set[str](), set[str](), set[str](), set[str]()
    pending = [code] if isinstance(code, FUNCTIONS) else list(_own_statements(code))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            (own if is_own_object(node.value) else attributes).add(node.attr)
        elif isinstance(node, ast.arg) and node.annotation is not None:
            types.add(last_component(node.annotation))
        for name in CHILD_FIELDS[type(node)]:
            value = None if name in _NO_USE else getattr(node, name, None)
            if isinstance(value, list):
                pending += [part for part in value if part is not None]
            elif value is not None:
                pending.append(value)
    return Uses(names, attributes, own, types)


def _own_statements(code: ast.AST) -> Iterator[ast.AST]:
    for name in ("decorator_list", "body"):
        for part in getattr(code, name, ()):
            if not isinstance(part, (*FUNCTIONS, ast.ClassDef)):
                yield part


def is_own_object(node: ast.expr) -> bool:
    """Whether an expression is the object that a method belongs to: `self`, `super()`."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "super"
    return isinstance(node, ast.Name) and node.id in OWN_OBJECT


class Imported:
    """What a file imports of its project, as far as triage asks: nothing here."""

    def is_module(self, name: str) -> bool:
        """Whether what is known by a name is a class of modules."""
        return False

    def is_of_project(self, name: str) -> bool:
        """Whether what is known by a name is defined in another file of the project."""
        return False

    def builds_module(self, function: ast.expr) -> bool:
        """Whether what is called is a class of modules, by its name or as a member of a file."""
        return False

    def gives_module(self, function: ast.expr) -> bool:
        """Whether a function that is called may give back a module that it builds."""
        return False

    def gives_container(self, name: str) -> bool:
        """Whether a function of that name gives a plain container of modules that it builds."""
        return False

    def is_loader(self, name: str) -> bool:
        """Whether what is known by a name is a class of data loaders."""
        return False

    def converters_among(self, mentions: Set[str]) -> Set[str]:
        """Those of some names that may make arrays of what they are given, or take lengths."""
        return frozenset()

    def may_lead(self, mentions: Set[str]) -> bool:
        """Whether something that is mentioned may lead to a finding where it is used."""
        return False

    def may_give_tensor(self, mentions: Set[str]) -> bool:
        """Whether a function that is mentioned may give back a tensor that it makes on the host."""
        return False

    def leads(self, uses: Uses, bases: Set[str], tensor: bool = False) -> bool:
        """Whether something that is used leads to a finding.

        Args:
            uses: what is used.
            bases: the bases of the class whose method uses it, by their names.
            tensor: whether modules are no matter.
        """
        return False

    def kept_by(self, names: Iterable[str]) -> Set[str]:
        """The attributes in which objects of classes that are known by some names keep tensors."""
        return frozenset()

    def is_given_by(self, function: ast.expr) -> bool:
        """Whether a function that is called gives back a tensor that it makes on the host."""
        return False


NOTHING = Imported()
