"""What can be set on the command line: the options, which `given` reads."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable

CONFIG = "--config"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options by which something is set that files may set as well."""
    _add_rules(parser.add_argument_group("which rules"))
    _add_files(parser.add_argument_group("which files"))
    add = parser.add_argument_group("settings").add_argument
    add(CONFIG, action="append", default=[], metavar="FILE|KEY=VALUE",
        help="take settings from this file alone, or set one")  # fmt: skip
    add("--isolated", action="store_true", help="look at no file of settings")
    add("--show-settings", action="store_true",
        help="show what holds for the paths, and where it was set, and exit")  # fmt: skip
    add("--show-files", action="store_true", help="list the files to be linted, and exit")


def keep_apart(
    parser: argparse.ArgumentParser, options: argparse.Namespace, one: str, others: Iterable[str]
) -> None:
    """End with a message where an option was given with one that makes no sense beside it.

    Args:
        parser: what has read the command line.
        options: the command line.
        one: the option, such as `--watch`.
        others: those that don't go with it, by their names in `options`.
    """
    for other in others:
        if getattr(options, other):
            parser.error(f"{one} does not go with --{other.replace('_', '-')}")


def _add_rules(group: argparse._ArgumentGroup) -> None:
    help_for = {
        "--select": "rules to run: codes, the beginnings of codes, or names, comma-separated",
        "--extend-select": "rules to run besides",
        "--ignore": "rules to leave out",
        "--extend-ignore": "rules to leave out besides",
        "--fixable": "rules whose findings may be fixed",
        "--unfixable": "rules whose findings are not to be fixed",
        "--extend-safe-fixes": "rules whose unsafe fixes are to be treated as safe",
    }
    for option, text in help_for.items():
        group.add_argument(option, type=_names, action="extend", metavar="RULES", help=text)
    group.add_argument("--preview", action=argparse.BooleanOptionalAction,
        help="also run rules that are still being tried out")  # fmt: skip
    for option, text in {
        "--per-file-ignores": "rules to leave out in files that match a pattern",
        "--extend-per-file-ignores": "the same, besides what else is set",
    }.items():
        group.add_argument(
            option, type=_ignored, action="extend", metavar="PATTERN:RULES", help=text
        )


def _add_files(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--exclude", type=_patterns, action="extend", metavar="PATTERNS",
        help="files and folders to leave out, comma-separated")  # fmt: skip
    add("--extend-exclude", type=_patterns, action="extend", metavar="PATTERNS",
        help="files and folders to leave out besides")  # fmt: skip
    add("--force-exclude", action=argparse.BooleanOptionalAction,
        help="leave out what is excluded even where it is named")  # fmt: skip
    add("--respect-gitignore", action=argparse.BooleanOptionalAction,
        help="leave out what git ignores (default)")  # fmt: skip


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _patterns(text: str) -> list[str]:
    """Read patterns: a path that a shell on Windows has completed is one, too."""
    return [name.replace(os.sep, "/") for name in _names(text)]


def _ignored(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Read `a/*.py:TDL001 b.py:TDL002`: each pattern ends at a colon, and what has none is added.

    Parts are separated by commas, as in `tests/:TDL001,TDL002,demo.py:TDL004`.
    """
    found: list[tuple[str, list[str]]] = []
    for part in _patterns(text):
        pattern, colon, name = part.rpartition(":")
        if colon:
            found.append((pattern.strip(), [name.strip()]))
        elif found:
            found[-1][1].append(name)
        else:
            raise argparse.ArgumentTypeError(f"{text!r} is not PATTERN:RULES")
    return [(pattern, tuple(names)) for pattern, names in found]
