"""`--watch`: lint, and lint again whenever a file changes that it depends on.

What a change doesn't reach is not linted again: each round goes over all files, and what the cache
holds of a file, with all that it rests on, says whether anything about it can have changed. What
changed on the disk is watchfiles' to notice.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from torchdev_lint.config.command_line import keep_apart
from torchdev_lint.config.files import OWN_NAME, PROJECT_NAME
from torchdev_lint.parser import Parser
from torchdev_lint.project.roots import folders_up
from torchdev_lint.source.discovery import EXCLUDED_FOLDERS, STDIN, SUFFIXES
from torchdev_lint.source.ignoring import GITIGNORE, IGNORE

if TYPE_CHECKING:
    from watchfiles import Change

_NAMES = frozenset({OWN_NAME, PROJECT_NAME, GITIGNORE, IGNORE})
"""Files that no other file imports, and on which it depends all the same what is found."""
_ONCE = ("add_noqa", "clear_cache", "show_files", "show_settings", "write_baseline")
"""What a run does once, and ends."""
_PATIENCE = 200
"""After how many milliseconds without a change it is looked whether the user wants an end."""
_CLEAR = "\x1b[2J\x1b[H"

Run = Callable[[argparse.ArgumentParser, argparse.Namespace], int]


def watch(parser: Parser, options: argparse.Namespace, run: Run) -> int:
    """Lint, and again whenever something changes, until the user interrupts it.

    Args:
        parser: what has read the command line, and says what doesn't go together.
        options: the command line.
        run: lints once.

    Raises:
        KeyboardInterrupt: the user has interrupted it: there is no other end.
    """
    keep_apart(parser, options, "--watch", _ONCE)
    if STDIN in options.paths:
        parser.error("--watch does not go with -, which changes only once")
    try:
        from watchfiles import watch as changes
    except ImportError:
        parser.error("--watch needs watchfiles, as in `pip install torchdev-lint[watch]`")
    with tempfile.TemporaryDirectory(prefix="torchdev-lint-") as own:
        if options.no_cache:  # what is known from the round before has to be kept somewhere
            options.no_cache, options.cache_dir = False, own
        # Asked for before the first round, so that no change during one is lost.
        rounds = changes(
            *_folders(options.paths),
            watch_filter=_matters,
            rust_timeout=_PATIENCE,
            yield_on_timeout=True,
        )
        next(rounds)
        for _ in _since_start(rounds):
            if sys.stdout.isatty():
                sys.stdout.write(_CLEAR)
            run(parser, argparse.Namespace(**vars(options)))
            sys.stdout.flush()
            print("torchdev-lint: watching for changes; Ctrl-C ends it", file=sys.stderr)
    raise AssertionError("watching came to an end")


def _since_start(rounds: Iterator[set[tuple[Change, str]]]) -> Iterator[None]:
    """Yield once, and again each time that something has changed."""
    yield
    for changed in rounds:
        if changed:
            yield


def _folders(paths: Sequence[str]) -> list[str]:
    """Return the folders in which something may change that the result depends on."""
    tops = [os.path.abspath(path) for path in paths]
    tops = [path if os.path.isdir(path) else os.path.dirname(path) for path in tops]
    return sorted({folders_up(top)[-1] for top in tops if os.path.isdir(top)}) or [os.getcwd()]


def _matters(change: Change, path: str) -> bool:
    """Whether what is found may depend on a file."""
    folder, name = os.path.split(path)
    if not name.endswith(SUFFIXES) and name not in _NAMES:
        return False
    return EXCLUDED_FOLDERS.isdisjoint(os.path.relpath(folder).split(os.sep))
