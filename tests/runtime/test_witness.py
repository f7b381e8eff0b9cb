"""PyTorch's own `FakeTensorMode` agrees with the mixing table, or it is known why it doesn't."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.command import ROOT
from tests.runtime.mixing_rows.row import mixes
from tests.runtime.mixing_table import ROWS, Result
from tests.runtime.witness.fake import CANNOT, questions_about
from tests.runtime.witness.reasons import Operation, differs, mistakes, reasons

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def answers() -> dict[Operation, Result]:
    """What it says about each operation of the table."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.runtime.witness.fake"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    found = {}
    for line in process.stdout.splitlines():
        fields = json.loads(line)
        row = ROWS[fields.pop("row")]
        found[row.title, fields["name"]] = Result(**fields)
    return found


def test_it_is_asked_about_everything(answers: dict[Operation, Result]) -> None:
    assert list(answers) == [(ROWS[number].title, name) for number, name in questions_about()]


def test_it_can_run_most(answers: dict[Operation, Result]) -> None:
    """And says why it can't run the others."""
    unable = [answer for answer in answers.values() if answer.outcome == CANNOT]
    assert all(answer.error for answer in unable)
    assert len(unable) < len(answers) / 8


def test_each_disagreement_has_its_reason(answers: dict[Operation, Result]) -> None:
    """Explain it in `reasons.json`, or correct what is wrong; and no reason is out of date."""
    rows = {row.title: row for row in ROWS}
    differing = {key: answer for key, answer in answers.items() if differs(rows[key[0]], answer)}
    explained = [operation for reason in reasons() for operation in reason.operations]
    assert not mistakes(explained, differing)


def test_sources_are_as_quoted() -> None:
    """Each reason quotes a file of the installed PyTorch."""
    for reason in reasons():
        name, _, quote = reason.source.partition(": ")
        text = Path(torch.__file__).parents[1].joinpath(name).read_text(encoding="utf-8")
        assert quote in text, reason.source


def test_no_answer_is_no_agreement() -> None:
    row = mixes("torch.add", "other", 0, "OP(dev(4), host())", "")
    assert not differs(row, Result("torch.add", "mixes", place="accelerator"))
    assert differs(row, Result("torch.add", "mixes", place="host"))
    assert differs(row, Result("torch.add", "raises", "RuntimeError"))
    assert not differs(row, Result("torch.add", CANNOT, "RuntimeError"))


def test_reasons_fit_what_they_explain() -> None:
    """What has none, what needs none, and what has two."""
    answer = Result("torch.add", "raises", "RuntimeError")
    known, new = ("a row", "torch.add"), ("another row", "torch.add")
    assert mistakes([known], {known: answer}) == []
    assert mistakes([], {new: answer}) == ["not explained: torch.add raises in another row"]
    assert mistakes([known], {}) == ["explained, and no disagreement: torch.add in a row"]
    assert mistakes([known, known], {known: answer}) == ["explained twice: torch.add in a row"]
