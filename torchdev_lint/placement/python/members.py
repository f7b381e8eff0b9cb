"""Variables of other files that the file at hand sets: `settings.device = torch.device("cpu")`."""

from __future__ import annotations

from torchdev_lint.placement.domain.imported import ProjectModule
from torchdev_lint.placement.domain.values import WIDENED, Value, alternatives
from torchdev_lint.placement.run import Run


def set_member(run: Run, module: Value, name: str, value: Value) -> None:
    """Have a variable of another file hold what it is given, for all that read it from now on.

    What a function sets, which may be called or not, may be anything.

    Args:
        module: what an attribute is set of; nothing is done if that is no module of the project.
        name: the attribute's name.
    """
    held = value if len(run.frames) == 1 else WIDENED
    for option in alternatives(module):
        if isinstance(option, ProjectModule):
            run.set_members[option.path, name] = held
            frame = run.modules.get(option.path)
            if frame is not None:
                frame.env.names[name] = held
