"""Files that import what the project's modules don't have."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_imports import lines, write

NET = """
import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        return x + torch.zeros(3)
"""
FOUND = [("TDL002", 7)]


@pytest.mark.parametrize(
    ("imported", "files"),
    [
        ("from parts import Old", {"parts.py": "class New: ...\n"}),
        ("from .parts import Old", {"__init__.py": "", "parts.py": "New = 1\n"}),
        ("from inner.parts import New, Old", {"inner/parts.py": "def New(): return Old\n"}),
        ("import sys; sys.path\nfrom .parts import Old", {"parts.py": ""}),
        ("from parts import Old as Older\nOlder()", {"parts/__init__.py": "from . import new"}),
        ("from parts import Old\nclass Newer(Old): ...", {"parts/__init__.py": ""}),
        (
            "from parts import Old\nOld()",
            {"parts/__init__.py": "from .new import *\n", "parts/new.py": "class New: ...\n"},
        ),
    ],
)
def test_nothing_is_found_in_what_raises(
    tmp_path: Path, imported: str, files: dict[str, str]
) -> None:
    write(tmp_path, {**files, "main.py": NET + imported + "\n"})
    assert lines(tmp_path) == []


@pytest.mark.parametrize(
    ("imported", "files"),
    [
        ("from parts import Old", {"parts.py": "try:\n    Old = 1\nfinally:\n    pass\n"}),
        ("from parts import Old", {"parts.py": "def make():\n    global Old\n    Old = 1\n"}),
        ("from parts import Old", {"parts.py": "from elsewhere import *\n"}),
        ("from parts import Old", {"parts.py": "globals()['Old'] = 1\n"}),
        ("from parts import Old", {"parts.py": "def __getattr__(name): ...\n"}),
        ("from parts import Old", {"parts/__init__.py": ""}),  # compiled, or generated
        ("from parts import Old\nOld.new()", {"parts/__init__.py": ""}),
        ("from parts import Old\nOld()", {"parts/__init__.py": "from .new import *\n"}),
        ("from parts import Old\nOld()", {"parts/__init__.py": "Old = 1\n"}),
        (
            "from parts import Old\nOld()",
            {"parts/__init__.py": "from .new import *\n", "parts/new.py": "class Old: ...\n"},
        ),
        (
            "from parts import Old\nOld()",
            {"parts/__init__.py": "from .new import *\n", "parts/new.py": "from . import *\n"},
        ),
        ("from parts import *", {"parts.py": ""}),
        ("from parts import Old", {"parts.py": "(", "inner/parts.py": ""}),
        ("import sys; sys.path\nfrom parts import Old", {"parts.py": ""}),
        ("if input():\n    from parts import Old", {"parts.py": ""}),
        ("try:\n    from parts import Old\nexcept ImportError: pass", {"parts.py": ""}),
        ("def later():\n    from parts import Old", {"parts.py": ""}),
    ],
)
def test_what_may_be_there_is_imported(
    tmp_path: Path, imported: str, files: dict[str, str]
) -> None:
    write(tmp_path, {**files, "main.py": NET + imported + "\n"})
    assert lines(tmp_path) == FOUND


def test_any_module_of_that_name_may_be_meant(tmp_path: Path) -> None:
    """A script in the root imports the package's file, and what lies beside itself with it."""
    files = {"inner/__init__.py": "", "inner/parts.py": "", "inner/main.py": NET}
    files["inner/main.py"] += "from parts import Old\n"
    write(tmp_path, files)
    assert lines(tmp_path / "inner") == []
    write(tmp_path, {"setup.py": "", "parts.py": "Old = 1\n"})
    assert lines(tmp_path / "inner") == FOUND


def test_a_package_is_meant_that_has_some_of_what_is_imported(tmp_path: Path) -> None:
    """What a script in a folder imports is a library's, or the package beside that folder."""
    script = NET + "from parts import Old\nOld()\n"
    write(tmp_path, {"setup.py": "", "parts/__init__.py": "New = 1\n", "tools/main.py": script})
    assert lines(tmp_path / "tools") == FOUND
    write(tmp_path, {"tools/main.py": script.replace("import Old", "import New, Old")})
    assert lines(tmp_path / "tools") == []


def test_what_lies_beside_a_part_of_a_package_is_not_imported_by_its_name(tmp_path: Path) -> None:
    """It imports others by the package's name: `parts` without that is what is installed."""
    files = {"inner/__init__.py": "", "inner/parts.py": "", "inner/other.py": "New = 1\n"}
    files["inner/main.py"] = NET + "from parts import Old\nfrom inner.other import New\n"
    write(tmp_path, files)
    assert lines(tmp_path / "inner") == [("TDL002", 7)]
