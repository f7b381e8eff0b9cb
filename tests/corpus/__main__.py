"""Lint pinned releases, and show which findings came and went since the last record.

    python -m tests.corpus [--write] [--jobs N] PLACE...
    python -m tests.corpus --list

PLACE is an unpacked wheel or sdist, a git work tree, or a folder of such; `NAME==VERSION=PATH`
where the folder doesn't say what it is. A release is compared with the same version on record,
line by line. `--write` puts what was found in the place of what is on record for these packages.
`--list` prints what is on record as `NAME==VERSION`. The exit code is 1 if anything differs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from .reading import CommandFailed, read_release
from .record import Difference, Finding, Reading, compared, dumped, loaded, renewed
from .releases import NoRelease, releases_at

RECORD = Path(__file__).parent / "findings.jsonl"


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = _parser()
    options = parser.parse_args(arguments)
    record = loaded(options.record)
    if options.list:
        print(*(f"{reading.package}=={reading.version}" for reading in record), sep="\n")
        return 0
    try:
        releases = releases_at(options.places)
        if not releases:
            parser.error("no place was given")
        differences = []
        for release in releases:
            differences.append(compared(read_release(release, options.jobs), record))
            _tell(differences[-1])
    except (NoRelease, CommandFailed) as error:
        parser.error(str(error))
    _sum_up(differences)
    if options.write:
        readings = [difference.reading for difference in differences]
        options.record.write_text(dumped(renewed(record, readings)), "utf-8")
        return 0
    return int(any(differences))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.corpus",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("places", nargs="*", metavar="PLACE")
    parser.add_argument("--write", action="store_true", help="renew the record")
    parser.add_argument("--list", action="store_true", help="print what is on record")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--record", type=Path, default=RECORD, metavar="FILE")
    return parser


def _tell(difference: Difference) -> None:
    """Say what came and went in one release."""
    reading, before = difference.reading, difference.before
    print(
        f"{reading.package} {reading.version}: {len(reading.findings)} findings in "
        f"{reading.files:,} files, {reading.lines:,} lines{_remark(reading, before)}",
        flush=True,
    )
    marked = [("-", found) for found in difference.went]
    marked += [("+", found) for found in difference.came]
    for sign, found in sorted(marked, key=lambda pair: (pair[1], pair[0])):
        print(f"  {sign} {found.file}:{found.line}: {found.code}")


def _remark(reading: Reading, before: Reading | None) -> str:
    if before is None:
        return " (not on record)"
    if (before.files, before.lines) != (reading.files, reading.lines):
        return f" (on record: {before.files:,} files, {before.lines:,} lines)"
    return ""


def _sum_up(differences: list[Difference]) -> None:
    """Print a table by code."""
    readings = [difference.reading for difference in differences]
    now = _by_code(reading.findings for reading in readings)
    came = _by_code(difference.came for difference in differences)
    went = _by_code(difference.went for difference in differences)
    print(
        f"\n{len(readings)} releases, {sum(reading.files for reading in readings):,} files, "
        f"{sum(reading.lines for reading in readings):,} lines"
    )
    print(f"{'':8}{'now':>8}{'came':>8}{'went':>8}")
    for code in sorted(now | went):
        print(f"{code:8}{now[code]:8}{came[code]:8}{went[code]:8}")
    print(f"{'all':8}{now.total():8}{came.total():8}{went.total():8}")


def _by_code(findings: Iterable[tuple[Finding, ...]]) -> Counter[str]:
    return Counter(found.code for group in findings for found in group)


if __name__ == "__main__":
    sys.exit(main())
