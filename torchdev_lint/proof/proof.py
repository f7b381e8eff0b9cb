"""What is proven of the names and expressions that fixes write.

A safe fix may not make a program fail that runs, nor change what it computes on the CPU. So what it
writes must be bound where it is written, on every path, to the very object that is meant, which
must have the attribute that is asked for; and it may be evaluated once more than before. All fixes
ask here.
"""

from __future__ import annotations

import ast
from enum import IntEnum

from torchdev_lint.catalog.devices import AVAILABLE
from torchdev_lint.catalog.methods import MOVES
from torchdev_lint.proof.devices import DEVICE, Devices
from torchdev_lint.proof.failures import Failures
from torchdev_lint.proof.grounds import Grounds
from torchdev_lint.proof.modules import Modules
from torchdev_lint.proof.tensors import Tensors
from torchdev_lint.syntax.names import names_in
from torchdev_lint.syntax.private import class_around, is_in_class_of, is_private
from torchdev_lint.syntax.scopes import COMPREHENSIONS, Syntax

_REPEATABLE = AVAILABLE | {"torch.device", "torch.cuda.device_count", "torch.cuda.current_device"}
"""Functions of which nobody can tell how often they are called."""
_PLAIN = (
    ast.Name, ast.Attribute, ast.Constant, ast.IfExp, ast.BoolOp, ast.Compare, ast.UnaryOp,
    ast.JoinedStr, ast.FormattedValue, ast.Call,
    ast.expr_context, ast.boolop, ast.cmpop, ast.unaryop,
)  # fmt: skip
"""What may be evaluated once more, if its calls may."""


class Rest(IntEnum):
    """On what it rests that an expression has a value; the less, the better."""

    ON_NOTHING = 0
    """It is there, since code around it uses it, or since the class has it for itself."""
    ON_LASTING_LAYERS = 1
    """On layers that are seldom exchanged for others."""
    ON_ANY_LAYER = 2
    """On layers that are exchanged, as by quantization, or to have a model do something else."""


def _is_own(node: ast.Attribute) -> bool:
    """Whether an attribute is one of the object at hand."""
    return isinstance(node.value, ast.Name) and node.value.id == "self"


class _Written:
    """An expression that a fix may write, and what it is made of: many findings ask for it.

    Args:
        expression: it.
    """

    def __init__(self, expression: ast.expr) -> None:
        nodes = list(ast.walk(expression))
        self.expression = expression
        self.names = names_in(expression)
        self.called = [node.func for node in nodes if isinstance(node, ast.Call)]
        attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
        self.weights = [node for node in attributes if node.attr == "weight"]
        self.private = [node.attr for node in attributes if is_private(node.attr)]
        self.own = [node.attr for node in attributes if _is_own(node)]


