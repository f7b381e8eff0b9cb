"""What changed in a repository since a revision, by lines, as git says it."""

from __future__ import annotations

import ast
import contextlib
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence

from torchdev_lint.config.problem import SettingsProblem
from torchdev_lint.records import dataclass

_HUNK = re.compile(rb"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ADDED_TO = b"+++ "
_GIT = ("git", "-c", "core.fsmonitor=false")
"""What is run: without the program that a repository may have git ask what has changed."""


@dataclass(frozen=True, slots=True)
class Changes:
    """The lines that are other ones than before.

    Args:
        lines: by file, as a path from the root of the file system without links, the changed lines
            as ranges of numbers.
        new: files that git doesn't know yet, by such paths.
    """

    lines: Mapping[str, Sequence[range]]
    new: frozenset[str] = frozenset()

    def has(self, path: str) -> bool:
        """Whether a file has a changed line."""
        path = os.path.realpath(path)
        return path in self.new or path in self.lines

    def touch(self, path: str, lines: Iterable[int]) -> bool:
        """Whether one of some lines of a file is changed."""
        path = os.path.realpath(path)
        changed = self.lines.get(path, ())
        return path in self.new or any(line in stretch for line in lines for stretch in changed)


def changes_since(revision: str) -> Changes:
    """Ask git what changed in the repository around the current folder.

    That is since the current branch left the revision, with what is not committed, and files that
    git doesn't know.

    Args:
        revision: what the user calls it.

    Raises:
        SettingsProblem: git can't say.
    """
    root = os.fsdecode(_git("rev-parse", "--show-toplevel").removesuffix(b"\n"))
    try:
        commit = _git("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    except SettingsProblem:
        raise SettingsProblem(f"--since: git knows no revision {revision}") from None
    base = os.fsdecode(commit.strip())
    with contextlib.suppress(SettingsProblem):  # they have nothing in common, or there is no HEAD
        base = os.fsdecode(_git("merge-base", base, "HEAD").strip())
    patch = _git(
        *("-C", root, "diff", "--unified=0", "--text", "--no-color", "--no-ext-diff"),
        *("--no-textconv", "--no-relative", "--ignore-submodules", "--find-renames"),
        *("--src-prefix=a/", "--dst-prefix=b/", base, "--"),
    )
    unknown = _git("-C", root, "ls-files", "--others", "--exclude-standard", "-z")
    names = [os.fsdecode(name) for name in unknown.split(b"\0") if name]
    return Changes(
        {_real(root, name): ranges for name, ranges in _added(patch)},
        frozenset(_real(root, name) for name in names),
    )


def _real(root: str, name: str) -> str:
    return os.path.realpath(os.path.join(root, name))


def _git(*arguments: str) -> bytes:
    """Run git, and return what it writes.

    Raises:
        SettingsProblem: it can't be run, or complains.
    """
    try:
        done = subprocess.run([*_GIT, *arguments], capture_output=True, check=False)
    except OSError as error:
        raise SettingsProblem(f"--since: git can't be run: {error.strerror}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").splitlines()
        why = said[0].removeprefix("fatal: ") if said else f"exit code {done.returncode}"
        raise SettingsProblem(f"--since: git says: {why}")
    return done.stdout


def _added(patch: bytes) -> Iterator[tuple[str, list[range]]]:
    """Yield the files of a patch without context, with the lines that are new in each."""
    name, ranges, skipped = "", list[range](), 0
    for line in patch.split(b"\n"):
        if skipped and line[:1] in b"+-":
            skipped -= 1
        elif line.startswith(_ADDED_TO):
            if ranges:
                yield name, ranges
            name, ranges = _unquoted(line.removeprefix(_ADDED_TO)), []
        elif hunk := _HUNK.match(line):
            gone, first, come = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
            skipped = gone + come
            ranges += [range(first, first + come)] if come else []
    if ranges:
        yield name, ranges


def _unquoted(name: bytes) -> str:
    """Return a path of a patch: without the mark of its side, and without what git quotes it by."""
    if name.startswith(b'"'):  # as C writes it, which Python reads
        literal: bytes = ast.literal_eval(f"b{name.decode('ascii')}")
        name = literal
    return os.fsdecode(name.removesuffix(b"\t").removeprefix(b"b/"))
