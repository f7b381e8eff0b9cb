"""Reading, parsing, and places in characters."""

from __future__ import annotations

import ast
import codecs
from pathlib import Path

import pytest

from torchdev_lint.source.source import Source, SourceError, SyntaxProblem, read_source
from torchdev_lint.source.span import Span


def call_spans(text: str) -> list[str]:
    """Return the text at the span of each call, as the source says."""
    source = Source.from_text(text, "a.py")
    cut = []
    for node in ast.walk(source.parse()):
        if isinstance(node, ast.Call):
            span = source.span(node)
            assert span.line == span.end_line
            cut.append(source.lines[span.line - 1][span.column : span.end_column])
    return cut


@pytest.mark.parametrize(
    "text",
    [
        "f(1)",
        "'ä'; f(1)",
        "'日本'; f(1)",
        "'\N{GRINNING FACE}'; f(1)",
        "\n\f\nf(1)",
        "'a\x1cb\u2028c'; f(1)",
        "'ä'\r\nf(1)\r\n",
        "x = 'ä'\rf(1)\r",
        "\tf(1)".replace("\t", "if 1:\n\t'ä'; "),
    ],
)
def test_spans_are_in_characters(text: str) -> None:
    assert call_spans(text) == ["f(1)"]


def test_a_span_over_several_lines() -> None:
    source = Source.from_text("'ä'; f(\n  'ö')", "a.py")
    statement = source.parse().body[1]
    assert source.span(statement) == Span(1, 5, 2, 6)


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        (b"x = 1\r\n", "x = 1\r\n", "utf-8"),
        (codecs.BOM_UTF8 + b"x = '\xc3\xa4'", "x = 'ä'", "utf-8-sig"),
        (b"# coding: latin-1\n'\xe4'", "# coding: latin-1\n'ä'", "iso-8859-1"),
        (b"#!/bin/x\n# -*- coding: cp1252 -*-\n'\x80'",
         "#!/bin/x\n# -*- coding: cp1252 -*-\n'€'", "cp1252"),
    ],
)  # fmt: skip
def test_bytes_are_decoded_as_python_does(data: bytes, text: str, encoding: str) -> None:
    source = Source.from_bytes(data, "a.py")
    assert (source.text, source.data, source.encoding) == (text, data, encoding)


@pytest.mark.parametrize(
    ("data", "message", "line"),
    [
        (b"x = 1\ny = '\xff'\n", "is not valid utf-8: byte 0xff", 2),
        (b"\xff", "is not valid utf-8: byte 0xff", 1),
        (b"x\n\ny\0", "source contains a NUL byte", 3),
        ("x = 1\n".encode("utf-16"), "is not valid utf-8: byte 0xff", 1),
        (b"# coding: nonsense\n", "unknown encoding: nonsense", 1),
        (b"# coding: hex\n", "cannot be decoded as hex: ", 1),
        (b"# coding: rot13\n", "cannot be decoded as rot13: ", 1),
        (b"# coding: undefined\n", "cannot be decoded as undefined: ", 1),
        (codecs.BOM_UTF8 + b"# coding: latin-1\n", "encoding problem: utf-8", 1),
        (b"# coding: ascii\n\n'\xc3\xa4'\n", "is not valid ascii: byte 0xc3", 3),
    ],
)
def test_what_is_no_text(data: bytes, message: str, line: int) -> None:
    with pytest.raises(SourceError) as caught:
        Source.from_bytes(data, "a.py")
    assert caught.value.message.startswith(message)
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("x = = 1", 1, 5),
        ("\n\nprint 'x'\n", 3, 1),
        ("'ä'; = 1", 1, 6),
        ("if x:\n\ty\n        z\n", 3, None),
        ("x = '''\n", 1, 5),
        ("x = (" * 300, 1, None),
        ("'\udc80'", 1, None),
    ],
)
def test_what_is_no_python(text: str, line: int, column: int | None) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        Source.from_text(text, "a.py").parse()
    assert caught.value.line == line
    if column is not None:
        assert caught.value.column == column


def test_warnings_are_not_ours_to_give(recwarn: pytest.WarningsRecorder) -> None:
    Source.from_text("'\\d'; 1 is 1; ()()", "a.py").parse()
    assert list(recwarn) == []


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is not a regular file"):
        read_source(str(tmp_path))
    with pytest.raises(SourceError, match="cannot be read: No such file"):
        read_source(str(tmp_path / "a.py"))
    with pytest.raises(SourceError, match="cannot be read: embedded null"):
        read_source("a\0.py")
