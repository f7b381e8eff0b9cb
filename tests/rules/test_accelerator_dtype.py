"""What is pinned, read too early or of double precision, and what is none of that."""

from __future__ import annotations

import ast

import pytest

from torchdev_lint.applying.apply import fix_source
from torchdev_lint.config.settings import Settings
from torchdev_lint.linter import lint
from torchdev_lint.placement.evidence.named_devices import Apple
from torchdev_lint.rules import OWN_RULES
from torchdev_lint.source.source import Source
from torchdev_lint.syntax.scopes import Syntax

SETTINGS = Settings(rules=("TDL905",))
EVERY = Settings(rules=tuple(rule.code for rule in OWN_RULES if rule.code != "TDL900"))

HEAD = """\
import numpy as np
import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Subset, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
there = torch.ones(8, 8, device=device)
here = torch.ones(8, 8)
"""


def codes(text: str, settings: Settings = SETTINGS) -> list[str]:
    """Return the rules that have a finding in a program, one for each finding."""
    source = Source.from_text(text, "program.py")
    return [finding.code for finding in lint(source, source.parse(), settings)]


def is_found(statements: str) -> bool:
    """Return whether statements that follow the usual ones have one finding."""
    found = codes(HEAD + statements + "\n")
    assert len(found) < 2
    return bool(found)


@pytest.mark.parametrize(
    "dataset",
    ["TensorDataset(there)", "TensorDataset(here, there)", "[there, there]", "there",
     "Subset(TensorDataset(there), [0])", "ConcatDataset([TensorDataset(there)])",
     "[(there, 1)]", "[{'x': there}]"],
)  # fmt: skip
def test_samples_on_the_accelerator_are_not_to_be_pinned(dataset: str) -> None:
    assert is_found(f"DataLoader({dataset}, pin_memory=True)")
    assert not is_found(f"DataLoader({dataset}, pin_memory=False)")
    assert not is_found(f"DataLoader({dataset.replace('there', 'here')}, pin_memory=True)")


@pytest.mark.parametrize("pin", ["torch.cuda.is_available()", "device.type == 'cuda'", "not False"])
def test_loaders_that_pin_where_there_is_an_accelerator(pin: str) -> None:
    assert is_found(f"DataLoader(TensorDataset(there), pin_memory={pin})")


@pytest.mark.parametrize(
    "made",
    ["zeros(3", "empty(3", "full((3,), 1.0", "randn(3", "rand(3", "ones(3"],
)
def test_factories_that_ask_for_pinned_memory_there(made: str) -> None:
    assert is_found(f"torch.{made}, device=device, pin_memory=True)")
    assert not is_found(f"torch.{made}, pin_memory=True)")


@pytest.mark.parametrize(
    "statement",
    ["torch.tensor([1.0], device=device, pin_memory=True)", "here.pin_memory().to(device)",
     "there.cpu().pin_memory()", "there.is_pinned()"],
)  # fmt: skip
def test_what_may_be_pinned(statement: str) -> None:
    assert not is_found(statement)


COPY = "copy = (there @ there).to('cpu', non_blocking=True)\n"


@pytest.mark.parametrize(
    "read",
    ["copy.item()", "copy.tolist()", "copy.numpy()", "float(copy)", "print(copy)", "f'{copy}'",
     "np.sqrt(copy)", "copy + 1", "here @ copy", "torch.cat([copy, here])", "copy.mean().item()",
     "assert copy.sum() > 1", "if copy.max() > 1: pass", "while copy.any(): break",
     "view = copy[0]\nview.tolist()", "total = copy.sum()\nprint(total)", "(copy == here).all()"],
)  # fmt: skip
def test_what_reads_a_copy_too_early(read: str) -> None:
    assert is_found(COPY + read)
    assert not is_found(COPY.replace("non_blocking=True", "non_blocking=False") + read)
    assert not is_found(COPY + "torch.cuda.synchronize()\n" + read)


@pytest.mark.parametrize(
    "between",
    ["there.sum().item()", "torch.cuda.current_stream().synchronize()", "print(there)",
     "other = there.cpu()", "here.to(device)", "unknown()", "there.nonzero()", "there.unique()",
     "for _ in range(3): there.tolist()"],
)  # fmt: skip
def test_what_may_wait_in_between(between: str) -> None:
    assert not is_found(COPY + between + "\nprint(copy)")


@pytest.mark.parametrize(
    "between", ["there = there.relu() + 1", "other = torch.relu(there)", "x = copy.shape", "y = 1"]
)
def test_what_waits_for_nothing(between: str) -> None:
    assert is_found(COPY + between + "\nprint(copy)")


