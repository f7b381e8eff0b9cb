"""What is read back in the run that has written it, and what may be of another run."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.command import FIXTURES, lint

HELPED = "project_best_model_read_by_a_helper"
BEHIND = "project_saved_behind_two_functions"
BESIDE = "project_weights_brought_back_beside_a_state"


def finds(folder: Path, project: str, name: str, old: str, new: str) -> bool:
    """Whether anything is reported in a project of the fixtures of which a file reads otherwise."""
    shutil.copytree(FIXTURES / "TDL101" / project, folder, dirs_exist_ok=True)
    (folder / ".git").mkdir()
    file = folder / name
    before = file.read_text("utf-8") if file.exists() else ""
    assert old in before
    file.write_text(before.replace(old, new) if old else new, "utf-8")
    return ": TDL101" in lint("--no-cache", "--exit-zero", ".", cwd=folder).out


@pytest.mark.parametrize(
    ("project", "name", "old", "new"),
    [
        pytest.param(
            HELPED,
            "evaluate.py",
            "",
            "from helpers import load_best\nload_best(build(), input())\n",
            id="by-another-script",
        ),
        pytest.param(HELPED, "main.py", "load_best(model,", "load_best(other,", id="another-model"),
        pytest.param(
            HELPED,
            "main.py",
            'load_best(model, os.path.join(folder, "best.pt"))',
            "load_best(model, input())",
            id="another-file",
        ),
        pytest.param(HELPED, "helpers.py", "self.keep(model)", "print(model)", id="keeps-nothing"),
        pytest.param(
            BEHIND, "main.py", "    train(", "    if config['train']: train(", id="by-choice"
        ),
        pytest.param(BEHIND, "saving.py", "torch.save(kept", "print(kept", id="saves-nothing"),
        pytest.param(BEHIND, "training.py", "save_model(epoch", "print(epoch", id="trains-only"),
        pytest.param(
            BEHIND, "saving.py", '"model": net.', '"model": other.', id="saves-something-else"
        ),
        pytest.param(
            BESIDE,
            "model.py",
            '{"epoch": epoch, "optimizer": self.optimizer.state_dict()}',
            "collect(epoch)",
            id="may-be-the-weights",
        ),
        pytest.param(
            BESIDE, "model.py", "state[key] = value.cpu()", "pass", id="brings-nothing-back"
        ),
        pytest.param(
            BESIDE, "model.py", "loaded.items()", 'loaded["optimizer"].items()', id="the-other"
        ),
    ],
)
def test_what_may_be_of_another_run(
    tmp_path: Path, project: str, name: str, old: str, new: str
) -> None:
    assert finds(tmp_path, project, name, old, new)


def test_entries_of_a_state(tmp_path: Path) -> None:
    new = 'torch.load(path)\n        print(loaded["weight"].shape)'
    assert not finds(tmp_path, BESIDE, "model.py", "torch.load(path)", new)


@pytest.mark.parametrize("project", [HELPED, BEHIND, BESIDE])
def test_what_is_of_the_same_run(tmp_path: Path, project: str) -> None:
    assert not finds(tmp_path, project, "main.py", "device", "device")
