"""A model that nothing moves is written from the CPU, whatever else goes to an accelerator."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command import lint

LOADS = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def restore(path):
    model = nn.Linear(4, 2)
    model.load_state_dict(torch.load(path + "/head.pt"))
    return model.to(device)
"""
NETS = """\
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 2)

    def forward(self, x):
        return self.layer(x)


class Wide(Net):
    pass
"""
TRAINING = """\
import torch
from nets import Net

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Trainer:
    def __init__(self, model):
        self.model = model

    def fit(self, images, path):
        self.model(images.to(device).cpu()).sum().backward()
        torch.save(self.model.state_dict(), path + "/head.pt")


def main(images, path):
    model = Net()
    trainer = Trainer(model)
    trainer.fit(images, path)
    print(model, len(list(model.parameters())))
"""


def finds(folder: Path, **files: str) -> bool:
    """Whether the file that loads is reported, in a project with some others."""
    (folder / "pyproject.toml").touch()
    known = {"restoring": LOADS, "nets": NETS, "training": TRAINING}
    for name, text in {**known, **files}.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    return ": TDL101" in lint("--no-cache", "--exit-zero", "restoring.py", cwd=folder).out


def changed(old: str, new: str, text: str = TRAINING) -> str:
    """A text in which something else stands."""
    assert old in text
    return text.replace(old, new)


STAYS = {
    "an object that a trainer holds": TRAINING,
    "a name for another": changed("Trainer(model)", "Trainer(net)").replace(
        "model = Net()", "model = Net()\n    net = model"
    ),
    "what a function gives": changed("model = Net()", "model = build()")
    + "\n\ndef build():\n    return Net()\n",
    "moved to the CPU": changed("self.model(", "self.model.to('cpu')\n        self.model("),
    "watched by a library": changed(
        "    print(model", "    wandb.watch(model)\n    print(model"
    ).replace("import torch\n", "import torch\nimport wandb\n"),
}
MOVED = {
    "by an heir of its trainer": TRAINING
    + "\n\nclass Later(Trainer):\n    def start(self):\n        self.model = self.model.cuda()\n",
    "by its trainer": changed("self.model = model", "self.model = model.to(device)"),
    "by whom it came from": changed("model = Net()", "model = Net().cuda()"),
    "later": changed("    trainer.fit", "    model.to(device)\n    trainer.fit"),
    "under another name": changed(
        "    trainer.fit", "    net = model\n    net.cuda()\n    trainer.fit"
    ),
    "as a part of its owner": changed(
        "    trainer.fit", "    trainer.model.cuda()\n    trainer.fit"
    ),
    "by a function": changed("    trainer.fit", "    start(model)\n    trainer.fit")
    + "\n\ndef start(net):\n    net.to(device)\n",
    "one by one": changed(
        "    trainer.fit", "    for n in (model,):\n        n.cuda()\n    trainer.fit"
    ),
    "by a wrapper": changed("Trainer(model)", "Trainer(torch.nn.DataParallel(model))"),
    "by somebody unknown": changed("    trainer.fit", "    images.start(model)\n    trainer.fit"),
    "by a library": changed(
        "    trainer.fit", "    engine.prepare(model)\n    trainer.fit"
    ).replace("import torch\n", "import torch\nfrom accelerate import Accelerator\n"),
    "as the trainer is a module": changed(
        "class Trainer:", "class Trainer(torch.nn.Module):"
    ).replace("    trainer.fit", "    trainer.to(device)\n    trainer.fit"),
    "where it is not known who gives it": changed("    trainer = Trainer(model)\n", "").replace(
        "trainer.fit", "Trainer(images.model).fit"
    ),
}


@pytest.mark.parametrize("training", STAYS.values(), ids=list(STAYS))
def test_what_stays_is_not_reported(tmp_path: Path, training: str) -> None:
    assert not finds(tmp_path, training=training)


def test_an_entry_beside_an_optimizer(tmp_path: Path) -> None:
    state = '{"model": self.model.state_dict(), "by": self.optimizer.state_dict(), "epoch": 1}'
    training = changed("self.model.state_dict()", state).replace(
        "self.model = model",
        "self.model = model\n        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)",
    )
    restoring = changed('"/head.pt")', '"/head.pt")["model"]', LOADS)
    assert not finds(tmp_path, training=training, restoring=restoring)
    moved = changed("    trainer.fit", "    model.to(device)\n    trainer.fit", training)
    assert finds(tmp_path, training=moved, restoring=restoring)


@pytest.mark.parametrize("training", MOVED.values(), ids=list(MOVED))
def test_what_is_moved_is_reported(tmp_path: Path, training: str) -> None:
    assert finds(tmp_path, training=training)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("nn.Linear(4, 2)", "nn.Linear(4, 2).cuda()"),
        ("nn.Linear(4, 2)", 'nn.Linear(4, 2, device="cuda")'),
        ("return self.layer(x)", "self.layer.cuda()\n        return self.layer(x)"),
    ],
)
def test_a_class_that_moves_itself(tmp_path: Path, old: str, new: str) -> None:
    assert finds(tmp_path, nets=changed(old, new, NETS))


def test_an_optimizer_of_what_is_moved(tmp_path: Path) -> None:
    restoring = changed("model.load_state_dict", "model.optimizer.load_state_dict", LOADS)
    training = changed("self.model.state_dict()", "self.optimizer.state_dict()").replace(
        "self.model = model",
        "self.model = model\n        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)",
    )
    assert not finds(tmp_path, training=training, restoring=restoring)
    moved = changed("= model\n", "= model.to(device)\n", training)
    assert finds(tmp_path, training=moved, restoring=restoring)


def test_a_file_that_knows_the_attribute_alone(tmp_path: Path) -> None:
    helpers = "def start(owner, device):\n    owner.model.to(device)\n"
    assert finds(tmp_path, helpers=helpers)


def test_a_base_that_moves_itself(tmp_path: Path) -> None:
    training = TRAINING.replace("Net", "Wide")
    assert not finds(tmp_path, training=training)
    moving = changed("super().__init__()\n", "super().__init__()\n        self.cuda()\n", NETS)
    assert finds(tmp_path, training=training, nets=moving)


def test_another_default(tmp_path: Path) -> None:
    training = changed("class Trainer", 'torch.set_default_device("cuda")\n\n\nclass Trainer')
    assert finds(tmp_path, training=training)


def test_through_more_functions_than_are_followed(tmp_path: Path) -> None:
    steps = [f"def f{i}(m, p):\n    n = m\n    f{i - 1}(n, p)\n" for i in range(1, 400)]
    first = (
        "import torch\nfrom nets import Net\n\n\ndef f0(m, p):\n    torch.save(m.state_dict(), p)\n"
    )
    last = "device = torch.device('cuda')\nf399(Net(), 'head.pt')\n"
    assert finds(tmp_path, training="\n\n".join([first, *steps, last]))
