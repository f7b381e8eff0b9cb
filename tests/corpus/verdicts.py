"""The table of a reading: verdicts by rule.

    python -m tests.corpus.verdicts docs/readings/DATE.jsonl

prints it for docs/accuracy.md, which says what the verdicts mean.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

VERDICTS = {"true": "true", "true-harmless": "harmless", "false": "false", "unsure": "unsure"}
"""The words in the records, and those above the columns."""

_RIGHT = ("true", "true-harmless")


def table(path: Path) -> str:
    """Return the Markdown table of a file of verdicts."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    lines = [
        f"| rule | findings | {' | '.join(VERDICTS.values())} | right |",
        "| --- |" + " ---: |" * (len(VERDICTS) + 2),
    ]
    for code in sorted({row["code"] for row in rows}):
        lines.append(_line(code, Counter(r["verdict"] for r in rows if r["code"] == code)))
    lines.append(_line("all", Counter(row["verdict"] for row in rows)))
    return "\n".join(lines)


def _line(name: str, counts: Counter[str]) -> str:
    right = sum(counts[verdict] for verdict in _RIGHT) / counts.total()
    numbers = " | ".join(str(counts[verdict]) for verdict in VERDICTS)
    return f"| {name} | {counts.total()} | {numbers} | {right:.0%} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.corpus.verdicts")
    parser.add_argument("file", type=Path)
    print(table(parser.parse_args().file))
