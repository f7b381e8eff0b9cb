"""Stretches of the program of a notebook are replaced in its own text, and nowhere else."""

from __future__ import annotations

import json
import random
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.notebooks.made import notebook, written
from torchdev_lint.source.notebook import CannotReplace, Notebook

LINES = st.lists(
    st.sampled_from(["x = 1", "", "ü = '\\t\"'", "%magic", "!ls", "# 😀", "    y", "z = 2  "]),
    max_size=4,
)
CELLS = st.lists(LINES.map("\n".join), min_size=1, max_size=4)
CONTENTS = st.sampled_from(["", "a", "a\n", "\nb", "ä\nb\n", '"\\', "😀"])


def parsed(text: str) -> Notebook:
    return Notebook("nb.ipynb", text.encode())


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    CELLS,
    st.sampled_from([None, 1, 4]),
    st.booleans(),
    st.booleans(),
    CONTENTS,
    st.integers(0, 10_000),
)
def test_the_program_is_as_wanted_and_all_else_as_it_was(
    cells: list[str], indent: int | None, ascii: bool, single: bool, content: str, seed: int
) -> None:
    made = notebook("#md text", *cells)
    if single:
        for cell in made["cells"]:
            cell["source"] = "".join(cell["source"])
    text = json.dumps(made, indent=indent, ensure_ascii=ascii)
    before, chance = parsed(text), random.Random(seed)
    start, end = sorted(chance.choices(range(len(before.text) + 1), k=2))
    try:
        after = before.replaced([(start, end, content)])
    except CannotReplace:
        return
    assert after.text == before.text[:start] + content + before.text[end:]
    assert without_sources(after.data.decode()) == without_sources(text)
    changed = [
        number
        for number, (old, new) in enumerate(
            zip(made["cells"], json.loads(after.data)["cells"], strict=True)
        )
        if old != new
    ]
    assert len(changed) <= 1


def without_sources(text: str) -> str:
    return re.sub(r'"source": (\[.*?\]|"(\\.|[^"\\])*")(?=[,\s]*[}])', "", text, flags=re.DOTALL)


def test_several_in_several_cells() -> None:
    before = parsed(written("a = 1\nb = 2", "#md text", "c = 3\nd = 4"))
    assert before.text == "a = 1\nb = 2\nc = 3\nd = 4\n"
    after = before.replaced([(0, 1, "aa"), (6, 6, "n = 0\n"), (12, 18, ""), (22, 23, "5")])
    assert after.data.decode() == written("aa = 1\nn = 0\nb = 2", "#md text", "d = 5")


def test_the_last_line_of_a_cell_goes_with_the_end_of_the_one_above() -> None:
    before = parsed(written("a = 1\nb = 2", "c = 3"))
    assert before.replaced([(6, 12, "")]).data.decode() == written("a = 1", "c = 3")


def test_behind_the_last_cell_it_goes_on() -> None:
    before = parsed(written("a = 1", "c = 3"))
    assert before.replaced([(12, 12, "d = 4\n")]).data.decode() == written("a = 1", "c = 3\nd = 4")


@pytest.mark.parametrize(
    "replacement", [(4, 8, "x"), (0, 6, ""), (13, 15, "x"), (12, 16, "")], ids=str
)
def test_what_is_not_within_a_cell_is_refused(replacement: tuple[int, int, str]) -> None:
    before = parsed(written("a = 1", "b = 2", "%magic"))
    with pytest.raises(CannotReplace):
        before.replaced([replacement])


def test_what_would_be_read_in_another_way_is_refused() -> None:
    with pytest.raises(CannotReplace):
        parsed(written("a = 1")).replaced([(0, 0, "%magic\n")])
