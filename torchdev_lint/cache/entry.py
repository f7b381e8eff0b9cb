"""What is kept of one file: its report, what that rests on, and what it was asked for."""

from __future__ import annotations

import os

from torchdev_lint.cache.paths import Paths
from torchdev_lint.cache.record import as_json, report_from
from torchdev_lint.cache.shape import WrongShape, every, fields, mapping, perhaps, text, truth
from torchdev_lint.cache.trace import Trace, looked_from
from torchdev_lint.records import dataclass, replace
from torchdev_lint.report import FileReport


@dataclass(frozen=True, slots=True)
class Asked:
    """What a report was asked for.

    Args:
        kind: by whom: what is made of a file for one is not what another wants.
        content: the digest of what was handed in to be linted; empty if the file was read.
        codes: the codes of the rules.
        rest: what else was set.
        named: whether the user named the file; None: that would change nothing.
        unsafe: whether unsafe fixes are offered.
    """

    kind: str
    content: str
    codes: tuple[str, ...]
    rest: str
    named: bool | None
    unsafe: bool


@dataclass(frozen=True, slots=True)
class Entry:
    """What is kept of one file.

    Args:
        asked: what its report was asked for.
        trace: what it rests on.
        report: the report.
    """

    asked: Asked
    trace: Trace
    report: FileReport

    def for_(self, asked: Asked) -> FileReport | None:
        """Return the report that something else was asked for, None if that can't be known.

        What is found by some rules doesn't depend on the others, but which fixes hold does.
        """
        mine, report = self.asked, self.report
        if (mine.kind, mine.content, mine.rest) != (asked.kind, asked.content, asked.rest):
            return None
        if mine.named not in (None, asked.named):
            return None
        if any(finding.fix is not None for finding in report.findings):
            same = mine.codes == asked.codes and mine.unsafe == asked.unsafe
            return report if same else None
        if not set(asked.codes) <= set(mine.codes):
            return None
        found = tuple(finding for finding in report.findings if finding.code in asked.codes)
        return replace(report, findings=found, edits=(None,) * len(found))

    def as_json(self, paths: Paths) -> dict[str, object]:
        """Return what is written of it."""
        asked, trace = self.asked, self.trace
        return {
            "path": paths.relative(os.path.abspath(self.report.path)),
            "asked": [
                asked.kind,
                asked.content,
                asked.codes,
                asked.rest,
                asked.named,
                asked.unsafe,
            ],
            "looked": trace.looked.as_json(paths),
            "states": trace.states,
            "contents": trace.contents,
            "report": as_json(self.report, paths.relative),
        }


def entry_from(value: object, path: str, paths: Paths) -> Entry:
    """Return what was kept of a file.

    Args:
        value: what was written.
        path: the file, as it is shown to the user.
        paths: what was made of paths.

    Raises:
        WrongShape: it is none, or that of another file.
    """
    kept = mapping(value)
    if kept.get("path") != paths.relative(os.path.abspath(path)):
        raise WrongShape
    kind, content, codes, rest, named, unsafe = fields(kept.get("asked"), 6)
    looked = looked_from(kept.get("looked"), paths)
    trace = Trace(looked, text(kept.get("states")), text(kept.get("contents")))
    asked = Asked(
        text(kind),
        text(content),
        every(codes, text),
        text(rest),
        perhaps(named, truth),
        truth(unsafe),
    )
    return Entry(asked, trace, report_from(kept.get("report"), path, paths.absolute))
