"""What names CUDA where the code has chosen a device that may be the CPU."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchdev_lint.catalog.factories import NEW
from torchdev_lint.placement.evidence.bound_to_cuda import BoundToCuda
from torchdev_lint.placement.evidence.failures import is_tried
from torchdev_lint.placement.evidence.users_of_cuda import mentions_cuda
from torchdev_lint.placement.evidence.without_state import moves_nothing
from torchdev_lint.placement.facts.containers import ContainerMove
from torchdev_lint.placement.facts.facts import Facts
from torchdev_lint.placement.facts.failing import Unreached
from torchdev_lint.project.users import is_test
from torchdev_lint.proof.proof import Proof
from torchdev_lint.proof.values import Function
from torchdev_lint.records import dataclass
from torchdev_lint.rules.chosen import Chosen
from torchdev_lint.rules.falling_back import FallingBack
from torchdev_lint.syntax.cuda import is_type, number_named, puts_on_cuda
from torchdev_lint.syntax.names import last_component
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk

_MOST_CALLERS = 8
"""How many functions are asked about for one that names CUDA, each called by the next."""
_MOST = 64
"""How many calls of a file may name CUDA: one that has more is made for that."""
_PUTTING = NEW | {"cuda", "to", "type"}
"""Methods that put a tensor where they are told."""
_ERRORS = frozenset({"AssertionError", "RuntimeError", "Exception", "BaseException"})
"""What is raised where there is no CUDA."""


@dataclass(frozen=True, slots=True)
class Ignoring:
    """A call that names CUDA, and the device that it could have.

    Args:
        call: it.
        device: an expression of the device, which can be had there.
        beside: the nearest call that goes by that device.
        shown: what shows that the device may be the CPU.
    """

    call: ast.Call
    device: ast.expr
    beside: ast.Call
    shown: ast.AST


class Ignored:
    """The calls of a file that name CUDA, and so ignore what it has chosen.

    They are the fewer: a file that mostly names CUDA is made for that.

    Args:
        facts: what is known of the file.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._failing = {move.node for move in facts.of(ContainerMove)}  # anywhere
        self._unreached = facts.concluded(Unreached)
        self._asked: dict[Function, bool] = {}
        self.calls = {found.call: found for found in self._found()}

    def _found(self) -> Iterator[Ignoring]:
        facts = self._facts
        if facts.file is not None and not mentions_cuda(facts.file.source.text):
            return
        calls = [node for node in walk(facts.tree) if isinstance(node, ast.Call)]
        named = [call for call in calls if puts_on_cuda(call)]
        if not 0 < len(named) <= _MOST or (facts.file and is_test(facts.file.path)):
            return
        chosen = Chosen(facts, calls, making=True)
        if not chosen.moves:  # what is proven of names takes far longer than this
            return
        named, falling = [call for call in named if self._counts(call)], FallingBack(facts)
        moves = [call for call, device in chosen.moves if falling.shown_by(device, call)]
        if len(named) > len(moves):
            return
        for call in named:
            found = None if self._is_meant(call) else chosen.in_reach(call, beside=True)
            shown = falling.shown_by(found[1], call) if found else None
            if found is not None and shown is not None:
                yield Ignoring(call, found[1], found[0], shown)

    def _counts(self, call: ast.Call) -> bool:
        """Whether a call goes to CUDA without a question, and to no certain one of several."""
        if self._facts.syntax.in_string(call) or number_named(call) or call in self._failing:
            return False
        if not self._is_certain(call.func) or self._moves_nothing(call.func):
            return False
        if self._unreached.has(call):
            return False
        bound = self._facts.derived(BoundToCuda)
        return not bound.is_asked_for(call) and not self._is_asked_before(
            self._function_around(call)
        )

    def _is_certain(self, function: ast.expr) -> bool:
        """Whether a function that is told a device goes there, and doesn't only keep its name."""
        if is_type(function) or last_component(function) in _PUTTING:
            return True
        return self._facts.derived(Proof).values.library(function).startswith("torch.")

    def _moves_nothing(self, function: ast.expr) -> bool:
        """Whether a method moves a module that has nothing to move, and needs no CUDA then."""
        file, values = self._facts.file, self._facts.derived(Proof).values
        if file is None or not isinstance(function, ast.Attribute):
            return False
        moved = function.value
        built = values.values(moved.id, moved) if isinstance(moved, ast.Name) else [moved]
        return bool(built) and all(moves_nothing(file, each) for each in built)

    def _is_asked_before(self, function: Function | None, callers: int = _MOST_CALLERS) -> bool:
        """Whether a function is called, and only behind questions about devices.

        Or by other functions of which that is so.

        Args:
            callers: how many functions are asked about, each called by the next.
        """
        if function is None or not callers:
            return False
        if function not in self._asked:
            self._asked[function] = False  # for those that it calls itself
            proof, name = self._facts.derived(Proof), function.name
            uses = [*proof.mentions.reads(name), *proof.mentions.lookups(name)]
            self._asked[function] = bool(uses) and all(
                self._facts.derived(BoundToCuda).is_asked_for(use)
                or self._is_asked_before(self._function_around(use), callers - 1)
                for use in uses
            )
        return self._asked[function]

    def _function_around(self, node: ast.AST) -> Function | None:
        return next((p for p in self._facts.syntax.around(node) if isinstance(p, FUNCTIONS)), None)

    def _is_meant(self, call: ast.Call) -> bool:
        """Whether a call belongs to what is for CUDA alone, or may fail."""
        around = list(self._facts.syntax.around(call))
        is_about_cuda = self._facts.derived(BoundToCuda).is_about_cuda(call)
        return is_about_cuda or is_tried(around, call, _ERRORS)
