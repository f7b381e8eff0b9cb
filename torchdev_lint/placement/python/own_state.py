"""What is computed of the parameters and buffers of a module while it is built.

It lives where these were made, on the host, and stays there when the module is moved.
"""

from __future__ import annotations

import ast

from torchdev_lint.catalog.devices import DEVICE_NAMES
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.containers import Sequence, SequenceKind
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.origins import Origin, OriginKind
from torchdev_lint.placement.domain.values import Function, Instance, Place, Tensor, Value
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace
from torchdev_lint.syntax.names import last_component, short
from torchdev_lint.syntax.parameters import parameters_of
from torchdev_lint.syntax.scopes import FUNCTIONS
from torchdev_lint.syntax.walking import walk


def made_of_own_state(run: Run, value: Value, node: ast.Call | ast.BinOp) -> Value:
    """Return what an expression gives, as made there if it is computed of a module's state.

    That is so while the module is built, if nobody can tell it to make its parameters elsewhere. A
    distribution holds views of its parameters, which no move reaches.
    Source: `broadcast_all` in `torch/distributions/utils.py`.
    """
    if isinstance(value, Sequence) and value.kind is SequenceKind.DISTRIBUTION:
        drawn = made_of_own_state(run, value.element, node)
        return value if drawn is value.element else replace(value, element=drawn)
    if not (isinstance(value, Tensor) and value.place is Place.HOST):
        return value
    if value.origin is not None:
        return _copied(run, value, value.origin, node)
    if value.registered or not run.builds_module or Mood.DOUBT in run.moods:
        return value
    bound = run.frame.bound
    assert isinstance(bound, Instance)
    if bound.cls is None or _may_be_told(bound.cls) or not _reads_state(run, node):
        return value
    label = f"{last_component(node.func)}()" if isinstance(node, ast.Call) else short(node)
    origin = run.made(node, OriginKind.FACTORY, label)
    return replace(value, origin=origin)


def _copied(run: Run, value: Tensor, origin: Origin, node: ast.Call | ast.BinOp) -> Tensor:
    """A copy of a parameter whose module is on the host: it stays there when that is moved."""
    if not isinstance(node, ast.Call) or last_component(node.func) != "clone":
        return value
    if origin.kind is not OriginKind.MODULE:
        return value
    if value.registered or Mood.DOUBT in run.moods:
        return value
    return replace(value, origin=run.made(node, OriginKind.FACTORY, "clone()"))


def _may_be_told(info: ClassInfo) -> bool:
    """Whether who builds objects of a class may say on which device."""
    init = info.lookup("__init__")
    if not isinstance(init, Function) or not isinstance(init.node, FUNCTIONS):
        return True
    if init.node.args.kwarg is not None:
        return True
    return not DEVICE_NAMES.isdisjoint(p.arg for p in parameters_of(init.node))


def _reads_state(run: Run, node: ast.expr) -> bool:
    """Whether some part of an expression is a parameter or buffer on the host."""
    paths = (part for part in walk(node) if isinstance(part, (ast.Attribute, ast.Name)))
    return any(_is_state(run, path) for path in paths)


def _is_state(run: Run, path: ast.expr) -> bool:
    value = run.evaluate(path)
    if not isinstance(value, Tensor) or value.place is not Place.HOST:
        return False
    return value.registered or (isinstance(path, ast.Attribute) and value.origin is not None)
