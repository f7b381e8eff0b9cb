"""A default device that another file of the same program sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchdev_lint.linter import lint
from torchdev_lint.rules import EVERY_RULE
from torchdev_lint.source.source import read_source

NOISE = """\
import torch
from torch import nn

class Noise(nn.Module):
    def forward(self, x):
        return x.relu() + torch.randn(3, 4)
"""
SETS = "import torch\ntorch.set_default_tensor_type('torch.cuda.FloatTensor')\n"

GO = f"import torch\ndef go(): {SETS[13:]}"


def codes_in(file: Path) -> list[str]:
    """What is found in a file that lies among others."""
    source = read_source(str(file))
    return [finding.code for finding in lint(source, source.parse(), EVERY_RULE)]


def project(root: Path, files: dict[str, str]) -> Path:
    """Write the files of a project, and return its folder."""
    (root / ".git").mkdir()
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


@pytest.mark.parametrize(
    "program",
    [
        pytest.param({"train.py": f"import noise\n{SETS}"}, id="the importer sets it"),
        pytest.param(
            {"start.py": SETS, "train.py": "import start\nfrom noise import Noise\n"},
            id="what the importer imports as well sets it",
        ),
        pytest.param(
            {"model.py": "from noise import *\n", "train.py": f"from model import Net\n{SETS}"},
            id="the importer of the importer sets it",
        ),
    ],
)
def test_a_program_that_sets_it(program: dict[str, str], tmp_path: Path) -> None:
    """Of factories that name no device nothing is said."""
    assert codes_in(project(tmp_path, {"noise.py": NOISE, **program}) / "noise.py") == []


def test_a_program_in_a_folder_that_is_no_package(tmp_path: Path) -> None:
    """Beside a program lie folders that it imports from, whatever is in them."""
    imports = "from nets.model import Net\nfrom layers.ways import way\n"
    model = {"speech/nets/model.py": "from layers.noise import Noise\n"}
    layers = {"speech/layers/noise.py": NOISE, "speech/others/noise.py": NOISE}
    root = project(tmp_path, {"speech/train.py": imports + SETS, **model, **layers})
    assert codes_in(root / "speech/layers/noise.py") == []
    assert codes_in(root / "speech/others/noise.py") == ["TDL002"]


@pytest.mark.parametrize(
    "program",
    [
        pytest.param({"other.py": SETS}, id="a script beside it"),
        pytest.param(
            {"other.py": f"import tools\n{SETS}", "noise.py": f"import tools\n{NOISE}"},
            id="a script that shares a tool with it",
        ),
        pytest.param(
            {"train.py": f"import noise\n{SETS.replace('cuda.', '')}"}, id="the host's own type"
        ),
        pytest.param({"train.py": f"import noise\n{SETS}("}, id="a file that is no Python"),
    ],
)
def test_no_program_sets_it(program: dict[str, str], tmp_path: Path) -> None:
    """What has nothing to do with the file changes nothing."""
    assert codes_in(project(tmp_path, {"noise.py": NOISE, **program}) / "noise.py") == ["TDL002"]


def test_packages_below_the_script(tmp_path: Path) -> None:
    """A script at the root of a project imports packages, which import their modules."""
    files = {
        "run.py": f"from nets import Noise\n{SETS}",
        "nets/__init__.py": "from .noise import Noise\n",
        "nets/noise.py": NOISE,
    }
    assert codes_in(project(tmp_path, files) / "nets" / "noise.py") == []


@pytest.mark.parametrize(("imported", "codes"), [("nets", []), ("noise_of_others", ["TDL002"])])
def test_outside_of_projects(tmp_path: Path, imported: str, codes: list[str]) -> None:
    """Without a root nothing above the file's own folder counts but a program that imports it."""
    (tmp_path / "nets").mkdir()
    (tmp_path / "run.py").write_text(f"from {imported} import noise\n{SETS}", "utf-8")
    (tmp_path / "nets" / "noise.py").write_text(NOISE, "utf-8")
    assert codes_in(tmp_path / "nets" / "noise.py") == codes


def test_links_and_folders_named_like_files(tmp_path: Path) -> None:
    """What is no regular file isn't read."""
    root = project(tmp_path, {"noise.py": NOISE})
    (root / "folder.py").mkdir()
    (root / "nowhere.py").symlink_to(root / "missing")
    assert codes_in(root / "noise.py") == ["TDL002"]


@pytest.mark.parametrize(
    "program",
    [
        pytest.param({"examples/run.py": f"from nets import noise\n{SETS}"}, id="an example"),
        pytest.param(
            {"nets/place.py": GO, "examples/run.py": "from nets import place\nplace.go()"},
            id="a function of the package",
        ),
        pytest.param({"nets/place.py": f"{GO}\ngo()"}, id="a function that its file calls"),
        pytest.param({"nets/inner/place.py": SETS, "nets/inner/__init__.py": ""}, id="deeper"),
    ],
)
def test_a_default_that_is_for_the_package(program: dict[str, str], tmp_path: Path) -> None:
    """Whoever uses the package may have set it, wherever that is."""
    files = {"nets/__init__.py": "", "nets/noise.py": NOISE, **program}
    assert codes_in(project(tmp_path, files) / "nets/noise.py") == []


@pytest.mark.parametrize(
    "program",
    [
        pytest.param({"examples/run.py": f"from other import noise\n{SETS}"}, id="for another one"),
        pytest.param({"tests/test_noise.py": f"from nets import noise\n{SETS}"}, id="for a test"),
        pytest.param({"nets/place.py": GO}, id="a function that nobody names"),
    ],
)
def test_a_default_that_is_not_for_the_package(program: dict[str, str], tmp_path: Path) -> None:
    files = {"nets/__init__.py": "", "nets/noise.py": NOISE, **program}
    assert codes_in(project(tmp_path, files) / "nets/noise.py") == ["TDL002"]


def test_a_program_that_leads_to_both_by_way_of_others(tmp_path: Path) -> None:
    """Neither the program nor what sets the default imports the package itself."""
    files = {
        "layers/__init__.py": "",
        "layers/noise.py": NOISE,
        "runs/models.py": "from layers.noise import Noise\n",
        "runs/start.py": "import train\nimport models\n",
        "runs/train.py": SETS,
    }
    assert codes_in(project(tmp_path, files) / "layers" / "noise.py") == []


def test_another_program_that_sets_it(tmp_path: Path) -> None:
    """A program that sets a default for itself alone says nothing of the files of others."""
    files = {
        "layers/__init__.py": "",
        "layers/noise.py": NOISE,
        "runs/models.py": "from layers.noise import Noise\n",
        "other/models.py": "import torch\n",
        "other/start.py": f"import models\n{SETS}",
    }
    assert codes_in(project(tmp_path, files) / "layers" / "noise.py") == ["TDL002"]


def test_a_program_of_a_later_python_may_set_it(tmp_path: Path) -> None:
    """Python 3.12 takes the same quotes in an f-string; where it is not read, it may import all."""
    program = SETS + "import noise\nsaid = {'a': 1}\nprint(f'{said['a']}')\n"
    root = project(tmp_path, {"noise.py": NOISE, "train.py": program})
    assert codes_in(root / "noise.py") == []
