"""What steps leave behind for the methods that are called after them.

A metric's `update` fills its lists, and so do the steps of a LightningModule; what these return,
its methods for the ends of epochs are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from contextlib import contextmanager

from torchdev_lint.catalog.modules import EPOCH_ENDS, LIGHTNING_STEPS
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.containers import Sequence
from torchdev_lint.placement.domain.joins import sequence
from torchdev_lint.placement.domain.values import (
    UNKNOWN,
    Bundle,
    Function,
    Instance,
    Place,
    Tensor,
    Value,
    alternatives,
)
from torchdev_lint.placement.entries import guarded, run_entry
from torchdev_lint.placement.evidence.classes import is_metric
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.python.binding import defaults_of, positional_parameters
from torchdev_lint.placement.python.functions import as_written
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace

_OF_A_METRIC = frozenset({"update"})
_OF_ONE_LOADER = 3
"""How many parameters a step has, with `self`; one more tells which of several loaders it is.

It is passed by position, whatever it is called.
Source: pytorch_lightning 1.9.5, `loops/epoch/evaluation_epoch_loop.py` (`_build_kwargs`).
"""


def fill_lists(run: Run, info: ClassInfo, instance: Instance, wanted: Set[str]) -> None:
    """Put into the lists of a metric or LightningModule what its steps add to them.

    Only what is certainly on a device counts: what is kept on the CPU is meant to be there.

    Args:
        wanted: the methods that are run: a LightningModule's steps matter to those of them alone.
    """
    lists = {n: v for n, v in run.obj(instance).attrs.items() if v == sequence([])}
    if not lists:
        return
    if is_metric(info):
        steps = _OF_A_METRIC
    elif info.inherits("LightningModule"):
        lists = {n: v for n, v in lists.items() if _is_read(info, n, wanted - LIGHTNING_STEPS)}
        steps = LIGHTNING_STEPS
    else:
        return
    for name in sorted(steps):
        step = as_written(info, name)
        if step is not None and not lists.keys().isdisjoint(_read_by(step)):
            _fill_by(run, info, instance, step, lists.keys())


def _fill_by(
    run: Run, info: ClassInfo, instance: Instance, step: Function, lists: Set[str]
) -> None:
    before = run.env
    run.env = before.for_entry()
    _run_step(run, info, instance, step)
    filled = run.obj(instance).attrs
    run.env = before
    known = {name: filled[name] for name in lists if _is_on_device(filled.get(name, UNKNOWN))}
    run.update(instance, run.obj(instance).with_attributes({**run.obj(instance).attrs, **known}))


@contextmanager
def after_steps(run: Run, info: ClassInfo, instance: Instance, name: str) -> Iterator[Value | None]:
    """Be in the state after the steps whose results a method for the end of an epoch is given.

    Args:
        name: the method.

    Yields:
        The list of these results, None if it is no such method, or they aren't known.
    """
    step = as_written(info, EPOCH_ENDS[name]) if name in EPOCH_ENDS else None
    if step is None or not info.inherits("LightningModule") or not _loaders_are_known(step):
        yield None
        return
    before = run.env
    run.env = before.for_entry()
    results = Sequence(None, _run_step(run, info, instance, step))
    yield None if results.element == UNKNOWN else _of_loaders(step, results)
    run.env = before


def _run_step(run: Run, info: ClassInfo, instance: Instance, step: Function) -> Value:
    """Run a step with what the framework has moved; what it does to objects lasts."""
    values: list[Value] = []

    def call() -> None:
        bound = replace(step, bound=instance)
        values.append(run_entry(run, bound, Place.ACCELERATOR, in_forward=True, keep=True).value)

    guarded(run, info.node, f"{info.name}.{getattr(step.node, 'name', '')}", call)
    return values[0] if values else UNKNOWN


def _loaders_are_known(step: Function) -> bool:
    """Whether it is known that a step is for one loader, or for several."""
    further = positional_parameters(step.node)[_OF_ONE_LOADER:]
    return not any(parameter in further for parameter, _ in defaults_of(step.node))


def _of_loaders(step: Function, results: Sequence) -> Sequence:
    """The results of a step, in a list for each loader if there are several."""
    several = len(positional_parameters(step.node)) > _OF_ONE_LOADER
    return Sequence(None, results) if several else results


def _read_by(function: Function) -> Set[str]:
    """The attributes of its own object that a method reads."""
    return context_of(function.file).own_attributes(function.node)[0]


def _is_read(info: ClassInfo, name: str, methods: Set[str]) -> bool:
    """Whether one of some methods of a class reads an attribute."""
    found = (as_written(info, method) for method in methods)
    return any(method is not None and name in _read_by(method) for method in found)


def _is_on_device(value: Value) -> bool:
    """Whether a value is a list of nothing but tensors, or parts of batches, on a device."""
    if not isinstance(value, Sequence):
        return False
    elements = alternatives(value.element)
    return all(isinstance(e, (Tensor, Bundle)) and e.place.is_device for e in elements)