class Proof:
    """What is proven of the expressions of a file.

    Args:
        syntax: the file's tree.
    """

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        grounds = syntax.derived(Grounds)
        self.bindings = grounds.bindings
        self.order = grounds.order
        self.mentions = grounds.mentions
        self.values = grounds.values
        self.modules = Modules(grounds)
        self.failures = Failures(grounds, self.modules)
        self.tensors = Tensors(grounds, self.modules, self.failures)
        self._devices = Devices(grounds, self.modules, self.tensors)
        # Verdicts are kept by node, so that the same text has to be the same node.
        self._parsed: dict[str, _Written] = {}

    def _written(self, text: str) -> _Written:
        """What a fix may write, parsed once."""
        if text not in self._parsed:
            self._parsed[text] = _Written(ast.parse(text, mode="eval").body)
        return self._parsed[text]

    def _expression(self, text: str) -> ast.expr:
        return self._written(text).expression

    def is_bound(self, text: str, place: ast.AST) -> bool:
        """Return whether an expression can be evaluated wherever a place is reached.

        All its names have a value there, and what it calls is what it seems to be: no namesake of
        a built-in function, no method of the file instead of the library's.
        """
        written, bindings = self._written(text), self.bindings
        for function in written.called:
            if isinstance(function, ast.Attribute) and self.mentions.is_computed(function.attr):
                return False
            if isinstance(function, ast.Name) and not self.values.library(function, place):
                if not bindings.is_builtin(function.id, place):
                    return False
        if not all(self._is_of_class_around(name, place) for name in written.private):
            return False
        if any(self._is_set_later(name, place) for name in written.own):
            return False
        return all(
            bindings.is_builtin(name, place) or None not in bindings.reaching(name, place)
            for name in written.names
        )

    def _is_of_class_around(self, attr: str, place: ast.AST) -> bool:
        """Whether a private attribute is one of the class around a place, and not of another."""
        own = class_around(place, self._syntax)
        stores = self.mentions.stores(attr)
        return own is not None and (
            bool(self._syntax.bindings(attr, own))
            or any(class_around(store, self._syntax) is own for store in stores)
        )

    def _is_set_later(self, attr: str, place: ast.AST) -> bool:
        """Whether an attribute of `self` is set behind a place, in its method, and nowhere else."""
        syntax, method = self._syntax, self._syntax.method(place)
        if method is None or syntax.scope(place) is not method[0]:
            return False
        if syntax.bindings(attr, method[1]):
            return False
        stores = list(filter(_is_own, self.mentions.stores_in(attr, method[1])))
        line: int = getattr(place, "lineno", 0)
        return bool(stores) and all(
            syntax.scope(store) is method[0] and store.lineno >= line for store in stores
        )

    def gives_device(self, text: str, place: ast.AST) -> bool:
        """Return whether an expression, put at a place, is a device of the machine at hand."""
        return self._devices.is_device(self._expression(text), place)

    def rests_on(self, text: str, place: ast.AST) -> Rest:
        """Return what has to stay as it is built for an expression to have a value at a place."""
        written = self._written(text)
        if any(self.modules.may_be_exchanged(weight, place) for weight in written.weights):
            return Rest.ON_ANY_LAYER
        if written.called:
            return Rest.ON_ANY_LAYER
        return Rest.ON_LASTING_LAYERS if written.weights else Rest.ON_NOTHING

    def serves_again(self, expression: ast.expr, place: ast.AST) -> bool:
        """Return whether a device that the code uses serves at another place as well.

        There it is a device whatever has run before, or else the one that has served already.

        Args:
            expression: where it is used.
        """
        if not self.reads_plainly(expression) or not self.may_be_repeated(expression):
            return False
        if _has_private(expression) and not is_in_class_of(expression, place, self._syntax):
            return False
        if self._devices.is_device(expression, place):
            return True
        return self.order.runs_before(expression, place) and self.is_unchanged(expression, place)

    def contradicts(self, expression: ast.expr, place: ast.AST) -> bool:
        """Return whether something in an expression would not be what it is where it stands.

        A variable was bound anew or deleted since, or a namesake holds something else.
        """
        for name in names_in(expression):
            after = self.bindings.reaching(name, place)
            if any(self._is_no_device(b) for b in after - self.bindings.reaching(name, expression)):
                return True
            owner = self.bindings.owner(name, place)
            if owner is self.bindings.owner(name, expression):
                if not after <= self.bindings.reaching(name, expression):
                    return True
            elif isinstance(owner, (ast.Lambda, *COMPREHENSIONS)):
                return True
        return False

    def may_hold_device(self, text: str, place: ast.AST) -> bool:
        """Return whether nothing speaks against it that a variable holds a device at a place."""
        expression = self._expression(text)
        bound = self.bindings.reaching(text, place) if isinstance(expression, ast.Name) else ()
        return not any(self._is_no_device(binding) for binding in bound)

    def _is_no_device(self, binding: ast.AST | None) -> bool:
        """Whether a binding certainly gives no device, or one of many things."""
        if any(_is_other_constant(value) for value in self.values.given(binding)):
            return True
        parent = self._syntax.parent(binding) if binding is not None else None
        if isinstance(binding, ast.arg):
            extra = parent.vararg, parent.kwarg  # type: ignore[union-attr]  # the arguments
            return binding in extra
        return not isinstance(binding, (ast.Name, ast.NamedExpr)) or isinstance(
            parent, ast.comprehension
        )

    def binds(self, name: str, scope: ast.AST) -> bool:
        """Return whether a function, class or module assigns a variable itself."""
        return bool(self._syntax.bindings(name, scope))

    def stands_for_the_same(self, name: ast.Name, place: ast.AST) -> bool:
        """Return whether a name means the same variable at another place, and has a value there."""
        bindings = self.bindings
        if bindings.is_builtin(name.id, place) and bindings.is_builtin(name.id, name):
            return True
        owner = bindings.owner(name.id, place)
        is_same = owner is bindings.owner(name.id, name)
        return is_same and None not in bindings.reaching(name.id, place)

    def is_tensor_where_used(self, node: ast.expr) -> bool:
        """Return whether an expression is a tensor where it stands, or else the program ends."""
        return self.failures.ends_for_others(node) or self.tensors.is_tensor(node)

    def is_of_class(self, attribute: ast.Attribute) -> bool:
        """Return whether an attribute may be that of a class of the file, and not of an object."""
        holder = attribute.value
        bound = (
            self.bindings.reaching(holder.id, holder) if isinstance(holder, ast.Name) else [None]
        )
        return any(isinstance(binding, ast.ClassDef) for binding in bound)

    def reads_plainly(self, expression: ast.expr) -> bool:
        """Return whether no attribute in an expression runs code of the file when it is read."""
        nodes = ast.walk(expression)
        return not any(
            isinstance(n, ast.Attribute) and self.mentions.is_computed(n.attr) for n in nodes
        )

    def only_moves(self, call: ast.Call) -> bool:
        """Return whether a call moves a tensor and no more: on the CPU it gives it back."""
        if getattr(call.func, "attr", "") not in MOVES or len(call.args) > 1:
            return False
        if not self.values.tampering.tensors_are_plain:
            return False
        if any(keyword.arg not in {"device", "non_blocking"} for keyword in call.keywords):
            return False
        # As `device=` PyTorch takes nothing else.
        return all(map(self.says_where, call.args))

    def says_where(self, node: ast.expr) -> bool:
        """Return whether what something is moved to certainly is no type of numbers."""
        return self._devices.only_says_where(node)

    def may_be_repeated(self, expression: ast.expr) -> bool:
        """Return whether evaluating an expression once more has no effect."""
        for node in ast.walk(expression):
            if isinstance(node, ast.Call):
                if self.values.library(node.func) not in _REPEATABLE:
                    return False
            elif not isinstance(node, (*_PLAIN, ast.keyword)):
                return False
        return True

    def is_unchanged(self, expression: ast.expr, place: ast.AST) -> bool:
        """Return whether an expression gives at a later place what it gives where it stands."""
        bindings = self.bindings
        for name in names_in(expression):
            if bindings.is_builtin(name, place) and bindings.is_builtin(name, expression):
                continue
            before, after = bindings.reaching(name, expression), bindings.reaching(name, place)
            if None in after or not after <= before:
                return False
            if bindings.owner(name, expression) is not bindings.owner(name, place):
                return False
            if bindings.may_change(name, expression, place):
                return False
        attributes = [node for node in ast.walk(expression) if isinstance(node, ast.Attribute)]
        return all(self._is_kept(node, expression) for node in attributes)

    def _is_kept(self, attribute: ast.Attribute, place: ast.expr) -> bool:
        """Whether an attribute that is read at a place is not set or deleted from there on."""
        return not self.mentions.sets_by_name and all(
            self.order.runs_before(store, place) and self._syntax.loop(store) is None
            for store in self.mentions.stores(attribute.attr)
        )


def _has_private(expression: ast.expr) -> bool:
    """Whether a name or attribute means something else in each class."""
    return any(
        is_private(getattr(node, "attr", "") or getattr(node, "id", ""))
        for node in ast.walk(expression)
    )


def _is_other_constant(value: ast.expr) -> bool:
    """Whether a value is a constant that names no device."""
    if not isinstance(value, ast.Constant) or value.value is None:
        return False
    return not (isinstance(value.value, str) and DEVICE.match(value.value))
