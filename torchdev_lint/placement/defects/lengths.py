"""Lengths of sequences on an accelerator: packing takes them from the CPU only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from torchdev_lint.placement.defects.conversions import assumed, holds_of_all, is_tensor_there
from torchdev_lint.placement.defects.left_open import leave_to_users
from torchdev_lint.placement.domain.arguments import Operand
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.values import (
    ARGUMENT,
    ITEM,
    UNKNOWN,
    Bundle,
    Instance,
    Place,
    Tensor,
    Value,
)
from torchdev_lint.placement.evidence.beside_computed import Computations
from torchdev_lint.placement.evidence.bringing_back import brings_back
from torchdev_lint.placement.evidence.file_context import FileContext, context_of
from torchdev_lint.placement.evidence.taken_by_host import computed_of_fed
from torchdev_lint.placement.facts.conversions import Conversion, Converted, LengthsOnHost
from torchdev_lint.placement.facts.events import LeftToUsers
from torchdev_lint.placement.run import Run
from torchdev_lint.records import dataclass
from torchdev_lint.syntax.lengths import is_counted
from torchdev_lint.syntax.scopes import FUNCTIONS, parameter_names


@dataclass(frozen=True, slots=True)
class _Step:
    """A function that takes lengths, or hands them on.

    Args:
        frame: the call of it.
        taker: the call in it that is given them.
        node: what that is given.
    """

    frame: Frame
    taker: ast.Call
    node: ast.expr

    @property
    def file(self) -> FileContext:
        """What is known of the file that the function stands in."""
        return context_of(self.frame.file)

    def counts(self) -> bool:
        """Whether the function itself counts the lengths, or says where they are."""
        return is_counted(self.node, self.file.counted_lengths(self.frame.node))


def note_lengths(run: Run, node: ast.Call, given: Operand) -> None:
    """Note that lengths are certainly on the accelerator where they are taken from the CPU only.

    What a module is called with is only taken to be there: lengths among it may be on the CPU,
    and so may masks that they are counted of, unless its layers are fed with the same, or what
    they compute meets it. Where the code of another file counts them, it is told of there.
    """
    if not isinstance(given.node, ast.expr):
        return
    leave_to_users(run, [given.value])
    if run.is_elsewhere and holds_of_all(given.value, _is_on_host):
        run.note(LengthsOnHost(node))
    if not holds_of_all(given.value, _may_be_there):
        return
    steps = list(_steps(run, node, given.node))
    own = _from_here(run, steps) if run.is_elsewhere else []
    steps = own or steps
    is_there = holds_of_all(given.value, _is_there)
    is_given = run.entry is not None and run.frames[1].in_forward
    fed = is_given and any(_is_proven(run, step, is_there) for step in steps)
    if not (fed or is_there) or (is_given and not fed and not any(step.counts() for step in steps)):
        return
    model, at = assumed(run), steps[0]
    part = Converted(at.node, is_list=False, gradients=False)
    site = run.site(run.frame.file, node) if own else None
    scope = at.frame.scope
    event = Conversion(
        *(at.taker, (part,), scope, model),
        makes_array=False,
        fed=bool(model) and fed,
        elsewhere=site,
    )
    run.note(event)
    if model and not fed and run.entry is not None:
        run.note(LeftToUsers(run.entry))  # some may leave on the CPU what lengths are counted of


def _steps(run: Run, taker: ast.Call, node: ast.expr) -> Iterator[_Step]:
    """Yield what takes lengths, then what has called that with them, and so on outwards."""
    for frame in reversed(run.frames):
        step = _Step(frame, taker, node)
        yield step
        given = _argument(step)
        if given is None or not isinstance(frame.site, ast.Call):
            return
        taker, node = frame.site, given


def _argument(step: _Step) -> ast.expr | None:
    """What a function was given of which the lengths are that it hands on; None if of nothing.

    The first argument of a module may be what another one has given, as in a `Sequential`.
    """
    function, call = step.frame.node, step.frame.site
    if not isinstance(function, FUNCTIONS) or not isinstance(call, ast.Call):
        return None
    is_method = isinstance(step.frame.bound, Instance)
    positional = [*function.args.posonlyargs, *function.args.args][is_method:]
    names = [parameter.arg for parameter in positional]
    known = {*names, *(parameter.arg for parameter in function.args.kwonlyargs)}
    name = step.file.handed_on(function).parameter(step.node, known)
    if name is None or any(isinstance(given, ast.Starred) for given in call.args):
        return None
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if name in named:
        return named[name]
    at = names.index(name) if name in names else len(call.args)
    is_first = at == 0 and function.name == "forward"
    return None if is_first or at >= len(call.args) else call.args[at]


def _from_here(run: Run, steps: list[_Step]) -> list[_Step]:
    """Those of the file that is analysed, if what others do with the lengths is to hand them on."""
    here = [step for step in steps if step.frame.file is run.main]
    away = steps[: len(steps) - len(here)]
    return [] if any(step.counts() for step in away) else here


def _is_on_host(value: Value) -> bool:
    return isinstance(value, Tensor) and value.place is Place.HOST


def _may_be_there(value: Value) -> bool:
    """Whether something is a tensor on the accelerator, or one of which nothing tells the place."""
    if isinstance(value, Tensor):
        return value.place in {Place.ACCELERATOR, Place.UNKNOWN}
    return _is_there(value) or value in {UNKNOWN, ARGUMENT, ITEM}


def _is_there(value: Value) -> bool:
    """Whether something is on the accelerator: a tensor, as lengths are that were moved."""
    if isinstance(value, Bundle) and value.stays and not value.part:
        return value.place is Place.ACCELERATOR
    return is_tensor_there(value)


def _is_proven(run: Run, step: _Step, is_there: bool) -> bool:
    """Whether lengths are where the module is, by what its method does with what it counts.

    Args:
        is_there: whether they are taken to be there, as what modules are called with is.
    """
    bound = step.frame.bound
    if not isinstance(bound, Instance):
        return False
    attributes = run.obj(bound).attrs.items()
    parts = {n for n, value in attributes if holds_of_all(value, partial(_computes, run))}
    known = {n for n, value in attributes if holds_of_all(value, partial(_is_layer, run))}
    function, names = step.frame.node, step.file.torch_names
    nodes, layers = step.file.nodes_in(function), known & parts
    run.budget.visited(len(nodes))
    if is_there and computed_of_fed(nodes, step.node, step.taker, layers, names):
        return True
    told = (parts, layers, known - parts, names, parameter_names(function))
    computed = step.file.of_nodes(Computations, function).of(*map(frozenset, told))
    return computed.meets(step.node, step.taker)


def _is_layer(run: Run, value: Value) -> bool:
    """Whether it is a module of a library, which takes nothing from anywhere else."""
    return isinstance(value, Instance) and value.cls is None and run.obj(value).module


def _computes(run: Run, value: Value) -> bool:
    """Whether it is a module whose results are where its parameters are."""
    if not isinstance(value, Instance) or not run.obj(value).module:
        return False
    if value.cls is None:
        return run.obj(value).stateful is True
    return run.obj(value).stateful is not False and not brings_back(value.cls)
