"""Places as the protocol counts them, in the encoding that was agreed on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from torchdev_lint.server.positions import Places, lines_of
from torchdev_lint.source.source import Source

CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
TEXTS = st.text(st.sampled_from("aé€🔥\n\r\x0c\u2028 "), max_size=30)


@given(TEXTS, st.sampled_from(sorted(CODECS)))
def test_columns_are_counted_in_units_of_the_encoding(text: str, encoding: str) -> None:
    codec, size = CODECS[encoding]
    places = Places(lines_of(text), encoding)
    for number, line in enumerate(Source.from_text(text, "a.py").lines, 1):
        for column in range(len(line) + 1):
            position = places.position(number, column)
            units = len(line[:column].encode(codec)) // size
            assert position == types.Position(number - 1, units)
            assert places.column(position) == column


@given(TEXTS)
def test_lines_end_where_the_protocol_says(text: str) -> None:
    lines = lines_of(text)
    assert "".join(lines) == text
    stripped = [line.rstrip("\r\n") for line in lines]
    if not text or text[-1] in "\r\n":
        stripped.append("")
    assert stripped == Source.from_text(text, "a.py").lines


@pytest.mark.parametrize(
    ("text", "end"), [("", (0, 0)), ("a", (0, 1)), ("a\n", (1, 0)), ("a\nb🔥", (1, 3))]
)
def test_a_text_ends_behind_its_last_character(text: str, end: tuple[int, int]) -> None:
    lines = lines_of(text)
    assert Places(lines, "utf-16").end(len(lines)) == types.Position(*end)
