"""Which classes of a file are of one family: their objects may have each other's attributes."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Set

from torchdev_lint.catalog.builtins import COPYING
from torchdev_lint.catalog.modules import STATE_HOOKS
from torchdev_lint.proof.families import words
from torchdev_lint.proof.proof import Proof
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import dotted, last_component
from torchdev_lint.syntax.namespaces import is_only_read
from torchdev_lint.syntax.scopes import Syntax, own_nodes
from torchdev_lint.syntax.walking import walk

_ANSWER = frozenset({"__getattr__", "__getattribute__"})
"""Methods by which an object may answer with the attributes of another one."""


@dataclass(frozen=True, slots=True)
class Family:
    """The classes whose objects may have the attributes that one class sets.

    Args:
        classes: that one, those that it inherits from, and its heirs.
        has_own_way: whether one of them overrides how its state is handled.
    """

    classes: Set[ast.ClassDef]
    has_own_way: bool


class Kinship:
    """The families of a file's classes, each found out once, however many attributes it has.

    Args:
        syntax: the file's tree.
        proof: what is proven of its names.
    """

    def __init__(self, syntax: Syntax, proof: Proof) -> None:
        self._syntax = syntax
        self._proof = proof
        self._mentions = proof.mentions
        self._uses: dict[str, dict[ast.ClassDef | None, list[ast.Attribute]]] = {}
        self._all = proof.modules.families
        bases = {word for info in proof.mentions.classes for word in _words_of_bases(info)}
        self._inherited = [info for info in proof.mentions.classes if info.name in bases]
        self._known: dict[ast.ClassDef, Family] = {}

    def of(self, owner: ast.ClassDef) -> Family:
        """Return the family of a class."""
        if owner not in self._known:
            ancestors = (info for info in self._inherited if owner in self._all.heirs(info))
            classes = {*self._all.heirs(owner), *ancestors}
            self._known[owner] = Family(classes, any(map(self._has_own_way, classes)))
        return self._known[owner]

    def uses(self, family: Family, attr: str) -> list[ast.Attribute]:
        """Return where an attribute is read or set, but for those of objects of other classes."""
        if attr not in self._uses:
            self._uses[attr] = defaultdict(list)
            for node in (*self._mentions.stores(attr), *self._mentions.lookups(attr)):
                self._uses[attr][self._class_around(node)].append(node)
        known = self._uses[attr]
        found = [node for info in family.classes for node in known.get(info, ())]
        found += [node for node in known.get(None, ()) if not self._is_another(node.value, family)]
        return sorted(found, key=lambda node: (node.lineno, node.col_offset))

    def _is_another(self, held: ast.expr, family: Family, steps: int = 4) -> bool:
        """Whether an expression gives settings, or an object of a class of another family."""
        if isinstance(held, ast.Name) and steps:
            values = self._proof.values.values(held.id, held)
            return bool(values) and all(self._is_another(v, family, steps - 1) for v in values)
        if not isinstance(held, ast.Call):
            return False
        name = dotted(held.func) or ""
        if last_component(held.func) in COPYING and held.args:
            return self._is_another(held.args[0], family, steps)
        if last_component(held.func) == "parse_args":
            return True
        bound = self._proof.bindings.reaching(name, held)
        return all(self._gives_another(b, family, steps - 1) for b in bound)

    def _gives_another(self, called: object, family: Family, steps: int) -> bool:
        """Whether a class or function that is called gives settings, or an object of others."""
        if isinstance(called, ast.FunctionDef) and steps > 0:
            given = [n.value for n in own_nodes(called) if isinstance(n, ast.Return) and n.value]
            return bool(given) and all(self._is_another(each, family, steps) for each in given)
        return isinstance(called, ast.ClassDef) and self._has_its_own(called, family)

    def _has_its_own(self, info: ast.ClassDef, family: Family) -> bool:
        """Whether what objects of a class have as attributes is not what those of a family have."""
        if info in family.classes:
            return False
        kin = self.of(info).classes
        return not any(getattr(part, "name", "") in _ANSWER for each in kin for part in each.body)

    def _has_own_way(self, info: ast.ClassDef) -> bool:
        """Whether a class overrides how its state is handled, or puts parts where they are kept."""
        names = {getattr(part, "name", "") for part in info.body}
        return not names.isdisjoint(STATE_HOOKS) or any(
            isinstance(part, ast.Attribute)
            and part.attr in {"_modules", "_parameters"}
            and not is_only_read(part, self._syntax)
            for part in walk(info)
        )

    def _class_around(self, node: ast.Attribute) -> ast.ClassDef | None:
        """The class whose method has it as an attribute of `self`; None: of whatever object."""
        is_own = isinstance(node.value, ast.Name) and node.value.id == "self"
        method = self._syntax.method(node) if is_own else None
        return method[1] if method is not None else None


def _words_of_bases(info: ast.ClassDef) -> Iterator[str]:
    """The names that stand among the bases of a class."""
    return (word for base in info.bases for word in words(base))
