"""What a project tells of its own functions and classes joins what the catalog knows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import flake8
from tests.config.conftest import Lint
from tests.config.projects import NOTHING_ON, write

MODEL = "import torch\nfrom torch import nn\n\nmodel = nn.Linear(3, 3).cuda()\n"


def codes(lint: Lint, folder: Path, files: dict[str, str], settings: str) -> list[str]:
    """What is found in a project with settings."""
    write(folder, {**files, "pyproject.toml": f"[tool.torchdev-lint]\n{settings}"})
    result = lint("--output-format", "json")
    assert result.err in ("", NOTHING_ON)
    return [finding["code"] for finding in json.loads(result.out)]


@pytest.fixture(params=["a library", "the project", "a package"])
def owner(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """Where something opaque comes from: what imports it, and its dotted name."""
    opaque = "from compiled import thing\n"
    if request.param == "the project":
        write(tmp_path, {"helpers.py": opaque})
        return "from helpers import thing", "helpers.thing"
    if request.param == "a package":
        write(tmp_path, {"pkg/__init__.py": "", "pkg/helpers.py": opaque})
        return "from pkg.helpers import thing", "pkg.helpers.thing"
    return "from nowhere.helpers import thing", "nowhere.helpers.thing"


def test_moves(lint: Lint, tmp_path: Path, owner: tuple[str, str]) -> None:
    """What was moved meets what is still on the CPU."""
    imports, name = owner
    text = f"""\
{MODEL}
{imports}


class Net(nn.Module):
    def forward(self, rows):
        x = thing(rows["x"], "gpu")
        return x + torch.ones(3)
"""
    assert codes(lint, tmp_path, {"main.py": text}, "") == []
    assert codes(lint, tmp_path, {"main.py": text}, f'moves = ["{name}"]') == ["TDL002"]
    text = f"{MODEL}{imports}\nbatch = [torch.ones(3), 1]\nx, _ = thing(batch)\nmodel(x)\n"
    assert codes(lint, tmp_path, {"main.py": text}, f'moves = ["{name}"]') == []


def test_moves_in_place(lint: Lint, tmp_path: Path, owner: tuple[str, str]) -> None:
    imports, name = owner
    text = f"import torch\n{imports}\nm = torch.nn.Linear(3, 3)\nthing(m)\nm(torch.ones(3))\n"
    assert codes(lint, tmp_path, {"main.py": text}, "") == []
    assert codes(lint, tmp_path, {"main.py": text}, f'moves-in-place = ["{name}"]') == ["TDL005"]
    text = f"{MODEL}{imports}\nbatch = {{'x': torch.ones(3)}}\nthing(batch)\nmodel(batch['x'])\n"
    assert codes(lint, tmp_path, {"main.py": text}, f'moves-in-place = ["{name}"]') == []


def test_module_bases(lint: Lint, tmp_path: Path, owner: tuple[str, str]) -> None:
    imports, name = owner
    text = f"""\
import torch
{imports}


class Net(thing):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))

    def step(self):
        return self.weight + torch.ones(3)


net = Net().cuda()
net.step()
"""
    assert codes(lint, tmp_path, {"main.py": text}, "") == []
    assert codes(lint, tmp_path, {"main.py": text}, f'module-bases = ["{name}"]') == ["TDL002"]


def test_loaders(lint: Lint, tmp_path: Path, owner: tuple[str, str]) -> None:
    imports, name = owner
    text = f"{MODEL}{imports} as rows\nfor x, y in rows():\n    model(x)\n"
    assert codes(lint, tmp_path, {"main.py": text}, "") == []
    assert codes(lint, tmp_path, {"main.py": text}, f'loaders = ["{name}"]') == ["TDL004"]


HOST = """\
import torch


def plot(x: torch.Tensor):
    return x + torch.ones(3)


class Plots:
    def draw(self, x: torch.Tensor):
        return x + torch.ones(3)
