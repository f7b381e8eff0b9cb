"""What a project says of its code: whether it is meant to run where there is no CUDA."""

from __future__ import annotations

import ast
import os
import re
from itertools import islice

from torchdev_lint.catalog.devices import CUDA_TYPE, HOST_TYPE
from torchdev_lint.placement.evidence.bound_to_cuda import says_cuda
from torchdev_lint.placement.evidence.flags import about_devices
from torchdev_lint.project.files import source_of
from torchdev_lint.project.seen import remembered
from torchdev_lint.project.tree import is_there
from torchdev_lint.project.users import files_that_name, is_test, project_of
from torchdev_lint.source.source import Source, SourceError
from torchdev_lint.syntax.walking import walk

_MOST_FILES = 150
"""In how many files of a project it is looked for a choice, the nearest first."""
_MAY_CHOOSE = re.compile(rf"[\"']{HOST_TYPE}[\"']")
"""What stands in a file that has a choice: most need not be parsed."""
_BENCHMARK = re.compile(r"(?<![a-z])(bench(mark)?(s|ing)?|profil(e|er|ing))(?![a-z])", re.I)
"""Words of the names of files and folders that measure how fast something is."""


def may_run_elsewhere(source: Source) -> bool:
    """Whether code that names CUDA is part of what is meant to run where that is not there.

    A project that somewhere chooses the CPU if there is no CUDA, or if its user wants that, is
    meant to run there. One that names CUDA in several files, and has no choice anywhere, is a
    program for CUDA. Tests and benchmarks are made for the machine they run on.

    Args:
        source: the file.
    """
    path = os.path.abspath(source.path)
    if not source.path or not is_there(path):
        return True
    named = os.path.relpath(path, project_of(path))
    if is_test(path) or _BENCHMARK.search(named) or says_cuda(named):
        return False
    others = [file for file in files_that_name(path, [CUDA_TYPE]).files if not is_test(file)]
    return not others or any(map(_has_choice, islice((path, *others), _MOST_FILES)))


@remembered
def _has_choice(path: str) -> bool:
    """Whether a file names the CPU under a condition about devices, as a place to work on."""
    source = source_of(path)
    if source is None or _MAY_CHOOSE.search(source.text) is None:
        return False
    try:
        nodes = walk(source.parse())
        return any(isinstance(n, (ast.If, ast.IfExp)) and _is_choice(n) for n in nodes)
    except SourceError:
        return False


def _is_choice(node: ast.If | ast.IfExp) -> bool:
    """Whether a condition about devices decides that something is on the CPU."""
    if not about_devices(node.test):
        return False
    branches = [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.body + node.orelse
    return any(_is_host(part) for branch in branches for part in walk(branch))


def _is_host(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value == HOST_TYPE
