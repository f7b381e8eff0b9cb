"""Built-in functions and types."""

from __future__ import annotations

import ast
from collections.abc import Callable

from torchdev_lint.catalog import modules
from torchdev_lint.catalog.ecosystem import is_of_another_framework
from torchdev_lint.catalog.methods import STAND_INS
from torchdev_lint.catalog.modules import PARALLEL
from torchdev_lint.placement.defects.failing import fails
from torchdev_lint.placement.defects.reads import note_argument_read
from torchdev_lint.placement.defects.rebuilt import excuse
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.containers import Mapping, Sequence, SequenceKind
from torchdev_lint.placement.domain.imported import ProjectModule
from torchdev_lint.placement.domain.joins import iterator, leaves, sequence
from torchdev_lint.placement.domain.values import (
    MISSING,
    NONE,
    QUOTIENT,
    UNKNOWN,
    Bundle,
    ClassValue,
    Const,
    DeviceValue,
    Function,
    Instance,
    Library,
    Loader,
    Partial,
    Scalar,
    ScalarKind,
    Size,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.evidence.types import is_of_type
from torchdev_lint.placement.libraries.registry import Call, handles
from torchdev_lint.placement.python.assignment import set_by_name
from torchdev_lint.placement.python.changing import lose_places
from torchdev_lint.placement.python.containers import gone_through
from torchdev_lint.placement.python.entries import replace_entries
from torchdev_lint.placement.python.families import family_asked_for, member_by_default
from torchdev_lint.placement.python.iteration import element_of
from torchdev_lint.placement.python.left_behind import let_go
from torchdev_lint.placement.python.namespaces import (
    any_member_of,
    give_namespace,
    namespace_of,
)
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace

MAX_MAPPED = 8
"""Elements of a list to which `map` applies its function one by one."""

_MODULE, _LOADER = "torch.nn.Module", "torch.utils.data.DataLoader"
_KINDS = {_MODULE, _LOADER}
"""Classes of which nothing is more than one."""


@handles("builtins.id")
def _identity(call: Call) -> Value:
    return Scalar(ScalarKind.INT)


@handles("builtins.int")
def _number(call: Call) -> Value:
    note_argument_read(call.run, call.node, call.get(0))
    return Scalar(ScalarKind.INT)


@handles("builtins.len")
def _len(call: Call) -> Value:
    """What has a length has an axis, if it is a tensor."""
    value, node = call.get(0), call.arguments.node(0)
    if isinstance(value, Tensor) and value.scalar is None and isinstance(node, ast.Name):
        if call.run.frame.env.names.get(node.id) is value:
            call.run.refine(node.id, replace(value, scalar=False))
    return Scalar(ScalarKind.INT)


@handles("builtins.float")
def _float(call: Call) -> Value:
    note_argument_read(call.run, call.node, call.get(0))
    return Scalar(ScalarKind.FLOAT)


@handles("builtins.abs", "builtins.round")
def _like_the_first(call: Call) -> Value:
    value = call.get(0) or Scalar(ScalarKind.FLOAT)
    return Scalar(ScalarKind.INT) if value == QUOTIENT and call.name == "builtins.round" else value


@handles("builtins.str", "builtins.repr")
def _text(call: Call) -> Value:
    """What is text already, or a device, of which it is the name, `str` leaves as it is."""
    given = call.get(0)
    note_argument_read(call.run, call.node, given)
    is_text = isinstance(given, DeviceValue)
    is_text = is_text or (isinstance(given, Const) and isinstance(given.value, str))
    return given if given and is_text and call.name == "builtins.str" else Scalar(ScalarKind.STR)


@handles("builtins.bool")
def _bool(call: Call) -> Value:
    note_argument_read(call.run, call.node, call.get(0))
    return Scalar(ScalarKind.BOOL)


@handles("builtins.any", "builtins.all")
def _verdict(call: Call) -> Value:
    return Scalar(ScalarKind.BOOL)


@handles("builtins.range")
def _range(call: Call) -> Value:
    if any(value == QUOTIENT for value, _ in call.arguments.positional):
        fails(call.run, call.node)
    return iterator(Scalar(ScalarKind.INT))


@handles("builtins.print")
def _print(call: Call) -> Value:
    for value, _ in call.arguments.positional:
        note_argument_read(call.run, call.node, value)
    return NONE


@handles("builtins.dict", "collections.OrderedDict")
def _dict(call: Call) -> Value:
    given = call.arguments
    items = tuple((key, value) for key, (value, _) in given.keywords.items())
    pairs = _pairs(call.get(0)) if given.positional else ()
    return Mapping(
        (*(pairs or ()), *items), UNKNOWN if given.open_ended or pairs is None else MISSING
    )


def _pairs(value: Value | None) -> tuple[tuple[object, Value], ...] | None:
    """The keys and values that a dict is built from; None if they are not all known."""
    if isinstance(value, Mapping) and value.rest == MISSING:
        return value.items
    if not isinstance(value, Sequence) or value.items is None:
        return None
    pairs: list[tuple[object, Value]] = []
    for pair in value.items:
        if not isinstance(pair, Sequence) or pair.items is None or len(pair.items) != 2:
            return None
        key, held = pair.items
        if not isinstance(key, Const):
            return None
        pairs.append((key.value, held))
    return tuple(pairs)


@handles("builtins.list", "builtins.tuple", "builtins.set", "collections.deque")
def _collection(call: Call) -> Value:
    first, kind = call.get(0), SequenceKind(call.last)
    if first is None:
        return sequence([], kind)
    first = gone_through(first)
    if kind is not SequenceKind.SET:
        if isinstance(first, Size):
            return first
        if isinstance(first, Sequence) and first.items is not None:
            return Sequence(first.items, first.element, kind)
    return Sequence(None, element_of(call.run, first, call.node), kind)


@handles("builtins.sorted", "builtins.reversed")
def _reordered(call: Call) -> Value | None:
    first = call.get(0)
    return (
        None
        if first is None
        else Sequence(None, element_of(call.run, first, call.node), SequenceKind.LIST)
    )


@handles("builtins.enumerate")
def _enumerate(call: Call) -> Value | None:
    first = call.get(0)
    if first is None:
        return None
    if isinstance(first, Sequence) and first.items is not None:
        pairs: list[Value] = [
            sequence([Scalar(ScalarKind.INT), item], SequenceKind.TUPLE) for item in first.items
        ]
        return sequence(pairs)
    return iterator(
        sequence([Scalar(ScalarKind.INT), _inner(call.run, first, call.node)], SequenceKind.TUPLE)
    )


@handles("builtins.zip")
def _zip(call: Call) -> Value | None:
    if call.get(0) is None:
        return None
    row = call.arguments.spread()
    if isinstance(row, Sequence) and row.items is not None:
        columns: list[Value] = [Sequence(None, item, SequenceKind.TUPLE) for item in row.items]
        return sequence(columns, SequenceKind.TUPLE)
    inner = [_inner(call.run, value, call.node) for value, _ in call.arguments.positional]
    return iterator(sequence(inner, SequenceKind.TUPLE))


@handles("builtins.iter")
def _iter(call: Call) -> Value | None:
    first = call.get(0)
    return None if first is None else iterator(_inner(call.run, first, call.node))


@handles("builtins.next")
def _next(call: Call) -> Value | None:
    """What comes next: no list gives it, so what an annotation calls one is a stream of batches."""
    first = call.get(0)
    if isinstance(first, Sequence) and first.items is None and first.kind is SequenceKind.LIST:
        return UNKNOWN
    return _element(call)


@handles("builtins.sum")
def _element(call: Call) -> Value | None:
    first = call.get(0)
    return None if first is None else element_of(call.run, first, call.node)


@handles("builtins.filter")
def _filter(call: Call) -> Value | None:
    source = call.get(1)
    return None if source is None else iterator(element_of(call.run, source, call.node))


@handles("builtins.map")
def _map(call: Call) -> Value | None:
    if len(call.arguments.positional) != 2:
        return None
    function, source = call.arguments.positional[0][0], call.arguments.positional[1][0]
    if isinstance(source, Sequence) and source.items is not None:
        if len(source.items) <= MAX_MAPPED:
            return sequence(
                [_applied(call, function, item) for item in source.items], SequenceKind.TUPLE
            )
    return iterator(_applied(call, function, element_of(call.run, source, call.node)))


def _applied(call: Call, function: Value, value: Value) -> Value:
    """What the function gives, which `map` calls later, and as often as there are elements."""
    failing = call.run.frame.failing
    given = call.apply(function, Arguments(positional=[(value, call.node.args[1])]))
    call.run.frame.failing = failing
    return given


def _inner(run: Run, value: Value, node: ast.AST) -> Value:
    """The element of an iterable, without an origin for a loader's batch: the target gives it."""
    if isinstance(value, Loader):
        return value.batch
    if isinstance(value, Sequence) and value.items is None:
        return value.element
    return element_of(run, value, node)


_LAYERS = {f"torch.nn.{name}" for name in modules.LAYERS | modules.CONTAINERS}
"""Classes of which none inherits from another one."""


@handles("builtins.isinstance")
def _isinstance(call: Call) -> Value:
    if len(call.node.args) != 2:
        return Scalar(ScalarKind.BOOL)
    wanted, types = call.node.args[1], list(leaves(call.get(1) or UNKNOWN))
    asked = {each.name for each in types if isinstance(each, Library)}
    if asked and asked <= STAND_INS and len(asked) == len(types):
        return Const(False)  # code is looked at as Python runs it, not as it is recorded

    of_others = len(asked) == len(types) and all(map(is_of_another_framework, asked))

    def is_wanted(value: Value) -> bool | None:
        if of_others and isinstance(value, (Tensor, Bundle)):
            return False
        kind = _kind_of(call.run, value)
        if kind in asked:
            return True
        if isinstance(value, Instance) and len(asked) == len(types) and asked <= PARALLEL:
            return _is_wrapper(value, asked)
        is_other = kind != "" and all(isinstance(t, Library) and t.name in _KINDS for t in types)
        is_other |= isinstance(value, _OF_OTHERS) and all(map(_stands_alone, types))
        is_it = False if is_other else is_of_type(value, wanted)
        return _is_one_of(value, types) if isinstance(value, Instance) and is_it is None else is_it

    return _tested(call.get(0), is_wanted)


_OF_OTHERS = (Tensor, Loader, Sequence, Mapping)
"""What is of a class that others have written: PyTorch's, or Python's."""


def _stands_alone(wanted: Value) -> bool:
    """Whether a class of the project inherits from none of others."""
    if not isinstance(wanted, ClassValue) or wanted.info.library_bases():
        return False
    return not any(info.opaque for info in wanted.info.lineage())


def _kind_of(run: Run, value: Value) -> str:
    """The class that a value is certainly an instance of, empty if it isn't one of those told."""
    if isinstance(value, Loader):
        return _LOADER
    return _MODULE if isinstance(value, Instance) and run.obj(value).module else ""


def _is_one_of(value: Instance, types: list[Value]) -> bool | None:
    """Whether an object is of one of some classes, None if it may be."""
    verdicts = {_is_of_class(value, each) for each in types}
    return True if True in verdicts else None if None in verdicts else False


def _is_of_class(value: Instance, wanted: Value) -> bool | None:
    """Whether an object is of a class, None if it may be."""
    lineage = () if value.cls is None else value.cls.lineage()
    if isinstance(wanted, ClassValue) and (lineage or value.library):
        if wanted.info in lineage:
            return True
        return None if any(info.opaque for info in lineage) else False
    if not isinstance(wanted, Library):
        return None
    if value.library == wanted.name or any(wanted.name in info.libraries for info in lineage):
        return True
    both = {value.library, wanted.name}
    return False if both <= _LAYERS else None


def _is_wrapper(module: Instance, wanted: set[str]) -> bool | None:
    """Whether an object is one of the wrappers that share the work out, None if it may be one."""
    if module.cls is not None:
        is_known = not any(info.opaque for info in module.cls.lineage())
        return False if is_known and PARALLEL.isdisjoint(module.cls.library_bases()) else None
    return module.library in wanted if module.library else None


def is_tensor(value: Value | None) -> Value:
    """Evaluate a test of a value's type: is it a tensor?"""
    return _tested(value, lambda each: is_of_type(each, ast.Name("Tensor")))


def _tested(value: Value | None, test: Callable[[Value], bool | None]) -> Value:
    """Evaluate a test that may not be decided."""
    if value is None:
        return Scalar(ScalarKind.BOOL)
    verdicts = {test(option) for option in alternatives(value)}
    verdict = verdicts.pop() if len(verdicts) == 1 else None
    return Scalar(ScalarKind.BOOL) if verdict is None else Const(verdict)


@handles("builtins.type")
def _type(call: Call) -> Value:
    """Give the type of a container, by which another one is made: `type(batch)(moved)`.

    That of what `x.data` gives is `torch.Tensor`, wherever it lives. `x` itself may be a parameter.
    Source: https://pytorch.org/blog/pytorch-0_4_0-migration-guide/
    """
    value, node = call.get(0), call.arguments.node(0)
    if isinstance(value, Tensor) and isinstance(node, ast.Attribute) and node.attr == "data":
        return Library("torch.Tensor")
    if isinstance(value, Sequence) and value.kind in _TYPES:
        return Library(f"builtins.{_TYPES[value.kind]}")
    return Library("builtins.dict") if isinstance(value, Mapping) else UNKNOWN


_TYPES = {kind: kind.value for kind in (SequenceKind.LIST, SequenceKind.TUPLE, SequenceKind.SET)}


@handles("builtins.callable")
def _callable(call: Call) -> Value:
    return _tested(call.get(0), _is_callable)


def _is_callable(value: Value) -> bool | None:
    if isinstance(value, (Function, ClassValue, Partial)):
        return True
    return False if isinstance(value, (Const, Scalar, Tensor)) else None


@handles("builtins.getattr")
def _getattr(call: Call) -> Value | None:
    name = call.get(1)
    if isinstance(name, Const) and isinstance(name.value, str) and name.value.isidentifier():
        attribute: str | None = name.value
    else:
        attribute = family_asked_for(call.run, call.get(0), call.arguments.node(1, ""))
        attribute = attribute or member_by_default(call.run, call.arguments.positional[:2])
    if attribute is not None:
        read = ast.Attribute(value=call.node.args[0], attr=attribute, ctx=ast.Load())
        ast.copy_location(read, call.node)
        return call.run.evaluate(read)
    for base in call.arguments.values()[:1]:
        let_go(call.run, base)  # what is asked for may be a part, and may be moved
        for option in alternatives(base):
            if isinstance(option, Instance):
                lose_places(call.run, *call.run.obj(option).attrs.values())
    return any_member_of(call.get(0))


@handles("builtins.vars")
def _vars(call: Call) -> Value | None:
    for option in alternatives(call.get(0) or UNKNOWN):
        if isinstance(option, Instance):
            give_namespace(call.run, option, call.node)
    return namespace_of(call.get(0))


@handles("builtins.globals")
def _globals(call: Call) -> Value | None:
    path = context_of(call.run.frame.file).path
    return namespace_of(ProjectModule(path, ""))


@handles("builtins.setattr")
def _setattr(call: Call) -> Value | None:
    if len(call.arguments.positional) != 3:
        return None
    base, name, value = call.arguments.values()[:3]
    excuse(call.run, value)
    for option in alternatives(base):
        if isinstance(option, Instance):
            written = call.node.args[1] if len(call.node.args) > 1 else None
            set_by_name(call.run, option, (name, written), value)
        elif isinstance(option, Bundle):
            known = ((name.value, value),) if isinstance(name, Const) else ()
            entries, holder = Mapping(known, MISSING if known else value), call.node.args[0]
            replace_entries(call.run, holder, option, entries, attributes=True)
    return NONE
