"""What is known of a file because of what it imports."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

import pytest

from torchdev_lint.finding import Finding
from torchdev_lint.linter import lint
from torchdev_lint.rules import BY_DEFAULT
from torchdev_lint.source.source import Source

MAIN = """
from torch import nn
{imports}


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(x) + {mask}
"""
MASKS = """
import torch


def mask():
    return torch.zeros(4, 4)


def moved(x):
    return torch.zeros(4, 4).to(x.device)


TABLE = torch.arange(4)
"""


def write(folder: Path, files: Mapping[str, str]) -> None:
    (folder / "pyproject.toml").touch()
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")


def findings(folder: Path, name: str = "main.py") -> list[Finding]:
    source = Source.from_text((folder / name).read_text(encoding="utf-8"), str(folder / name))
    return lint(source, source.parse(), BY_DEFAULT)


def lines(folder: Path, name: str = "main.py") -> list[tuple[str, int]]:
    return [(finding.code, finding.span.line) for finding in findings(folder, name)]


@pytest.mark.parametrize(
    ("imports", "mask"),
    [
        ("from masks import mask", "mask()"),
        ("from masks import mask as made", "made()"),
        ("import masks", "masks.mask()"),
        ("import masks as m", "m.mask()"),
        ("from masks import *", "mask()"),
        ("from package import mask", "mask()"),
        ("import package.inner", "package.inner.mask()"),
        ("import package.inner as inner", "inner.mask()"),
        ("from package import inner", "inner.mask()"),
        ("from package.again import mask", "mask()"),
        ("from package import renamed", "renamed()"),
        ("try:\n    from masks import mask\nexcept ImportError:\n    mask = None", "mask()"),
        (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from masks import mask",
            "mask()",
        ),
    ],
)
def test_ways_to_import(tmp_path: Path, imports: str, mask: str) -> None:
    """However it is imported, what a function gives is known where it is called."""
    write(
        tmp_path,
        {
            "main.py": MAIN.format(imports=imports, mask=mask),
            "masks.py": MASKS,
            "package/__init__.py": "from .inner import mask\nfrom .inner import mask as renamed\n",
            "package/inner.py": MASKS,
            "package/again.py": "from . import *\nfrom .inner import *\n",
        },
    )
    (finding,) = findings(tmp_path)
    assert finding.code == "TDL002"
    assert finding.message.startswith(f"`{mask.removesuffix('()')}` makes a tensor on the CPU")
    assert [place.path for place in finding.related if place.path] == [
        str(tmp_path / ("package/inner.py" if "package" in imports else "masks.py"))
    ]


def test_a_function_that_moves_is_known_as_well(tmp_path: Path) -> None:
    main = MAIN.format(imports="from masks import moved", mask="moved(x)")
    write(tmp_path, {"main.py": main, "masks.py": MASKS})
    assert lines(tmp_path) == []


@pytest.mark.parametrize(
    "masks",
    [
        "def mask(:\n",
        "import torch\ndef mask():\n    return torch.zeros(4, 4)\n\0",
        "# coding: nonsense\nimport torch\ndef mask():\n    return torch.zeros(4, 4)\n",
        "from main import mask\n",
        "from masks import mask\n",
        "def mask():\n    return mask()\n",
    ],
)
def test_what_cant_be_read_or_found_is_out_of_sight(tmp_path: Path, masks: str) -> None:
    """The importing file is linted all the same, with what is known of it alone."""
    main = MAIN.format(imports="import torch\nfrom masks import mask", mask="mask()")
    write(
        tmp_path,
        {"main.py": f"{main}\n\nx = torch.zeros(2)\nx.cuda()\nprint(x)\n", "masks.py": masks},
    )
    assert lines(tmp_path) == [("TDL001", 17)]


def test_a_folder_named_like_a_module_is_none(tmp_path: Path) -> None:
    write(tmp_path, {"main.py": MAIN.format(imports="from masks import mask", mask="mask()")})
    (tmp_path / "masks.py").mkdir()
    assert lines(tmp_path) == []


def test_a_long_circle_of_imports_ends(tmp_path: Path) -> None:
    count = 400
    files = {f"m{i}.py": f"from m{(i + 1) % count} import mask\n" for i in range(count)}
    main = MAIN.format(imports="from m0 import mask", mask="mask()")
    write(tmp_path, {"main.py": main, **files})
    assert lines(tmp_path) == []


def test_a_name_of_many_handed_on_is_found(tmp_path: Path) -> None:
    count = 30
    files = {f"m{i}.py": f"from m{i + 1} import Layer\n" for i in range(count)}
    main = """
        import torch
        from m0 import Layer

        layer = Layer(4, 4).to("cuda")
        layer(torch.zeros(4, 4))
        """
    last = "from torch import nn\n\n\nclass Layer(nn.Linear):\n    pass\n"
    write(tmp_path, {"main.py": main, **files, f"m{count}.py": last})
    assert lines(tmp_path) == [("TDL005", 6)]


def test_what_several_statements_bind_may_be_any_of_them(tmp_path: Path) -> None:
    """One of two functions gives a tensor on the host, which it is, is not known."""
    masks = """
        import os
        import torch

        if os.environ.get("MOVED"):
            def mask():
                return torch.zeros(4, 4, device="cuda")
        else:
            def mask():
                return torch.zeros(4, 4)
        """
    main = MAIN.format(imports="from masks import mask", mask="mask()")
    write(tmp_path, {"main.py": main, "masks.py": masks})
    both = lines(tmp_path)
    write(tmp_path, {"masks.py": masks.replace("else:", "if os.name:")})
    assert both == lines(tmp_path)


def test_findings_are_the_same_in_any_order(tmp_path: Path) -> None:
    """What was linted before says nothing: each file is judged by what lies on the disk."""
    main = MAIN.format(imports="from package import mask\nimport other", mask="mask()")
    other = MAIN.format(imports="import main\nfrom package.inner import mask", mask="mask()")
    write(
        tmp_path,
        {
            "main.py": main,
            "other.py": other,
            "package/__init__.py": "from .inner import mask\n",
            "package/inner.py": f"{MASKS}\n\nimport main\n",
        },
    )
    names = ["main.py", "other.py", "package/inner.py", "package/__init__.py"]
    alone = {name: findings(tmp_path, name) for name in names}
    assert alone["main.py"]
    assert alone["other.py"]
    for seed in range(4):
        random.Random(seed).shuffle(names)
        assert {name: findings(tmp_path, name) for name in names} == alone


def test_a_changed_file_is_read_anew(tmp_path: Path) -> None:
    main = MAIN.format(imports="from masks import mask", mask="mask()")
    write(tmp_path, {"main.py": main, "masks.py": MASKS})
    assert lines(tmp_path) == [("TDL002", 12)]
    (tmp_path / "masks.py").write_text("def mask():\n    return 0\n", encoding="utf-8")
    assert lines(tmp_path) == []


def test_what_the_catalog_knows_holds_in_the_library_itself(tmp_path: Path) -> None:
    """`gpytorch.models.ExactGP` is a module, whatever a file of the project's says it is."""
    main = """
        import torch
        from gpytorch.models import ExactGP


        class Model(ExactGP):
            def forward(self, x):
                return x.matmul(torch.ones(4, 4))
        """
    write(
        tmp_path,
        {
            "main.py": main,
            "gpytorch/__init__.py": "",
            "gpytorch/models.py": "class ExactGP:\n    pass\n",
        },
    )
    assert lines(tmp_path) == [("TDL002", 8)]


