"""The changelog, read as it is meant to be read: https://keepachangelog.com/en/1.1.0/."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.command import ROOT

UNRELEASED = "Unreleased"
_VERSION = re.compile(r"^## (?:\[(?P<name>[^\]]+)\]|(?P<plain>\S+))(?: - (?P<date>\S+))?$", re.M)
_KIND = re.compile(r"^### (.+)$", re.M)


@dataclass(frozen=True, slots=True)
class Release:
    """A version in the changelog.

    Args:
        version: its number, or `Unreleased`.
        date: when it was made; empty if it wasn't yet.
        kinds: the headings below it.
    """

    version: str
    date: str
    kinds: tuple[str, ...]


def releases(text: str | None = None) -> list[Release]:
    """Return the versions in the changelog, the newest first."""
    if text is None:
        text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    found = list(_VERSION.finditer(text))
    ends = [*(heading.start() for heading in found[1:]), len(text)]
    return [
        Release(
            heading["name"] or heading["plain"],
            heading["date"] or "",
            tuple(_KIND.findall(text, heading.end(), end)),
        )
        for heading, end in zip(found, ends, strict=True)
    ]
