"""What a module has from constructors of other files, which are not run where it is built.

Most of what those of a project's base classes do matters to no code of the file at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.classes import ClassInfo
from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.heap import WITH_BASES, Obj, put_back_by
from torchdev_lint.placement.domain.joins import leaves
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.values import NONE, Function, Instance, Place, Value
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.python.functions import call_function
from torchdev_lint.placement.python.moving import move_object
from torchdev_lint.placement.python.optimizers import built_late
from torchdev_lint.placement.run import Run
from torchdev_lint.records import replace


def build_bases(run: Run, module: Instance, name: str) -> bool:
    """Give a module what constructors of other files set, if one of them sets a missing attribute.

    They are run with arguments that are not known: the nearest, which calls the others as a rule.

    Args:
        name: the attribute.

    Returns:
        Whether there is such a constructor, and they were not run before.
    """
    if WITH_BASES in run.obj(module).attrs:
        return False
    constructors = list(_constructors(run, module))
    if not any(name in names for _, names in constructors):
        return False
    missing: dict[str, Value] = {}
    for init, names in constructors:
        if not names <= missing.keys():
            missing = {**_set_by(run, module, init), **missing}
    obj = run.obj(module)
    missing = {name: value for name, value in missing.items() if name not in obj.attrs}
    run.update(module, obj.with_attributes({**obj.attrs, **missing}))
    for value in missing.values():
        for part in leaves(value):
            if isinstance(part, Instance) and run.obj(part).module:
                move_object(run, part, obj.place, by_code=False, put=put_back_by(obj))
    built_late(run, module)
    return True


def _set_by(run: Run, module: Instance, init: Function) -> dict[str, Value]:
    """What a constructor of another file sets for a module, that it was run being among it."""
    built = run.allocate(Obj(Place.HOST, module=True, attrs={WITH_BASES: NONE}), module.cls)
    with run.moods.within(Mood.EXPECTED), run.budget.abroad_in(init.node):
        _run_apart(run, replace(init, bound=built))
    return run.obj(built).attrs


def _constructors(run: Run, module: Instance) -> Iterator[tuple[Function, Set[str]]]:
    """The constructors that a class of the file inherits from other files, the nearest first.

    With each go the attributes that it sets, itself or by methods that it calls.
    """
    if module.cls is None or module.cls.file is not run.main:
        return
    for info in module.cls.lineage():
        init = info.namespace.get("__init__")
        if info.file is not run.main and isinstance(init, Function):
            yield init, _names_set(info, init)


def _names_set(info: ClassInfo, init: Function) -> Set[str]:
    """The attributes that a constructor sets, itself or by methods of its class that it calls."""
    found, seen, pending = set[str](), {"__init__"}, [init]
    while pending:
        method = pending.pop()
        used, assigned = context_of(method.file).own_attributes(method.node)
        found |= assigned
        for name in used - seen:
            value = info.lookup(name)
            if isinstance(value, Function):
                pending.append(value)
        seen |= used
    return found


def _run_apart(run: Run, init: Function) -> None:
    """Run a constructor as if nothing else were in progress; what it does to objects lasts."""
    module = init.closure[-1]
    env = Env({}, run.env.heap, settings=module.env.settings)
    frames = run.frames
    run.frames = [frames[0], Frame(module.node, "", False, env, init.file, (module,))]
    try:
        call_function(run, init, Arguments(open_ended=True))
    finally:
        run.frames = frames
        run.env.heap = env.heap
