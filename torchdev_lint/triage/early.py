"""Which methods of modules run only while these are built."""

from __future__ import annotations

import ast
from collections import defaultdict

from torchdev_lint.syntax.own_attributes import handed_on, read_and_assigned
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk
from torchdev_lint.triage.scope import CALLED_BY_CLASS, Scope
from torchdev_lint.triage.survey import Survey


class Early:
    """The methods of a file that run while a module is built: what they make moves with it.

    Args:
        survey: what the functions and classes of the file do.
    """

    def __init__(self, survey: Survey) -> None:
        self._scopes = survey.scopes
        self._built = _built_with_modules(survey)
        self._used_by_init: dict[ast.ClassDef, frozenset[str]] = {}

    def scopes(self) -> set[Scope]:
        """Return those that run only then: no other code uses them."""
        early = {scope for scope in self._scopes if self.has(scope)}
        by_name: dict[str, list[Scope]] = defaultdict(list)
        for scope in early:
            if scope.name != "__init__":
                by_name[scope.name].append(scope)
        late = [scope for scope in self._scopes if scope not in early]
        while late:
            for name in late.pop().mentions & by_name.keys():
                found = by_name.pop(name)
                early.difference_update(found)
                late += found
        return early

    def has(self, scope: Scope) -> bool:
        """Whether a method is called then, by its name or by `__init__`."""
        owner = scope.owner
        if owner is None or owner not in self._built or scope.node is owner:
            return False
        if scope.name == "__init__" or scope.prepares:
            return True
        if not scope.makes or scope.name in CALLED_BY_CLASS:
            return False
        if owner not in self._used_by_init:
            used = map(_used_by_init, self._built[owner])
            self._used_by_init[owner] = frozenset().union(*used)
        return scope.name in self._used_by_init[owner]


def _built_with_modules(survey: Survey) -> dict[ast.ClassDef, list[ast.ClassDef]]:
    """The modules of a file, and the plain classes that these inherit from, with who builds each.

    That is the module itself, or those that inherit from what is none.
    """
    modules = [owner for owner in survey.classes if owner.name in survey.names.modules]
    built = {module: [module] for module in modules}
    plain = [owner for owner in survey.classes if owner not in built] if modules else []
    by_name: dict[str, list[ast.ClassDef]] = defaultdict(list)
    for module in modules:
        by_name[module.name].append(module)
    for owner in plain:
        names = survey.kin.large_families.get(owner.name) or survey.kin.below(owner.name)
        if heirs := [module for name in sorted(names & by_name.keys()) for module in by_name[name]]:
            built[owner] = heirs
    return built


def _used_by_init(owner: ast.ClassDef) -> frozenset[str]:
    """The attributes that the `__init__` of a class uses itself: its methods among them."""
    inits = [i for i in owner.body if isinstance(i, FUNCTIONS) and i.name == "__init__"]
    nodes = [node for init in inits for node in walk(init)]
    return read_and_assigned(nodes)[0] - handed_on(nodes)
