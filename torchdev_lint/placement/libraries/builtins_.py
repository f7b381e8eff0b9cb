"""Calls of built-in functions and types."""

from __future__ import annotations

import ast

from torchdev_lint.placement.domain.run import Run
from torchdev_lint.placement.domain.values import (
    NONE,
    UNKNOWN,
    Bundle,
    Const,
    Loader,
    Mapping,
    Scalar,
    Sequence,
    Size,
    Tensor,
    Unknown,
    Value,
    alternatives,
    iterator,
    sequence,
)
from torchdev_lint.placement.python.arguments import Arguments
from torchdev_lint.placement.python.iteration import element_of


def call_builtin(run: Run, name: str, arguments: Arguments, node: ast.Call) -> Value:
    """Evaluate a built-in function or type."""
    first = arguments.get(0)
    if name in {"len", "int", "id", "hash", "ord"}:
        return Scalar("int")
    if name in {"float", "abs", "round", "str", "bool", "repr"}:
        return _converted(name, first)
    if name == "range":
        return iterator(Scalar("int"))
    if name == "print":
        return NONE
    if name == "dict":
        items = tuple((key, value) for key, (value, _) in arguments.keywords.items())
        return Mapping(
            items, UNKNOWN if arguments.open_ended or arguments.positional else Scalar("missing")
        )
    if name in {"hasattr", "any", "all", "callable", "issubclass"}:
        return Scalar("bool")
    if name == "isinstance":
        return Scalar("bool")
    if first is None:
        return sequence([]) if name in {"list", "tuple", "set"} else UNKNOWN
    return _over_iterable(run, name, first, arguments, node)


def _converted(name: str, first: Value | None) -> Value:
    if name in {"abs", "round"} and first is not None:
        return first
    return Scalar({"str": "str", "repr": "str", "bool": "bool"}.get(name, "float"))


def _over_iterable(
    run: Run, name: str, first: Value, arguments: Arguments, node: ast.Call
) -> Value:
    if name == "enumerate":
        if isinstance(first, Sequence) and first.items is not None:
            pairs: list[Value] = [sequence([Scalar("int"), item], "tuple") for item in first.items]
            return sequence(pairs)
        return iterator(sequence([Scalar("int"), _inner(run, first, node)], "tuple"))
    if name == "zip":
        return iterator(
            sequence([_inner(run, value, node) for value in arguments.values()], "tuple")
        )
    if name == "iter":
        return iterator(_inner(run, first, node))
    if name in {"next", "sum"}:
        return element_of(run, first, node)
    if name in {"list", "tuple", "sorted", "reversed", "set"}:
        kind = name if name in {"list", "tuple", "set"} else "list"
        if isinstance(first, Size) and name in {"list", "tuple"}:
            return first
        if isinstance(first, Sequence) and first.items is not None and name in {"list", "tuple"}:
            return Sequence(first.items, first.element, kind)
        return Sequence(None, element_of(run, first, node), kind)
    if name == "filter":
        return iterator(element_of(run, arguments.get(1) or UNKNOWN, node))
    return UNKNOWN


def _inner(run: Run, value: Value, node: ast.AST) -> Value:
    """The element of an iterable, without an origin for a loader's batch: the target gives it."""
    if isinstance(value, Loader):
        return value.batch
    if isinstance(value, Sequence) and value.items is None:
        return value.element
    return element_of(run, value, node)


def is_instance(value: Value | None, wanted: str) -> Value:
    """Evaluate a test of a value's type: is it a tensor?"""
    if value is None:
        return Scalar("bool")
    verdicts = {_is_tensor(option) for option in alternatives(value)}
    verdict = verdicts.pop() if len(verdicts) == 1 else None
    return Scalar("bool") if verdict is None else Const(verdict)


def _is_tensor(value: Value) -> bool | None:
    if isinstance(value, Tensor):
        return True
    return None if isinstance(value, (Unknown, Bundle)) else False
