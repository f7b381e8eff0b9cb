"""The files of a project of which code is run, as the project has parsed them."""

from __future__ import annotations

from torchdev_lint.placement.domain.file import File
from torchdev_lint.placement.evidence.file_context import context_of
from torchdev_lint.project.files import ParsedFile, parsed_file


def parsed_code(file: File) -> ParsedFile | None:
    """Return a file of which code is run, as the project has it; None if it is of no project."""
    path = context_of(file).path
    return parsed_file(path) if path else None
