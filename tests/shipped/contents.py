"""What a release contains, to the file."""

from __future__ import annotations

import subprocess
import tarfile
import zipfile
from pathlib import Path

from tests.command import ROOT

PACKAGE = "torchdev_lint"
NOT_IN_SDISTS = (".ci/", ".pre-commit-config.yaml")
"""What is about the repository: everything else that it tracks is part of a source release."""


def files_of_the_package() -> set[str]:
    """Return the files of the package, by their paths from the root of the checkout."""
    found = (path for path in (ROOT / PACKAGE).rglob("*") if path.is_file())
    return {path.relative_to(ROOT).as_posix() for path in found if "__pycache__" not in path.parts}


def tracked_files() -> set[str]:
    """Return what git tracks in the checkout."""
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True
    )
    return set(filter(None, listing.stdout.split("\0")))


def wrong_in_wheel(wheel: Path) -> list[str]:
    """Say what a wheel lacks or should not have: it holds the package and what describes it."""
    names = set(zipfile.ZipFile(wheel).namelist())
    described = {name for name in names if name.split("/")[0].endswith(".dist-info")}
    return differences(wheel.name, names - described, files_of_the_package())


def wrong_in_sdist(sdist: Path) -> list[str]:
    """Say what a source release lacks or should not have: it holds what git tracks."""
    with tarfile.open(sdist) as archive:
        files = {member.name.partition("/")[2] for member in archive if not member.isdir()}
    wanted = {name for name in tracked_files() if not name.startswith(NOT_IN_SDISTS)}
    return differences(sdist.name, files - {"PKG-INFO"}, wanted)


def differences(where: str, there: set[str], wanted: set[str]) -> list[str]:
    """Say what is missing and what is there without being wanted."""
    missing = [f"{where}: {name} is missing" for name in sorted(wanted - there)]
    return missing + [f"{where}: {name} should not be there" for name in sorted(there - wanted)]
