"""Who evaluates the call of a library's function: handlers, registered by its name."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias

from torchdev_lint.catalog.classes import ClassKind, kinds_of
from torchdev_lint.catalog.operations import QUANTIZED
from torchdev_lint.catalog.told import Told, now
from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.joins import choice
from torchdev_lint.placement.domain.values import UNKNOWN, Instance, Value, alternatives
from torchdev_lint.placement.run import Run
from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class Call:
    """The call of a function of a library, or of a method of an object of one.

    Args:
        name: the qualified name; that of a method is its class's, then its own, which is
            `__call__` where the object itself is called.
        receiver: the object.
    """

    run: Run
    name: str
    arguments: Arguments
    node: ast.Call
    receiver: Instance | None = None

    @property
    def last(self) -> str:
        """The last component of the name."""
        return self.name.rpartition(".")[2]

    def get(self, position: int, keyword: str = "") -> Value | None:
        """Return an argument by keyword or position, None where it is not given."""
        return self.arguments.get(position, keyword)

    def apply(self, function: Value, arguments: Arguments) -> Value:
        """Call something that the function was given, in its stead."""
        call = self.run.call
        return choice([call(self.run, o, arguments, self.node) for o in alternatives(function)])


Handler: TypeAlias = "Callable[[Call], Value | None]"

_BY_NAME: dict[str, Handler] = {}
_BY_LAST: dict[str, Handler] = {}
_BY_PACKAGE: dict[str, list[Handler]] = {}
_BY_KIND: dict[ClassKind, Handler] = {}
_BY_TOLD: dict[str, Handler] = {}


def handles(*names: str) -> Callable[[Handler], Handler]:
    """Register the handler of functions by their qualified, canonical names.

    Of a call that is not what it looks like, a handler gives None: then the next one is asked.
    """
    return _registering(_BY_NAME, names)


def handles_everywhere(*names: str) -> Callable[[Handler], Handler]:
    """Register the handler of functions by the last component of their names."""
    return _registering(_BY_LAST, names)


def _registering(table: dict[str, Handler], names: tuple[str, ...]) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        for name in names:
            assert name not in table, f"two handlers for {name}"
            table[name] = handler
        return handler

    return register


def handles_members(*packages: str) -> Callable[[Handler], Handler]:
    """Register a handler of whatever is in packages and has none of its own, innermost first."""

    def register(handler: Handler) -> Handler:
        for package in packages:
            _BY_PACKAGE.setdefault(package, []).append(handler)
        return handler

    return register


def handles_kind(kind: ClassKind) -> Callable[[Handler], Handler]:
    """Register the handler of building a class of libraries that nobody handles by name."""

    def register(handler: Handler) -> Handler:
        assert kind not in _BY_KIND, f"two handlers for {kind}"
        _BY_KIND[kind] = handler
        return handler

    return register


def handles_told(kind: str) -> Callable[[Handler], Handler]:
    """Register the handler of functions that users name.

    Args:
        kind: under what, as an attribute of `Told`.
    """
    return _registering(_BY_TOLD, (kind,))


def is_known(name: str) -> bool:
    """Whether the catalog or a handler tells what a member of a library is.

    Args:
        name: the qualified name.
    """
    return name in _BY_NAME or now().is_known(name) or bool(kinds_of(name))


def handlers_of(name: str) -> tuple[Handler, ...]:
    """Return who is asked to evaluate a function, one after the other.

    Args:
        name: the qualified name.
    """
    return _handlers_of(name, now())


@lru_cache(maxsize=4096)
def _handlers_of(name: str, user: Told) -> tuple[Handler, ...]:
    if name.startswith(QUANTIZED):
        return ()
    package, _, last = name.rpartition(".")
    told = [handler for key, handler in _BY_TOLD.items() if name in getattr(user, key)]
    found = [table[key] for table, key in ((_BY_NAME, name), (_BY_LAST, last)) if key in table]
    while package:
        found += _BY_PACKAGE.get(package, [])
        package = package.rpartition(".")[0]
    kinds = kinds_of(name) or ()
    return (
        *told,
        *found,
        *(_BY_KIND[kind] for kind in ClassKind if kind in kinds and kind in _BY_KIND),
    )


def call_library(call: Call) -> Value:
    """Evaluate a call of something imported."""
    for handler in handlers_of(call.name):
        value = handler(call)
        if value is not None:
            return value
    return UNKNOWN
