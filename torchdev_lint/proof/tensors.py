"""Which expressions certainly are tensors, or built-in containers.

Certainly means: wherever the program gets there on a CPU without failing. That a tensor is what it
is taken for counts only where nothing else would be taken.
"""

from __future__ import annotations

import ast
from bisect import bisect_left

from torchdev_lint.catalog import operations
from torchdev_lint.catalog.factories import FACTORIES
from torchdev_lint.catalog.methods import (
    MOVES,
    ONLY_TENSOR_METHODS,
    SAME_TENSOR,
    TENSOR_ARGUMENTS,
    TENSORS_ALONE,
    TENSORS_FROM_TENSORS,
)
from torchdev_lint.catalog.modules import SEQUENCE_TAKERS, TENSOR_TAKERS
from torchdev_lint.proof.failures import Failures
from torchdev_lint.proof.grounds import Grounds, Steps
from torchdev_lint.proof.modules import Modules

_GIVE_TENSORS = (
    operations.POINTWISE
    | operations.SHAPED
    | operations.ELEMENTWISE
    | operations.CHECKED
    | operations.STRICT
    | operations.BROADCAST
) - operations.FULL_REDUCTIONS
_METHODS_GIVE_TENSORS = (
    MOVES | operations.SAME_RANK_CASTS | TENSORS_FROM_TENSORS | _GIVE_TENSORS
) - operations.FUNCTIONS_ONLY
"""Methods of tensors that give tensors."""
_CONTAINERS: dict[str, tuple[type[ast.expr], ...]] = {
    "list": (ast.List, ast.ListComp),
    "tuple": (ast.Tuple,),
    "set": (ast.Set, ast.SetComp),
    "dict": (ast.Dict, ast.DictComp),
}
"""The displays of the built-in containers, each by the name of its type."""
_NUMBERS = frozenset({"int", "float", "len", "round"})
"""Built-in functions that give numbers."""
_OF_NO_PACKED = frozenset({"size", "shape"})
"""What a tensor has, and a packed sequence has not."""
_MAX_TAKERS = 20
"""How many of the nearest uses are looked at."""
_MOST_BOUND = 100
"""How many bindings may reach a place where a variable is asked whether it holds a tensor."""


