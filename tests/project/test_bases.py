"""What constructors of base classes in other files keep for the heirs in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.project.test_imports import findings, write

BASE = """\
import torch
from torch import nn

class Base(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.head = nn.Linear(width, width)
        self.table = torch.zeros(4, width)
"""
MAIN = """\
import torch
from base import Base

class Net(Base):
    def forward(self, x):
        return self.head(x) + self.table
"""
OVER_TWO_FILES = "from base import Base as Above\n\nclass Base(Above):\n    pass\n"
HEIR_WITH_A_CONSTRUCTOR = MAIN.replace(
    "    def forward",
    "    def __init__(self, width):\n        super().__init__(width)\n        self.width = 1\n\n"
    "    def forward",
)
BUILT_BY_A_METHOD = (
    BASE.replace("self.table = torch.zeros(4, width)", "self._build(width)")
    + "\n    def _build(self, width):\n        self.table = torch.zeros(4, width)\n"
)


@pytest.mark.parametrize(
    "files",
    [
        {"base.py": BASE, "main.py": MAIN},
        {"base.py": BASE, "main.py": HEIR_WITH_A_CONSTRUCTOR},
        {"base.py": BUILT_BY_A_METHOD, "main.py": MAIN},
        {"base.py": BASE, "mid.py": OVER_TWO_FILES, "main.py": MAIN.replace("base", "mid")},
        {"base.py": BASE, "main.py": MAIN.replace("from base import Base", "import base").replace(
            "(Base)", "(base.Base)")},
        {"base.py": "import main\n" + BASE, "main.py": MAIN},  # a circle
    ],
    ids=["inherited", "called", "method", "two files", "member", "circle"],
)  # fmt: skip
def test_it_is_told_where_the_heir_uses_it(files: dict[str, str], tmp_path: Path) -> None:
    write(tmp_path, files)
    (found,) = findings(tmp_path)
    line = files["main.py"].splitlines()[found.span.line - 1]
    assert (found.code, line.strip()) == ("TDL006", "return self.head(x) + self.table")
    assert any((related.path or "").endswith("base.py") for related in found.related)


TAKEN_ALONG = (
    BASE + "\n    def _apply(self, fn):\n        self.table = fn(self.table)\n"
    "        return super()._apply(fn)\n"
)
MOVED_BY_A_METHOD = (
    BASE + "\n    def prepare(self, x):\n        self.table = self.table.to(x.device)\n"
)


@pytest.mark.parametrize(
    "base",
    [
        BASE + "\ndef (",
        BASE.replace("torch.zeros(4, width)", "nn.Parameter(torch.zeros(4, width))"),
        BASE.replace("torch.zeros(4, width)", "torch.tensor(2.0)"),
        BASE.replace("width):", 'width, device="cpu"):').replace("4, width)", "4, device=device)"),
        TAKEN_ALONG,
        MOVED_BY_A_METHOD,
    ],
    ids=["unreadable", "parameter", "number", "device", "taken along", "moved"],
)
def test_what_may_be_where_the_model_is_is_not_told(base: str, tmp_path: Path) -> None:
    write(tmp_path, {"base.py": base, "main.py": MAIN})
    assert findings(tmp_path) == []


def test_class_that_a_function_makes_is_out_of_sight(tmp_path: Path) -> None:
    made = "\n".join("    " + line if line else "" for line in BASE.splitlines()[2:])
    base = f"import torch\nfrom torch import nn\n\ndef make():\n{made}\n    return Base\n"
    write(tmp_path, {"base.py": base, "main.py": MAIN.replace("import Base", "import make").replace(
        "(Base)", "(make())")})  # fmt: skip
    assert findings(tmp_path) == []


@pytest.mark.parametrize("imported", ["from main import Net", "from base import Base"])
def test_what_a_third_file_sets_is_not_told(imported: str, tmp_path: Path) -> None:
    third = f"{imported}\n\ndef run(net, device):\n    net.table = net.table.to(device)\n"
    write(tmp_path, {"base.py": BASE, "main.py": MAIN, "train.py": third})
    assert findings(tmp_path) == []


def test_what_a_third_file_sets_of_a_class_in_the_file_is_not_told(tmp_path: Path) -> None:
    net = BASE + "\n    def forward(self, x):\n        return self.head(x) + self.table\n"
    third = "from main import Base\nnet = Base(4)\nnet.to(0)\nnet.table = net.table.to(0)\n"
    write(tmp_path, {"main.py": net})
    assert [found.code for found in findings(tmp_path)] == ["TDL006"]
    write(tmp_path, {"train.py": third})
    assert findings(tmp_path) == []
