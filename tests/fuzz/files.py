"""Files that a long run begins with."""

from __future__ import annotations

from pathlib import Path

from torchdev_lint.source.source import mentions_torch


def files_under(paths: list[Path], largest: int) -> list[Path]:
    """Return the Python files that mention torch.

    Args:
        paths: folders, and files.
        largest: how many bytes a file may have.
    """
    found = [file for path in paths for file in ([path] if path.is_file() else path.rglob("*.py"))]
    return [
        file
        for file in sorted(found)
        if file.stat().st_size < largest and mentions_torch(file.read_bytes())
    ]
