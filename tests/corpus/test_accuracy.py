"""What docs/accuracy.md says is what the verdicts say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import ROOT

from .__main__ import RECORD
from .record import loaded
from .verdicts import VERDICTS, table

READINGS = ROOT / "docs" / "readings"
READ = [
    line
    for line in (READINGS / "read.txt").read_text("utf-8").splitlines()
    if not line.startswith("#")
]
FILES = sorted(READINGS.glob("*.jsonl"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
class TestReading:
    def test_the_table_is_that_of_the_verdicts(self, file: Path) -> None:
        page = (ROOT / "docs" / "accuracy.md").read_text("utf-8")
        assert f"<!-- verdicts: {file.stem} -->\n{table(file)}\n" in page

    def test_verdicts_are_known_words(self, file: Path) -> None:
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        assert {row["verdict"] for row in rows} <= VERDICTS.keys()

    def test_what_was_read_is_in_the_list(self, file: Path) -> None:
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        assert {row["package"] for row in rows} <= set(READ)


def test_the_list_is_sorted_and_names_each_once() -> None:
    assert sorted(set(READ), key=str.lower) == READ


def test_packages_of_the_corpus_are_in_the_list() -> None:
    corpus = {reading.package for reading in loaded(RECORD)}
    assert {name if "/" in name else f"pypi:{name}" for name in corpus} <= set(READ)