"""


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("", 2),
        ('"lib.plots.plot"', 1),
        ('"lib.plots.Plots.draw"', 1),
        ('"lib.plots.Plots", "plots.plot"', 0),
        ('"other.plots.plot"', 2),
        ('"lib/"', 0),
        ('"plots.py"', 0),
        ('"other/"', 2),
    ],
)
def test_host_only(lint: Lint, tmp_path: Path, names: str, expected: int) -> None:
    found = codes(lint, tmp_path, {"lib/plots.py": HOST}, f"host-only = [{names}]")
    assert found == ["TDL016"] * expected


def test_each_project_tells_its_own(lint: Lint, tmp_path: Path) -> None:
    """In one run, of files that import the same."""
    text = f"{MODEL}from nowhere import thing as rows\nfor x, y in rows():\n    model(x)\n"
    write(tmp_path, {"a/main.py": text, "b/main.py": text})
    write(tmp_path, {"a/torchdev-lint.toml": 'loaders = ["nowhere.thing"]\n'})
    for order in (["a", "b"], ["b", "a"]):
        out = lint("-q", *order).out
        assert [line[:9] for line in out.splitlines() if "TDL" in line] == ["a/main.py"]


def test_results_are_kept_apart(lint: Lint, tmp_path: Path) -> None:
    text = f"{MODEL}from nowhere import thing as rows\nfor x, y in rows():\n    model(x)\n"
    write(tmp_path, {"main.py": text})
    cache = ["--config", f'cache-dir="{tmp_path / "cache"}"', "-q", "main.py"]
    from torchdev_lint.cli import main

    told = ["--config", 'loaders=["nowhere.thing"]']
    for _ in ("cold", "warm"):
        assert main(["--timeout", "0", *cache]) == 0
        assert main(["--timeout", "0", *told, *cache]) == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup.cfg", "[flake8]\nselect = TDL\ntorchdev-loaders = nowhere.thing, other.thing\n"),
        ("pyproject.toml", '[tool.torchdev-lint]\nloaders = ["nowhere.thing"]\n'),
    ],
)
def test_in_flake8(tmp_path: Path, name: str, text: str) -> None:
    """It is told by flake8's own configuration, or by the project's."""
    code = f"{MODEL}from nowhere import thing as rows\nfor x, y in rows():\n    model(x)\n"
    write(tmp_path, {"main.py": code})
    assert "TDL" not in flake8("--select=TDL", "main.py", cwd=tmp_path).out
    write(tmp_path, {name: text})
    done = flake8("--select=TDL", "main.py", cwd=tmp_path)
    assert "main.py:6:5: TDL004" in done.out, done
    assert done.err == ""


def test_settings_that_flake8_cannot_use(tmp_path: Path) -> None:
    write(tmp_path, {"main.py": MODEL, "pyproject.toml": "[tool.torchdev-lint]\nloader = []\n"})
    done = flake8("--select=TDL", "main.py", cwd=tmp_path)
    assert (done.code, done.err.count("pyproject.toml:2: error: `loader`")) == (0, 1)


FAR = {
    "python/deep/lib/made.py": "import torch\n\n\ndef noise():\n    return torch.randn(3)\n",
    "app/main.py": (
        "import torch\nfrom torch import nn\nfrom lib.made import noise\n\n\n"
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.fc = nn.Linear(3, 3)\n\n"
        "    def forward(self, x):\n        return self.fc(x) + noise()\n\n\n"
        "Net().cuda()\n"
    ),
}
"""A module that is imported from a folder of which nothing in the project tells."""


def test_src(lint: Lint, tmp_path: Path) -> None:
    assert codes(lint, tmp_path, FAR, "") == []
    assert codes(lint, tmp_path, FAR, 'src = ["python", "python/deep"]') == ["TDL002"]
    write(tmp_path, {"app/torchdev-lint.toml": 'src = ["../python/deep"]'})
    assert json.loads(lint("--output-format", "json", "app").out)[0]["code"] == "TDL002"


def test_src_for_notebooks(lint: Lint, tmp_path: Path) -> None:
    from tests.notebooks.made import written

    files = {**FAR, "app/nb.ipynb": written(FAR["app/main.py"])}
    assert codes(lint, tmp_path, files, 'src = ["python/deep"]') == ["TDL002"] * 2


DEVICES = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.fc = nn.Linear(3, 3)

    def forward(self, signal, signal_length):
        return self.fc(signal) + torch.randn(3)


Net(None).cuda()
"""


@pytest.mark.parametrize(
    ("names", "written"),
    [
        ("", "signal.device"),
        ('"self.cfg.device"', "self.cfg.device"),
        ('"nowhere.device", "signal_length.device"', "signal_length.device"),
    ],
)
def test_device_expression(lint: Lint, tmp_path: Path, names: str, written: str) -> None:
    write(tmp_path, {"torchdev-lint.toml": f"device-expression = [{names}]", "a.py": DEVICES})
    assert lint("--fix", "a.py").code == 0
    text = (tmp_path / "a.py").read_text()
    assert text == DEVICES.replace("randn(3)", f"randn(3, device={written})")


@pytest.mark.parametrize("text", ["a b", "f()", "a.", "a.if", ""])
def test_a_device_expression_is_names_with_dots(lint: Lint, tmp_path: Path, text: str) -> None:
    write(tmp_path, {"torchdev-lint.toml": f'device-expression = ["{text}"]', "a.py": DEVICES})
    result = lint("a.py")
    assert result.code == 2
    assert "`device-expression`: must be a list of names with dots" in result.err
