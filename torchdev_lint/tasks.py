"""Which files to lint, each with what holds for it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from torchdev_lint.cache.cache import Cache
from torchdev_lint.cache.codes import rules_there_are
from torchdev_lint.config.configurations import Configurations
from torchdev_lint.config.showing import settings_shown
from torchdev_lint.report import Task
from torchdev_lint.sifting.sieve import NO_SIEVE, Sieve
from torchdev_lint.source.discovery import STDIN, Target, discover
from torchdev_lint.source.problem import Problem
from torchdev_lint.source.source import unreadable


def files_of(
    options: argparse.Namespace, configurations: Configurations, sieve: Sieve = NO_SIEVE
) -> tuple[list[Target], list[Problem]]:
    """Find the files that the command line leads to, and what goes wrong on the way.

    Args:
        options: the command line.
        configurations: what was set.
        sieve: what findings are left aside by; files of which it would leave all aside are no
            matter.

    Raises:
        SettingsProblem: something is wrong with what was set.
    """
    name = options.stdin_filename
    paths = options.paths
    if options.force_exclude:
        named = {path: name if path == STDIN else path for path in paths}
        paths = [p for p in paths if not named[p] or not configurations.leaves_out_named(named[p])]
    try:
        targets, problems = discover(paths, configurations.leaves_out, options.respect_gitignore)
    except OSError as error:  # the current folder is gone; any other has a line of its own
        return [], [Problem(os.curdir, unreadable(error))]
    return [target for target in targets if sieve.may_let_through(target.path)], problems


def tasks_of(
    targets: list[Target],
    options: argparse.Namespace,
    configurations: Configurations,
    cache: Cache | None,
) -> list[Task]:
    """Return what to do with each file.

    Raises:
        SettingsProblem: something is wrong with what was set.
    """
    rules = rules_there_are(cache, targets[0].path if targets else None)
    if not targets:  # what is wrong with the command line is said all the same
        configurations.settings_of(os.path.join(os.sep, "any.py"), rules)
    return [
        Task(target, configurations.settings_of(_path_of(target, options), rules))
        for target in targets
    ]


def _path_of(target: Target, options: argparse.Namespace) -> str:
    """Return where a file lies, or where standard input is said to lie."""
    name = options.stdin_filename or "stdin" if target.path == STDIN else target.path
    return os.path.abspath(name)


def shown_settings(options: argparse.Namespace, configurations: Configurations) -> Iterator[str]:
    """Yield lines that say what holds for each of the paths on the command line.

    Raises:
        SettingsProblem: something is wrong with what was set.
    """
    rules = rules_there_are(None, None)
    for path in options.paths:
        inside = os.path.join(path, "any.py") if os.path.isdir(path) else path
        place = os.path.abspath(options.stdin_filename or "stdin" if path == STDIN else inside)
        settings = configurations.settings_of(place, rules)
        yield from settings_shown(path, settings, configurations.levels_at(place))
