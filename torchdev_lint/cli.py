"""The command line."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from typing import TextIO

from torchdev_lint import __version__, streams
from torchdev_lint.cache.cache import Cache
from torchdev_lint.cache.place import (
    FOLDER_VARIABLE,
    OFF_VARIABLE,
    clear,
    folder_for,
    given_folder,
    is_off,
)
from torchdev_lint.commands import listed, subcommand
from torchdev_lint.config.command_line import add_options as add_settings
from torchdev_lint.config.command_line import settle
from torchdev_lint.config.configurations import Configurations
from torchdev_lint.config.problem import SettingsProblem
from torchdev_lint.desk import CLEAN, FAILED, Desk
from torchdev_lint.parser import Parser
from torchdev_lint.report import Fixing, StandardInput, Work
from torchdev_lint.reporters.choice import WITH_EDITS
from torchdev_lint.reporters.options import add_options as add_output_options
from torchdev_lint.reporters.options import check_options, format_of, opened
from torchdev_lint.runner import check_files
from torchdev_lint.silencing import silence_all
from torchdev_lint.source.discovery import STDIN
from torchdev_lint.source.problem import Problem, internal_error
from torchdev_lint.source.shown import shown
from torchdev_lint.source.source import unreadable
from torchdev_lint.tasks import files_of, shown_settings, tasks_of

INTERRUPTED = 130

_TIMEOUT = 30.0
"""Far more than any file needs: what takes so long would hardly come to an end."""

_EPILOG = """exit codes: 0 nothing found, or everything fixed; 1 findings; 2 wrong usage, a file
that can't be linted or written, output that can't be written, or a fault of the linter itself.
Subcommands, each with a --help of its own: """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Args:
        arguments: the command line without the program's name; None: that of the process.
    """
    streams.prepare()
    in_time = True
    try:
        code = _command(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        in_time = False
        print("torchdev-lint: interrupted", file=sys.stderr)
        return INTERRUPTED
    except SystemExit:  # SIGTERM, or wrong usage
        in_time = False
        raise
    except BrokenPipeError:  # `torchdev-lint | head`: whoever left knows
        return FAILED
    except OSError as error:
        what = f" {shown(str(error.filename))}" if error.filename is not None else ""
        print(f"torchdev-lint: error: cannot write{what}: {error.strerror}", file=sys.stderr)
        return FAILED
    except Exception as error:
        print(f"torchdev-lint: error: {shown(internal_error(error))}", file=sys.stderr)
        return FAILED
    finally:
        streams.settle(wait=in_time)
    return code


def _command(arguments: Sequence[str] | None) -> int:
    given = sys.argv[1:] if arguments is None else list(arguments)
    command = subcommand(given)
    if command is not None:
        return command(given[1:])
    parser = _parser()
    try:
        options = parser.parse_args(given)
    except SystemExit:  # after `--help`, which nobody has got yet
        sys.stdout.flush()
        raise
    return _run(parser, options)


def _parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog="torchdev-lint",
        description="Find device-placement bugs in PyTorch code before a GPU does.",
        epilog=_EPILOG + listed(),
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "paths",
        nargs="*",
        default=["."],
        metavar="PATH",
        help="files and folders, or - (default: .)",
    )
    add("--fix", action="store_true", help="apply the safe fixes")
    add("--unsafe-fixes", action=argparse.BooleanOptionalAction,
        help="apply, or count, the unsafe fixes as well")  # fmt: skip
    add("--diff", action="store_true", help="show what --fix would change, and change nothing")
    add("--add-noqa", action="store_true",
        help="add # noqa comments for all that is found, and exit")  # fmt: skip
    add("--show-fixes", action="store_true", help="list what was fixed")
    add("--show-skipped", action="store_true", help="also say what was not looked at to its end")
    add("--exit-zero", action="store_true", help="exit 0 even with findings")
    add("--exit-non-zero-on-fix", action="store_true",
        help="exit 1 if anything was fixed, even if nothing is left")  # fmt: skip
    add(
        "-j",
        "--jobs",
        type=_jobs,
        metavar="N",
        help="processes to use (default: what is worth it, up to one a CPU)",
    )
    add("--timeout", type=_seconds, default=_TIMEOUT, metavar="SECONDS",
        help="give up on a file after so long (default: %(default)g; 0: never)")  # fmt: skip
    add("--no-cache", action="store_true", default=is_off(),
        help=f"neither use nor keep results of other runs (env: {OFF_VARIABLE})")  # fmt: skip
    add("--cache-dir", metavar="DIR", default=given_folder(),
        help="where to keep results (default: .torchdev_lint_cache in the project's root; "
        f"env: {FOLDER_VARIABLE})")  # fmt: skip
    add("--clear-cache", action="store_true", help="remove the results that were kept, and exit")
    add("--stdin-filename", metavar="PATH", help="the name to show for standard input")
    add("--list-rules", action="store_true", help="list the rules and exit")
    add("--explain", nargs="+", metavar="RULE",
        help="explain rules, by code or name, and exit")  # fmt: skip
    add_output_options(parser)
    add("--version", action="version", version=f"torchdev-lint {__version__}")
    add_settings(parser)
    return parser


