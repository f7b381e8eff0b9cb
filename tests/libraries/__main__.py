"""Make the files of `torchdev_lint/catalog/classes` from released sources.

    python -m tests.libraries [--write] PLACE...
    python -m tests.libraries --list

PLACE is an unpacked wheel or sdist, a git work tree, or a folder of such; `NAME==VERSION=PATH`
where the folder doesn't say what it is. The sources are read, never imported; what torch's own
classes are, the installed torch is asked. What is read together is understood together: a class
whose base is in a library that is not there is nothing for certain. It is shown what came and went
since the files were written; `--write` writes them. `--list` prints what they were made from as
`NAME==VERSION`. The exit code is 1 if anything differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path

from tests.corpus.releases import NoRelease, releases_at
from torchdev_lint import catalog
from torchdev_lint.catalog.classes import SUFFIX, ClassKind, parsed

from .outline import Outline
from .packages import outlines_in
from .table import Table, dumped, tabulated
from .world import World

FOLDER = Path(catalog.__file__).parent / "classes"
_RELEASE = "# "


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.libraries",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("places", nargs="*", metavar="PLACE")
    parser.add_argument("--write", action="store_true", help="write the files")
    parser.add_argument("--list", action="store_true", help="print what they were made from")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the files are")
    options = parser.parse_args(arguments)
    if options.list:
        print(*recorded(options.folder), sep="\n")
        return 0
    try:
        tables = tables_at(options.places)
    except NoRelease as error:
        parser.error(str(error))
    differs = False
    for table in tables:
        path = options.folder / (table.library + SUFFIX)
        before = path.read_text("ascii") if path.exists() else ""
        differs |= before != dumped(table)
        _tell(table, parsed(before))
        if options.write:
            path.write_text(dumped(table), "ascii")
    return int(differs and not options.write)


def recorded(folder: Path) -> list[str]:
    """Return the releases from which files were made, as `NAME==VERSION`."""
    lines = (line for path in folder.glob(f"*{SUFFIX}") for line in path.open(encoding="ascii"))
    found = {line.removeprefix(_RELEASE).strip() for line in lines if line.startswith(_RELEASE)}
    return sorted(release.replace(" ", "==") for release in found)


def tables_at(places: list[str]) -> list[Table]:
    """Read releases, and return the classes of each library in them that has any.

    Raises:
        NoRelease: there is none at one of the places, or the same one at two.
    """
    outlines: list[Outline] = []
    origins: defaultdict[str, set[str]] = defaultdict(set)
    for release in releases_at(places):
        for outline in outlines_in(release.path):
            outlines.append(outline)
            library = outline.name.partition(".")[0]
            origins[library].add(f"{release.name} {release.version}")
    world = World(outlines)
    tables = [tabulated(world, library, origins) for library in sorted(origins)]
    return [table for table in tables if table.kinds]


def _tell(table: Table, before: dict[str, frozenset[ClassKind]]) -> None:
    """Say how many classes a library has, and what became of those that were known before."""
    print(f"{', '.join(table.releases)}: {table.library}, {len(table.kinds):,} names", flush=True)
    for name in sorted(before.keys() | table.kinds.keys() if before else ()):
        then, now = before.get(name), table.kinds.get(name)
        if then != now:
            print(f"  {name}: {_words(then)} -> {_words(now)}")


def _words(kinds: frozenset[ClassKind] | None) -> str:
    return "not known" if kinds is None else " ".join(sorted(k.value for k in kinds)) or "nothing"


if __name__ == "__main__":
    sys.exit(main())
