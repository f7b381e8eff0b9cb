"""Whether a model may have been wrapped before a function got it, so that it moves its inputs."""

from __future__ import annotations

from torchdev_lint.catalog.modules import PARALLEL
from torchdev_lint.placement.evidence.neighbours import imported_by, module_name
from torchdev_lint.project.files import parsed_file
from torchdev_lint.project.names import Definition, references
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
    wrapping = (file for file in files_that_name(path, _WRAPPERS).files if not is_test(file))
    return any(_uses(file, Definition(path, name)) for file in wrapping)


def _uses(path: str, definition: Definition) -> bool:
    """Whether a file uses a definition, or imports a module that is called as its file is.

    Where scripts put folders on the path of imports, names are all that tells.
    """
    if module_name(definition.path) in imported_by(path):
        return True
    file = parsed_file(path)
    return file is not None and next(references(file, definition), None) is not None