@pytest.mark.parametrize(
    "statement",
    ["copy.shape", "copy.dim()", "copy.detach()", "there.copy_(copy)", "copy = here\nprint(copy)",
     "copy.to(device, non_blocking=True).sum()"],
)  # fmt: skip
def test_what_reads_nothing(statement: str) -> None:
    assert not is_found(COPY + statement)


def test_a_structure_is_not_read_for_its_length() -> None:
    text = """\
def kept(model: nn.Module, x: torch.Tensor):
    out = model.to(device)(x.to(device)).to("cpu", non_blocking=True)
    return {} if out else None
"""
    assert not is_found(text)
    assert is_found(text.replace("if out else None", "if out.tolist() else None"))


def test_a_copy_under_a_condition_may_be_none() -> None:
    text = "copy = here\nif unknown():\n    copy = there.to('cpu', non_blocking=True)\nprint(copy)"
    assert not is_found(text)


@pytest.mark.parametrize(
    "device",
    ["'mps'", "torch.device('mps')", "'mps:0'", "pick()", "torch.device(pick())",
     "'cuda' if torch.cuda.is_available() else 'mps'"],
)  # fmt: skip
@pytest.mark.parametrize(
    "made",
    ["torch.zeros(3, dtype=torch.float64, device={})", "torch.zeros(3).double().to({})",
     "torch.zeros(3).to(torch.double).to({})", "torch.zeros(3).to({}, torch.float64)",
     "torch.zeros(3).to({}).double()", "torch.DoubleTensor([1]).to({})"],
)  # fmt: skip
def test_doubles_on_apples_accelerators(device: str, made: str) -> None:
    head = 'import torch\n\ndef pick():\n    return "mps"\n\n'
    assert codes(f"{head}d = {device}\nx = {made.format('d')}\n") == ["TDL905"]


@pytest.mark.parametrize(
    "made",
    ["torch.zeros(3, device=d)", "torch.zeros(3).double().float().to(d)",
     "torch.zeros(3, dtype=torch.float64)", "torch.zeros(3).to(d, torch.float32)",
     "torch.zeros(3).double().argmax(0).to(d)", "torch.zeros(3).double().to('cpu')"],
)  # fmt: skip
def test_what_is_no_double_there(made: str) -> None:
    assert codes(f'import torch\nd = torch.device("mps")\nx = {made}\n') == []


@pytest.mark.parametrize(
    "asks", ["if d.type == 'mps': pass", "same = d in ('mps', 'cpu')", "assert str(d) != 'mps'"]
)
def test_a_file_that_asks_for_apple_knows(asks: str) -> None:
    text = f"import torch\nd = torch.device('mps')\n{asks}\nx = torch.zeros(3).double().to(d)\n"
    assert codes(text) == []


@pytest.mark.parametrize("other", ["cuda", "mps"])
def test_a_device_that_is_chosen_again_and_again(other: str) -> None:
    tree = ast.parse("".join(f"d = d or e{i}\n" for i in range(60)) + f"e3 = '{other}'\nd")
    last = tree.body[-1]
    assert isinstance(last, ast.Expr)
    assert Apple(Syntax(tree)).may_be(last.value) is (other == "mps")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("DataLoader(TensorDataset(there), pin_memory=True)", "DataLoader(TensorDataset(there))"),
        ("DataLoader(TensorDataset(there), pin_memory=True, num_workers=0)",
         "DataLoader(TensorDataset(there), num_workers=0)"),
        ("DataLoader(\n    TensorDataset(there),\n    pin_memory=True,\n)",
         "DataLoader(\n    TensorDataset(there),\n)"),
        ("DataLoader(pin_memory=True, dataset=there)", "DataLoader(dataset=there)"),
        ("p = there.pin_memory()", "p = there"),
        ("p = there.to('cpu', non_blocking=True).item()", "p = there.to('cpu').item()"),
        ("p = there.to(non_blocking=True, device='cpu').item()",
         "p = there.to(device='cpu').item()"),
    ],
)  # fmt: skip
def test_what_does_harm_is_left_out(before: str, after: str) -> None:
    source = Source.from_text(f"{HEAD}{before}\n", "program.py")
    fixed = fix_source(source, SETTINGS, unsafe=False)
    assert fixed.source.text == f"{HEAD}{after}\n"


@pytest.mark.parametrize(
    ("statements", "code"),
    [
        ("copy = there.to('cpu', non_blocking=True)\nthere + copy", "TDL011"),
        (COPY + "there.numpy()", "TDL013"),
        ("there.to('cpu', non_blocking=True)\nprint(here)", "TDL001"),
        ("print(there.to('cpu', non_blocking=True))", "TDL905"),
    ],
)
def test_one_defect_has_one_finding(statements: str, code: str) -> None:
    assert codes(f"{HEAD}{statements}\n", EVERY) == [code]
