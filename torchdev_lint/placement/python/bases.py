"""What a module has from constructors of other files, which are not run where it is built.

Most of what those of a project's base classes do matters to no code of the file at hand.
"""

from __future__ import annotations

from dataclasses import replace

from torchdev_lint.placement.domain.arguments import Arguments
from torchdev_lint.placement.domain.environment import Env
from torchdev_lint.placement.domain.frame import Frame
from torchdev_lint.placement.domain.heap import WITH_BASES, Obj
from torchdev_lint.placement.domain.joins import leaves
from torchdev_lint.placement.domain.moods import Mood
from torchdev_lint.placement.domain.values import NONE, Function, Instance, Place
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.placement.python.functions import call_function
from torchdev_lint.placement.python.moving import move_object
from torchdev_lint.placement.run import Run


def build_bases(run: Run, module: Instance, name: str) -> bool:
    """Give a module what the constructor of another file sets that sets a missing attribute.

    It is run with arguments that are not known.

    Args:
        name: the attribute.

    Returns:
        Whether there is such a constructor, which was not run before.
    """
    obj = run.obj(module)
    init = None if WITH_BASES in obj.attrs else _setting(run, module, name)
    if init is None:
        return False
    built = run.allocate(Obj(Place.HOST, module=True, attrs={WITH_BASES: NONE}), module.cls)
    with run.moods.within(Mood.EXPECTED), run.budget.abroad_in(init.node):
        _run_apart(run, replace(init, bound=built))
    missing = {k: v for k, v in run.obj(built).attrs.items() if k not in obj.attrs}
    run.update(module, obj.with_attributes({**obj.attrs, **missing}))
    for value in missing.values():
        for part in leaves(value):
            if isinstance(part, Instance) and run.obj(part).module:
                move_object(run, part, obj.place, by_code=False)
    return True


def _setting(run: Run, module: Instance, name: str) -> Function | None:
    """The first constructor of another file that a class inherits and that sets an attribute."""
    if module.cls is None or module.cls.file is not run.main:
        return None
    for info in module.cls.lineage():
        init = info.namespace.get("__init__")
        if info.file is not run.main and isinstance(init, Function):
            if name in context_of(info.file).own_attributes(init.node)[1]:
                return init
    return None


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