def test_an_inherited_method_calls_back(tmp_path: Path) -> None:
    """What `forward` of another file hands to a method of the class is on its device."""
    main = """
        import torch
        from base import Base


        class Net(Base):
            def combine(self, hidden):
                return hidden + torch.ones(4)
        """
    base = """
        from torch import nn


        class Base(nn.Module):
            def __init__(self):
                super().__init__()
                self.linear = nn.Linear(4, 4)

            def forward(self, x):
                return self.combine(self.linear(x))
        """
    write(tmp_path, {"main.py": main, "base.py": base})
    assert lines(tmp_path) == [("TDL002", 8)]


@pytest.mark.parametrize(("count", "expected"), [(24, [("TDL002", 12)]), (25, [])])
def test_a_package_that_hands_on_all_of_many_is_out_of_sight(
    tmp_path: Path, count: int, expected: list[tuple[str, int]]
) -> None:
    """Nobody reads hundreds of files for a name that none of them may have."""
    stars = "".join(f"from .m{i} import *\n" for i in range(count))
    main = MAIN.format(imports="from package import mask", mask="mask()")
    files = {f"package/m{i}.py": MASKS if i == 0 else "" for i in range(count)}
    write(tmp_path, {"main.py": main, "package/__init__.py": stars, **files})
    assert lines(tmp_path) == expected


def test_a_layer_that_is_handed_to_another_file_may_be_kept_there(tmp_path: Path) -> None:
    main = """
        from torch import nn
        from base import Base


        class Net(Base):
            def forward(self, x):
                layer = nn.Linear(4, 4, device=x.device)
                self.keep(layer)
                return layer(x)
        """
    base = """
        from torch import nn


        class Base(nn.Module):
            def keep(self, layer):
                self.kept = layer
        """
    write(tmp_path, {"main.py": main, "base.py": base})
    assert lines(tmp_path) == []
    write(tmp_path, {"main.py": main.replace("self.keep(layer)", "pass")})
    assert lines(tmp_path) == [("TDL003", 8)]


def test_what_is_made_of_constants_costs_nobody_anything(tmp_path: Path) -> None:
    """A table of another file is the same for all who read it, and may be as long as it likes."""
    pairs = ", ".join(f'("m{i}", "k{i}")' for i in range(20_000))
    tables = (
        f"from collections import OrderedDict\nTABLE = OrderedDict([{pairs}])\nNAMES = {{'a': 1}}\n"
    )
    main = MAIN.format(
        imports="import torch\nfrom tables import TABLE, NAMES",
        mask="torch.zeros(NAMES['a'] + len(TABLE))",
    )
    write(tmp_path, {"main.py": main, "tables.py": tables})
    assert [code for code, _ in lines(tmp_path)] == ["TDL002"]
