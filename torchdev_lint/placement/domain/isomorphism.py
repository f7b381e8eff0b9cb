"""Values and objects that are the same but for which objects they are about.

Twelve layers built alike are twelve objects: what a method gives for one of them it gives for all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from torchdev_lint.placement.domain.containers import Mapping, Sequence
from torchdev_lint.placement.domain.heap import Obj
from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.values import (
    Bundle,
    Choice,
    Function,
    Instance,
    Loader,
    Method,
    Partial,
    Super,
    Tensor,
    Value,
)
from torchdev_lint.placement.domain.weight import Holder
from torchdev_lint.records import replace


class Renaming:
    """Which objects stand for which; no two for the same one."""

    def __init__(self) -> None:
        self.to: dict[int, int] = {}
        self._taken: set[int] = set()

    def add(self, old: int, new: int) -> bool:
        """Let an object stand for another; False if either is taken by a third one."""
        known = self.to.get(old)
        if known is not None:
            return known == new
        if new in self._taken:
            return False
        self.to[old] = new
        self._taken.add(new)
        return True

    @property
    def is_identity(self) -> bool:
        """Whether all objects stand for themselves."""
        return all(old == new for old, new in self.to.items())


Shape: TypeAlias = object
"""Something hashable that is equal for values that differ only in their objects."""


def shape_of(value: Value, numbers: dict[int, int]) -> Shape:
    """Return what is left of a value when its objects are only numbered.

    Args:
        numbers: the numbers of the objects that were met so far.
    """
    if isinstance(value, Instance):
        number = numbers.setdefault(value.ref, len(numbers))
        return (Instance, number, value.cls, value.library)
    parts = parts_of(value)
    if not parts:
        return value
    shapes = tuple(shape_of(part, numbers) for part in parts)
    return (type(value), _skeleton(value), shapes)


def same_value(old: Value, new: Value, renaming: Renaming) -> bool:
    """Whether two values differ only in their objects, extending the renaming by these."""
    if isinstance(old, Instance):
        return (
            isinstance(new, Instance)
            and old.cls is new.cls
            and old.library == new.library
            and renaming.add(old.ref, new.ref)
        )
    if type(old) is not type(new):
        return False
    mine, others = parts_of(old), parts_of(new)
    if not mine:
        return old is new or old == new
    return (
        len(mine) == len(others)
        and _skeleton(old) == _skeleton(new)
        and all(same_value(a, b, renaming) for a, b in zip(mine, others, strict=True))
    )


def same_object(old: Obj, new: Obj, renaming: Renaming) -> bool:
    """Whether two objects differ only in the objects they hold, extending the renaming."""
    if old.attrs.keys() != new.attrs.keys() or old.with_attributes(new.attrs) != new:
        return False
    return all(same_value(value, new.attrs[name], renaming) for name, value in old.attrs.items())


def renamed(value: Value, to: dict[int, int]) -> Value:
    """Return a value with other objects."""
    if isinstance(value, Instance):
        return Instance(to.get(value.ref, value.ref), value.cls, value.library)
    parts = parts_of(value)
    if not parts:
        return value
    return rebuilt(value, [renamed(part, to) for part in parts])


def renamed_object(obj: Obj, to: dict[int, int]) -> Obj:
    """Return an object that holds other objects."""
    return obj.with_attributes({name: renamed(value, to) for name, value in obj.attrs.items()})


def parts_of(value: Value) -> tuple[Value, ...]:
    """The values that a value is made of."""
    if isinstance(value, Holder):
        return value.held()
    if isinstance(value, Function):
        return () if value.bound is None else (value.bound,)
    return (value.bound,) if isinstance(value, (Method, Super)) else ()


def _skeleton(value: Value) -> object:
    """What tells two values of one type apart beside their parts."""
    if isinstance(value, Sequence):
        return (value.kind, None if value.items is None else len(value.items), len(value.together))
    if isinstance(value, Mapping):
        return tuple((type(key), key) for key, _ in value.items)
    if isinstance(value, Function):
        return (value.node, value.owner, value.closure)
    if isinstance(value, Method):
        return value.name
    if isinstance(value, Partial):
        nodes = tuple(node for _, node in value.positional)
        return (nodes, tuple((name, node) for name, _, node in value.keywords))
    return None


def with_tensors(value: Value, change: Callable[[Tensor | Bundle], Value]) -> Value:
    """Return a value with the tensors changed that it is, may be, or holds in containers."""
    if isinstance(value, (Tensor, Bundle)):
        return change(value)
    if isinstance(value, Choice):
        return choice([with_tensors(option, change) for option in value.options])
    if isinstance(value, (Sequence, Mapping)):
        return rebuilt(value, [with_tensors(part, change) for part in parts_of(value)])
    return value


def rebuilt(value: Value, parts: list[Value]) -> Value:
    """Return the same value made of other parts, in the order of `parts_of`."""
    if isinstance(value, Sequence):
        count = len(value.items or ())
        items = None if value.items is None else tuple(parts[:count])
        return replace(value, items=items, element=parts[count], together=tuple(parts[count + 1 :]))
    if isinstance(value, Choice):
        return Choice(tuple(parts))
    if isinstance(value, Mapping):
        keys = [key for key, _ in value.items]
        return Mapping(tuple(zip(keys, parts, strict=False)), parts[-1], value.same)
    if isinstance(value, Super):
        assert isinstance(parts[0], Instance)
        return Super(parts[0])
    if isinstance(value, (Function, Method)):
        return replace(value, bound=parts[0])
    if isinstance(value, Loader):
        return Loader(parts[0])
    assert isinstance(value, Partial)
    count = len(value.positional)
    positional = tuple((p, n) for p, (_, n) in zip(parts[1:], value.positional, strict=False))
    keywords = tuple(
        (name, part, node)
        for part, (name, _, node) in zip(parts[1 + count :], value.keywords, strict=True)
    )
    return Partial(parts[0], positional, keywords)
