"""What raises on every machine: no path goes on behind it, so that nothing fails there."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Set
from types import BuiltinFunctionType

from torchdev_lint.catalog.accepted import refuses
from torchdev_lint.catalog.arrays import OF_A_SHAPE
from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.catalog.ecosystem import OF_ARRAYS_ALONE, OF_TENSORS_ALONE
from torchdev_lint.catalog.factories import DEVICE_BY_NAME, NEW, SIZE_IN_ONE, SIZED
from torchdev_lint.catalog.methods import TENSOR_ARGUMENTS, TENSOR_METHODS
from torchdev_lint.catalog.operations import (
    FUNCTION_NAMESPACES,
    JOINS,
    TENSOR_FIRST,
    WITHOUT_DEVICE,
)
from torchdev_lint.catalog.required import ALONE, missing
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.joins import certain_items
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.values import (
    ARRAY,
    NUMBER_KINDS,
    UNKNOWN,
    Const,
    DeviceValue,
    Method,
    Place,
    Scalar,
    Size,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.facts.failing import Fails
from torchdev_lint.placement.run import Run
from torchdev_lint.syntax.names import last_component, names_in
from torchdev_lint.syntax.order import runs_with
from torchdev_lint.syntax.scopes import FUNCTIONS

_SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)
"""Statements that hold no others."""

_UNBOUND_SUPER = "builtins.super.__init__"
"""What `super.__init__(self)` calls, without the call of `super`: a method of another class."""

_UNDECIDED = {Mood.EXPECTED, Mood.WAITING}
"""Where an error is expected, or another round of a loop has to decide."""


def fails(run: Run, node: ast.expr, by_itself: bool = False) -> None:
    """Note that a call raises, or what reads a variable, whatever machine it is run on.

    Where that is expected, or another round of a loop has to decide, it is not known.

    Args:
        by_itself: whether the call alone tells that, whatever values it is given.
    """
    if run.frame.failing is None and run.moods.now.isdisjoint(_UNDECIDED):
        run.frame.failing = node, by_itself


def raises_before(run: Run, call: ast.Call | ast.BinOp) -> bool:
    """Whether a call is not made, or operator run, since one of its parts certainly raises."""
    failing = run.frame.failing
    return failing is not None and runs_with(call, failing[0])


def is_miscalled(name: str, arguments: Arguments, node: ast.Call) -> bool:
    """Whether the call of something of PyTorch leaves out what has to be given, or gives too much.

    An operation takes no device: it works where its tensors are.

    Args:
        name: the qualified name.
    """
    positional = len(arguments.positional)
    if _is_listed(name, WITHOUT_DEVICE) and "device" in arguments.keywords:
        return True
    too_many = name in ALONE and positional > 1
    given = arguments.keywords.keys()
    if not (too_many or missing(name, positional, given) or refuses(name, positional, given)):
        return False
    return not (arguments.open_ended or any(isinstance(at, ast.Starred) for at in node.args))


def is_given_wrong(name: str, arguments: Arguments) -> bool:
    """Whether something of PyTorch, NumPy or Python is given what it takes on no machine.

    Args:
        name: the qualified name.
    """
    return (
        _is_given_no_tensor(name, arguments)
        or is_given_device(name, arguments)
        or _is_given_tensor_as_size(name, arguments)
        or _is_given_size_and_more(name, arguments)
        or _is_given_method_as_size(name, arguments)
        or name == _UNBOUND_SUPER
    )


def _is_given_no_tensor(name: str, arguments: Arguments) -> bool:
    """Whether a function of PyTorch is given a number for the tensor that it takes first.

    Or one among those that it joins, or an array or a list there, or these one by one. Or a data
    set of tensors is made of a list, or what takes an array is given a tensor: not just what is
    sliced as one.

    Args:
        name: the qualified name.
    """
    if name in OF_ARRAYS_ALONE:
        options = alternatives(arguments.get(0, "") or UNKNOWN)
        return all(isinstance(o, Tensor) and o.place is not Place.UNKNOWN for o in options)
    if name in OF_TENSORS_ALONE:
        return any(_is_plain(value) for value, _ in arguments.positional)
    if _is_listed(name, TENSOR_FIRST):
        return is_number(arguments.get(0, "input"))
    if not _is_listed(name, JOINS):
        return False
    joined, dim = arguments.get(0, "tensors"), arguments.get(1, "dim")
    if joined is not None and _is_one(joined):
        return True
    if dim is not None and _is_one(dim, with_axes=True):
        return True
    return isinstance(joined, Sequence) and any(map(_is_plain, certain_items(joined)))


def _is_one(value: Value, with_axes: bool = False) -> bool:
    """Whether something certainly is one tensor: what is given may be several.

    Args:
        with_axes: whether it has to be more than a number.
    """
    return all(
        isinstance(o, Tensor) and o.place is Place.HOST and not (with_axes and o.scalar)
        for o in alternatives(value)
    )


def is_given_device(name: str, arguments: Arguments) -> bool:
    """Whether a factory is given a device by position, which it takes by its name alone.

    What is called otherwise may be the number of one, which is a size as well.

    Args:
        name: the qualified name, or that of a method.
    """
    if name not in DEVICE_BY_NAME and name not in NEW:
        return False
    return any(
        _names_device(node)
        and all(isinstance(option, DeviceValue) for option in alternatives(value))
        for value, node in arguments.positional
    )


def _is_given_tensor_as_size(name: str, arguments: Arguments) -> bool:
    """Whether a factory that takes its size as one sequence is given a tensor for it.

    Args:
        name: the qualified name.
    """
    size = arguments.get(*SIZE_IN_ONE[name]) if name in SIZE_IN_ONE else None
    options = alternatives(UNKNOWN if size is None else size)
    return all(isinstance(o, Tensor) and o.place is not Place.UNKNOWN for o in options)


def _is_given_size_and_more(name: str, arguments: Arguments) -> bool:
    """Whether a factory that takes its size as one sequence, or as numbers, is given more than one.

    As in `torch.rand(x.shape, -1, 1)`.

    Args:
        name: the qualified name.
    """
    module, _, last = name.rpartition(".")
    if module != "torch" or last not in SIZED or arguments.open_ended:
        return False
    if len(arguments.positional) < 2:
        return False
    size, _ = arguments.positional[0]
    return all(isinstance(option, (Size, Sequence)) for option in alternatives(size))


def _is_given_method_as_size(name: str, arguments: Arguments) -> bool:
    """Whether what makes something of a size is given a tensor's method: `np.zeros(x.size)`.

    Args:
        name: the qualified name.
    """
    module, _, last = name.rpartition(".")
    if name not in OF_A_SHAPE and not (module == "torch" and last in SIZED):
        return False
    size = arguments.get(0) or UNKNOWN
    return all(
        isinstance(o, Method) and isinstance(o.bound, Tensor) and o.name in TENSOR_METHODS
        for o in alternatives(size)
    )


def _names_device(node: ast.AST) -> bool:
    """Whether an expression is a device, as its name says, or makes one."""
    named = node.func if isinstance(node, ast.Call) else node
    return isinstance(named, ast.expr) and last_component(named) in DEVICE_NAMES


def _is_plain(value: Value) -> bool:
    """Whether something certainly is a list or tuple, an array, or a number of Python's."""
    plain = (SequenceKind.LIST, SequenceKind.TUPLE)
    return is_number(value) or all(
        option == ARRAY or (isinstance(option, Sequence) and option.kind in plain)
        for option in alternatives(value)
    )


