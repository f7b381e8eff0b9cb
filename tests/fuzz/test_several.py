"""What is told of a program in one file is told of it in several: 150 of those that train."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from torchdev_lint import check, check_source

from .several import parted
from .trainings.author import Author

pytestmark = pytest.mark.slow

COUNT = 150
_OF_ITS_FILE = "TDL102"
"""It is told where the file has a device of its own, and so depends on what is in it."""


def test_it_does_not_matter_how_a_program_is_parted(tmp_path: Path) -> None:
    several, told, less, more = 0, 0, 0, 0
    for number in range(COUNT):
        text = Author(random.Random(number)).program()
        program = parted(text, random.Random(number))
        folder = tmp_path / str(number)
        for name, part in program.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(part, encoding="utf-8")
        in_one = {finding.code for finding in check_source(text, isolated=True)}
        reports = check([folder], isolated=True)
        assert [report.problem for report in reports if report.problem] == []
        in_several = {finding.code for report in reports for finding in report.findings}
        in_one.discard(_OF_ITS_FILE)
        in_several.discard(_OF_ITS_FILE)
        # What an object of another file makes when it is first used is not known here.
        less += bool(in_one) > bool(in_several)
        # With what a class is built is asked of other files, and not of its own.
        more += bool(in_several) > bool(in_one)
        several += len(program) > 1
        told += bool(in_one)
    assert several > COUNT * 0.9
    assert told > COUNT / 3
    assert less < COUNT / 50
    assert more < COUNT / 50
