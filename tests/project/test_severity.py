"""Whether a project shows that what is assumed of a model holds: that it is on an accelerator."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from torchdev_lint.finding import Finding
from torchdev_lint.linter import judged, lint
from torchdev_lint.rules import BY_DEFAULT
from torchdev_lint.source.source import Source, read_source

from ..command import lint as run_command
from .test_imports import write

NET = """
import torch
from torch import nn


def mask(n):
    return torch.zeros(n)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(x) + mask(4)
"""


def shown(folder: Path, name: str = "net.py") -> tuple[str, str | None]:
    """How bad the one finding in a file is, and the line of the project that shows it."""
    source = read_source(str(folder / name))
    (finding,) = judged(source, lint(source, source.parse(), BY_DEFAULT), BY_DEFAULT)
    if finding.severity == "warning":
        return "warning", None
    place = finding.related[-1]
    assert "is moved to an accelerator here" in place.message
    lines = Path(place.path or folder / name).read_text(encoding="utf-8").splitlines()
    return "error", lines[place.span.line - 1].strip()


MOVES = [
    "Net().cuda()",
    "Net().to('cuda:0')",
    "Net().eval().to(device=0)",
    "Net().to(torch.device('cuda' if torch.cuda.is_available() else 'cpu'))",
    "nn.DataParallel(Net()).cuda()",
    "nn.Sequential(Net(), nn.ReLU()).to(args.device)",
    "nets = [Net().cuda() for _ in range(3)]",
    "transformers.Trainer(model=Net(), args=args)",
    "Trainer(Net())",
    "L.Trainer(max_epochs=3).validate(Net())",
]


@pytest.mark.parametrize("move", MOVES)
def test_what_is_moved_at_once(tmp_path: Path, move: str) -> None:
    train = "import torch, transformers\nimport lightning as L\nfrom torch import nn\n"
    train += "from net import Net\n"
    train += f"from transformers import Trainer\n\n{move}\n"
    write(tmp_path, {"net.py": NET, "train.py": train})
    assert shown(tmp_path) == ("error", move)


NO_MOVES = [
    "Net()",
    "Net().cpu()",
    "Net().to('cpu')",
    "Net().to(torch.device('cpu'))",
    "Net().to(torch.float16)",
    "Net().to(host)",
    "transformers.Trainer(Net(), device='cpu')",
    "L.Trainer(accelerator='cpu').fit(Net())",
    "other.Net().cuda()",
    "Other().cuda()",
    "Net.cuda()",
    "print(Net(), torch.ones(3).cuda())",
    "model = Net()\nmodel = nn.Linear(4, 4)\nmodel.cuda()",
    "L.Trainer().fit(other.Module(), Net())",
    "L.Trainer().fit(model=other.Module(), datamodule=Net())",
]


@pytest.mark.parametrize("text", NO_MOVES)
def test_what_is_not_moved(tmp_path: Path, text: str) -> None:
    """Another class of that name shows nothing; nor does a move to the CPU."""
    train = "import torch, transformers, other\nimport lightning as L\n"
    train += "from net import Net\nfrom other import Net as Other"
    train += f"\n\nhost = 'cpu'\n{text}\n"
    write(tmp_path, {"net.py": NET, "train.py": train, "other.py": NET})
    assert shown(tmp_path) == ("warning", None)


WAYS = {
    "in the file itself": {"net.py": NET + "\nmodel = Net()\nmodel.to('cuda')  # here\n"},
    "a variable": {
        "train.py": """
            import net as models

            def main(device):
                model = models.Net()
                model.train()
                model = model.to(device)  # here
            """
    },
    "an attribute, in another method": {
        "train.py": """
            from net import Net

            class Trainer:
                def __init__(self):
                    self.model = Net()

                def run(self):
                    self.model.cuda()  # here
            """
    },
    "part of a module of another file": {
        "whole.py": """
            from torch import nn
            from net import Net

            class Whole(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.nets = nn.ModuleList([Net() for _ in range(3)])
            """,
        "scripts/train.py": "from whole import Whole\n\nWhole().cuda()  # here\n",
    },
    "a class that inherits from it": {
        "sub.py": "from net import Net\n\nclass Sub(Net):\n    pass\n",
        "train.py": "from sub import Sub\n\nnet = Sub()\nnet.cuda()  # here\n",
    },
    "what a function builds": {
        "build.py": "from net import Net\n\ndef build():\n    net = Net()\n    return net\n",
        "train.py": "import build\n\nmodel = build.build().to('cuda')  # here\n",
    },
    "a function that is given it": {
        "train.py": """
            from net import Net
            from fit import fit

            fit(3, model=Net())
            """,
        "fit.py": "def fit(n, model):\n    model.cuda()  # here\n",
    },
    "a class that is given it": {
        "train.py": "from net import Net\nfrom fit import Fitter\n\nFitter(Net(), 'cuda')\n",
        "fit.py": """
            class Fitter:
                def __init__(self, model, device):
                    self.model = model.to(device)  # here
            """,
    },
    "accelerate": {
        "train.py": """
            from accelerate import Accelerator
            from net import Net

            accelerator = Accelerator()
            model = Net()
            model, other = accelerator.prepare(model, 3)  # here
            """
    },
    "lightning": {
        "train.py": """
            import lightning as L
            from net import Net

            class Module(L.LightningModule):
                def __init__(self):
                    super().__init__()
                    self.net = Net()

            trainer = L.Trainer(max_epochs=3)
            trainer.fit(Module())  # here
            """
    },
    "a package that hands it on": {
        "package/__init__.py": "from .models import *\n",
        "package/models.py": "from net import Net\n",
        "train.py": "import package\n\npackage.Net().cuda()  # here\n",
    },
}


@pytest.mark.parametrize("files", WAYS.values(), ids=WAYS)
def test_ways_to_an_accelerator(tmp_path: Path, files: dict[str, str]) -> None:
    write(tmp_path, {"net.py": NET, **files})
    severity, line = shown(tmp_path)
    assert severity == "error"
    assert line is not None
    assert line.endswith("# here")


def test_a_search_ends(tmp_path: Path) -> None:
    """Names that lead to each other, files that can't be read, and what is of no project."""
    files = {
        "net.py": NET + "\nclass Sub(Net, Other): ...\nclass Other(Sub): ...\n",
        "a.py": "from net import Net\nfrom b import build\ndef make():\n    return build(Net())\n",
        "b.py": "from a import make\ndef build(net):\n    net = make(net)\n    return build(net)\n",
        "c.py": "from net import Net\nNet().cuda(\n",
        "d.py": "from d import *\nfrom net import *\nNet().to(Net())\n",
    }
    write(tmp_path, files)
    assert shown(tmp_path) == ("warning", None)
    source = Source.from_text(NET, "-")
    found = judged(source, lint(source, source.parse(), BY_DEFAULT), BY_DEFAULT)
    assert [finding.severity for finding in found] == ["warning"]


def test_other_findings_are_errors(tmp_path: Path) -> None:
    """Where the code itself moves the model, or throws a move away, nothing is assumed."""
    text = "import torch\nx = torch.ones(3)\nx.cuda()\nm = torch.nn.Linear(3, 3).cuda()\nm(x)\n"
    source = Source.from_text(text, str(tmp_path / "main.py"))
    found: list[Finding] = lint(source, source.parse(), BY_DEFAULT)
    assert judged(source, found, BY_DEFAULT) == tuple(found)
    assert {finding.severity for finding in found} == {"error"}


def test_how_it_is_told(tmp_path: Path) -> None:
    """JSON has the severity; a line of text says of a warning that it is one."""
    write(tmp_path, {"net.py": NET})
    (line,) = run_command("-q", ".", cwd=tmp_path).out.splitlines()
    assert line.startswith("net.py:7:12: TDL002 [*] warning: `torch.zeros` makes")
    (told,) = json.loads(run_command("--output-format=json", ".", cwd=tmp_path).out)
    assert told["severity"] == "warning"
    write(tmp_path, {"train.py": "from net import Net\nNet().cuda()\n"})
    for arguments in (
        [
            ".",
        ],
        ["net.py"],
    ):
        (line,) = run_command("-q", *arguments, cwd=tmp_path).out.splitlines()
        assert line.startswith("net.py:7:12: TDL002 [*] `torch.zeros` makes")
        (told,) = json.loads(run_command("--output-format=json", *arguments, cwd=tmp_path).out)
        assert told["severity"] == "error"
        assert told["related"][-1]["filename"] == str(tmp_path / "train.py")
        assert told["related"][-1]["location"] == {"row": 2, "column": 1}
