"""What the command and the flake8 plugin don't need, they don't import."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ..command import DISCARDED, ROOT

pytestmark = pytest.mark.slow
_RUN = """\
import contextlib, io, json, sys
from torchdev_lint.cli import main
with contextlib.redirect_stdout(io.StringIO()):
    main(["--no-cache", "--isolated", "train.py"])
import ast
from torchdev_lint.flake8_plugin import Checker
text = open("train.py").read()
assert list(Checker(ast.parse(text), text.splitlines(True), "train.py").run())
print(json.dumps(sorted(sys.modules)))
"""
_TEXT: dict[str, Any] = {"capture_output": True, "text": True}
FORGOTTEN = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(x) + torch.zeros(3, 3)
"""
_NOT_NEEDED = {"asyncio", "attr", "fixit", "lsprotocol", "mkdocs", "pygls", "rich", "shtab",
               "importlib.metadata", "torch", "torchdev_lint.codemod", "torchdev_lint.metadata",
               "torchdev_lint.server"}  # fmt: skip
_NOT_TO_START = (
    *("difflib", "importlib.metadata", "json", "logging", "multiprocessing", "pydoc", "rich"),
    *("subprocess", "tempfile", "tomllib"),
    *(f"torchdev_lint.{name}" for name in ("catalog", "linting", "placement", "rules", "triage")),
    *(f"torchdev_lint.{name}" for name in ("cache.cache", "config.options")),
)
"""What takes long, and is of no use to whoever only wants the version, or help."""


def printed(program: str, folder: Path) -> str:
    """Return the last line that a program prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()[-1]


def test_only_what_lints_is_imported(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(DISCARDED)
    assert set(json.loads(printed(_RUN, tmp_path))) & _NOT_NEEDED == set()


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_who_asks_for_no_linting_imports_nothing_that_lints(tmp_path: Path, option: str) -> None:
    """And no module of the standard library that takes long: it is meant to be done in 0.1 s."""
    program = (
        "import contextlib, io, sys\n"
        "from torchdev_lint.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    main([{option!r}])\n"
        f"print([name for name in {_NOT_TO_START!r} if name in sys.modules])\n"
    )
    assert printed(program, tmp_path) == "[]"


def test_it_starts_without_the_slow_modules(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(DISCARDED)
    program = (
        "import sys; from torchdev_lint.cli import main; main(['a.py']); "
        "slow = ('libcst', 'multiprocessing', 'subprocess', 'flake8', 'torch'); "
        "print([m for m in slow if m in sys.modules])"
    )
    assert printed(program, tmp_path) == "[]"


def test_where_nothing_can_be_found_the_analysis_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n\nprint(torch.__version__)\n")
    program = (
        "import sys; from torchdev_lint.cli import main; main(['a.py', '--timeout', '0']); "
        "print('torchdev_lint.linter' in sys.modules, "
        "'torchdev_lint.placement.analysis' in sys.modules)"
    )
    assert printed(program, tmp_path) == "True False"


def test_a_fix_of_a_usual_call_takes_no_more_than_the_analysis(tmp_path: Path) -> None:
    """libcst alone takes longer to import than all the rest; so do others that nobody misses."""
    (tmp_path / "a.py").write_text(FORGOTTEN)
    program = (
        "import sys; from torchdev_lint.cli import main; "
        "code = main(['a.py', '--timeout', '0', '--no-cache']); "
        "slow = ('libcst', '_hashlib', 'shutil', 'traceback', 'subprocess', 'flake8'); "
        "print(code, [m for m in slow if m in sys.modules])"
    )
    assert printed(program, tmp_path) == "1 []"


def test_who_waits_for_a_file_does_not_import_what_lints_it(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\n")
    program = (
        "import sys; from torchdev_lint.cli import main; main(['a.py']); "
        "print('torchdev_lint.checking' in sys.modules)"
    )
    assert printed(program, tmp_path) == "False"


def test_it_ends_at_once_but_for_who_watches_it(tmp_path: Path) -> None:
    """What is written as a process ends is not lost: a profile, as here."""
    (tmp_path / "a.py").write_text(DISCARDED)
    command = ["-m", "torchdev_lint", "--no-cache", "a.py"]
    last = "import atexit, runpy, sys; sys.argv[0] = 'x'; atexit.register(print, 'in its own time')"
    run = f"{last}; runpy.run_module('torchdev_lint', run_name='__main__')"
    alone = subprocess.run([sys.executable, "-c", run, *command[2:]], cwd=tmp_path, **_TEXT)
    assert alone.returncode == 1
    assert "TDL001" in alone.stdout and "in its own time" not in alone.stdout
    watched = [sys.executable, "-m", "cProfile", "-o", "times", *command]
    assert "TDL001" in subprocess.run(watched, cwd=tmp_path, **_TEXT).stdout
    assert (tmp_path / "times").stat().st_size > 0
