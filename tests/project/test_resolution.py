"""Which file an import means."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from pathlib import Path

import pytest

from torchdev_lint.project.python_itself import PACKAGES
from torchdev_lint.project.resolution import find_module, find_submodule, project_path

TREE = """
pyproject.toml
train.py
utils.py
random.py
test.py
code/nets.py
torch/nn.py
parts/loose.py
src/lib/__init__.py
src/lib/core.py
src/lib/nn/__init__.py
src/lib/nn/layers.py
src/lib/both.py
src/lib/both/__init__.py
src/lib/beside.py
src/lib/data.py/__init__.py
program/__init__.py
program/run.py
program/shapes/planes.py
program/views/__init__.py
program/views/output.py
tests/test_lib.py
tests/helpers.py
""".split()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("project")
    for name in TREE:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return root


@pytest.mark.parametrize(
    ("importer", "level", "name", "found"),
    [
        ("train.py", 0, "utils", "utils.py"),
        ("train.py", 0, "lib", "src/lib/__init__.py"),
        ("train.py", 0, "lib.nn.layers", "src/lib/nn/layers.py"),
        ("train.py", 0, "parts.loose", "parts/loose.py"),
        ("train.py", 0, "parts", "parts"),
        ("train.py", 0, "numpy", None),
        ("train.py", 0, "test", "test.py"),
        ("train.py", 0, "code.nets", "code/nets.py"),
        ("train.py", 0, "code", None),
        ("train.py", 0, "lib.missing", None),
        ("tests/test_lib.py", 0, "lib.core", "src/lib/core.py"),
        ("tests/test_lib.py", 0, "helpers", "tests/helpers.py"),
        ("tests/test_lib.py", 0, "utils", "utils.py"),
        ("src/lib/core.py", 0, "lib.nn", "src/lib/nn/__init__.py"),
        ("src/lib/core.py", 1, "nn", "src/lib/nn/__init__.py"),
        ("src/lib/core.py", 1, "", "src/lib/__init__.py"),
        ("src/lib/nn/layers.py", 2, "core", "src/lib/core.py"),
        ("src/lib/nn/layers.py", 9, "core", None),
        ("src/lib/nn/__init__.py", 1, "layers", "src/lib/nn/layers.py"),
        ("parts/loose.py", 1, "missing", None),
        ("program/views/output.py", 0, "shapes.planes", "program/shapes/planes.py"),
        ("program/views/output.py", 0, "program.run", "program/run.py"),
    ],
)
def test_imports_lead_where_python_goes(
    project: Path, importer: str, level: int, name: str, found: str | None
) -> None:
    expected = None if found is None else str(project / found)
    assert find_module(str(project / importer), level, name) == expected


def test_a_package_hides_a_module_of_its_name(project: Path) -> None:
    package = str(project / "src/lib/both/__init__.py")
    assert find_module(str(project / "src/lib/core.py"), 1, "both") == package


def test_a_file_of_a_package_may_be_run_as_a_script(project: Path) -> None:
    """What lies beside it is found last."""
    assert find_module(str(project / "src/lib/core.py"), 0, "beside") == str(
        project / "src/lib/beside.py"
    )


@pytest.mark.parametrize("name", ["random", "torch", "torch.nn"])
def test_what_is_known_better_stays_a_library(project: Path, name: str) -> None:
    assert find_module(str(project / "train.py"), 0, name) is None


@pytest.mark.parametrize("name", sorted(sys.stdlib_module_names - {"antigravity", "this"}))
def test_modules_of_python_that_hold_others_are_known(name: str) -> None:
    """Of those that aren't, none has modules in it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec = None if name == "__main__" else importlib.util.find_spec(name)
    holds_others = spec is not None and spec.submodule_search_locations is not None
    assert name in PACKAGES or not holds_others or name == "test"


def test_a_folder_named_like_a_file_is_no_file(project: Path) -> None:
    assert find_module(str(project / "src/lib/core.py"), 1, "data.py") is None


def test_submodules(project: Path) -> None:
    package = str(project / "src/lib/__init__.py")
    assert find_submodule(package, "core") == str(project / "src/lib/core.py")
    assert find_submodule(str(project / "parts"), "loose") == str(project / "parts/loose.py")
    assert find_submodule(str(project / "utils.py"), "core") is None


def test_nothing_above_the_root_is_searched(tmp_path: Path) -> None:
    (tmp_path / "outside.py").touch()
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside/setup.py").touch()
    assert find_module(str(tmp_path / "inside/main.py"), 0, "outside") is None


def test_new_files_are_seen(tmp_path: Path) -> None:
    (tmp_path / "setup.py").touch()
    assert find_module(str(tmp_path / "main.py"), 0, "late") is None
    (tmp_path / "late.py").touch()
    assert find_module(str(tmp_path / "main.py"), 0, "late") == str(tmp_path / "late.py")


@pytest.mark.parametrize("path", ["<stdin>", "a\0b.py", "no/such/folder/x.py", "notes.txt"])
def test_what_lies_nowhere_belongs_to_no_project(path: str) -> None:
    assert project_path(path) == ""


def test_links_in_a_circle_hide_nothing(tmp_path: Path) -> None:
    (tmp_path / "setup.py").touch()
    (tmp_path / "utils.py").touch()
    (tmp_path / "round").symlink_to("round")
    assert find_module(str(tmp_path / "main.py"), 0, "utils") == str(tmp_path / "utils.py")
    assert find_module(str(tmp_path / "main.py"), 0, "round") is None
