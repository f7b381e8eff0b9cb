"""How many seeded defects the linter finds: right placements, taken away from real code.

    python -m tests.benchmark.seeded FOLDER [--per-kind N] [--seed S] [--preview] [--list FILE]

FOLDER holds repositories, one folder each, as they are when they are cloned: the `.git` in them
marks where a project begins, whose imports are followed. Nothing there is changed. Of each kind of
defect N are drawn, at most four of one repository. The file is linted as it is, then without the
placement, where it lies; a defect counts as found if there is a finding that was not there before.
Of one that is not, the other files are asked that name the function or class it is in: who lints
the repository is told there, which the last two columns count as well.
Not each of them is one that can be certain: an index may be on the CPU, so may be a tensor without
dimensions, and a model out of sight may move its own input. The figures compare with each other.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
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
from torchdev_lint.source.buffers import hold
from torchdev_lint.source.discovery import STDIN, Target
from torchdev_lint.syntax.scopes import FUNCTIONS

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
    settings, neighbours = settings_for(options.preview), Neighbours(options.folder)
    total, found, told = Counter[str](), Counter[str](), Counter[str]()
    with open(options.list or os.devnull, "w", encoding="utf-8") as log:
        for place in drawn:
            caught = is_found(options.folder, place, settings)
            if caught is not None:
                around = not caught and neighbours.tell(place, settings)
                total[place.kind] += 1
                found[place.kind] += caught
                told[place.kind] += caught or around
                result = {"found": caught, "around": around}
                log.write(json.dumps({**asdict(place), **result}) + "\n")
    for kind, count in sorted(total.items()):
        of_all = (f"{got[kind]:5} of {count:4}{got[kind] / count:8.0%}" for got in (found, told))
        print(f"{kind:12}" + "".join(of_all))


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


class Neighbours:
    """The other files of repositories, and what is found in them as they are.

    Args:
        folder: the repositories.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._before: dict[Path, Counter[tuple[str, str]] | None] = {}

    def tell(self, place: Place, settings: Settings) -> bool:
        """Return whether a defect gives a finding where its function or class is named."""
        root = self._folder / place.repository
        path = root / place.path
        text = _text_of(path)
        name = _defined_around(text, place.line)
        files = [] if name is None else [p for p in _naming(root, name) if p != path]
        for file in files:
            if file not in self._before:
                self._before[file] = _findings(_text_of(file), file, settings)
        hold({str(path.absolute()): defects_of(text)[place.index].text.encode()})
        try:
            return any(self._is_new(file, settings) for file in files)
        finally:
            hold({})

    def _is_new(self, file: Path, settings: Settings) -> bool:
        before, after = self._before[file], _findings(_text_of(file), file, settings)
        return before is not None and after is not None and bool(after - before)


def _defined_around(text: str, line: int) -> str | None:
    """The name of the function or class at the top of a file that a line is in, if it is in one."""
    for node in ast.parse(text).body:
        if isinstance(node, (ast.ClassDef, *FUNCTIONS)):
            if node.lineno <= line <= (node.end_lineno or 0):
                return node.name
    return None


def _naming(root: Path, name: str) -> Iterator[Path]:
    """Yield the files of a repository in which a name stands."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    for path in sorted(root.rglob("*.py")):
        try:
            if path.is_file() and word.search(_text_of(path)):
                yield path
        except (OSError, ValueError):
            continue  # not to be read


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
