"""Projects whose settings are tested."""

from __future__ import annotations

from pathlib import Path

from tests.command import CLEAN, DISCARDED, Result

__all__ = ["CLEAN", "DISCARDED", "NOTHING_ON", "found", "write"]


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files, with the folders that they are in."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


NOTHING_ON = "torchdev-lint: warning: no rule is on, so nothing can be found\n"


def found(result: Result) -> list[str]:
    """The files with findings, each once, if nothing else went wrong."""
    assert result.err in ("", NOTHING_ON)
    lines = [line for line in result.out.splitlines() if "TDL" in line]
    return list(dict.fromkeys(line.partition(":")[0] for line in lines))
