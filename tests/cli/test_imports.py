"""What lies in the folder that is linted is read, and never run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import DISCARDED, ROOT

pytestmark = pytest.mark.slow

SHADOWED = """
    argparse ast bisect codecs collections contextlib copy dataclasses difflib enum functools
    heapq inspect io json keyword libcst linecache locale multiprocessing opcode operator os
    pickle queue random re runpy selectors shutil signal site sitecustomize socket
    stat string struct subprocess sys tempfile textwrap threading token tokenize traceback types
    typing typing_extensions unicodedata warnings weakref yaml zipimport
""".split()
"""Modules that a linter may import sooner or later, and Python as it starts."""

TRAP = """\
with open({mark!r}, "a") as file:
    file.write(__file__ + chr(10))

import torch

images = torch.randn(8, 3)
images.to("cuda")
"""
"""Code with a finding that leaves a mark where it is run."""

START = """\
import multiprocessing
import sys

if len(sys.orig_argv) < 2 or "start_worker" not in sys.orig_argv[1]:
    multiprocessing.set_start_method({method!r})
    if {method!r} != "fork":
        import threading
        threading.Thread(target=threading.Event().wait, daemon=True).start()
"""
"""What Python runs as it starts; with a thread around, processes start in new interpreters."""

SCRIPT = "import sys\nfrom torchdev_lint.__main__ import main\nsys.exit(main())\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder full of traps, and some in a package below."""
    linted = tmp_path / "linted"
    (linted / "sub").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    for name in SHADOWED:
        for place in (linted, linted / "sub"):
            (place / f"{name}.py").write_text(TRAP.format(mark=str(tmp_path / "sprung")))
    (linted / ".gitignore").write_text("nothing\n")
    return linted


def spare_what_python_imports(folder: Path) -> None:
    """Remove the traps for what Python itself looks for there, at `-m`, before it runs anything."""
    (folder.parent / "bare.py").write_text("import sys\nprint(*sys.modules)\n")
    command = [sys.executable, "-m", "bare"]
    done = subprocess.run(command, cwd=folder.parent, capture_output=True, text=True, check=True)
    for name in set(SHADOWED) & set(done.stdout.split()):
        (folder / f"{name}.py").unlink()
    assert len(list(folder.glob("*.py"))) >= 25


def sprung(folder: Path) -> list[str]:
    path = folder.parent / "sprung"
    return path.read_text().splitlines() if path.exists() else []


def run(
    folder: Path, how: str, *arguments: str, path: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run the command in a folder, as the console script or as a module."""
    script = folder.parent / "bin" / "torchdev-lint"
    script.write_text(SCRIPT)
    command = [str(script)] if how == "script" else ["-m", "torchdev_lint"]
    folders = [str(ROOT), str(folder.parent / "bin"), *([path] if path else [])]
    return subprocess.run(
        [sys.executable, *command, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("how", ["script", "module"])
def test_nothing_is_imported_from_there(folder: Path, how: str, method: str) -> None:
    start = folder.parent / "bin" / "sitecustomize.py"
    start.write_text(START.format(method=method))
    if how == "module":
        spare_what_python_imports(folder)
    done = run(folder, how, "--jobs", "3", "--diff", ".")
    assert (done.returncode, "Error" in done.stderr) == (1, False), done.stderr
    assert "argparse.py" in done.stdout
    assert sprung(folder) == []


def test_nor_by_what_is_imported_late(folder: Path) -> None:
    done = run(folder, "script", "--output-format", "json", "--unsafe-fixes", "--show-fixes", "sub")
    assert (done.returncode, done.stderr) == (1, "")
    assert sprung(folder) == []


@pytest.mark.parametrize(("how", "number"), [("script", "1"), ("module", "2")])
def test_an_empty_entry_of_the_path_is_not_meant(folder: Path, how: str, number: str) -> None:
    """`PYTHONPATH=$PYTHONPATH:/some/where` makes one, and Python takes it for where it is."""
    spare_what_python_imports(folder)
    (folder / "sitecustomize.py").unlink()  # that one Python looks for as well
    separator = os.pathsep
    done = run(folder, how, "--jobs", number, "--fix", ".", path=f"{separator}/nowhere")
    assert done.returncode == 0
    assert sprung(folder) == []


def test_what_the_path_names_is_used(folder: Path) -> None:
    """Somebody may keep the libraries that are needed in a folder of their own."""
    helper = folder / "mine"
    helper.mkdir()
    (helper / "flake8.py").write_text("raise ImportError('mine is used')\n")
    (folder / "asks_flake8.py").write_text(f"{DISCARDED}# noqa: E501\n")
    spare_what_python_imports(folder)
    done = run(folder, "module", ".", path=f"{helper}")
    assert "mine is used" in done.stderr
