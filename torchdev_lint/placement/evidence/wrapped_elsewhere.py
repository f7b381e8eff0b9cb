"""Whether a model may have been wrapped before a function got it, so that it moves its inputs."""

from __future__ import annotations

from torchdev_lint.catalog.modules import PARALLEL
from torchdev_lint.project.users import files_that_name, is_test

_WRAPPERS = sorted({name.rpartition(".")[2] for name in PARALLEL})


def may_be_wrapped(path: str, name: str) -> bool:
    """Return whether files of the project that use a definition wrap models for several devices.

    A model that is wrapped so is called with what is on the CPU, in whatever file that is.

    Args:
        path: the file of the definition, absolute; empty if that is not known.
        name: the function or class, which stands at its top; empty for the file's own code.
    """
    if not (path and name):
        return False
    users = set(files_that_name(path, [name]).files)
    wrapping = files_that_name(path, _WRAPPERS).files if users else ()
    return any(file in users and not is_test(file) for file in wrapping)
