"""Compare what is ignored in trees made at random with what git says: `--help` tells how.

    python -m tests.source.random_trees [--trees 1000] [--seed 0]

Prints how many paths there were, and every one of which git says something else.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from torchdev_lint.source.discovery import discover

NAMES = [
    "a",
    "b",
    "ab",
    "abc",
    "a.b",
    "A",
    "x-1",
    "[a]",
    "a b",
    "é",
    "a*",
    "!a",
    "#a",
    "-",
    "]",
    "^",
]
PIECES = [
    *NAMES, "*", "**", "?", "a*", "*a", "*b*", "a**", "**b", "a?c", "***", "*.*", "*a*b*c*",
    "[ab]", "[!a]", "[^ab]*", "[a-c]", "[]a]", "[]-a]", "[!]a]", "[[:alpha:]]", "[[:nothing:]]",
    "[[:digit:][:upper:]]*", "[[:alpha]", "[a-", "[", "[a", "[z-a]", "[a/b]", "[--a]", "[\\]a]",
    "[\\a-c]",
    "\\a", "\\*", "\\", "\\#a", "\\!a", "a\\ ", "\\[a]", "a\\", "{a,b}", "é*", "[é]", ".", "..",
]  # fmt: skip
COMMON = [*NAMES, "*", "a*", "*a*", "**", "[a-c]*", "?", "x*"]
ENDS = ["", "", "", "", "", "/", "/", "//", " ", "  ", "\t", "\\ ", "/ ", "/*", "/**", "/**/", "**"]
STARTS = ["", "", "", "", "", "!", "!", "/", "/", "!/", "**/", "#", " ", "//", "./"]
FILE = ".py"
CONFIGURATION = ".gitconfig"


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a tree compares.

    Args:
        paths: how many files it has.
        ignored: how many of these git ignores.
        patterns: what the files hold that name what is ignored.
        differing: of which files git says something else.
    """

    paths: int
    ignored: int
    patterns: dict[str, bytes]
    differing: list[str]


def compare(chance: random.Random) -> Comparison:
    """Make a tree, and compare what is found in it with what git doesn't ignore."""
    root = Path(tempfile.mkdtemp())
    try:
        patterns = _make(root, chance)
        files = sorted(_files(root))
        with _alone(root):
            found = {os.path.normpath(target.path) for target in discover(["."])[0]}
            ignored = _ignored(files)
        differing = [file for file in files if (file in found) == (file in ignored)]
        return Comparison(len(files), len(ignored), patterns, differing)
    finally:
        shutil.rmtree(root)


def _make(root: Path, chance: random.Random) -> dict[str, bytes]:
    folders = [root]
    for _ in range(chance.randint(1, 8)):
        folder = chance.choice(folders) / chance.choice(NAMES)
        folder.mkdir(exist_ok=True)
        folders.append(folder)
    for folder in folders:
        for name in chance.sample(NAMES, chance.randint(0, 5)):
            path = folder / chance.choice([f"{name}{FILE}", f"{name}{FILE}", f"x{name}{FILE}"])
            path.touch()
    patterns: dict[str, bytes] = {}
    subprocess.run(["git", "init", "-q", "--template="], cwd=root, check=True)
    (root / ".git" / "info").mkdir()
    (root / "git").mkdir()
    said = chance.choice(["", "[core]\n\texcludesFile = ~/their patterns\n"])
    (root / CONFIGURATION).write_text(said)
    places = [folder / ".gitignore" for folder in (root, *chance.choices(folders, k=2))]
    more = [root / ".git/info/exclude", root / ("their patterns" if said else "git/ignore")]
    # In this order, so that a seed always makes the same tree.
    for path in dict.fromkeys([*places, *chance.sample(more, chance.randint(0, 2))]):
        newline = chance.choice(["\n", "\n", "\n", "\r\n"])
        text = newline.join(_pattern(chance) for _ in range(chance.randint(1, 6)))
        text += chance.choice(["", newline])
        data = chance.choice([b"", b"", b"\xef\xbb\xbf"]) + text.encode()
        path.write_bytes(data)
        patterns[str(path.relative_to(root))] = data
    return patterns


def _pattern(chance: random.Random) -> str:
    pieces = chance.choice([COMMON, PIECES])
    middle = "/".join(
        "".join(chance.choices(pieces, k=chance.choice([1, 1, 1, 2])))
        for _ in range(chance.choice([1, 1, 1, 2, 2, 3]))
    )
    ending = chance.choice([FILE, FILE, "", "", ".*", "*"])
    return chance.choice(STARTS) + middle + ending + chance.choice(ENDS)


def _files(root: Path) -> Iterator[str]:
    for path in root.rglob(f"*{FILE}"):
        if path.is_file():
            yield str(path.relative_to(root))


@contextlib.contextmanager
def _alone(root: Path) -> Iterator[None]:
    """Be in a folder, as somebody of whom git knows nothing but what is in that folder."""
    before, here = dict(os.environ), os.getcwd()
    own = {"GIT_CONFIG_GLOBAL": str(root / CONFIGURATION), "GIT_CONFIG_SYSTEM": os.devnull}
    os.environ.update({**own, "HOME": str(root), "XDG_CONFIG_HOME": str(root)})
    os.chdir(root)
    try:
        yield
    finally:
        os.chdir(here)
        os.environ.clear()
        os.environ.update(before)


def _ignored(files: list[str]) -> set[str]:
    done = subprocess.run(
        ["git", "check-ignore", "-z", "--stdin"],
        input="\0".join(files).encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return set(done.stdout.decode().split("\0")) - {""}


def main() -> int:
    """Compare many trees."""
    parser = argparse.ArgumentParser(prog="python -m tests.source.random_trees")
    parser.add_argument("--trees", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    paths = ignored = differing = 0
    for number in range(options.trees):
        result = compare(random.Random(f"{options.seed}:{number}"))
        paths += result.paths
        ignored += result.ignored
        differing += len(result.differing)
        if result.differing:
            print(number, result.differing, result.patterns)
    share = 100 * (1 - differing / paths) if paths else 100
    print(f"{options.trees} trees, {paths} files, {ignored} ignored, {differing} differ: "
          f"{share:.3f} % agree")  # fmt: skip
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
