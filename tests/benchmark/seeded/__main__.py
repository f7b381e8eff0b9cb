"""How many seeded defects the linter finds: right placements, taken away from real code.

    python -m tests.benchmark.seeded FOLDER [--per-kind N] [--seed S] [--preview] [--list FILE]

FOLDER holds repositories, one folder each, as they are when they are cloned: the `.git` in them
marks where a project begins, whose imports are followed. Nothing there is changed. Of each kind of
defect N are drawn, at most four of one repository. The file is linted as it is, then without the
placement, where it lies; a defect counts as found if there is a finding that was not there before.
Not each of them is one that can be certain: an index may be on the CPU, so may be a tensor without
dimensions, and a model out of sight may move its own input. The figures compare with each other.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.benchmark.seeded.defects import Defect, defects_of
from torchdev_lint.checking import check_file
from torchdev_lint.config.configurations import Configurations
from torchdev_lint.config.options import Options
from torchdev_lint.config.reading import Level
from torchdev_lint.config.settings import Settings
from torchdev_lint.report import ONLY_LINT, StandardInput, Task
from torchdev_lint.rules import ALL_RULES
from torchdev_lint.source.discovery import STDIN, Target

_MOST_OF_ONE = 4
"""How many defects of a kind are taken from one repository."""
_LONGEST = 300_000
"""How many characters a file may have."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a defect can be made.

    Args:
        repository: the folder's name.
        path: the file's path in it.
        index: which one of the file's defects it is.
    """

    kind: str
    repository: str
    path: str
    line: int
    index: int


def main() -> None:
    """Draw the defects, look for each, and print how many were found."""
    options = _options()
    drawn = draw(options.folder, options.per_kind, random.Random(options.seed))
    total, found = Counter[str](), Counter[str]()
    with open(options.list or os.devnull, "w", encoding="utf-8") as log:
        for place in drawn:
            caught = is_found(options.folder, place, settings_for(options.preview))
            if caught is not None:
                total[place.kind] += 1
                found[place.kind] += caught
                log.write(json.dumps({**asdict(place), "found": caught}) + "\n")
    for kind in sorted(total):
        print(f"{kind:12}{found[kind]:5} of {total[kind]:4}{found[kind] / total[kind]:8.0%}")


def draw(folder: Path, count: int, chance: random.Random) -> list[Place]:
    """Draw defects of each kind, of as many repositories as there are.

    Args:
        folder: the repositories.
        count: how many of a kind.
    """
    by_kind: dict[str, dict[str, list[Place]]] = defaultdict(lambda: defaultdict(list))
    for repository in sorted(path for path in folder.iterdir() if path.is_dir()):
        for place in _places_in(repository):
            by_kind[place.kind][place.repository].append(place)
    drawn: list[Place] = []
    for _, by_repository in sorted(by_kind.items()):
        pool: list[Place] = []
        for places in by_repository.values():
            pool += chance.sample(places, min(len(places), _MOST_OF_ONE))
        chance.shuffle(pool)
        drawn += pool[:count]
    return drawn


def is_found(folder: Path, place: Place, settings: Settings) -> bool | None:
    """Make a defect, and return whether it gives a finding; None if the file can't be linted."""
    path = folder / place.repository / place.path
    text = _text_of(path)
    before = _findings(text, path, settings)
    after = _findings(defects_of(text)[place.index].text, path, settings)
    return None if before is None or after is None else bool(after - before)


def settings_for(preview: bool) -> Settings:
    """Return what holds for all files: what users have who set nothing, or `preview` alone."""
    level = Level(Options(preview=preview), os.getcwd())
    return Configurations((level,), isolated=True).settings_of(os.path.abspath("any"), ALL_RULES)


def _findings(text: str, path: Path, settings: Settings) -> Counter[tuple[str, str]] | None:
    """What is found in a text that stands for a file, None if that can't be linted."""
    given = StandardInput(text.encode(), str(path.absolute()))
    report = check_file(Task(Target(STDIN, named=True), settings), given, ONLY_LINT)
    if report.problem is not None:
        return None
    return Counter((finding.code, finding.message) for finding in report.findings)


def _places_in(repository: Path) -> Iterator[Place]:
    """Yield where a repository has something that can be taken away."""
    for path in sorted(repository.rglob("*.py")):
        if path.is_symlink() or not path.is_file():
            continue
        for index, defect in enumerate(_defects_in(path)):
            relative = path.relative_to(repository).as_posix()
            yield Place(defect.kind, repository.name, relative, defect.line, index)


def _defects_in(path: Path) -> list[Defect]:
    try:
        text = _text_of(path)
        return defects_of(text) if "torch" in text and len(text) <= _LONGEST else []
    except (OSError, RecursionError, SyntaxError, ValueError):
        return []  # no Python of today, or not to be read


def _text_of(path: Path) -> str:
    """A file's text; lines end as Python's parser has them end."""
    return path.read_text(encoding="utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, help="the repositories")
    parser.add_argument("--per-kind", type=int, default=60, help="how many of a kind")
    parser.add_argument("--seed", type=int, default=1, help="what the drawing begins with")
    parser.add_argument("--preview", action="store_true", help="also rules that are tried out")
    parser.add_argument("--list", help="a file for what was drawn, a line of JSON each")
    return parser.parse_args()


if __name__ == "__main__":
    main()
