"""What a project writes to files, which one that reads them has to say where to put, or not."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchdev_lint.linter import lint
from torchdev_lint.rules import EVERY_RULE
from torchdev_lint.source.source import read_source

READING = """\
import sys
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
model.load_state_dict(torch.load(sys.argv[1]))
"""
FROM_HOST = "import torch\ntorch.save(model.cpu().state_dict(), path)\n"
BEFORE = """\
import torch
def keep(self, path):
    self.net.cpu()
    torch.save(self.net.state_dict(), path)
    self.net.cuda()
"""
FROM_ANYWHERE = "import torch\ntorch.save(model.state_dict(), path)\n"
BACK_AGAIN = "import torch\nnet.cpu()\nnet.to(device)\ntorch.save(net.state_dict(), path)\n"
ANOTHER = "import torch\nnet.cpu()\ntorch.save(model.state_dict(), path)\n"


def is_found(folder: Path, others: dict[str, str], reading: str = READING) -> bool:
    """Whether the file that reads what others write has to say where it goes."""
    (folder / ".git").mkdir()
    for name, text in {**others, "evaluate.py": reading}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    source = read_source(str(folder / "evaluate.py"))
    return any(found.code == "TDL101" for found in lint(source, source.parse(), EVERY_RULE))


@pytest.mark.parametrize(
    "others",
    [
        {"train.py": FROM_HOST},
        {"train.py": BEFORE, "plot.py": "figure.save('loss.png')\n"},
        {"train.py": FROM_HOST, "more/train.py": BEFORE, "tests/test_it.py": FROM_ANYWHERE},
    ],
)
def test_a_project_that_writes_from_the_cpu(tmp_path: Path, others: dict[str, str]) -> None:
    assert not is_found(tmp_path, others)


@pytest.mark.parametrize(
    "others",
    [
        {},
        {"train.py": FROM_ANYWHERE},
        {"train.py": BACK_AGAIN},
        {"train.py": ANOTHER},
        {"train.py": FROM_HOST, "finetune.py": FROM_ANYWHERE},
        {"train.py": FROM_HOST, "finetune.py": "from torch import save as keep\nkeep(model, path)"},
        {"train.py": FROM_HOST, "finetune.py": "import torch as t\nt.save(model, path)"},
        {"train.py": FROM_HOST, "fit.py": "Trainer(callbacks=[ModelCheckpoint('models')])"},
        {"train.py": FROM_HOST, "finetune.py": "import torch\ntorch.save(\n"},
    ],
)
def test_a_project_that_may_write_from_anywhere(tmp_path: Path, others: dict[str, str]) -> None:
    assert is_found(tmp_path, others)


def test_what_the_file_writes_itself_counts_first(tmp_path: Path) -> None:
    reading = READING + "torch.save(model.state_dict(), sys.argv[2])\n"
    assert is_found(tmp_path, {"train.py": FROM_HOST}, reading)


BESIDE = """\
import sys
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

def run(model):
    model.train()

def begin(path):
    net = nn.Linear(4, 2).to(device)
    kept = torch.load(path)
    {used}
    return {given}

{targets} = begin(sys.argv[1])
run(model)
"""


@pytest.mark.parametrize(
    ("given", "targets", "found"),
    [
        ("net, kept['epoch']", "model, epoch", False),
        ("(kept['epoch'], net)", "[epoch, model]", False),
        ("*sys.path, net, kept['model']", "*paths, net, model", True),
        ("net, kept['model']", "net, model", True),
        ("[kept['model'], net]", "model, net", True),
        ("kept['model']", "model, *others", True),
    ],
)
def test_a_part_of_what_is_returned(tmp_path: Path, given: str, targets: str, found: bool) -> None:
    reading = BESIDE.format(used="pass", given=given, targets=targets)
    assert is_found(tmp_path, {}, reading) == found


def message_of(folder: Path, text: str) -> str:
    """What is said of the one call that reads a file."""
    (folder / "evaluate.py").write_text(text)
    source = read_source(str(folder / "evaluate.py"))
    (finding,) = lint(source, source.parse(), EVERY_RULE)
    return finding.message


def test_the_place_that_takes_the_state_is_told(tmp_path: Path) -> None:
    used = "net.load_state_dict(kept['model'])"
    text = BESIDE.format(used=used, given="net, kept['epoch']", targets="model, epoch")
    assert "for `net.load_state_dict` on line 13" in message_of(tmp_path, text)


KEPT = """\
import torch
from torch import nn

class Trainer:
    def fit(self):
        {before}
        return torch.optim.Adam(self.net.parameters())

    def score(self, path, x):
        self.net = torch.load(path)
        {after}

if torch.cuda.is_available():
    Trainer().fit()
"""


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("self.net = nn.Linear(4, 2)", "return self.net(x)", "`self.net` on line 11"),
        ("self.net.train()", "return self.net(x)", "`self.net` on line 11"),
        ("self.net.train()", "return x", "`self.net.train` on line 6"),
    ],
)
def test_a_place_that_certainly_has_what_was_read_is_told(
    tmp_path: Path, before: str, after: str, told: str
) -> None:
    assert f"for {told}" in message_of(tmp_path, KEPT.format(before=before, after=after))


@pytest.mark.parametrize(
    ("before", "found"),
    [
        ("self.net = nn.Linear(4, 2)", False),
        ("self.net = self.net.eval()", True),
        ("if self.new: self.net = nn.Linear(4, 2)", True),
        ("self.net += 1", True),
    ],
)
def test_a_method_that_sets_an_attribute_anew_has_not_what_was_read(
    tmp_path: Path, before: str, found: bool
) -> None:
    assert is_found(tmp_path, {}, KEPT.format(before=before, after="return x")) == found
