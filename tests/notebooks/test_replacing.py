"""Stretches of the program of a notebook are replaced in its own text, and nowhere else."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.notebooks.made import notebook, sources, written
from torchdev_lint.source.notebook import CannotReplace, Notebook

PYTHON = ["x = 1", "", "ü = '\\t\"'", "# 😀", "    y", "z = 2  "]
CELLS = st.lists(st.sampled_from([*PYTHON, "%magic", "!ls"]), max_size=4).map("\n".join)
PYTHON_CELLS = st.lists(st.sampled_from(PYTHON), min_size=1, max_size=4).map("\n".join).filter(bool)
INDENTED = re.compile(r"(\s*\n)?[ \t]+\S")
"""How a cell begins that is indented as a whole, in which a line begins a block."""
CONTENTS = st.sampled_from(["", "a", "a\n", "\nb", "ä\nb\n", '"\\', "😀"])


@dataclass(frozen=True)
class Wish:
    """What is to be replaced in a notebook: a stretch of one cell, in which all is Python."""

    cells: list[str]
    number: int
    start: int
    end: int
    content: str

    @property
    def after(self) -> str:
        """What the cell is to hold then."""
        own = self.cells[self.number]
        return own[: self.start] + self.content + own[self.end :]


@st.composite
def wishes(draw: st.DrawFn) -> Wish:
    """Return what can be done: a cell that holds nothing any more would be none of the program."""
    before, own, behind = draw(st.lists(CELLS)), draw(PYTHON_CELLS), draw(st.lists(CELLS))
    start, end = sorted(draw(st.tuples(*[st.integers(0, len(own))] * 2)))
    wish = Wish([*before, own, *behind], len(before), start, end, draw(CONTENTS))
    assume(not INDENTED.match(own) and not INDENTED.match(wish.after))
    return wish if wish.after else replace(wish, content="a")


def parsed(text: str) -> Notebook:
    return Notebook("nb.ipynb", text.encode())


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
@given(wishes(), st.sampled_from([None, 1, 4]), st.booleans(), st.booleans())
def test_the_program_is_as_wanted_and_all_else_as_it_was(
    wish: Wish, indent: int | None, ascii: bool, single: bool
) -> None:
    made = notebook("#md text", *wish.cells)
    if single:
        for cell in made["cells"]:
            cell["source"] = "".join(cell["source"])
    text = json.dumps(made, indent=indent, ensure_ascii=ascii)
    before = parsed(text)
    line = next(cell.line for cell in before.cells if cell.number == wish.number + 2)
    first = sum(len(each) + 1 for each in before.lines[: line - 1])
    start, end = first + wish.start, first + wish.end
    after = before.replaced([(start, end, wish.content)])
    assert after.text == before.text[:start] + wish.content + before.text[end:]
    assert without_sources(after.data.decode()) == without_sources(text)
    cells = [*wish.cells[: wish.number], wish.after, *wish.cells[wish.number + 1 :]]
    assert sources(after.data.decode()) == ["#md text", *cells]


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