def _jobs(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds")
    return seconds


def _run(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    if options.list_rules:
        from torchdev_lint.rules import ALL_RULES

        for rule in ALL_RULES:
            off = " (off by default)" if rule.opt_in else ""
            print(f"{rule.code}  {rule.name:<24} {rule.summary}{off}")
        return CLEAN
    if options.explain is not None:
        return _explain(parser, options.explain)
    try:
        configurations = settle(options)
        check_options(parser, options)
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


def _explain(parser: argparse.ArgumentParser, names: Sequence[str]) -> int:
    from torchdev_lint.explain import NoRule, explain

    try:
        explain(names)
    except NoRule as error:
        parser.error(f"{error}; --list-rules lists them")
    return CLEAN


def _show_files(options: argparse.Namespace, configurations: Configurations) -> int:
    """List the files that would be linted."""
    targets, problems = files_of(options, configurations)
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
    targets, problems = files_of(options, configurations)
    cache = None if options.no_cache else Cache(options.cache_dir)
    tasks = tasks_of(targets, options, configurations, cache)
    stdin = None
    if STDIN in options.paths:
        stdin = _standard_input(options.stdin_filename or "stdin")
    if options.add_noqa:
        with contextlib.closing(check_files(tasks, options.jobs, cache=cache)) as reports:
            return CLEAN if silence_all(tasks, reports) and not problems else FAILED
    with opened(options.output_file, sys.stdout) as stream:
        work = _work(options, stream)
        desk = Desk(options, len(tasks), stdin, stream if options.output_file else None)
        for problem in problems:
            desk.complain(problem)
        reports = check_files(tasks, options.jobs, stdin, work, options.timeout or None, cache)
        with desk.at_work(), contextlib.closing(reports):
            for report in reports:
                desk.add(report)
        return desk.exit_code()


def _standard_input(name: str) -> StandardInput:
    try:
        return StandardInput(sys.stdin.buffer.read(), name)
    except OSError as error:
        return StandardInput(b"", name, unreadable(error))


def _work(options: argparse.Namespace, stream: TextIO) -> Work:
    """Return what to do with each file, and what to say of it.

    Args:
        options: the command line.
        stream: where findings go.
    """
    edits = not options.statistics and format_of(options, stream) in WITH_EDITS
    if not (options.fix or options.diff):
        return Work(edits=edits, unsafe=options.unsafe_fixes, skipped=options.show_skipped)
    fixing = Fixing(options.unsafe_fixes, write=not options.diff)
    return Work(fixing, edits, options.unsafe_fixes, options.show_skipped)
