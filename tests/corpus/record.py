"""The record: for each release how much was read, and what was found. Facts, no code.

One JSON object a line: a release with the number of its files and lines, then its findings. So a
release without findings is on record as well, and differences are readable in a diff.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple


class Finding(NamedTuple):
    """Where something was found in a release; several may be equal."""

    file: str
    line: int
    code: str


@dataclass(frozen=True, slots=True)
class Reading:
    """What came out of one release.

    Args:
        package: its name.
        version: its version.
        files: how many Python files there are.
        lines: how many lines they have.
        findings: what was found, by place.
    """

    package: str
    version: str
    files: int
    lines: int
    findings: tuple[Finding, ...]

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from others."""
        return self.package, self.version


@dataclass(frozen=True, slots=True)
class Difference:
    """How a reading differs from what is on record.

    Args:
        reading: the reading.
        before: what is on record, if the release is.
        came: findings that are not on record.
        went: findings that are on record only.
    """

    reading: Reading
    before: Reading | None
    came: tuple[Finding, ...]
    went: tuple[Finding, ...]

    def __bool__(self) -> bool:
        return self.before != self.reading


def compared(reading: Reading, record: Iterable[Reading]) -> Difference:
    """Compare with the same version on record; another version is another release."""
    before = next((other for other in record if other.key == reading.key), None)
    now, then = Counter(reading.findings), Counter(before.findings if before else ())
    came, went = now - then, then - now
    return Difference(
        reading, before, tuple(sorted(came.elements())), tuple(sorted(went.elements()))
    )


def renewed(record: Iterable[Reading], readings: Iterable[Reading]) -> list[Reading]:
    """Put readings in the place of whatever is on record of the same packages."""
    new = list(readings)
    packages = {reading.package for reading in new}
    kept = [reading for reading in record if reading.package not in packages]
    return sorted([*kept, *new], key=lambda reading: reading.key)


def dumped(record: Iterable[Reading]) -> str:
    """Write a record."""
    lines: list[str] = []
    for reading in record:
        package = {"package": reading.package, "version": reading.version}
        lines.append(json.dumps({**package, "files": reading.files, "lines": reading.lines}))
        lines += [json.dumps({**package, **found._asdict()}) for found in reading.findings]
    return "".join(f"{line}\n" for line in lines)


def loaded(path: Path) -> list[Reading]:
    """Read a record; without a file it is empty."""
    if not path.exists():
        return []
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    findings: dict[tuple[str, str], list[Finding]] = {}
    for row in rows:
        of_release = findings.setdefault((row["package"], row["version"]), [])
        if "code" in row:
            of_release.append(Finding(row["file"], row["line"], row["code"]))
    return [
        Reading(*key, row["files"], row["lines"], tuple(findings[key]))
        for row in rows
        if "files" in row and (key := (row["package"], row["version"]))
    ]
