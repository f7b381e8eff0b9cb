"""Projects for the tests of the cache, and what is done with them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.command import ROOT, Result, lint
from torchdev_lint.cache import store

MAIN = """\
import torch
from torch import nn

from helper import make


class Net(nn.Module):
    def forward(self, x):
        return x + make(3)
"""
"""A program with a finding if `make` makes a tensor on the CPU: TDL002 in line 9, column 20."""

MAKES_ON_CPU = "import torch\n\n\ndef make(n):\n    return torch.ones(n) + 1\n"
MAKES_A_NUMBER = "def make(n):\n    return n + 1.0\n"

HERE = {"TORCHDEV_LINT_CACHE_DIR": ""}
"""Has results kept where they are by default: in the root of the project."""
CACHE = ".torchdev_lint_cache"

FINDS_OUT = {"rules", "fixes", "placement", "triage", "proof", "linter", "checking"}
"""The rooms that nobody enters where there is nothing to be found out."""
_IMPORTED = """\
import sys
from torchdev_lint.cli import main

main(sys.argv[1:])
sys.stdout.flush()
print()
print(*sorted(sys.modules))
"""


def project_in(folder: Path, files: dict[str, str] | None = None) -> Path:
    """Write a project: the one with a finding, if nothing else is wanted."""
    files = {"main.py": MAIN, "helper.py": MAKES_ON_CPU} if files is None else files
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pyproject.toml").touch()
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def run(folder: Path, *arguments: str, stdin: bytes = b"") -> Result:
    """Lint a project, with results kept where they are by default."""
    return lint(*(arguments or (".",)), cwd=folder, env=HERE, stdin=stdin)


def entries(folder: Path) -> list[Path]:
    """The entries about files in the cache of a project."""
    return [path for path in cached(folder) if len(path.stem) == 32]


def entry_about(name: str, folder: Path) -> Path:
    """The entry about one file of a project."""
    (entry,) = [path for path in entries(folder) if read_entry(path)["path"] == name]
    return entry


def read_entry(path: Path) -> dict[str, object]:
    """What an entry holds."""
    value = store.read(str(path))
    assert isinstance(value, dict)
    return value


def cached(folder: Path) -> list[Path]:
    """All files in the cache of a project that hold something."""
    return sorted((folder / CACHE).glob("v*/*.json"))


def forge(entry: Path, old: str, new: str) -> None:
    """Change a text in an entry, so that nobody can tell."""
    text = json.dumps(store.read(str(entry)))
    store.write(str(entry), json.loads(text.replace(old, new)))


def finds_out(folder: Path, *arguments: str, stdin: bytes = b"") -> bool:
    """Whether something has to be found out when a project is linted."""
    done = subprocess.run(
        [sys.executable, "-c", _IMPORTED, *(arguments or (".",))],
        cwd=folder,
        input=stdin,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), **HERE},
        timeout=60,
        check=True,
    )
    modules = done.stdout.decode().splitlines()[-1].split()
    rooms = {name.split(".")[1] for name in modules if name.startswith("torchdev_lint.")}
    return "libcst" in modules or not rooms.isdisjoint(FINDS_OUT)
