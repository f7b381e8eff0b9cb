"""What a project writes lies on the CPU if it names no accelerator anywhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import lint

LOADS = """\
import torch
from torch import nn


class Agent:
    def __init__(self, folder):
        self.nets = 2 * [None]
        for i in range(2):
            self.nets[i] = nn.Linear(4, 2)
            self.nets[i].load_state_dict(torch.load(folder + "net_" + str(i) + ".pkl"))
"""
WRITES = "import torch\n\n\ndef train(model, folder):\n    torch.save(model, folder + '/actor')\n"
TRAINS = f"{WRITES}\n\ndef step(loss):\n    loss.backward()\n"


def finds(folder: Path, files: dict[str, str], agent: str = "agent.py") -> bool:
    """Whether the file that loads is reported, in a project with some others."""
    (folder / "pyproject.toml").touch()
    for name, text in {agent: LOADS, **files}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    return ": TDL101" in lint("--no-cache", "--exit-zero", agent, cwd=folder).out


def test_a_project_without_accelerators(tmp_path: Path) -> None:
    assert not finds(tmp_path, {"training.py": WRITES})


def test_a_file_that_writes_itself(tmp_path: Path) -> None:
    itself = LOADS + "\n    def save(self, folder):\n        torch.save(self.nets[0], folder)\n"
    assert not finds(tmp_path, {"main.py": "import agent\n", "agent.py": itself})


EITHER = 'device = "cuda"\nstart(device)\n'
ON_THE_CPU = 'import torch\n\n# device = "cuda"\ndevice = torch.device("cpu")\nmodel.to(device)\n'


def test_a_device_that_is_written_out(tmp_path: Path) -> None:
    assert not finds(tmp_path, {"training.py": f"{WRITES}\n\n{ON_THE_CPU}"})


def test_a_device_that_is_replaced_at_once(tmp_path: Path) -> None:
    assert not finds(tmp_path, {"training.py": WRITES, "run.py": ON_THE_CPU.replace("# ", "")})


def test_a_file_that_is_on_the_cpu_itself(tmp_path: Path) -> None:
    itself = {"agent.py": f"{LOADS}\n\n{ON_THE_CPU}"}
    assert not finds(tmp_path, {"training.py": f"{WRITES}\n\n{ON_THE_CPU}", **itself})


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({}, id="nothing-is-written"),
        pytest.param({"training.py": WRITES, "run.py": f"{EITHER}{ON_THE_CPU}"}, id="either"),
        pytest.param(
            {"training.py": WRITES, "run.py": f"{ON_THE_CPU}\ndef run(device):\n    pass\n"},
            id="told-a-device",
        ),
        pytest.param({"training.py": WRITES.replace("save", "load")}, id="nor-here"),
        pytest.param({"training.py": WRITES, "run.py": "model.cuda()\n"}, id="cuda"),
        pytest.param(
            {"training.py": WRITES, "deep/run.py": "device = pick()\nnet.to(device)\n"}, id="device"
        ),
        pytest.param({"training.py": f"import lightning\n{WRITES}"}, id="a-library"),
        pytest.param({"training.py": WRITES, "run.py": "nn.DataParallel(model)\n"}, id="wrapper"),
    ],
)
def test_others_are_reported(tmp_path: Path, files: dict[str, str]) -> None:
    assert finds(tmp_path, files)


BRINGS = (
    "import torch\n\n\ndef keep(net, to):\n    net.cpu()\n    torch.save(net.state_dict(), to)\n"
)
AGAIN = (
    "import torch\n\nstate = torch.load('net')\nstate['n'] = 1\ntorch.save(state, 'net_2.pkl')\n"
)


@pytest.mark.parametrize(
    ("written_again", "is_reported"),
    [
        pytest.param(AGAIN, False, id="as-it-was"),
        pytest.param(f"{AGAIN}\nstate = state.cuda()\n", True, id="somewhere-else"),
    ],
)
def test_what_is_read_and_written_again(
    tmp_path: Path, written_again: str, is_reported: bool
) -> None:
    files = {"keeping.py": BRINGS, "again.py": written_again, "run.py": "net.cuda()\n"}
    assert finds(tmp_path, files) == is_reported


USES_CUDA = "import nets\n\nnets.build().cuda()\n"


def test_a_folder_without_accelerators(tmp_path: Path) -> None:
    files = {"old/training.py": TRAINS, "new/run.py": USES_CUDA, "new/nets.py": WRITES}
    assert not finds(tmp_path, files, agent="old/agent.py")


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"new/run.py": "from old.training import train\nx.cuda()\n"}, id="importer"),
        pytest.param(
            {"old/training.py": f"import run\n{TRAINS}", "run.py": "x.cuda()\n"}, id="tool"
        ),
        pytest.param({"old/run.py": USES_CUDA}, id="beside"),
        pytest.param({"old/training.py": "", "new/training.py": TRAINS}, id="written-elsewhere"),
        pytest.param(
            {"old/training.py": WRITES, "new/training.py": TRAINS}, id="trained-elsewhere"
        ),
    ],
)
def test_others_that_have_to_do_with_a_folder(tmp_path: Path, files: dict[str, str]) -> None:
    files = {"old/training.py": TRAINS, "new/other.py": USES_CUDA, **files}
    assert finds(tmp_path, files, agent="old/agent.py")


STAYS = """\
import torch
from steps import step

