"""What must hold for the fixes of any file, on mutated fixtures; `tests/fuzz` does it at length."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.command import FIXTURES
from tests.fuzz.checks import check_fixes
from tests.fuzz.mutations import mutated
from torchdev_lint.applying.call import with_argument
from torchdev_lint.applying.edit import Edit, Shift, apply_edits
from torchdev_lint.source.source import Source

pytestmark = pytest.mark.slow

PROGRAMS = sorted(FIXTURES.glob("*/*.py"))


@settings(max_examples=100, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(PROGRAMS), st.integers(0, 2**32), st.booleans())
def test_mutated_programs(program: Path, seed: int, unsafe: bool) -> None:
    text = program.read_text("utf-8")
    check_fixes(mutated(text, random.Random(seed)), unsafe)


@st.composite
def texts_with_edits(draw: st.DrawFn) -> tuple[bytes, str, list[Edit]]:
    alphabet = st.sampled_from("ab ä\n\r\t€")
    codec = draw(st.sampled_from(["utf-8", "utf-8-sig", "cp1252"]))
    text = draw(st.text(alphabet, max_size=40))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    places = list(zip(cuts[::2], cuts[1::2], strict=False))
    edits = [Edit(a, b, draw(st.text(alphabet, max_size=5))) for a, b in places]
    return text.encode(codec), codec, edits


@given(texts_with_edits())
def test_edits_change_nothing_else(case: tuple[bytes, str, list[Edit]]) -> None:
    data, codec, edits = case
    text = data.decode(codec)
    source = Source("a.py", text, data, codec)
    result = apply_edits(source, edits)
    expected = text
    for edit in reversed(edits):
        expected = expected[: edit.start] + edit.content + expected[edit.end :]
    assert (result.text, result.data) == (expected, expected.encode(codec))
    shift = Shift(edits)
    for number, edit in enumerate(edits):
        start, end = shift.stretch(number)
        assert result.text[start:end] == edit.content
        assert all(shift.origin(offset) == edit.start for offset in range(start, end))
    for offset in range(len(text)):
        if all(not edit.start <= offset < edit.end for edit in edits):
            assert result.text[shift.moved(offset)] == text[offset]
            assert shift.origin(shift.moved(offset)) == offset


_ARGUMENTS = ["3", "x.size(0)", "*shape", "[1, 2]", "(1,)", "dtype=torch.int", "size=(2, 3)", "'a'"]
_SPACES = ["", " ", "\n    ", "  # note\n    ", "\n\n    ", "\n    # note\n    "]


@given(
    st.lists(st.sampled_from(_ARGUMENTS), max_size=4),
    st.lists(st.sampled_from(_SPACES), min_size=10, max_size=10),
    st.booleans(),
)
def test_any_call_gets_its_argument(
    arguments: list[str], spaces: list[str], trailing: bool
) -> None:
    import ast

    arguments.sort(key=lambda text: "=" in text)
    if len({a.partition("=")[0] for a in arguments if "=" in a}) < sum("=" in a for a in arguments):
        return
    pieces = [spaces[0]]
    for number, argument in enumerate(arguments):
        last = number == len(arguments) - 1
        pieces += [argument, "" if last and not trailing else ",", spaces[number + 1]]
    call = f"f({''.join(pieces)})"
    try:
        changed = with_argument(call, "device=d")
    except Exception as error:
        assert type(error).__name__ == "CannotEdit"
        return
    before, after = ast.parse(call, mode="eval").body, ast.parse(changed, mode="eval").body
    assert isinstance(before, ast.Call)
    before.keywords.append(ast.keyword("device", ast.Name("d", ast.Load())))
    assert ast.dump(after) == ast.dump(before)
    assert changed.count("# note") == call.count("# note")


@pytest.mark.parametrize("seed", range(20))
def test_many_defects_in_one_file(seed: int) -> None:
    chance = random.Random(seed)
    text = PROGRAMS[0].read_text("utf-8")
    for _ in range(10):
        text = mutated(text, chance).decode("utf-8", "replace").replace("\r", "\n")
    check_fixes(text.encode(), unsafe=True)
