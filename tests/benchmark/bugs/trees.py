"""Repositories as they stood at a commit, from copies of their histories."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

_WANTED = (":(glob)**/*.py", ":(glob)pyproject.toml", ":(glob)setup.cfg", ":(glob)setup.py")
"""What a linter may read in a project."""


def tree(mirror: Path, out: Path, repository: str, commit: str) -> Path | None:
    """Write out a repository's Python files at a commit, unless they are there already.

    Args:
        mirror: a folder with the histories, one folder `OWNER+NAME` each.
        out: where the trees go, one folder for each repository and commit.

    Returns:
        The tree's folder; None if the history or the commit is not at hand.
    """
    name = repository.replace("/", "+", 1)
    target = out / f"{name}@{commit[:12]}"
    complete = target.with_name(f"{target.name}.complete")
    if complete.exists():
        return target
    history = _history(mirror / name)
    archive = None if history is None else _archive(history, commit)
    if archive is None:
        return None
    target.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(archive)) as members:
        plain = [member for member in members if member.isfile() or member.isdir()]
        members.extractall(target, members=plain, filter="data")
    (target / ".git").mkdir(exist_ok=True)  # a checkout has one, by which a project's root is known
    complete.touch()
    return target


def _history(folder: Path) -> Path | None:
    """Return a clone's git directory: `OWNER+NAME` itself or its `repo`, bare or not."""
    clones = (folder / "repo", folder)
    candidates = (directory for clone in clones for directory in (clone / ".git", clone))
    return next((found for found in candidates if (found / "objects").is_dir()), None)


def _archive(history: Path, commit: str) -> bytes | None:
    """Return what is wanted of a commit, as an archive; None if the commit isn't there."""
    git = ["git", "--git-dir", str(history)]
    listed = subprocess.run(
        [*git, "ls-tree", "--name-only", commit], capture_output=True, text=True, check=False
    )
    if listed.returncode:
        return None
    there = set(listed.stdout.splitlines())
    wanted = [one for one in _WANTED if "*" in one or one.removeprefix(":(glob)") in there]
    done = subprocess.run(
        [*git, "archive", commit, "--", *wanted], capture_output=True, check=False
    )
    return None if done.returncode else done.stdout
