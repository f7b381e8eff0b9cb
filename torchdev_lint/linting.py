"""A run over files: which, with what settings, and what is done with what comes out of each."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

from torchdev_lint import streams
from torchdev_lint.cache.cache import Cache
from torchdev_lint.cache.place import clear, folder_for
from torchdev_lint.commands import with_hint
from torchdev_lint.config.configurations import Configurations
from torchdev_lint.config.given import settle
from torchdev_lint.config.problem import SettingsProblem
from torchdev_lint.desk import Desk
from torchdev_lint.doubts import doubts
from torchdev_lint.exit_codes import CLEAN, FAILED
from torchdev_lint.report import FileReport, Fixing, StandardInput, Task, Work
from torchdev_lint.reporters.choice import WITH_EDITS
from torchdev_lint.reporters.options import check_options, format_of, opened
from torchdev_lint.runner import check_files
from torchdev_lint.sifting.options import check_options as check_sifting
from torchdev_lint.sifting.options import sieve_for
from torchdev_lint.sifting.sieve import NO_SIEVE, Sieve
from torchdev_lint.source.discovery import STDIN
from torchdev_lint.source.problem import Problem
from torchdev_lint.source.shown import shown
from torchdev_lint.source.source import unreadable
from torchdev_lint.tasks import files_of, shown_settings, tasks_of


def run(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """Do what the command line wants, and return the exit code.

    Args:
        parser: what has read it, and says what doesn't go together.
        options: the command line.
    """
    try:
        configurations = settle(options)
        check_options(parser, options)
        check_sifting(parser, options)
        if options.clear_cache:
            return _clear(options, configurations)
        if options.show_settings:
            print(*shown_settings(options, configurations), sep="\n")
            return CLEAN
        if options.show_files:
            return _show_files(options, configurations)
        return _lint(options, configurations)
    except SettingsProblem as problem:
        print(problem, file=sys.stderr)
        return FAILED


def _show_files(options: argparse.Namespace, configurations: Configurations) -> int:
    """List the files that would be linted."""
    targets, problems = files_of(options, configurations, sieve_for(options))
    for target in targets:
        print(shown(target.path))
    for problem in problems:
        print(problem, file=sys.stderr)
    return FAILED if problems else CLEAN


def _clear(options: argparse.Namespace, configurations: Configurations) -> int:
    """Remove what runs over the same files would use."""
    targets, _ = files_of(options, configurations)
    inside = [os.path.join(path, "any") for path in options.paths if os.path.isdir(path)]
    paths = [*inside, *(target.path for target in targets)]
    for folder in {folder_for(os.path.abspath(path), options.cache_dir) for path in paths}:
        try:
            clear(folder)
        except OSError as error:
            print(Problem(folder, f"cannot be removed: {error.strerror}"), file=sys.stderr)
            return FAILED
    return CLEAN


def _lint(options: argparse.Namespace, configurations: Configurations) -> int:
    sieve = sieve_for(options)
    targets, problems = files_of(options, configurations, sieve)
    cache = None if options.no_cache else Cache(options.cache_dir)
    tasks = tasks_of(targets, options, configurations, cache)
    stdin = None
    if STDIN in options.paths:
        stdin = _standard_input(options.stdin_filename or "stdin")
    if options.add_noqa or options.write_baseline is not None:
        reports = check_files(tasks, options.jobs, stdin, cache=cache)
        with contextlib.closing(reports):
            done = _write_down(options, tasks, reports, sieve)
        for problem in problems:
            print(problem, file=sys.stderr)
        return CLEAN if done and not problems else FAILED
    with opened(options.output_file, sys.stdout) as stream:
        work = _work(options, stream, sieve)
        if not options.quiet:
            for doubt in doubts(options, tasks, bool(problems)):
                print(f"torchdev-lint: warning: {doubt}", file=sys.stderr)
        desk = Desk(options, len(tasks), stdin, stream if options.output_file else None)
        for problem in problems:
            desk.complain(with_hint(problem, options.paths))
        reports = check_files(
            tasks, options.jobs, stdin, work, options.timeout or None, cache, desk.add_late
        )
        try:
            with desk.at_work(), contextlib.closing(reports):
                for report in _kept(tasks, reports, sieve, desk):
                    desk.add(report)
        except BrokenPipeError:
            raise streams.ReaderLeftError(desk.exit_code_so_far()) from None
        return desk.exit_code()


def _kept(
    tasks: Sequence[Task], reports: Iterable[FileReport], sieve: Sieve, desk: Desk
) -> Iterable[FileReport]:
    """Return the reports without what is left aside."""
    if sieve == NO_SIEVE:
        return reports
    # Imported late: most runs report all that is found.
    from torchdev_lint.leaving_aside import sifted

    return sifted(tasks, reports, sieve, desk.say)


def _write_down(
    options: argparse.Namespace,
    tasks: Sequence[Task],
    reports: Iterable[FileReport],
    sieve: Sieve,
) -> bool:
    """Write down what is found instead of reporting it: in comments, or in a baseline."""
    if options.write_baseline is not None:
        # Imported late, as what comes below: most runs don't write.
        from torchdev_lint.leaving_aside import write_baseline

        return write_baseline(options.write_baseline, reports)
    from torchdev_lint.silencing import silence_all

    return silence_all(tasks, (report.sifted(sieve) for report in reports))


def _standard_input(name: str) -> StandardInput:
    try:
        return StandardInput(sys.stdin.buffer.read(), name)
    except OSError as error:
        return StandardInput(b"", name, unreadable(error))


def _work(options: argparse.Namespace, stream: TextIO, sieve: Sieve) -> Work:
    """Return what to do with each file, and what to say of it.

    Args:
        options: the command line.
        stream: where findings go.
        sieve: what findings are left aside by.
    """
    edits = not options.statistics and format_of(options, stream) in WITH_EDITS
    if not (options.fix or options.diff):
        return Work(edits=edits, unsafe=options.unsafe_fixes, skipped=options.show_skipped)
    fixing = Fixing(options.unsafe_fixes, write=not options.diff, told=True, sieve=sieve)
    return Work(fixing, edits, options.unsafe_fixes, options.show_skipped)
