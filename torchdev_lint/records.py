"""`dataclass`, for classes with slots: the same, made in a fifth of the time.

There are well over a hundred of them, and for each the standard library writes and compiles six
functions, which was half of what it took to start. Here `__init__` alone is compiled; the others
are the same for all, but for the names of the fields. Nor are fields looked for in as many ways:
annotations are texts, and of those that are no fields there is only `ClassVar`.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Sequence
from functools import partial
from reprlib import recursive_repr
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass", "replace"]

if TYPE_CHECKING:  # what type checkers know of those holds for these
    from dataclasses import dataclass, replace
else:

    def replace(record: object, /, **changes: object) -> object:
        """Return a record with other values in some fields, as `dataclasses.replace` does."""
        values = vars(type(record)).get(_VALUES)
        if values is None:  # of a class that the standard library has made
            return dataclasses.replace(record, **changes)
        places, get = values
        given = list(get(record))
        for name, value in changes.items():
            if name not in places:
                raise TypeError(f"{type(record).__name__} has no field {name!r}")
            given[places[name]] = value
        return type(record)(*given)

    def dataclass(
        *,
        frozen: bool = False,
        eq: bool = True,
        repr: bool = True,
        order: bool = False,
        **others: bool,
    ) -> Callable[[type], type]:
        """Return what makes a data class of a class, as `dataclasses.dataclass` does.

        Args:
            frozen: whether instances don't change.
            eq: whether instances are equal whose fields are.
            repr: whether they show their fields.
            order: whether they are sorted by their fields.
            others: if that is anything but `slots`, the standard library does it.
        """
        if others != {"slots": True}:
            return dataclasses.dataclass(frozen=frozen, eq=eq, repr=repr, order=order, **others)
        return partial(_made, frozen=frozen, eq=eq, repr=repr, order=order)


_VALUES = "_values_"
"""Under which name a class keeps the places of its fields, by name, and what gives their values."""


def _made(cls: type, frozen: bool, eq: bool, repr: bool, order: bool) -> type:
    fields = _fields(cls)
    made = _with_slots(cls, fields)
    methods: dict[str, object] = {"__init__": _initializer(made, fields, frozen)}
    if frozen:
        methods |= _FROZEN
    if repr:
        methods["__repr__"] = _shown
    if eq:
        methods["__eq__"] = _compared(fields, operator.eq)
        methods["__hash__"] = _hashing(fields) if frozen else None
    if order:
        for compare in operator.lt, operator.le, operator.gt, operator.ge:
            methods[f"__{compare.__name__}__"] = _compared(fields, compare)
    for name, method in methods.items():
        if name not in vars(cls):  # else it is the class's own
            setattr(made, name, method)
    names = [field.name for field in fields]
    places = {name: place for place, name in enumerate(names)}
    values = places, _getter_of_all(names)
    setattr(made, _VALUES, values if all(field.init for field in fields) else None)
    return made


def _fields(cls: type) -> tuple[dataclasses.Field[Any], ...]:
    """Return the fields of a class, those of its bases first, as `dataclasses.fields` does."""
    found = {name: field for base in cls.__mro__[:0:-1] for name, field in _known(base).items()}
    own = [name for name, kind in cls.__annotations__.items() if "ClassVar" not in str(kind)]
    for name in own:
        default = getattr(cls, name, dataclasses.MISSING)
        if isinstance(default, MemberDescriptorType):  # the slot of a base
            default = dataclasses.MISSING
        is_field = isinstance(default, dataclasses.Field)
        field: Any = default if is_field else dataclasses.field(default=default)
        found[name] = field
        field.name, field.type, field.kw_only = name, cls.__annotations__[name], False
        field._field_type = _FIELD
    return tuple(found.values())


def _known(cls: type) -> dict[str, dataclasses.Field[Any]]:
    fields: dict[str, dataclasses.Field[Any]] = vars(cls).get("__dataclass_fields__", {})
    return fields


def _with_slots(cls: type, fields: Sequence[dataclasses.Field[Any]]) -> type:
    """Return the class once more, with slots for its fields, and known as a data class."""
    names = [field.name for field in fields]
    inherited = {name for base in cls.__mro__[1:] for name in vars(base).get("__slots__", ())}
    left_out = {*names, "__dict__", "__weakref__"}
    members = {name: member for name, member in vars(cls).items() if name not in left_out}
    members |= {
        "__qualname__": cls.__qualname__,
        "__slots__": tuple(name for name in names if name not in inherited),
        "__dataclass_fields__": {field.name: field for field in fields},
        "__dataclass_params__": _PARAMS,
        "__match_args__": tuple(field.name for field in fields if field.init),
    }
    return type(cls)(cls.__name__, cls.__bases__, members)


@dataclasses.dataclass(init=False, repr=False, eq=False)
class _Sample:
    """What the standard library makes, of which the same is said as of those that are made here."""

    field: int = 0


_FIELD: object = operator.attrgetter("_field_type")(*dataclasses.fields(_Sample))
_PARAMS: object = vars(_Sample)["__dataclass_params__"]


def _initializer(
    cls: type, fields: Sequence[dataclasses.Field[Any]], frozen: bool
) -> Callable[..., None]:
    """Return an `__init__` that takes and sets fields."""
    names: dict[str, Any] = {"_left_out_": _LEFT_OUT}
    parameters, body = ["self"], []
    for field in fields:
        name = parameter = value = field.name
        if field.default_factory is not dataclasses.MISSING:
            names[f"_new_{name}_"] = field.default_factory
            parameter, value = f"{name}=_left_out_", f"_new_{name}_()"
            if field.init:
                value += f" if {name} is _left_out_ else {name}"
        elif field.default is not dataclasses.MISSING:
            names[f"_default_{name}_"] = field.default
            parameter = f"{name}=_default_{name}_"
            value = name if field.init else f"_default_{name}_"
        if field.init:
            parameters.append(parameter)
        if field.init or parameter != name:  # else `__post_init__` sets it
            if frozen:  # by its slot, in half the time of looking for it by its name
                names[f"_put_{name}_"] = getattr(cls, name).__set__
            body.append(f"_put_{name}_(self, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    lines = [f"def __init__({', '.join(parameters)}):", *(body or ["pass"])]
    exec("\n  ".join(lines), names)
    made: Callable[..., None] = names["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


_LEFT_OUT = object()
"""What stands for an argument that isn't given."""


