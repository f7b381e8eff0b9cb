"""The command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from torchdev_lint import __version__, streams
from torchdev_lint.cache.place import FOLDER_VARIABLE, OFF_VARIABLE, given_folder, is_off
from torchdev_lint.commands import listed, subcommand
from torchdev_lint.config.command_line import add_options as add_settings
from torchdev_lint.config.problem import SettingsProblem
from torchdev_lint.exit_codes import CLEAN, FAILED, INTERRUPTED
from torchdev_lint.parser import Parser
from torchdev_lint.reporters.options import add_options as add_output_options
from torchdev_lint.sifting.options import add_options as add_sifting
from torchdev_lint.source.shown import shown

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
    in_time, code = True, CLEAN
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
    except streams.ReaderLeftError as left:
        return left.code
    except BrokenPipeError:  # `torchdev-lint --help | head`: whoever left has got enough
        return code
    except OSError as error:
        what = f" {shown(str(error.filename))}" if error.filename is not None else ""
        print(f"torchdev-lint: error: cannot write{what}: {error.strerror}", file=sys.stderr)
        return FAILED
    except SettingsProblem as problem:
        print(problem, file=sys.stderr)
        return FAILED
    except Exception as error:
        from torchdev_lint.source.problem import internal_error

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
    if options.list_rules:
        return _list_rules()
    if options.explain is not None:
        return _explain(parser, options.explain)
    if options.print_completion is not None:
        return _complete(parser, options.print_completion)
    # Imported late, as it takes long: whoever wants the version, or help, gets it at once.
    from torchdev_lint.linting import run

    if options.watch:
        from torchdev_lint.watch import watch

        return watch(parser, options, run)
    return run(parser, options)


def _parser() -> Parser:
    parser = Parser(
        prog="torchdev-lint",
        usage="%(prog)s [OPTION ...] [PATH ...]",  # all fifty would bury what is wrong
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
    add("--watch", action="store_true",
        help="lint again whenever a file changes, until interrupted")  # fmt: skip
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
    add("--print-completion", metavar="SHELL",
        help="write a script by which a shell completes arguments, and exit")  # fmt: skip
    add_output_options(parser)
    add_sifting(parser)
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


def _list_rules() -> int:
    from torchdev_lint.rules import ALL_RULES

    for rule in ALL_RULES:
        off = f" ({'preview' if rule.preview else 'off by default'})" if rule.opt_in else ""
        print(f"{rule.code}  {rule.name:<24} {rule.summary}{off}")
    return CLEAN


def _explain(parser: argparse.ArgumentParser, names: Sequence[str]) -> int:
    from torchdev_lint.explain import NoRule, explain

    try:
        explain(names)
    except NoRule as error:
        parser.error(f"{error} (--list-rules lists them)")
    return CLEAN


def _complete(parser: argparse.ArgumentParser, shell: str) -> int:
    from torchdev_lint.completion import CannotComplete, completion

    try:
        print(completion(parser, shell))
    except CannotComplete as error:
        parser.error(f"--print-completion {error}")
    return CLEAN
