"""Which reads are in each step of a training loop, and which are not."""

from __future__ import annotations

import pytest

from torchdev_lint.config.settings import Settings
from torchdev_lint.linter import lint
from torchdev_lint.source.source import Source

SETTINGS = Settings(rules=("TDL904",))

PROGRAM = """\
import itertools
import torch
from torch import nn
from tqdm import tqdm

def train(loader, optimizer, scheduler, accelerator, device):
    model = nn.Linear(4, 2).to(device)
    {head}
        loss = model(torch.ones(3, 4, device=device)).mean()
        {trains}
        {read}
"""


def findings(
    read: str, head: str = "for batch in loader:", trains: str = "loss.backward()"
) -> list[str]:
    """Return the expressions that are reported."""
    text = PROGRAM.format(head=head, trains=trains, read=read)
    source = Source.from_text(text, "program.py")
    spans = [found.span for found in lint(source, source.parse(), SETTINGS)]
    return [source.lines[s.line - 1][s.column : s.end_column] for s in spans]


@pytest.mark.parametrize(
    "read",
    ["loss.item()", "loss.cpu()", "loss.to('cpu')", "loss.tolist()", "loss.numpy(force=True)",
     "float(loss)", "int(loss)", "bool(loss)", "str(loss)", "print(loss)", "loss.detach().cpu()"],
)  # fmt: skip
def test_what_reads(read: str) -> None:
    assert findings(f"x = {read}") == [read]


@pytest.mark.parametrize(
    "statement",
    ["if loss: pass", "x = 1 if loss else 2", "x = not loss", "x = f'{loss}'", "while loss: break"],
)
def test_a_tensor_whose_truth_or_text_is_wanted(statement: str) -> None:
    assert findings(statement) == ["loss"]


@pytest.mark.parametrize(
    "statement",
    ["x = loss.detach()", "x = loss.shape", "x = loss.dim()", "x = loss is None", "x = id(loss)",
     "x = loss.to('cpu', non_blocking=True)", "x = loss.float()", "x = batch.item()",
     "print(batch)", "print(model)", "if device: print(1)", "x = lambda: loss.item()",
     "if scheduler and loss > 3: pass", "x = not (scheduler and loss)"],
)  # fmt: skip
def test_what_reads_nothing_there(statement: str) -> None:
    assert findings(statement) == []


def test_one_finding_a_statement() -> None:
    assert findings("print(loss.item(), loss.tolist())") == ["loss.item()"]


@pytest.mark.parametrize(
    "trains",
    ["loss.backward()", "accelerator.backward(loss)", "optimizer.zero_grad(); optimizer.step()"],
)
def test_what_trains(trains: str) -> None:
    assert findings("loss.item()", trains=trains) == ["loss.item()"]


@pytest.mark.parametrize("trains", ["pass", "scheduler.step()", "optimizer.zero_grad()"])
def test_what_does_not(trains: str) -> None:
    assert findings("loss.item()", trains=trains) == []


@pytest.mark.parametrize(
    "head",
    ["for batch in tqdm(loader):", "for step, batch in enumerate(loader, 1):",
     "for x, y in zip(loader, loader):"],
)  # fmt: skip
def test_loops_over_batches(head: str) -> None:
    assert findings("loss.item()", head=head) == ["loss.item()"]


@pytest.mark.parametrize(
    "head",
    ["for step in range(3):", "for step in tqdm(range(3)):", "for step in itertools.count():",
     "while True:", "if loader:"],
)  # fmt: skip
def test_loops_that_only_count_and_no_loops(head: str) -> None:
    assert findings("loss.item()", head=head) == []
