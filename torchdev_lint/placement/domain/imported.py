"""What imports of the project bind: its modules, and members of them that are looked for later."""

from __future__ import annotations

from torchdev_lint.records import dataclass


@dataclass(frozen=True, slots=True)
class ProjectModule:
    """A module of the project: a file, or a folder without an `__init__.py`.

    Args:
        path: where it lies.
        name: the dotted name by which it was imported.
    """

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class ProjectMember:
    """A member of a module of the project, looked for when it is first read."""

    module: ProjectModule
    name: str


@dataclass(frozen=True, slots=True)
class AnyMember:
    """A function or class of a module of the project; which one, only a setting tells."""

    module: ProjectModule
