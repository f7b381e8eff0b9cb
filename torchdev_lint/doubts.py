"""What a command line asks for that can hardly be meant: said, and done all the same."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from torchdev_lint.cache.place import can_be_kept_in
from torchdev_lint.report import Task
from torchdev_lint.source.discovery import STDIN
from torchdev_lint.source.shown import from_here, shown


def doubts(options: argparse.Namespace, tasks: Sequence[Task], problems: bool) -> Iterator[str]:
    """Yield what is to be said of a run before it begins.

    Args:
        options: the command line.
        tasks: the files that will be linted, each with what holds for it.
        problems: whether something went wrong on the way to them.
    """
    if not tasks and not problems and options.since is None:
        yield f"there are no Python files to lint in {', '.join(map(shown, options.paths))}"
    if tasks and not any(task.settings.rules for task in tasks):
        yield "no rule is on, so nothing can be found"
    if options.stdin_filename is not None and STDIN not in options.paths:
        yield "--stdin-filename says nothing without `-`, which reads standard input"
    folder = None if options.no_cache else options.cache_dir  # absolute
    if folder is not None and not can_be_kept_in(folder):
        yield f"results can't be kept in {shown(from_here(folder))}, which can't be written"
