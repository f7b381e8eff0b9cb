"""Why `FakeTensorMode` disagrees with the mixing table where it does: what `reasons.json` says."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.runtime.mixing_rows.row import Row
from tests.runtime.mixing_table import Result

from .fake import CANNOT

FILE = Path(__file__).with_name("reasons.json")

Operation = tuple[str, str]
"""The title of a row, and which of its operations."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why it disagrees about some operations; what CUDA does is said by the source of their rows.

    Args:
        sentence: the reason.
        source: a file of PyTorch's, and behind a colon a piece of its text.
        operations: those that it explains.
    """

    sentence: str
    source: str
    operations: tuple[Operation, ...]


def reasons() -> tuple[Reason, ...]:
    """Read the file."""
    return tuple(
        Reason(
            entry["reason"],
            entry["source"],
            tuple((title, name) for title, names in entry["rows"].items() for name in names),
        )
        for entry in json.loads(FILE.read_text(encoding="utf-8"))
    )


def differs(row: Row, answer: Result) -> bool:
    """Whether an answer is another than the row's; none at all is neither that nor agreement."""
    if answer.outcome == CANNOT:
        return False
    if answer.outcome != row.expected:
        return True
    return answer.outcome == "mixes" and answer.place != row.result


def mistakes(explained: Iterable[Operation], differing: Mapping[Operation, Result]) -> list[str]:
    """Say what of the explanations is missing, and what is too much.

    Args:
        explained: the operations that have a reason, each as often as it has one.
        differing: the operations about which the witness disagrees, and its answers.
    """
    listed = list(explained)
    return [
        *(
            f"not explained: {name} {answer.outcome} in {title}"
            for (title, name), answer in differing.items()
            if (title, name) not in listed
        ),
        *(
            f"explained, and no disagreement: {name} in {title}"
            for title, name in listed
            if (title, name) not in differing
        ),
        *(
            f"explained twice: {name} in {title}"
            for title, name in dict.fromkeys(listed)
            if listed.count((title, name)) > 1
        ),
    ]
