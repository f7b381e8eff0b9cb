"""What something else may have caused isn't called certain."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchdev_lint.tracebacks.explaining import Explanation, explain

PROGRAM = """\
import torch
from torch import nn
from elsewhere import load


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x, shift):
        noise = torch.randn(4)
        x = self.layer(x) + noise
        return x + shift

    def twice(self, x):
        return self.layer(x * 2) + self.layer(torch.randn(4))

    def shifted(self, x: torch.Tensor):
        return x.unsqueeze(0) + torch.randn(4)


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, picture):
        noise = torch.randn(4)
        return self.layer(picture) + noise


def fit(net, images, shift):
    images.to("cuda")
    images = images.unsqueeze(0)
    return torch.add(images, load(shift))


def apply(net, image):
    net(image, load("shift.pt"))


def improve(net: Net, picture: torch.Tensor):
    picture.to("cuda")
    return net.twice(picture)


net = Net().cuda()
image = torch.ones(4)
net(image, image.to("cuda"))
"""
OTHER = """\
import torch
from net import Deep

deep = Deep().cuda()
deep(torch.ones(4))
"""


@pytest.fixture(autouse=True)
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("net.py").write_text(PROGRAM)
    Path("other.py").write_text(OTHER)


def explained(*marked: str, marks: bool = True) -> Explanation:
    """Explain an error in the pieces of the program that are marked, the innermost last."""
    lines = ["Traceback (most recent call last):"]
    for piece in marked:
        name, program = ("net.py", PROGRAM) if piece in PROGRAM else ("other.py", OTHER)
        number = next(n for n, line in enumerate(program.splitlines(), 1) if piece in line)
        text = program.splitlines()[number - 1].strip()
        lines += [f'  File "{name}", line {number}, in f', f"    {text}"]
        if marks:
            lines.append(" " * (4 + text.index(piece)) + "^" * len(piece))
    message = "Expected all tensors to be on the same device, but found at least two devices"
    return explain("\n".join([*lines, f"RuntimeError: {message}, cuda:0 and cpu!"]))


def said(explanation: Explanation) -> list[str]:
    """The codes of the findings that may be the cause."""
    return [suspect.finding.code for suspect in explanation.suspects]


def test_what_is_marked() -> None:
    explanation = explained("self.layer(x) + noise")
    assert (said(explanation), explanation.certain) == (["TDL002"], True)


def test_a_part_of_what_a_finding_names() -> None:
    explanation = explained("x.unsqueeze(0)")
    assert (said(explanation), explanation.certain) == (["TDL016"], False)


def test_a_statement_of_several_operations_without_marks() -> None:
    explanation = explained("self.layer(x) + noise", marks=False)
    assert said(explanation)[0] == "TDL002"
    assert explanation.certain is False


def test_a_move_in_vain_beside_something_unknown() -> None:
    explanation = explained("torch.add(images, load(shift))")
    assert (said(explanation), explanation.certain) == (["TDL001"], False)
    assert [lead.known.text for lead in explanation.leads] == ["load(shift)"]


def test_what_was_passed_to_where_it_failed() -> None:
    explanation = explained('net(image, image.to("cuda"))', "self.layer(x)")
    assert (said(explanation), explanation.certain) == (["TDL005"], True)


def test_what_was_passed_on_may_be_the_cause_as_well() -> None:
    calls = "deep(torch.ones(4))", "self.layer(picture) + noise"
    explanation = explained(*calls, marks=False)
    assert (said(explanation), explanation.certain) == (["TDL002", "TDL005"], False)
    assert explained(*calls).certain
    explanation = explained(calls[0], "self.layer(picture)")
    assert (said(explanation), explanation.certain) == (["TDL005"], True)
    assert [operand.known.text for operand in explanation.passed] == ["picture"]


def test_another_argument_of_the_call_that_passed_it() -> None:
    explanation = explained('net(image, image.to("cuda"))', "x + shift")
    assert (said(explanation), explanation.certain) == (["TDL005"], False)


def test_what_stands_beside_what_failed_comes_last() -> None:
    beside = explained("self.layer(x * 2)")
    assert (said(beside), beside.certain) == (["TDL002"], False)
    explanation = explained("net.twice(picture)", "self.layer(x * 2)")
    assert (said(explanation), explanation.certain) == (["TDL001"], True)


def test_something_else_that_is_passed_on() -> None:
    explanation = explained('net(image, load("shift.pt"))', "self.layer(x) + noise")
    assert (said(explanation), explanation.certain) == (["TDL002"], True)
