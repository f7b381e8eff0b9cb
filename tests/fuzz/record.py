"""The record of a long run: a line for each chunk, so that a run goes on where it was stopped."""

from __future__ import annotations

import json
import platform
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeAlias

Chunk: TypeAlias = "dict[str, int | float | str]"
"""What came of a chunk: its seed, what it ran on, and counts by their names."""


def run_chunks(
    seeds: Iterable[int], record: Path | None, run: Callable[[int], dict[str, int | float]]
) -> Counter[str]:
    """Run the chunks that are not in a record yet, and return the sums over all of them.

    Args:
        seeds: the chunks, by their seeds.
        record: where to note what came of each.
        run: runs a chunk, and returns its counts.
    """
    chunks = _recorded(record)
    for seed in seeds:
        if seed in chunks:
            continue
        about = {"commit": _commit(), "interpreter": platform.python_version()}
        chunks[seed] = {"seed": seed, **about, **run(seed)}
        print(json.dumps(chunks[seed]), flush=True)
        if record:
            with record.open("a", encoding="utf-8") as file:
                file.write(json.dumps(chunks[seed]) + "\n")
    total: Counter[str] = Counter()
    for chunk in chunks.values():
        total.update({name: n for name, n in chunk.items() if isinstance(n, int)})
    del total["seed"]
    return total


def _recorded(record: Path | None) -> dict[int, Chunk]:
    if record is None or not record.exists():
        return {}
    chunks = map(json.loads, record.read_text("utf-8").splitlines())
    return {chunk["seed"]: chunk for chunk in chunks}


def _commit() -> str:
    command = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
