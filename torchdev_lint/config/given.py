"""What was set on the command line, and with that what holds."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import fields

from torchdev_lint.config.command_line import CONFIG
from torchdev_lint.config.configurations import Configurations
from torchdev_lint.config.levels import Levels
from torchdev_lint.config.options import Options, described
from torchdev_lint.config.problem import SettingsProblem
from torchdev_lint.config.reading import Level, options_from, parsed


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
    nowhere = Level(Options(), folder, CONFIG)
    key, _, value = pair.partition("=")
    try:
        table = parsed(pair, "")
    except SettingsProblem as problem:
        plain = key.strip().replace("-", "").isalpha() and value.strip().isprintable()
        if not plain or value.strip()[:1] in tuple("[{\"'"):
            raise SettingsProblem(f"`--config {pair}`: {problem.message}") from None
        table = {key.strip(): value.strip()}
    return Level(options_from(table, nowhere), folder, CONFIG)


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