def _compared(
    fields: Sequence[dataclasses.Field[Any]], compare: Callable[[Any, Any], Any]
) -> Callable[[object, object], object]:
    """Return a method that compares two of one class by their fields."""
    compared = _getter([field.name for field in fields if field.compare])

    def method(self: object, other: object) -> object:
        if other.__class__ is self.__class__:
            return compare(compared(self), compared(other))
        return NotImplemented

    return method


def _hashing(fields: Sequence[dataclasses.Field[Any]]) -> Callable[[object], int]:
    chosen = [f.name for f in fields if (f.compare if f.hash is None else f.hash)]
    hashed = _getter(chosen)

    def __hash__(self: object) -> int:
        return hash(hashed(self))

    return __hash__


def _getter(names: Sequence[str]) -> Callable[[object], object]:
    """Return what gives the values of fields."""
    return operator.attrgetter(*names) if names else lambda self: ()


def _getter_of_all(names: Sequence[str]) -> Callable[[object], tuple[object, ...]]:
    """Return what gives the values of fields, also that of a single one, in a tuple."""
    if len(names) == 1:
        get = operator.attrgetter(names[0])
        return lambda self: (get(self),)
    return _getter(names)  # type: ignore[return-value]  # of several names it gives a tuple


@recursive_repr()
def _shown(self: Any) -> str:
    fields = (field for field in dataclasses.fields(self) if field.repr)
    shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields)
    return f"{type(self).__qualname__}({shown})"


def _refuse_to_assign(self: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[object]:
    """What is pickled: the fields one by one, as nothing can be assigned to them later."""
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _restore(self: Any, state: Sequence[object]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


_FROZEN = {
    "__setattr__": _refuse_to_assign,
    "__delattr__": _refuse_to_delete,
    "__getstate__": _state,
    "__setstate__": _restore,
}
