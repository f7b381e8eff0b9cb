"""Running the command in this process, in a folder with findings, a warning and problems."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.command import Result
from torchdev_lint.cli import main

Run: TypeAlias = Callable[..., Result]

NET = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor):
        größe = torch.zeros(4)
        return x.relu() + größe
"""
"""A program with a warning: TDL002 in line 7, column 17, which meets the accelerator in line 8."""

MOVED = "import torch\n\nimages = torch.randn(8, 3)\nimages.to('cuda'); images.to('cuda')\n"
"""A program with two errors that look alike: TDL001 in line 4."""

BROKEN = "import torch\nx = = 1\n"
OPTIONS = ("--timeout", "0", "--no-cache", "--isolated")
"""What keeps a run in this process, and out of others' way."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "net.py").write_text(NET, encoding="utf-8")
    (tmp_path / "moved.py").write_text(MOVED)
    (tmp_path / "broken.py").write_text(BROKEN)
    (tmp_path / "clean.py").write_text("import torch\n")
    for name in ("NO_COLOR", "FORCE_COLOR", "FORCE_HYPERLINK", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command, in the folder."""

    def run(*arguments: str) -> Result:
        try:
            code = main([*OPTIONS, *arguments])
        except SystemExit as end:
            assert isinstance(end.code, int)
            code = end.code
        return Result(code, *capsys.readouterr())

    return run
