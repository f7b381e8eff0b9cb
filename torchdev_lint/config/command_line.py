"""What can be set on the command line: the options, and what was set by them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import fields

from torchdev_lint.config.configurations import Configurations
from torchdev_lint.config.levels import Levels
from torchdev_lint.config.options import Options, described
from torchdev_lint.config.problem import SettingsProblem
from torchdev_lint.config.reading import Level, options_from, parsed

_CONFIG = "--config"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options by which something is set that files may set as well."""
    _add_rules(parser.add_argument_group("which rules"))
    _add_files(parser.add_argument_group("which files"))
    add = parser.add_argument_group("settings").add_argument
    add(_CONFIG, action="append", default=[], metavar="FILE|KEY=VALUE",
        help="take settings from this file alone, or set one")  # fmt: skip
    add("--isolated", action="store_true", help="look at no file of settings")
    add("--show-settings", action="store_true",
        help="show what holds for the paths, and where it was set, and exit")  # fmt: skip
    add("--show-files", action="store_true", help="list the files to be linted, and exit")


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
    for option, text in {
        "--per-file-ignores": "rules to leave out in files that match a pattern",
        "--extend-per-file-ignores": "the same, besides what else is set",
    }.items():
        group.add_argument(
            option, type=_ignored, action="extend", metavar="PATTERN:RULES", help=text
        )


def _add_files(group: argparse._ArgumentGroup) -> None:
    add = group.add_argument
    add("--exclude", type=_names, action="extend", metavar="PATTERNS",
        help="files and folders to leave out, comma-separated")  # fmt: skip
    add("--extend-exclude", type=_names, action="extend", metavar="PATTERNS",
        help="files and folders to leave out besides")  # fmt: skip
    add("--force-exclude", action=argparse.BooleanOptionalAction,
        help="leave out what is excluded even where it is named")  # fmt: skip
    add("--respect-gitignore", action=argparse.BooleanOptionalAction,
        help="leave out what git ignores (default)")  # fmt: skip


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _ignored(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Read `a/*.py:TDL001 b.py:TDL002`: each pattern ends at a colon, and what has none is added.

    Parts are separated by commas, as in `tests/:TDL001,TDL002,demo.py:TDL004`.
    """
    found: list[tuple[str, list[str]]] = []
    for part in _names(text):
        pattern, colon, name = part.rpartition(":")
        if colon:
            found.append((pattern.strip(), [name.strip()]))
        elif found:
            found[-1][1].append(name)
        else:
            raise argparse.ArgumentTypeError(f"{text!r} is not PATTERN:RULES")
    return [(pattern, tuple(names)) for pattern, names in found]


def configurations_from(options: argparse.Namespace) -> Configurations:
    """Return what holds, as the command line wants it.

    Raises:
        SettingsProblem: something is wrong with what was set.
    """
    try:
        folder = os.getcwd()
    except OSError:  # it is gone
        folder = os.sep
    files, pairs = _split(options.config)
    if len(files) > 1:
        raise SettingsProblem(f"`--config` names two files: {files[0]} and {files[1]}")
    if files and options.isolated:
        raise SettingsProblem("`--config` names a file, and `--isolated` none is to be looked at")
    given: Levels = tuple(_set_by(pair, folder) for pair in pairs)
    values = {
        option.name: _frozen(value)
        for option in described()
        if (value := getattr(options, option.name, None)) is not None
    }
    # The parser has made values of the kind that is described beside their types.
    own = Level(Options(**values), folder)  # type: ignore[arg-type]
    return Configurations((*given, own), files[0] if files else None, options.isolated)


def settle(options: argparse.Namespace) -> Configurations:
    """Put what files set for the run into what the command line leaves open.

    Raises:
        SettingsProblem: something is wrong with what was set.
    """
    configurations = configurations_from(options)
    run = configurations.for_run()
    for each in fields(run):
        setattr(options, each.name, getattr(run, each.name))
    return configurations


def _split(config: Sequence[str]) -> tuple[list[str], list[str]]:
    """Tell files from what is set."""
    files = [each for each in config if "=" not in each or os.path.exists(each)]
    return files, [each for each in config if each not in files]


def _set_by(pair: str, folder: str) -> Level:
    """Return what `KEY=VALUE` sets. The value is TOML; a text needs no quotes."""
    nowhere = Level(Options(), folder, _CONFIG)
    key, _, value = pair.partition("=")
    try:
        table = parsed(pair, "")
    except SettingsProblem as problem:
        plain = key.strip().replace("-", "").isalpha() and value.strip().isprintable()
        if not plain or value.strip()[:1] in tuple("[{\"'"):
            raise SettingsProblem(f"`--config {pair}`: {problem.message}") from None
        table = {key.strip(): value.strip()}
    return Level(options_from(table, nowhere), folder, _CONFIG)


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