class Tensors:
    """What is certain about the tensors of a file.

    Args:
        grounds: what is known of its names.
        modules: what its modules are.
        failures: what becomes of it where a value is no tensor.
    """

    def __init__(self, grounds: Grounds, modules: Modules, failures: Failures) -> None:
        self._syntax = grounds.syntax
        self._bindings = grounds.bindings
        self._order = grounds.order
        self._mentions = grounds.mentions
        self._values = grounds.values
        self._annotations = grounds.annotations
        self._modules = modules
        self._failures = failures
        self._verdicts: dict[tuple[ast.AST, ast.AST], bool] = {}
        self._takers: dict[str, dict[ast.AST, list[tuple[ast.Name, ast.Call]]]] = {}
        self._steps = Steps()

    def is_tensor(self, node: ast.expr, place: ast.AST | None = None) -> bool:
        """Return whether an expression certainly is a tensor.

        Args:
            place: where it is read; where it stands, if that is not given.
        """
        place = place or node
        key = node, place
        if key not in self._verdicts:
            self._verdicts[key] = False  # what follows from itself alone is not certain
            self._verdicts[key] = self._is_tensor(node, place)
        return self._verdicts[key]

    def _is_tensor(self, node: ast.expr, place: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return self._holds_tensor(node.id, place) or self._is_taken(node.id, place)
        if isinstance(node, ast.Attribute):
            return self._is_tensor_attribute(node, place)
        if isinstance(node, ast.Subscript):
            return self.is_tensor(node.value, place)
        if isinstance(node, ast.UnaryOp):
            return not isinstance(node.op, ast.Not) and self.is_tensor(node.operand, place)
        if isinstance(node, ast.BinOp):
            sides = [self.is_tensor(side, place) for side in (node.left, node.right)]
            others = [
                s for s, known in zip((node.left, node.right), sides, strict=True) if not known
            ]
            return any(sides) and all(self._is_number(other, place) for other in others)
        return isinstance(node, ast.Call) and self._gives_tensor(node, place)

    def _is_tensor_attribute(self, node: ast.Attribute, place: ast.AST) -> bool:
        modules = self._modules
        if node.attr == "weight" and modules.has_weight(node, place):
            return True
        if node.attr in SAME_TENSOR and self.is_tensor(node.value, place):
            return True
        part = modules.part(node, place)
        return part is not None and self.is_tensor(part)

    def _is_number(self, node: ast.expr, place: ast.AST) -> bool:
        """Whether an expression certainly is a number, with which a tensor stays one."""
        if isinstance(node, ast.UnaryOp):
            return self._is_number(node.operand, place)
        if isinstance(node, ast.BinOp):
            return self._is_number(node.left, place) and self._is_number(node.right, place)
        if isinstance(node, ast.Call):
            called = getattr(node.func, "id", "")
            if called in _NUMBERS and self._bindings.is_builtin(called, place):
                return True
            return self._values.library(node.func, place).startswith("math.")
        if isinstance(node, ast.Name):
            bound = self._bindings.reaching(node.id, place)
            return bool(bound) and all(map(self._annotations.is_number, bound))
        return isinstance(node, ast.Constant)

    def _holds_tensor(self, name: str, place: ast.AST) -> bool:
        """Whether each binding of a name gives it a tensor."""
        with self._steps.one() as allowed:
            bound = self._bindings.reaching(name, place) if allowed else ()
            return 0 < len(bound) <= _MOST_BOUND and all(map(self._binds_tensor, bound))

    def _binds_tensor(self, binding: ast.AST | None) -> bool:
        if self._annotations.is_tensor(binding):
            return True
        given = self._values.given(binding)
        return bool(given) and all(map(self.is_tensor, given))

    def _gives_tensor(self, call: ast.Call, place: ast.AST) -> bool:
        name = self._values.library(call.func, place)
        if name in FACTORIES or name == "torch.nn.Parameter":
            return True
        if (
            operation_named(name)
            in _GIVE_TENSORS | operations.REDUCTIONS - operations.FULL_REDUCTIONS
        ):
            return True
        if self._gives_what_it_takes(call.func, place):
            return True
        if isinstance(call.func, ast.Name) and call.func.id == "next" and len(call.args) == 1:
            return self._is_iterator_of_parameters(call.args[0], place)
        if isinstance(call.func, ast.Attribute):
            gives = _METHODS_GIVE_TENSORS
            return call.func.attr in gives and self.is_tensor(call.func.value, place)
        return False

    def is_kept_by(self, name: str, scope: ast.AST) -> bool:
        """Return whether all that binds a variable of a module or class gives it a tensor.

        Args:
            scope: the module or class.
        """
        bound = self._syntax.bindings(name, scope)
        return bool(bound) and all(map(self._binds_tensor, bound))

    def is_view(self, node: ast.expr, part: ast.expr) -> bool:
        """Return whether an expression is another one, or what methods of tensors make of it."""
        while node is not part and ast.dump(node) != ast.dump(part):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                return False
            if node.func.attr not in ONLY_TENSOR_METHODS | MOVES | operations.SAME_RANK_CASTS:
                return False
            node = node.func.value
        return True

    def _is_iterator_of_parameters(self, call: ast.expr, place: ast.AST) -> bool:
        return (
            self._bindings.is_builtin("next", place)
            and isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "parameters"
            and not call.args
            and not call.keywords
            and self._modules.has_parameters(call.func.value, place)
        )

    def _is_taken(self, name: str, place: ast.AST) -> bool:
        """Whether something before or after a place certainly takes a variable as a tensor."""
        bindings = self._bindings
        bound = bindings.reaching(name, place)
        if None in bound or not bound:
            return False
        owner, scope = bindings.owner(name, place), self._syntax.scope(place)
        line = getattr(place, "lineno", 0)
        takers = self._takers_of(name).get(scope, [])
        after = bisect_left(takers, line, key=lambda pair: pair[0].lineno)
        near = takers[max(after - _MAX_TAKERS, 0) : after + _MAX_TAKERS]
        here = [(read, taker) for read, taker in near if bindings.owner(name, read) is owner]
        here.sort(key=lambda pair: abs(pair[0].lineno - line))
        return any(
            self._surely_runs(taker, place)
            and bindings.reaching(name, read) == bound
            and not bindings.may_change(name, read, place)
            for read, taker in here[:_MAX_TAKERS]
        )

    def _takers_of(self, name: str) -> dict[ast.AST, list[tuple[ast.Name, ast.Call]]]:
        """Where a variable is taken as a tensor, by scopes and in the order of the text."""
        if name not in self._takers:
            found = self._takers[name] = {}
            for read in sorted(self._mentions.reads(name), key=lambda read: read.lineno):
                taker = self._taker(read)
                if taker is not None:
                    found.setdefault(self._syntax.scope(read), []).append((read, taker))
        return self._takers[name]

    def _surely_runs(self, taker: ast.Call, place: ast.AST) -> bool:
        """Whether a call has succeeded when a place is reached, or would end the program there.

        It would, if it comes later, unless something survives its error, which is another one than
        that of a value without a device.
        """
        return self._order.runs_before(taker, place) or self._failures.may_come_before(place, taker)

    def _taker(self, read: ast.expr) -> ast.Call | None:
        """The call that takes an expression as a tensor, and would take nothing else."""
        parent = self._syntax.parent(read)
        if isinstance(parent, ast.Attribute):
            call = self._syntax.parent(parent)
            is_called = isinstance(call, ast.Call) and call.func is parent
            known = parent.attr in TENSORS_ALONE and not self._mentions.is_computed(parent.attr)
            return call if is_called and known else None  # type: ignore[return-value]  # a call
        if isinstance(parent, (ast.List, ast.Tuple)):
            call = self._syntax.parent(parent)
            if isinstance(call, ast.Call) and call.args[:1] == [parent]:
                return (
                    call
                    if operation_named(self._values.library(call.func)) in operations.JOINS
                    else None
                )
        if not isinstance(parent, ast.Call) or read not in parent.args:
            return None
        method = getattr(parent.func, "attr", "")
        if TENSOR_ARGUMENTS.get(method) == parent.args.index(read):
            if method in TENSORS_ALONE and not self._mentions.is_computed(method):
                return parent
        if parent.args[0] is not read:
            return None
        if operation_named(self._values.library(parent.func)) in operations.TENSOR_FIRST:
            return parent
        takes = self._takes_tensors(parent.func, parent) or self._takes_sequence(parent, read)
        return parent if takes else None

    def _takes_sequence(self, call: ast.Call, read: ast.expr) -> bool:
        """Whether a recurrent layer takes what was asked for its size: no packed sequence."""
        if not isinstance(read, ast.Name) or not self._values.tampering.layers_are_plain:
            return False
        if self._modules.class_of_layer(call.func, call) not in SEQUENCE_TAKERS:
            return False
        bound = self._bindings.reaching(read.id, read)
        return any(
            isinstance(parent := self._syntax.parent(other), ast.Attribute)
            and parent.attr in _OF_NO_PACKED
            and self._syntax.scope(other) is self._syntax.scope(read)
            and self._order.runs_before(other, call)
            and self._bindings.reaching(read.id, other) == bound
            for other in self._mentions.reads(read.id)
        )

    def _gives_what_it_takes(self, node: ast.expr, place: ast.AST) -> bool:
        """Whether a layer gives tensors only, or a chain of layers that ends with such a one."""
        if not self._values.tampering.layers_are_plain:
            return False
        chain = self._chain(node, place)
        if chain is not None:
            return bool(chain.args) and self._gives_what_it_takes(chain.args[-1], chain.args[-1])
        return self._modules.class_of_layer(node, place) in TENSOR_TAKERS

    def _takes_tensors(self, node: ast.expr, place: ast.AST) -> bool:
        """Whether a layer takes tensors only, or a chain of layers that begins with such a one."""
        if not self._values.tampering.layers_are_plain:
            return False
        chain = self._chain(node, place)
        if chain is not None:
            return bool(chain.args) and self._modules.class_of_layer(chain.args[0]) in TENSOR_TAKERS
        return self._modules.class_of_layer(node, place) in TENSOR_TAKERS

    def _chain(self, node: ast.expr, place: ast.AST) -> ast.Call | None:
        """The call that has built a chain of layers, if an expression certainly is one."""
        call = self._modules.construction(node, place)
        is_chain = call is not None and self._values.library(call.func) == "torch.nn.Sequential"
        return call if is_chain else None

    def container(self, node: ast.expr, place: ast.AST) -> str:
        """Return the built-in type of container that an expression certainly is, or ``."""
        if isinstance(node, ast.Name):
            kinds = {self._container_given(b) for b in self._bindings.reaching(node.id, place)}
            return kinds.pop() if len(kinds) == 1 else ""
        if isinstance(node, ast.Attribute):
            part = self._modules.part(node, place)
            return self._displayed(part) if part is not None else ""
        return self._displayed(node)

    def _container_given(self, binding: ast.AST | None) -> str:
        values = self._values.given(binding)
        if values:
            kinds = {self._displayed(value) for value in values}
            return kinds.pop() if len(kinds) == 1 else ""
        loop = self._syntax.parent(binding) if binding is not None else None
        if isinstance(loop, ast.For) and loop.target is binding:
            return "list" if self._gives_lists(loop.iter) else ""
        return ""

    def _displayed(self, node: ast.expr) -> str:
        for kind, forms in _CONTAINERS.items():
            if isinstance(node, forms):
                return kind
            function = node.func if isinstance(node, ast.Call) else None
            if isinstance(function, ast.Name) and function.id == kind:
                return kind if self._bindings.is_builtin(kind, node) else ""
        return ""

    def _gives_lists(self, loader: ast.expr) -> bool:
        """Whether something is a loader that collates samples, which are tuples, to lists."""
        call = self._modules.construction(loader)
        if call is None or self._values.library(call.func) != "torch.utils.data.DataLoader":
            return False
        plain = all(k.arg and k.arg not in {"collate_fn", "batch_sampler"} for k in call.keywords)
        data = self._modules.construction(call.args[0]) if len(call.args) in {1, 2} else None
        return (
            plain
            and data is not None
            and self._values.library(data.func) == "torch.utils.data.TensorDataset"
        )


def operation_named(name: str) -> str:
    """The operation on tensors that a library's function is, or ``."""
    base, dot, last = name.rpartition(".")
    return last if base + dot in operations.FUNCTION_NAMESPACES else ""
