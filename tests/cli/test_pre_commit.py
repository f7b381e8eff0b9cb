"""The hooks, run by the real pre-commit on a real repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command import CLEAN, DISCARDED, ROOT
from tests.notebooks.made import TWO_CELLS

pytestmark = pytest.mark.slow

FIXED = DISCARDED.replace("images.to", "images = images.to")
SHIPPED = ["torchdev_lint", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"]


class Repository:
    """A git repository whose commits run through pre-commit."""

    def __init__(self, path: Path, home: Path) -> None:
        self.path = path
        self._env = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "PYTHONPATH"))},
            "PRE_COMMIT_HOME": str(home),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
               for what, value in (("NAME", "A"), ("EMAIL", "a@example.org"))},
        }  # fmt: skip
        path.mkdir()
        self.run("git", "init", "-q")

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in the repository."""
        return subprocess.run(
            command,
            cwd=self.path,
            env=self._env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            check=False,
        )

    def commit(self) -> subprocess.CompletedProcess[str]:
        """Stage everything and commit it."""
        self.run("git", "add", "--all")
        return self.run("git", "commit", "-m", "change")

    def stands(self, name: str) -> str:
        """Return what git says of a file."""
        return self.run("git", "status", "--short", name).stdout.strip()


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with this project in it, as users name it in their configuration."""
    folder = tmp_path_factory.mktemp("hooks")
    repository = Repository(folder / "torchdev-lint", folder / "home")
    for name in SHIPPED:
        source, target = ROOT / name, repository.path / name
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    assert repository.commit().returncode == 0
    return folder


def repository_with(hooks: Path, path: Path, hook: str) -> Repository:
    """Make a repository that uses one of the hooks."""
    repository = Repository(path, hooks / "home")
    project = hooks / "torchdev-lint"
    revision = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=project, capture_output=True, text=True, check=True
    ).stdout.strip()
    configure(repository, f"- repo: {project}\n  rev: {revision}\n  hooks:\n  - id: {hook}\n")
    return repository


def configure(repository: Repository, hooks: str) -> None:
    """Have the commits of a repository run through hooks."""
    (repository.path / ".pre-commit-config.yaml").write_text(f"repos:\n{hooks}")
    done = repository.run("pre-commit", "install", "--install-hooks")
    assert done.returncode == 0, done.stdout


def test_a_finding_blocks_the_commit(hooks: Path, tmp_path: Path) -> None:
    repository = repository_with(hooks, tmp_path / "work", "torchdev-lint")
    (repository.path / "train.py").write_text(DISCARDED)
    done = repository.commit()
    assert done.returncode == 1
    assert "train.py:4:1: TDL001" in done.stdout
    assert (repository.path / "train.py").read_text() == DISCARDED
    assert repository.run("git", "log").returncode != 0


def test_clean_code_passes(hooks: Path, tmp_path: Path) -> None:
    repository = repository_with(hooks, tmp_path / "work", "torchdev-lint")
    (repository.path / "train.py").write_text(CLEAN)
    (repository.path / "plain.py").write_text("print('no torch')\n")
    done = repository.commit()
    assert done.returncode == 0, done.stdout


def test_stubs_and_notebooks_are_linted_and_what_is_excluded_is_not(
    hooks: Path, tmp_path: Path
) -> None:
    repository = repository_with(hooks, tmp_path / "work", "torchdev-lint")
    (repository.path / "torchdev-lint.toml").write_text('exclude = ["generated.py"]\n')
    (repository.path / "generated.py").write_text(DISCARDED)
    (repository.path / "stub.pyi").write_text(
        "import torch\n\ndef f(x: torch.Tensor) -> None: ..\n"
    )
    (repository.path / "work.ipynb").write_text(TWO_CELLS)
    done = repository.commit()
    assert done.returncode == 1
    assert "stub.pyi:3:33: error: " in done.stdout
    assert "work.ipynb:cell 3:1:1: TDL001" in done.stdout
    assert "generated.py" not in done.stdout


@pytest.mark.parametrize("hook", ["torchdev-lint", "torchdev-lint-fix"])
def test_it_is_silent_without_torch(hooks: Path, tmp_path: Path, hook: str) -> None:
    repository = repository_with(hooks, tmp_path / "work", hook)
    (repository.path / "plain.py").write_text("print('plain')\n")
    done = repository.commit()
    assert done.returncode == 0
    assert "TDL" not in done.stdout
    assert "plain.py" not in done.stdout.partition("[")[0]
    (repository.path / "notes.md").write_text("# no Python at all\n")
    done = repository.commit()
    assert done.returncode == 0
    assert "(no files to check)Skipped" in done.stdout


def test_a_fix_is_left_for_staging(hooks: Path, tmp_path: Path) -> None:
    repository = repository_with(hooks, tmp_path / "work", "torchdev-lint-fix")
    (repository.path / "train.py").write_text(DISCARDED)
    done = repository.commit()
    assert done.returncode == 1
    assert "files were modified by this hook" in done.stdout
    assert (repository.path / "train.py").read_text() == FIXED
    assert repository.stands("train.py") == "AM train.py"
    assert repository.commit().returncode == 0
    assert repository.stands("train.py") == ""


def test_what_cannot_be_fixed_blocks_the_commit(hooks: Path, tmp_path: Path) -> None:
    repository = repository_with(hooks, tmp_path / "work", "torchdev-lint-fix")
    (repository.path / "train.py").write_text(
        "import torch\n\nPALETTE = torch.randn(3)\n\n\ndef paint():\n"
        '    PALETTE.to("cuda")\n    return PALETTE * 2\n'
    )
    done = repository.commit()
    assert done.returncode == 1
    assert "train.py:7:5: TDL001" in done.stdout


def test_the_plugin_can_be_a_dependency_of_flake8s_hook(hooks: Path, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "work", hooks / "home")
    configure(
        repository,
        "- repo: local\n  hooks:\n  - id: flake8\n    name: flake8\n    entry: flake8\n"
        "    language: python\n    types: [python]\n    require_serial: true\n"
        f"    additional_dependencies: ['{hooks / 'torchdev-lint'}']\n",
    )
    (repository.path / "train.py").write_text(DISCARDED)
    done = repository.commit()
    assert done.returncode == 1
    assert "train.py:4:1: TDL001 " in done.stdout
    (repository.path / "train.py").write_text(FIXED)
    assert repository.commit().returncode == 0