device = "cuda" if torch.cuda.is_available() else "cpu"
device = "cpu"
step(model.to(device), device)
torch.save(model, f"out/net_{i}.pkl")
"""
STEPS = "def step(model, device='cuda'):\n    model(x.to(device)).backward()\n"


def test_a_program_that_stays_on_the_cpu_beside_others(tmp_path: Path) -> None:
    method = "\n\nclass Kept:\n    def to(self, device):\n        self.device = device\n"
    files = {"train.py": STAYS, "steps.py": STEPS + method, "other.py": f"{USES_CUDA}{WRITES}"}
    assert not finds(tmp_path, files)


@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"train.py": STAYS.replace("net_", "gan_")}, id="another-name"),
        pytest.param({"train.py": STAYS.replace(", device)", ")")}, id="by-default"),
        pytest.param({"train.py": STAYS.replace('device = "cpu"', "print(device)")}, id="chosen"),
        pytest.param({"steps.py": STEPS.replace("backward", "item")}, id="trains-nothing"),
        pytest.param({"main.py": "import train\nx.cuda()\n"}, id="part-of-another-one"),
        pytest.param(
            {"other.py": "import torch\nx.cuda()\ntorch.save(net, f'out/net_{i}.pkl')\n"},
            id="another-writer",
        ),
        pytest.param(
            {"main.py": "import train\ntrain.device = parse('--device')\n"}, id="told-by-its-user"
        ),
    ],
)
def test_programs_that_may_use_an_accelerator(tmp_path: Path, files: dict[str, str]) -> None:
    assert finds(tmp_path, {"train.py": STAYS, "steps.py": STEPS, "other.py": USES_CUDA, **files})


BY_ITS_USER = LOADS.replace('folder + "net_" + str(i) + ".pkl"', "folder")


@pytest.mark.parametrize(
    ("agent", "is_reported"), [("old/agent.py", False), ("agent.py", True), ("new/agent.py", True)]
)
def test_who_lies_beside_what_reads(tmp_path: Path, agent: str, is_reported: bool) -> None:
    new = f"{STAYS}model.cuda()\n".replace("steps", "new.steps")
    old = STAYS.replace("steps", "old.steps")
    files = {"old/train.py": old, "old/steps.py": STEPS, "new/train.py": new, "new/steps.py": STEPS}
    assert finds(tmp_path, {**files, agent: BY_ITS_USER}, agent) == is_reported
