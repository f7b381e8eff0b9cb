"""The mixing table holds on the accelerator, real or simulated, and quotes its sources rightly."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from tests.command import ROOT
from tests.runtime.mixing_table import ROWS
from tests.runtime.simulated import schemas
from torchdev_lint.catalog import operations

pytestmark = pytest.mark.slow

_MENTION = re.compile(r"([\w.]+) \((checked|NoCheck)\)")


def run_table(device: str) -> list[dict[str, Any]]:
    """Run the whole table in a process of its own; one record a row."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.runtime.mixing_table", "--device", device],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    records = [json.loads(line) for line in process.stdout.splitlines()]
    assert len(records) == len(ROWS), process.stderr
    return records


@pytest.fixture(scope="module")
def simulated_records() -> list[dict[str, Any]]:
    """The table as the simulated accelerator answers it."""
    return run_table("simulated")


@pytest.fixture(scope="module")
def real_records() -> list[dict[str, Any]]:
    """The table as a real accelerator answers it."""
    return run_table("real")


@pytest.mark.parametrize("number", range(len(ROWS)), ids=lambda n: f"{n}-{ROWS[n].names[0]}")
def test_simulated(number: int, simulated_records: list[dict[str, Any]]) -> None:
    """The simulated accelerator does what the row says."""
    record = simulated_records[number]
    assert not record["faults"], record["title"]


@pytest.mark.gpu
@pytest.mark.parametrize("number", range(len(ROWS)), ids=lambda n: f"{n}-{ROWS[n].names[0]}")
def test_real(number: int, real_records: list[dict[str, Any]]) -> None:
    """The real accelerator does what the row says; without one this fails."""
    record = real_records[number]
    assert not record["faults"], record["title"]


def test_sources_are_as_quoted() -> None:
    """What rows quote from `native_functions.yaml` is there."""
    known = schemas.operations()
    quoted = {mention for row in ROWS for mention in _MENTION.findall(row.source)}
    assert quoted
    for name, word in sorted(quoted):
        assert name in known.names, name
        assert (name in known.unchecked) == (word == "NoCheck"), f"{name} is not {word}"


def test_the_catalog_is_in_the_table() -> None:
    """Each operation has a row, but for what only a real accelerator or a sparse tensor can do."""
    named = {name.rpartition(".")[2] for row in ROWS for name in row.called}
    groups = (
        operations.ELEMENTWISE, operations.CHECKED, operations.STRICT, operations.BROADCAST,
        operations.NEUTRAL_FUNCTIONS, operations.HOST_READS, operations.IN_PLACE_SELF,
        operations.SAME_RANK_CASTS,
    )  # fmt: skip
    left_out = {"pin_memory", "is_coalesced", "sparse_dim", "dense_dim"}
    assert set[str]().union(*groups) - named == left_out


def test_the_table_is_wide_enough() -> None:
    """Both answers are well represented, and no row is there twice."""
    answers = [row.expected for row in ROWS]
    assert len(ROWS) >= 100
    assert min(answers.count("mixes"), answers.count("raises")) >= 30
    assert len({row.title for row in ROWS}) == len(ROWS)
