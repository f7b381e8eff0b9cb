"""A baseline: the findings that were there when it was written, each by scope and content.

No line numbers stand in it: what lines above are added or gone doesn't matter.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from torchdev_lint.config.problem import SettingsProblem
from torchdev_lint.records import dataclass
from torchdev_lint.source.source import SourceError, read_bytes

if TYPE_CHECKING:
    from torchdev_lint.finding import Finding

VERSION = 1
"""The version of the format. It grows whenever what was written before would mean another thing."""
_MOST_BYTES = 100_000_000


@dataclass(frozen=True, slots=True, order=True)
class Held:
    """What a baseline holds of a finding.

    Args:
        code: the rule's code.
        scope: dotted name of the function or class around it, empty at module level.
        line: the line that it is on, without the blanks around it.
    """

    code: str
    scope: str
    line: str

    def __str__(self) -> str:
        where = f" in `{self.scope}`" if self.scope else ""
        return f"{self.code}{where} at `{self.line}`"


Counts = Mapping[Held, int]
"""How often each is there."""


def held(finding: Finding, lines: Mapping[int, str]) -> Held:
    """Return what tells a finding from others, whatever its line's number is.

    Args:
        finding: the finding.
        lines: the text of the lines of its file, by number.
    """
    return Held(finding.code, finding.scope, lines.get(finding.span.line, "").strip())


@dataclass(frozen=True, slots=True)
class Baseline:
    """What was found before.

    Args:
        path: the file that says so, as it is shown to the user.
        folder: the folder that it is in, absolute.
        files: by file, as a path from there with slashes, what was found how often.
    """

    path: str
    folder: str
    files: Mapping[str, Counts] = field(default_factory=dict)

    def counts_of(self, path: str) -> Counter[Held]:
        """Return what was found in a file, whose path is absolute."""
        return Counter(self.files.get(name_from(self.folder, path), {}))

    def stale(
        self, seen: Mapping[str, Counter[Held]], codes: Mapping[str, Sequence[str]]
    ) -> Iterator[tuple[str, Held, int]]:
        """Yield what isn't found any more: the file, what was found, and how often less.

        Of files that were not linted nothing is known, unless they are gone.

        Args:
            seen: what was found again, by the absolute paths of the files that were linted.
            codes: the rules that were asked in each.
        """
        known = {name_from(self.folder, path): path for path in seen}
        for name, counts in self.files.items():
            path = known.get(name)
            if path is None and os.path.exists(os.path.join(self.folder, name)):
                continue
            for entry, count in counts.items():
                gone = count - (0 if path is None else seen[path][entry])
                if gone > 0 and (path is None or entry.code in codes[path]):
                    yield name, entry, gone


def name_from(folder: str, path: str) -> str:
    """Return what a file is called in a baseline.

    Args:
        folder: the folder of the baseline, absolute.
        path: the file, absolute.
    """
    with contextlib.suppress(ValueError):  # on another drive
        path = os.path.relpath(path, folder)
    return path.replace(os.sep, "/")


def read_baseline(path: str, shown: str) -> Baseline:
    """Read a baseline.

    Args:
        path: the file, absolute.
        shown: the same as it is shown to the user.

    Raises:
        SettingsProblem: it can't be read, or is none.
    """
    try:
        value = json.loads(read_bytes(path, _MOST_BYTES))
    except SourceError as error:
        raise SettingsProblem(f"baseline {error.message}", shown) from None
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise SettingsProblem("not a baseline: not valid JSON", shown, line) from None
    version = value.get("version") if isinstance(value, dict) else None
    if isinstance(version, int) and version != VERSION:
        raise SettingsProblem(
            f"baseline of version {version}, and this release reads {VERSION}; "
            "`--write-baseline` writes it anew",
            shown,
        )
    try:
        files = {name: _counts(entries) for name, entries in value["findings"].items()}
    except (TypeError, KeyError, AttributeError, ValueError):
        raise SettingsProblem("not a baseline: not of the shape of one", shown) from None
    return Baseline(shown, os.path.dirname(path), files)


def _counts(entries: Iterable[Mapping[str, Any]]) -> Counts:
    counts = Counter[Held]()
    for each in entries:
        texts = [each[key] for key in ("code", "scope", "line")]
        number = each["count"]
        if not all(isinstance(text, str) for text in texts) or not isinstance(number, int):
            raise ValueError
        counts[Held(*texts)] += number
    return counts


def written(folder: str, found: Mapping[str, Counts]) -> str:
    """Return the text of a baseline, the same whenever the same is found.

    Args:
        folder: the folder that it is to be in, absolute.
        found: what is found how often, by the absolute paths of files.
    """
    files = {name_from(folder, path): counts for path, counts in found.items() if counts}
    value = {
        "version": VERSION,
        "findings": {
            name: [
                {"code": each.code, "scope": each.scope, "line": each.line, "count": counts[each]}
                for each in sorted(counts)
            ]
            for name, counts in sorted(files.items())
        },
    }
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
