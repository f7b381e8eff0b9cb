"""Made again from the same releases, the files are the same."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from torchdev_lint.catalog.classes import SUFFIX

from .__main__ import FOLDER, recorded, tables_at
from .table import dumped

pytestmark = pytest.mark.slow

ALONE = ("einops", "pytorch_msssim", "rotary_embedding_torch")
"""Small libraries that rest on no other one."""


@pytest.mark.parametrize("library", ALONE)
def test_made_again(library: str, tmp_path: Path) -> None:
    name = library.replace("_", "-")
    (pinned,) = (each for each in recorded(FOLDER) if each.startswith(f"{name}=="))
    command = ["pip", "download", "--no-deps", "--only-binary=:all:", f"--dest={tmp_path}", pinned]
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("there is no package index within reach")
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / wheel.stem)
    (table,) = tables_at([str(tmp_path / wheel.stem)])
    assert dumped(table) == (FOLDER / (library + SUFFIX)).read_text("ascii")