def _is_listed(name: str, operations: Set[str]) -> bool:
    """Whether a qualified name is that of one of some operations."""
    where, dot, last = name.rpartition(".")
    return last in operations and where + dot in FUNCTION_NAMESPACES


def method_refuses(name: str, arguments: Arguments, node: ast.Call) -> bool:
    """Whether a method of a tensor is given more than it takes, or what it doesn't know.

    Args:
        name: the method's.
    """
    if arguments.open_ended or any(isinstance(at, ast.Starred) for at in node.args):
        return False
    return refuses(f"torch.Tensor.{name}", len(arguments.positional), arguments.keywords.keys())


def method_takes_no_device(name: str, arguments: Arguments) -> bool:
    """Whether a method of a tensor is told a device that takes none.

    Args:
        name: the method's.
    """
    return "device" in arguments.keywords and name.rstrip("_") in WITHOUT_DEVICE


def method_takes_no_number(name: str, arguments: Arguments) -> bool:
    """Whether a method of a tensor is given a number for the other tensor that it takes.

    Args:
        name: the method's.
    """
    return name in TENSOR_ARGUMENTS and is_number(arguments.get(TENSOR_ARGUMENTS[name]))


def lacks_attribute(library: str, name: str) -> bool:
    """Whether a function of Python's own is asked for what it has not, as `input` for its `shape`.

    Args:
        library: the qualified name.
    """
    where, _, last = library.rpartition(".")
    function = getattr(builtins, last, None) if where == "builtins" else None
    return isinstance(function, BuiltinFunctionType) and not hasattr(function, name)


def is_number(value: Value | None) -> bool:
    """Whether a value certainly is a number of Python's."""
    return value is not None and all(
        (isinstance(option, Scalar) and option.kind in NUMBER_KINDS)
        or (isinstance(option, Const) and isinstance(option.value, (int, float)))
        for option in alternatives(value)
    )


def raises_in_place(run: Run, target: Value, added: Value) -> bool:
    """Whether an augmented assignment certainly raises, whatever its operands are."""
    if not all(outgrows(option, target) for option in alternatives(added)):
        return False
    if not run.moods.now.isdisjoint(_UNDECIDED):
        return False
    run.frame.failed = True
    return True


def outgrows(added: Value, target: Value) -> bool:
    """Whether a tensor has dimensions that what it is added to in place has not, as a loss."""
    if not (isinstance(added, Tensor) and added.scalar is False):
        return False
    return all(isinstance(o, Tensor) and o.scalar is True for o in alternatives(target))


def ends_path(run: Run, statement: ast.stmt) -> bool:
    """Whether a statement certainly raises, going by what its calls were found to do."""
    if not isinstance(statement, _SIMPLE):
        run.frame.failing = None
        return False
    return ends_with(run, statement)


def ends_with(run: Run, part: ast.stmt | ast.expr) -> bool:
    """Whether what has no block certainly raises: a simple statement, or a condition."""
    failing, run.frame.failing = run.frame.failing, None
    if failing is None:
        return False
    call, by_itself = failing
    if not runs_with(part, call):
        return False
    run.frame.failed = True
    note_failing(run, call, by_itself)
    return True


def note_failing(run: Run, call: ast.expr, by_itself: bool = False) -> None:
    """Note that a call raises, wherever it is reached from.

    Args:
        by_itself: whether the call alone tells that; else what a function is given may.
    """
    if by_itself or given_names(run).isdisjoint(names_in(call)):
        run.note(Fails(call))


def given_names(run: Run) -> set[str]:
    """Return the names of what the function at hand is called with."""
    node = run.frame.node
    if not isinstance(node, FUNCTIONS):
        return set()
    return {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)} - {"self"}
