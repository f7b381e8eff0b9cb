"""Variables that hold structures, which a move would have to take apart."""

from __future__ import annotations

import ast

from torchdev_lint.catalog.operations import JOINS
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.proof.proof import Proof
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.parameters import parameter_for
from torchdev_lint.syntax.scopes import FUNCTIONS


def is_taken_apart(facts: Facts, node: ast.Name, met: ast.AST | None = None) -> bool:
    """Return whether a variable holds a structure, by what else is done with it.

    That goes for the functions of the file as well that it is handed to.

    Args:
        met: a tensor; what it picks from is one as well.
    """
    uses = facts.concluded(_Uses).of(node.id, facts.syntax.scope(node))
    return uses.is_handed or any(not _is_picked_by(facts, name, met) for name in uses.apart)


def is_joined(facts: Facts, node: ast.Name) -> bool:
    """Return whether a variable goes whole to a function that joins the tensors of a list."""
    return facts.concluded(_Uses).of(node.id, facts.syntax.scope(node)).is_joined


@dataclass(frozen=True, slots=True)
class _OfVariable:
    """What is done with a variable in the function that has it.

    Args:
        apart: where what it holds is taken apart.
        is_handed: whether it goes to a function of the file that takes a structure.
        is_joined: whether it goes to a function that joins the tensors of a list.
    """

    apart: list[ast.Name]
    is_handed: bool
    is_joined: bool


class _Uses:
    """What is done with the variables of a file.

    Args:
        facts: what is known of the file.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._known: dict[tuple[str, ast.AST], _OfVariable] = {}

    def of(self, name: str, scope: ast.AST) -> _OfVariable:
        """Return what is done with a variable of a function."""
        key = name, scope
        if key not in self._known:
            facts, reads = self._facts, _reads(self._facts, name, scope)
            self._known[key] = _OfVariable(
                [read for read in reads if _takes_apart(facts, read)],
                any(_is_handed_to_one(facts, read) for read in reads),
                any(_goes_to_join(facts, read) for read in reads),
            )
        return self._known[key]


def _goes_to_join(facts: Facts, name: ast.Name) -> bool:
    call = facts.syntax.parent(name)
    is_first = isinstance(call, ast.Call) and call.args[:1] == [name]
    return is_first and isinstance(call, ast.Call) and last_component(call.func) in JOINS


def _is_picked_by(facts: Facts, name: ast.Name, index: ast.AST | None) -> bool:
    """Whether something is the index, or one of them, under which a variable is read."""
    part = facts.syntax.parent(name)
    return isinstance(part, ast.Subscript) and any(n is index for n in ast.walk(part.slice))


def _reads(facts: Facts, name: str, scope: ast.AST) -> list[ast.Name]:
    named = facts.syntax.named(name, scope)
    return [read for read in named if facts.syntax.scope(read) is scope]


def _takes_apart(facts: Facts, name: ast.Name) -> bool:
    """Whether what a variable holds is taken apart at a place."""
    part = facts.syntax.parent(name)
    if isinstance(part, ast.Subscript) and part.value is name:
        return not isinstance(part.slice, (ast.Slice, ast.Tuple))
    if isinstance(part, ast.Assign) and part.value is name:
        return isinstance(part.targets[0], (ast.Tuple, ast.List))
    if isinstance(part, (ast.For, ast.AsyncFor)):
        return part.iter is name
    if isinstance(part, ast.Attribute) and part.attr in {"items", "keys", "values"}:
        return facts.syntax.is_called(part)
    return False


def _is_handed_to_one(facts: Facts, name: ast.Name) -> bool:
    """Whether a variable goes to a function of the file that takes a structure."""
    given: ast.AST = name
    call = facts.syntax.parent(name)
    if isinstance(call, ast.keyword):
        given, call = call, facts.syntax.parent(call)
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return False
    for function in facts.derived(Proof).bindings.reaching(call.func.id, call):
        if isinstance(function, FUNCTIONS):
            parameter = parameter_for(function, call, given, skipped=0)
            if parameter is not None and _is_structure(facts, parameter, function):
                return True
    return False


def _is_structure(facts: Facts, parameter: ast.arg, function: ast.AST) -> bool:
    """Whether a parameter is a structure: it, or its elements, have entries under names."""
    reads = _reads(facts, parameter.arg, function)
    return any(_has_key(facts.syntax.parent(r), r) or _has_entries(facts, r) for r in reads)


def _has_key(part: ast.AST | None, name: ast.Name) -> bool:
    """Whether something is looked up in a variable by a name."""
    if not isinstance(part, ast.Subscript) or part.value is not name:
        return False
    return isinstance(part.slice, ast.Constant) and isinstance(part.slice.value, str)


def _has_entries(facts: Facts, name: ast.Name) -> bool:
    """Whether a loop goes through what a variable holds, and looks something up in its elements."""
    part: ast.AST = name
    parent = facts.syntax.parent(part)
    if isinstance(parent, ast.Call) and getattr(parent.func, "id", "") == "enumerate":
        part, parent = parent, facts.syntax.parent(parent)
    if not isinstance(parent, ast.For) or parent.iter is not part:
        return False
    elements = {p.id for p in ast.walk(parent.target) if isinstance(p, ast.Name)}
    found = (p for p in ast.walk(parent) if isinstance(p, ast.Name) and p.id in elements)
    return any(_has_key(facts.syntax.parent(element), element) for element in found)
