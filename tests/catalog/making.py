"""The commands that make the catalog's data files from the installed PyTorch."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path


def run_command(
    about: tuple[str, str | None],
    file: str | Path,
    dumped: Callable[[], str],
    parsed: Callable[[str], Mapping[str, object]],
    arguments: list[str] | None,
) -> int:
    """Run such a command: show what came and went since the file was written, or write it.

    Args:
        about: the name of the module that is run, and what it says of itself.
        file: the data file.
        dumped: gives its text, as the installed PyTorch has it.
        parsed: reads such a text.
        arguments: the command line; None: that of the process.

    Returns:
        The exit code: 1 if anything differs.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m {about[0]}",
        description=about[1],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--write", action="store_true", help="write the file")
    options = parser.parse_args(arguments)
    path = Path(file)
    before, text = path.read_text("ascii") if path.exists() else "", dumped()
    old, new = parsed(before), parsed(text)
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            print(f"{name}: {old.get(name)} -> {new.get(name)}")
    if options.write:
        path.write_text(text, "ascii")
    return int(before != text and not options.write)
