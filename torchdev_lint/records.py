"""`dataclass`, for classes whose instances don't change: the same, made in a fifth of the time.

There are well over a hundred of them, and for each the standard library writes and compiles six
functions, which was half of what it took to start. Here `__init__` alone is compiled; the others
are the same for all, but for the names of the fields.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:  # what type checkers know of that one holds for this one
    from dataclasses import dataclass
else:

    def dataclass(*, eq: bool = True, repr: bool = True, **others: bool) -> Callable[[type], type]:
        """Return what makes a data class of a class, as `dataclasses.dataclass` does.

        Args:
            eq: whether instances are equal whose fields are.
            repr: whether they show their fields.
            others: if that is anything but `frozen` and `slots`, the standard library does it.
        """
        if others != {"frozen": True, "slots": True}:
            return dataclasses.dataclass(eq=eq, repr=repr, **others)
        return partial(_made, eq=eq, repr=repr)


def _made(cls: type, eq: bool, repr: bool) -> type:
    made: type = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    fields = dataclasses.fields(made)
    methods = {
        "__init__": _initializer(made, fields),
        "__setattr__": _refuse_to_assign,
        "__delattr__": _refuse_to_delete,
        "__getstate__": _state,
        "__setstate__": _restore,
    }
    if repr:
        methods["__repr__"] = _shown
    if eq:
        methods |= {"__eq__": _equality(fields), "__hash__": _hashing(fields)}
    for name, method in methods.items():
        if name not in vars(cls):  # else it is the class's own
            setattr(made, name, method)
    return made


def _initializer(cls: type, fields: Sequence[dataclasses.Field[Any]]) -> Callable[..., None]:
    """Return an `__init__` that takes and sets fields."""
    names: dict[str, Any] = {"_put_": object.__setattr__, "_left_out_": _LEFT_OUT}
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
            body.append(f"_put_(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    lines = [f"def __init__({', '.join(parameters)}):", *(body or ["pass"])]
    exec("\n  ".join(lines), names)
    made: Callable[..., None] = names["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


_LEFT_OUT = object()
"""What stands for an argument that isn't given."""


def _equality(fields: Sequence[dataclasses.Field[Any]]) -> Callable[[object, object], bool]:
    compared = _getter([field.name for field in fields if field.compare])

    def __eq__(self: object, other: object) -> bool:
        if other.__class__ is self.__class__:
            return compared(self) == compared(other)
        return NotImplemented

    return __eq__


def _hashing(fields: Sequence[dataclasses.Field[Any]]) -> Callable[[object], int]:
    chosen = [f.name for f in fields if (f.compare if f.hash is None else f.hash)]
    hashed = _getter(chosen)

    def __hash__(self: object) -> int:
        return hash(hashed(self))

    return __hash__


def _getter(names: Sequence[str]) -> Callable[[object], object]:
    """Return what gives the values of fields."""
    return attrgetter(*names) if names else lambda self: ()


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
