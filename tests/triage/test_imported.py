"""What imports lead to: what comes out of the definitions they name, and nothing else."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from torchdev_lint.linter import lint, parsed, triggers_of
from torchdev_lint.project.files import parsed_file
from torchdev_lint.rules import ALL_RULES, BY_DEFAULT
from torchdev_lint.source.source import Source
from torchdev_lint.triage.imported import ImportsOf
from torchdev_lint.triage.reached import triage

MASKS = """
import torch
from torch import nn


class Masks:
    def __init__(self, size):
        self.size = size
        self.table = torch.zeros(size, size)

    @property
    def batch_size(self):
        return torch.ones(self.size)

    def mask(self):
        return self.table

    def width(self):
        return self.table.shape[0]


class Layer(nn.Module):
    def forward(self, x):
        return x + torch.ones(4, device=x.device)

    def steps(self):
        return torch.arange(4)


class Settings:
    def __init__(self):
        self.start = torch.tensor(0)


def masks(size):
    return Masks(size)


def scaled(x, size):
    ruler = torch.arange(size)
    return x * ruler.to(x.device)


def rows(x):
    count = len(torch.ones(4))
    return x[:count]


def start(settings):
    return settings.start


def first_of(layers: list[Layer], x):
    return layers[0], x


def steps_of(layer: Layer):
    return layer.steps()


def built():
    return Layer()


def helper(size):
    made = [torch.ones(size)]
    pair = made[0], size
    return pair


def from_helper(size):
    first, _ = helper(size)
    return first.abs()
"""

SORTED_OUT = {
    "a variable that is called like a property": (
        "from masks import Masks",
        "def forward(self, x, batch_size, made: Masks = None):\n        return x + batch_size",
    ),
    "an attribute of its own that is called like another class's": (
        "from masks import Masks",
        "def forward(self, x, made: Masks = None):\n        return x + self.batch_size",
    ),
    "a class that an annotation names": (
        "from masks import Masks",
        "def forward(self, x: Masks) -> Masks:\n        return x + 1",
    ),
    "a method that is asked for a size": (
        "from masks import Masks",
        "def forward(self, x, made: Masks = None):\n        return x + made.width()",
    ),
    "a base whose methods are not used": (
        "from masks import Layer",
        "def forward(self, x):\n        return x\n\n\nclass Other(Layer):\n    pass",
    ),
    "what is moved before it is given": (
        "from masks import scaled",
        "def forward(self, x):\n        return scaled(x, 4)",
    ),
    "what is counted before it is given": (
        "from masks import rows",
        "def forward(self, x):\n        return rows(x)",
    ),
    "a module that a function is given": (
        "from masks import first_of",
        "def forward(self, x):\n        return first_of(self.layers, x)",
    ),
    "a module that moves with the one that keeps it": (
        "from masks import built",
        "def __init__(self):\n        super().__init__()\n        self.inner = built()\n\n"
        "    def forward(self, x):\n        return self.inner(x)",
    ),
    "numbers that are read off a tensor": (
        "import torch",
        "def __init__(self):\n        super().__init__()\n"
        "        rates = [x.item() for x in torch.linspace(0, 1, 4)]\n"
        "        self.rates = rates\n\n"
        "    def forward(self, x):\n        return x * self.rates[0]",
    ),
    "a number that is a tensor": (
        "from masks import Settings, start",
        "def forward(self, x, settings: Settings = None):\n        return x + start(settings)",
    ),
}
FOUND = {
    "a method": (
        "from masks import Masks",
        "def forward(self, x):\n        return x + Masks(4).mask()",
    ),
    "a method of what a function gives": (
        "from masks import masks",
        "def forward(self, x):\n        return x + masks(4).mask()",
    ),
    "a method that is inherited": (
        "from masks import Layer",
        "def forward(self, x):\n        return x\n\n\n"
        "class Other(Layer):\n    def forward(self, x):\n        return x + self.steps()",
    ),
    "what a helper of its file gives": (
        "from masks import from_helper",
        "def forward(self, x):\n        return x + from_helper(4)",
    ),
    "what a module gives that a function is given": (
        "from masks import Layer, steps_of",
        "def __init__(self):\n        super().__init__()\n        self.inner = Layer()\n\n"
        "    def forward(self, x):\n        return self.inner(x) + steps_of(self.inner)",
    ),
    "what a file in between hands on": (
        "from between import from_helper",
        "def forward(self, x):\n        return x + from_helper(4)",
    ),
}


def write(folder: Path, imports: str, method: str) -> Source:
    main = f"from torch import nn\n{imports}\n\n\nclass Net(nn.Module):\n    {method}\n"
    (folder / "pyproject.toml").touch()
    (folder / "masks.py").write_text(dedent(MASKS), encoding="utf-8")
    (folder / "between.py").write_text("from masks import *\n", encoding="utf-8")
    (folder / "main.py").write_text(main, encoding="utf-8")
    return Source.from_text(main, str(folder / "main.py"))


@pytest.mark.parametrize("case", SORTED_OUT)
def test_nothing_comes_out(tmp_path: Path, case: str) -> None:
    """Such a file need not be analysed for what it imports."""
    source = write(tmp_path, *SORTED_OUT[case])
    triggers = triggers_of(ALL_RULES)
    imports = ImportsOf(source.parse(), source.path, triggers)
    assert triage(source.parse(), triggers, imports.imported) is None


@pytest.mark.parametrize("case", FOUND)
def test_what_comes_out_is_found(tmp_path: Path, case: str) -> None:
    source = write(tmp_path, *FOUND[case])
    (finding,) = lint(source, source.parse(), BY_DEFAULT)
    assert finding.code == "TDL002"


def test_a_file_that_changes_offers_something_else(tmp_path: Path) -> None:
    source = write(tmp_path, *FOUND["what a file in between hands on"])
    assert lint(source, source.parse(), BY_DEFAULT)
    (tmp_path / "between.py").write_text("def from_helper(size):\n    return 1\n", encoding="utf-8")
    assert not lint(source, source.parse(), BY_DEFAULT)


def test_a_file_that_is_linted_is_parsed_once(tmp_path: Path) -> None:
    """Those that import it get the tree that it was linted with, until its text is another one."""
    source = write(tmp_path, *FOUND["a method"])
    path = tmp_path / "main.py"
    tree = parsed(source)
    found = parsed_file(str(path))
    assert found is not None
    assert found.tree is tree
    path.write_text("x = 1\n", encoding="utf-8")
    found = parsed_file(str(path))
    assert found is not None
    assert found.tree is not tree
