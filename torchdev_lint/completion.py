"""Completion of the command line by shells: scripts that `shtab` makes of the parser."""

from __future__ import annotations

import argparse

from torchdev_lint.config.formats import OUTPUT_FORMATS

_FILES = frozenset({"paths", "output_file", "stdin_filename", "config"})
_FOLDERS = frozenset({"cache_dir"})
_RULES = frozenset({"select", "extend_select", "ignore", "extend_ignore", "explain"})


class CannotComplete(Exception):
    """There is no script for a shell, or nothing that could make it."""


def completion(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the script that has a shell complete the arguments of a parser.

    Args:
        parser: the parser, which is of no use for parsing afterwards.
        shell: what the shell is called.

    Raises:
        CannotComplete: that can't be had.
    """
    try:
        import shtab
    except ImportError:
        raise CannotComplete(
            "needs the package `shtab`: pip install 'torchdev-lint[completion]'"
        ) from None
    if shell not in shtab.SUPPORTED_SHELLS:
        raise CannotComplete(f"knows these shells: {', '.join(shtab.SUPPORTED_SHELLS)}")
    for action in parser._actions:  # there is no public way to all of them
        if action.dest in _FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined]  # what shtab looks for
        elif action.dest in _FOLDERS:
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]  # what shtab looks for
        elif action.dest in _RULES:
            action.choices = _rules()
        elif action.dest == "output_format":
            action.choices = OUTPUT_FORMATS
    script: str = shtab.complete(parser, shell)
    return script


def _rules() -> list[str]:
    from torchdev_lint.rules import ALL_RULES

    return [name for rule in ALL_RULES for name in (rule.code, rule.name)]
